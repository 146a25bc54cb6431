#include "data_type.hpp"

#include "settings.hpp"

#include <atomic>
#include <cstring>
#include <limits>
#include <string>

namespace everbloom::redis {
namespace {

constexpr int encoding_version = 1;
/// Bytes in a string of a dump: the server compresses each by itself, and needs as many bytes again for that.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;
/// Bytes in a command of a rewritten append-only file.
constexpr std::size_t command_bytes = std::size_t{8} << 20;

// Values are freed by a thread of the server, too.
std::atomic<std::uint64_t> living_filters = 0;

/// Collects bytes and passes them on in equal pieces.
template <class Pass>
class piece_sink final : public byte_sink {
public:
    piece_sink(std::size_t bytes, Pass pass) : piece_(bytes), pass_(pass) {}

    result<void> write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const std::size_t count = std::min(bytes.size(), piece_.size() - used_);
            std::memcpy(piece_.data() + used_, bytes.data(), count);
            bytes = bytes.subspan(count);
            used_ += count;
            if (used_ == piece_.size()) flush();
        }
        return {};
    }
    void flush() {
        if (used_ != 0) pass_(reinterpret_cast<const char*>(piece_.data()), used_);
        used_ = 0;
    }

private:
    std::vector<std::byte> piece_;
    std::size_t used_ = 0;
    Pass pass_;
};

/// Calls `pass(data, bytes)` for the whole file, piece after piece.
template <class Pass>
void for_pieces(stored_filter& value, std::size_t bytes, Pass pass) {
    value.attach_facts();
    piece_sink<Pass> sink(bytes, pass);
    (void)write_filter(value.file, sink); // fails only if the sink does
    sink.flush();
}

/// The strings of a dump as one sequence of bytes.
class dump_source final : public byte_source {
public:
    explicit dump_source(module_io* io) noexcept : io_(io) {}
    dump_source(const dump_source&) = delete;
    dump_source& operator=(const dump_source&) = delete;
    ~dump_source() override {
        if (piece_ != nullptr) api.Free(piece_);
    }

    result<void> read(std::span<std::byte> into) override {
        while (!into.empty()) {
            if (used_ == bytes_ && !next()) return fail(failure_reason::damaged, "the dump ends too early");
            const std::size_t count = std::min(into.size(), bytes_ - used_);
            std::memcpy(into.data(), piece_ + used_, count);
            into = into.subspan(count);
            used_ += count;
        }
        return {};
    }
    [[nodiscard]] bool is_at_end() const noexcept { return used_ == bytes_; }

private:
    bool next() {
        if (piece_ != nullptr) api.Free(piece_);
        piece_ = api.LoadStringBuffer(io_, &bytes_);
        used_ = 0;
        if (piece_ == nullptr) bytes_ = 0;
        return piece_ != nullptr && api.IsIOError(io_) == 0 && bytes_ != 0; // an empty one would be read for ever
    }

    module_io* io_;
    char* piece_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t used_ = 0;
};

std::unique_ptr<stored_filter> load_arriving(module_io* io, command_family family, std::uint64_t most) {
    auto value = std::make_unique<stored_filter>();
    value->facts.family = family;
    arriving_file file;
    file.total_bytes = api.LoadUnsigned(io);
    const std::uint64_t bytes = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0 || bytes >= file.total_bytes || file.total_bytes > most) return nullptr;
    while (file.bytes < bytes) {
        std::size_t count = 0;
        char* const piece = api.LoadStringBuffer(io, &count);
        if (piece == nullptr) return nullptr;
        const auto* const first = reinterpret_cast<const std::byte*>(piece);
        const bool fits = api.IsIOError(io) == 0 && count != 0 && count <= bytes - file.bytes;
        if (fits) file.chunks.emplace_back(first, first + count);
        api.Free(piece);
        if (!fits) return nullptr;
        file.bytes += count;
    }
    value->arriving = std::move(file);
    return value;
}

std::unique_ptr<stored_filter> load_value(module_io* io) {
    const std::uint64_t most = most_bytes_for(api.GetContextFromIO(io));
    const std::uint64_t family = api.LoadUnsigned(io);
    const std::uint64_t is_arriving = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0 || family > static_cast<std::uint64_t>(command_family::cuckoo)) return nullptr;
    if (is_arriving != 0) return load_arriving(io, static_cast<command_family>(family), most);
    const std::uint64_t bytes = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0) return nullptr;
    if (bytes > most) {
        api.LogIOError(io, "warning", "everbloom: a filter of %llu bytes is larger than MAX_BYTES",
                       static_cast<unsigned long long>(bytes));
        return nullptr;
    }
    dump_source source(io);
    auto file = read_filter(source, bytes);
    if (!file) {
        api.LogIOError(io, "warning", "everbloom: %s", file.error().sentence.c_str());
        return nullptr;
    }
    if (!source.is_at_end()) return nullptr;
    return stored(std::move(*file));
}

