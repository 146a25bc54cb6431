// The places a filter is loaded from. Each gives the bytes of its header, and a store with the words of a section: a file that is read or
// mapped, bytes in memory, bytes that come piece by piece, and a file that is not written yet.
#pragma once

#include "checked_header.hpp"

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/file_mapping.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/format/description.hpp>
#include <everbloom/runtime/byte_pieces.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace everbloom {

class open_file {
public:
    explicit open_file(int descriptor) noexcept : descriptor_(descriptor) {}
    open_file(open_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    open_file& operator=(open_file&&) = delete;
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

struct sized_file {
    open_file file;
    std::uint64_t bytes;
};

inline result<sized_file> open_regular(const std::string& path) {
    // O_NONBLOCK: a named pipe must be refused below, not waited for.
    open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found {};
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &found) != 0) {
        return fail(failure_reason::input_output, std::string("cannot open it: ") + std::strerror(errno));
    }
    if (S_ISDIR(found.st_mode)) return fail(failure_reason::input_output, "is a directory; name a filter file");
    if (!S_ISREG(found.st_mode)) return fail(failure_reason::input_output, "is not a regular file; name a filter file");
    return sized_file{std::move(file), static_cast<std::uint64_t>(found.st_size)};
}

class descriptor_source {
public:
    using store_type = chunked_words;
    descriptor_source(int descriptor, std::uint64_t bytes) noexcept : descriptor_(descriptor), bytes_(bytes) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    result<std::span<const std::byte>> first(std::uint64_t count) {
        header_.resize(std::min(count, bytes_));
        if (auto done = read(0, header_); !done) return fail(std::move(done.error()));
        return std::span<const std::byte>(header_);
    }

    result<chunked_words> section(const section_description& where, section_memory how) const {
        auto words = make_section(where.lines, how);
        if (!words) return words;
        std::uint64_t offset = where.offset;
        auto done = words->fill([&](std::span<std::uint64_t> unit) {
            return read(std::exchange(offset, offset + unit.size_bytes()), std::as_writable_bytes(unit));
        });
        if (!done) return fail(std::move(done.error()));
        return words;
    }

private:
    result<void> read(std::uint64_t offset, std::span<std::byte> into) const {
        while (!into.empty()) {
            const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0)
                return fail(failure_reason::input_output, std::string("cannot read it: ") + std::strerror(errno));
            if (got == 0) return fail(failure_reason::damaged, "the file became shorter while it was read");
            offset += static_cast<std::uint64_t>(got);
            into = into.subspan(static_cast<std::size_t>(got));
        }
        return {};
    }

    int descriptor_;
    std::uint64_t bytes_;
    std::vector<std::byte> header_;
};

class memory_source {
public:
    using store_type = chunked_words;
    explicit memory_source(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.size(); }

    [[nodiscard]] result<std::span<const std::byte>> first(std::uint64_t count) const {
        return bytes_.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_.size())));
    }

    [[nodiscard]] result<chunked_words> section(const section_description& where, section_memory how) const {
        auto words = make_section(where.lines, how);
        if (!words) return words;
        const std::byte* from = bytes_.data() + where.offset;
        auto done = words->fill([&](std::span<std::uint64_t> unit) -> result<void> {
            std::memcpy(unit.data(), from, unit.size_bytes());
            from += unit.size_bytes();
            return {};
        });
        if (!done) return fail(std::move(done.error()));
        return words;
    }

private:
    std::span<const std::byte> bytes_;
};

/// Bytes that come once, in order: the header, then the sections as they lie in the file.
class piecewise_source {
public:
    using store_type = chunked_words;
    piecewise_source(byte_source& from, std::uint64_t bytes) noexcept : from_(from), bytes_(bytes) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    result<std::span<const std::byte>> first(std::uint64_t count) {
        const std::size_t before = header_.size();
        header_.resize(static_cast<std::size_t>(std::max<std::uint64_t>(before, std::min(count, bytes_))));
        if (auto done = take(std::span(header_).subspan(before)); !done) return fail(std::move(done.error()));
        return std::span<const std::byte>(header_);
    }

    result<chunked_words> section(const section_description& where, section_memory how) {
        if (where.offset != position_) return fail(failure_reason::damaged, "the sections are not in order");
        auto words = make_section(where.lines, how);
        if (!words) return words;
        auto done = words->fill([&](std::span<std::uint64_t> unit) { return take(std::as_writable_bytes(unit)); });
        if (!done) return fail(std::move(done.error()));
        return words;
    }

private:
    result<void> take(std::span<std::byte> into) {
        if (into.empty()) return {};
        auto done = from_.read(into);
        position_ += into.size();
        return done;
    }

    byte_source& from_;
    std::uint64_t bytes_;
    std::uint64_t position_ = 0;
    std::vector<std::byte> header_;
};

class mapping_source {
public:
    using store_type = const_words;
    explicit mapping_source(std::shared_ptr<const file_mapping> mapping) noexcept : mapping_(std::move(mapping)) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept { return mapping_->bytes(); }

    [[nodiscard]] result<std::span<const std::byte>> first(std::uint64_t count) const {
        return std::span(start(), static_cast<std::size_t>(std::min(count, mapping_->bytes())));
    }

    [[nodiscard]] result<const_words> section(const section_description& where, section_memory) const {
        // The mapping starts on a page and sections lie on lines, so the words are aligned.
        const auto* words = reinterpret_cast<const std::uint64_t*>(start() + where.offset);
        return const_words(words, where.lines * line_words, mapping_);
    }

private:
    [[nodiscard]] const std::byte* start() const noexcept { return static_cast<const std::byte*>(mapping_->address()); }

    std::shared_ptr<const file_mapping> mapping_;
};

/// A file that is not written yet: its header, and its sections where they lie in memory.
class unwritten_source {
public:
    using store_type = const_words;
    unwritten_source(std::span<const std::byte> header, std::span<const word_pieces> sections) noexcept
        : header_(header), sections_(sections) {}
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        std::uint64_t sum = header_.size();
        for (const auto& words : sections_) sum += words.size_bytes();
        return sum;
    }

    [[nodiscard]] result<std::span<const std::byte>> first(std::uint64_t count) const {
        return header_.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, header_.size())));
    }

    [[nodiscard]] result<const_words> section(const section_description& where, section_memory) const {
        std::uint64_t offset = header_.size();
        for (const auto& words : sections_) {
            if (offset == where.offset && words.size() == where.lines * line_words) {
                return const_words(words, nullptr);
            }
            offset += words.size_bytes();
        }
        return fail(failure_reason::damaged, "the header describes a section that does not exist");
    }

private:
    std::span<const std::byte> header_;
    std::span<const word_pieces> sections_;
};

} // namespace everbloom
