// Files, bytes in memory, and the caller's sinks and sources.
#include "reporting.hpp"

#include <everbloom/jobs/dcso_conversion.hpp>
#include <everbloom/runtime/byte_pieces.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstring>
#include <limits>
#include <string>

namespace everbloom::capi {
namespace {

/// Any key type: the caller asks the filter for it.
result<door::filter_core> with_any_keys(result<filter_file> loaded) {
    if (!loaded) return fail(std::move(loaded.error()));
    return door::filter_core(std::move(*loaded));
}

class callers_sink final : public byte_sink {
public:
    callers_sink(eb_sink sink, void* context) noexcept : sink_(sink), context_(context) {}
    [[nodiscard]] result<void> write(std::span<const std::byte> piece) override {
        if (sink_(context_, piece.data(), piece.size()) == 0) return {};
        return fail(failure_reason::input_output, "the sink refused " + std::to_string(piece.size()) + " bytes");
    }

private:
    eb_sink sink_;
    void* context_;
};

class callers_source final : public byte_source {
public:
    callers_source(eb_source source, void* context) noexcept : source_(source), context_(context) {}
    [[nodiscard]] result<void> read(std::span<std::byte> into) override {
        if (source_(context_, into.data(), into.size()) == 0) return {};
        return fail(failure_reason::input_output, "the source has no " + std::to_string(into.size()) + " more bytes");
    }

private:
    eb_source source_;
    void* context_;
};

/// Memory of the caller, of which it is known that the whole file fits.
class memory_sink final : public byte_sink {
public:
    explicit memory_sink(void* into) noexcept : next_(static_cast<char*>(into)) {}
    [[nodiscard]] result<void> write(std::span<const std::byte> piece) override {
        if (!piece.empty()) std::memcpy(next_, piece.data(), piece.size());
        next_ += piece.size();
        return {};
    }

private:
    char* next_;
};

} // namespace
} // namespace everbloom::capi

using namespace everbloom;
using namespace everbloom::capi;

int eb_save(const eb_filter* filter, const char* path, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        if (path == nullptr) return null_pointer("path");
        return filter->core.save(path);
    });
}

eb_filter* eb_open(const char* path, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (path == nullptr) return null_pointer("path");
        return with_any_keys(open_filter(path));
    });
}

eb_filter* eb_map(const char* path, uint32_t flags, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (path == nullptr) return null_pointer("path");
        if ((flags & ~static_cast<std::uint32_t>(EB_MAP_HEADER_ONLY)) != 0) {
            return fail(failure_reason::bad_parameter, "flags has bits that this version of everbloom does not know");
        }
        return with_any_keys((flags & EB_MAP_HEADER_ONLY) != 0 ? map_unverified_filter(path) : map_filter(path));
    });
}

int64_t eb_saved_bytes(const eb_filter* filter, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        return static_cast<std::int64_t>(saved_bytes(filter->core.file()));
    });
}

int64_t eb_write_memory(const eb_filter* filter, void* buffer, size_t size, eb_error* error) {
    return number_of(error, [&]() -> result<std::int64_t> {
        if (auto checked = check_handle(filter); !checked) return fail(std::move(checked.error()));
        if (buffer == nullptr) return null_pointer("buffer");
        const std::uint64_t needed = saved_bytes(filter->core.file());
        if (needed > size) {
            return fail(failure_reason::bad_parameter, "the buffer has " + std::to_string(size) +
                                                           " bytes, but the filter needs " + std::to_string(needed) +
                                                           " (eb_saved_bytes)");
        }
        memory_sink into(buffer);
        if (auto written = write_filter(filter->core.file(), into); !written) return fail(std::move(written.error()));
        return static_cast<std::int64_t>(needed);
    });
}

eb_filter* eb_read_memory(const void* bytes, size_t size, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (bytes == nullptr) return null_pointer("bytes");
        return with_any_keys(read_filter(std::span(static_cast<const std::byte*>(bytes), size)));
    });
}

eb_filter* eb_read_dcso(const void* bytes, size_t size, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (bytes == nullptr) return null_pointer("bytes");
        const auto read = read_dcso(std::span(static_cast<const std::byte*>(bytes), size));
        if (!read) return fail(read.error());
        return with_any_keys(filter_from_dcso(*read));
    });
}

int eb_write(const eb_filter* filter, eb_sink sink, void* context, eb_error* error) {
    return code_of(error, [&]() -> result<void> {
        if (auto checked = check_handle(filter); !checked) return checked;
        if (sink == nullptr) return null_pointer("sink");
        callers_sink into(sink, context);
        return write_filter(filter->core.file(), into);
    });
}

eb_filter* eb_read(eb_source source, void* context, uint64_t bytes, eb_error* error) {
    return filter_of(error, [&]() -> result<door::filter_core> {
        if (source == nullptr) return null_pointer("source");
        callers_source from(source, context);
        return with_any_keys(read_filter(from, bytes));
    });
}