void* load(module_io* io, int encoding) {
    if (encoding != encoding_version) return nullptr;
    try {
        auto value = load_value(io);
        if (value) ++living_filters;
        return value.release();
    } catch (const std::exception& what) { // no memory
        api.LogIOError(io, "warning", "everbloom: %s", what.what());
        return nullptr;
    }
}

void save(module_io* io, void* given) {
    auto& value = *static_cast<stored_filter*>(given);
    api.SaveUnsigned(io, static_cast<std::uint64_t>(value.facts.family));
    api.SaveUnsigned(io, value.arriving ? 1 : 0);
    if (value.arriving) {
        api.SaveUnsigned(io, value.arriving->total_bytes);
        api.SaveUnsigned(io, value.arriving->bytes);
        for (const server_bytes& chunk : value.arriving->chunks) {
            api.SaveStringBuffer(io, reinterpret_cast<const char*>(chunk.data()), chunk.size());
        }
        return;
    }
    value.attach_facts();
    api.SaveUnsigned(io, saved_bytes(value.file));
    for_pieces(value, piece_bytes,
               [io](const char* piece, std::size_t bytes) { api.SaveStringBuffer(io, piece, bytes); });
}

void rewrite_chunk(module_io* io, module_string* key, const stored_filter& value, std::uint64_t total,
                   const char* piece, std::size_t bytes) {
    api.EmitAOF(io, "EB.LOADCHUNK", "sclb", key, name_of(value.facts.family).data(), static_cast<long long>(total),
                piece, bytes);
}

void rewrite(module_io* io, module_string* key, void* given) {
    auto& value = *static_cast<stored_filter*>(given);
    if (value.arriving) {
        for (const server_bytes& chunk : value.arriving->chunks) {
            rewrite_chunk(io, key, value, value.arriving->total_bytes, reinterpret_cast<const char*>(chunk.data()),
                          chunk.size());
        }
        return;
    }
    value.attach_facts();
    const std::uint64_t total = saved_bytes(value.file);
    for_pieces(value, command_bytes,
               [&](const char* piece, std::size_t bytes) { rewrite_chunk(io, key, value, total, piece, bytes); });
}

std::size_t memory(const void* value) {
    return static_cast<std::size_t>(static_cast<const stored_filter*>(value)->memory_bytes());
}

void digest_of(module_digest* digest, void* given) {
    auto& value = *static_cast<stored_filter*>(given);
    if (value.filter().has_filter()) {
        for_pieces(value, piece_bytes,
                   [digest](const char* piece, std::size_t bytes) { api.DigestAddStringBuffer(digest, piece, bytes); });
    }
    api.DigestEndSequence(digest);
}

void free_value(void* value) {
    delete static_cast<stored_filter*>(value);
    --living_filters;
}

/// The server frees what takes more than 64 steps in the background: here, what is larger than 4 MiB.
std::size_t free_effort(module_string*, const void* value) {
    return static_cast<std::size_t>(static_cast<const stored_filter*>(value)->memory_bytes() >> 16);
}

void* copy(module_string*, module_string*, const void* given) {
    const auto& value = *static_cast<const stored_filter*>(given);
    try {
        auto made = std::make_unique<stored_filter>();
        made->facts = value.facts;
        made->arriving = value.arriving;
        if (value.filter().has_filter()) {
            auto filter = value.filter().clone();
            if (!filter) return nullptr;
            made->file = filter_file{
                {std::move(*filter), value.file.hasher()}, value.file.keys, value.file.target, value.file.attached};
        }
        made->most_keys = value.most_keys;
        ++living_filters;
        return made.release();
    } catch (const std::exception&) { // no memory: COPY says that it failed
        return nullptr;
    }
}

} // namespace

module_type* create_type(module_context* context) {
    type_methods methods;
    methods.load = load;
    methods.save = save;
    methods.rewrite = rewrite;
    methods.memory = memory;
    methods.digest = digest_of;
    methods.free = free_value;
    methods.free_effort = free_effort;
    methods.copy = copy;
    return api.CreateDataType(context, type_name, encoding_version, &methods);
}

std::uint64_t most_bytes_for(module_context* context) {
    constexpr int follows = context_loading | context_replica | context_replicated;
    if ((api.GetContextFlags(context) & follows) != 0) return std::numeric_limits<std::uint64_t>::max();
    return current_settings.most_bytes;
}

filter_totals totals() noexcept { return {living_filters}; }

void give(module_key* key, std::unique_ptr<stored_filter> value) {
    api.ModuleTypeSetValue(key, filter_type, value.release());
    ++living_filters;
}

} // namespace everbloom::redis
