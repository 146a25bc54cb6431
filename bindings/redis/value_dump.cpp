#include "value_dump.hpp"

#include <algorithm>
#include <cstring>

namespace everbloom::redis {
namespace {

/// Bytes in a string of a dump: the server compresses each by itself, and needs as many bytes again for that.
constexpr std::size_t slice_bytes = std::size_t{256} << 10;
/// Bytes in a command of a rewritten append-only file.
constexpr std::size_t command_bytes = std::size_t{8} << 20;

/// What follows the family in a dump.
enum class dumped_state : std::uint64_t { filter = 0, arriving = 1, chain = 2, not_saved = 3 };

/// Passes bytes on in slices, without a copy.
template <class Pass>
class slice_sink final : public byte_sink {
public:
    slice_sink(std::size_t most, Pass pass) : most_(most), pass_(pass) {}

    result<void> write(std::span<const std::byte> bytes) override {
        while (!bytes.empty()) {
            const auto slice = bytes.first(std::min(bytes.size(), most_));
            pass_(reinterpret_cast<const char*>(slice.data()), slice.size());
            bytes = bytes.subspan(slice.size());
        }
        return {};
    }

private:
    std::size_t most_;
    Pass pass_;
};

/// Calls `pass(data, bytes)` for the filter's file, slice after slice. False if it could not even begin.
template <class Pass>
[[nodiscard]] bool for_slices(stored_filter& value, std::size_t most, Pass pass) {
    value.attach_facts();
    slice_sink<Pass> sink(most, pass);
    return write_filter(value.file, sink).has_value();
}

/// The same for the data of a dump of RedisBloom: `pass(data, bytes, position behind them)`.
template <class Pass>
void for_chain_slices(const redisbloom_chain& chain, std::size_t most, Pass pass) {
    std::uint64_t position = 0;
    for (auto slice = chain.data(0, most); !slice.empty(); slice = chain.data(position, most)) {
        position += slice.size();
        pass(reinterpret_cast<const char*>(slice.data()), slice.size(), position);
    }
}

void save_state(module_io* io, command_family family, dumped_state state) {
    api.SaveUnsigned(io, static_cast<std::uint64_t>(family));
    api.SaveUnsigned(io, static_cast<std::uint64_t>(state));
}

/// One string of a dump, freed at the end of its scope; no bytes if it cannot be read.
class loaded_string {
public:
    explicit loaded_string(module_io* io) : data_(api.LoadStringBuffer(io, &bytes_)) {
        if (data_ == nullptr || api.IsIOError(io) != 0) bytes_ = 0;
    }
    loaded_string(const loaded_string&) = delete;
    loaded_string& operator=(const loaded_string&) = delete;
    ~loaded_string() {
        if (data_ != nullptr) api.Free(data_);
    }
    [[nodiscard]] std::string_view text() const noexcept { return {data_, bytes_}; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return {reinterpret_cast<const std::byte*>(data_), bytes_};
    }

private:
    std::size_t bytes_ = 0;
    char* data_;
};

/// The strings of a dump as one sequence of bytes.
class dump_source final : public byte_source {
public:
    explicit dump_source(module_io* io) noexcept : io_(io) {}

    result<void> read(std::span<std::byte> into) override {
        while (!into.empty()) {
            if (rest_.empty()) {
                string_.emplace(io_);
                rest_ = string_->bytes();
                // An empty one would never end.
                if (rest_.empty()) return fail(failure_reason::damaged, "the dump ends too early");
            }
            const std::size_t count = std::min(into.size(), rest_.size());
            std::memcpy(into.data(), rest_.data(), count);
            into = into.subspan(count);
            rest_ = rest_.subspan(count);
        }
        return {};
    }
    [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

private:
    module_io* io_;
    std::optional<loaded_string> string_;
    std::span<const std::byte> rest_;
};

/// Calls `take(bytes)` for the strings that make up `bytes` bytes; false if they do not.
template <class Take>
bool load_strings(module_io* io, std::uint64_t bytes, Take take) {
    while (bytes != 0) {
        const loaded_string piece(io);
        if (piece.bytes().empty() || piece.bytes().size() > bytes) return false;
        take(piece.bytes());
        bytes -= piece.bytes().size();
    }
    return true;
}

bool load_arriving(module_io* io, stored_filter& value, std::uint64_t most_bytes) {
    const std::uint64_t total = api.LoadUnsigned(io);
    const std::uint64_t bytes = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0 || bytes >= total || total > most_bytes) return false;
    auto arrival = filter_arrival::of(total);
    if (!arrival) return false;
    bool taken = true;
    const bool complete = load_strings(
        io, bytes, [&](std::span<const std::byte> piece) { taken = taken && arrival->take(piece).has_value(); });
    value.arriving = std::move(*arrival);
    return complete && taken;
}

bool load_chain(module_io* io, stored_filter& value, std::uint64_t most_bytes) {
    const loaded_string header(io);
    const std::uint64_t bytes = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0 || value.facts.family != command_family::bloom) return false;
    auto chain = redisbloom_chain::from_header(header.text(), most_bytes);
    if (!chain) {
        api.LogIOError(io, "warning", "everbloom: %s", chain.error().sentence.c_str());
        return false;
    }
    value.chain = std::move(*chain);
    if (bytes > value.chain->missing_bytes()) return false;
    return load_strings(io, bytes, [&](std::span<const std::byte> piece) { value.chain->append(piece); });
}

std::unique_ptr<stored_filter> load_filter(module_io* io, std::uint64_t most_bytes) {
    const std::uint64_t bytes = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0) return nullptr;
    if (bytes > most_bytes) {
        api.LogIOError(io, "warning", "everbloom: a filter of %llu bytes is larger than MAX_BYTES",
                       static_cast<unsigned long long>(bytes));
        return nullptr;
    }
    const counted_objects objects;
    dump_source source(io);
    auto file = read_filter(source, bytes);
    if (!file) {
        api.LogIOError(io, "warning", "everbloom: %s", file.error().sentence.c_str());
        return nullptr;
    }
    if (!source.is_at_end()) return nullptr;
    auto value = stored(std::move(*file));
    value->object_bytes = objects.bytes();
    return value;
}

} // namespace

bool save_value(module_io* io, stored_filter& value) {
    const command_family family = value.facts.family;
    const auto save_string = [io](const char* data, std::size_t bytes) { api.SaveStringBuffer(io, data, bytes); };
    if (value.arriving) {
        save_state(io, family, dumped_state::arriving);
        api.SaveUnsigned(io, value.arriving->total_bytes());
        api.SaveUnsigned(io, value.arriving->arrived_bytes());
        slice_sink sink(slice_bytes, save_string);
        return value.arriving->write(sink).has_value();
    }
    if (value.chain) {
        save_state(io, family, dumped_state::chain);
        save_string(value.chain->header().data(), value.chain->header().size());
        api.SaveUnsigned(io, value.chain->arrived_bytes());
        for_chain_slices(*value.chain, slice_bytes,
                         [&](const char* data, std::size_t bytes, std::uint64_t) { save_string(data, bytes); });
        return true;
    }
    value.attach_facts();
    const std::uint64_t total = saved_bytes(value.file);
    bool begun = false;
    return for_slices(value, slice_bytes, [&](const char* data, std::size_t bytes) {
        if (!begun) {
            save_state(io, family, dumped_state::filter);
            api.SaveUnsigned(io, total);
            begun = true;
        }
        save_string(data, bytes);
    });
}

void save_refusal(module_io* io) { save_state(io, command_family::plain, dumped_state::not_saved); }

std::unique_ptr<stored_filter> load_value(module_io* io, std::uint64_t most_bytes) {
    const std::uint64_t family = api.LoadUnsigned(io);
    const std::uint64_t state = api.LoadUnsigned(io);
    if (api.IsIOError(io) != 0 || family > static_cast<std::uint64_t>(command_family::cuckoo)) return nullptr;
    auto value = std::make_unique<stored_filter>();
    value->facts.family = static_cast<command_family>(family);
    switch (static_cast<dumped_state>(state)) {
    case dumped_state::filter: return load_filter(io, most_bytes);
    case dumped_state::arriving: return load_arriving(io, *value, most_bytes) ? std::move(value) : nullptr;
    case dumped_state::chain: return load_chain(io, *value, most_bytes) ? std::move(value) : nullptr;
    case dumped_state::not_saved:
        api.LogIOError(io, "warning", "everbloom: there was no memory to save this filter");
        return nullptr;
    }
    return nullptr;
}

bool rewrite_value(module_io* io, module_string* key, stored_filter& value) {
    const char* const family = value.chain ? "REDISBLOOM" : name_of(value.facts.family).data();
    const auto emit = [&](std::uint64_t number, const char* data, std::size_t bytes) {
        api.EmitAOF(io, "EB.LOADCHUNK", "sclb", key, family, static_cast<long long>(number), data, bytes);
    };
    if (value.arriving) {
        slice_sink sink(command_bytes,
                        [&](const char* data, std::size_t bytes) { emit(value.arriving->total_bytes(), data, bytes); });
        return value.arriving->write(sink).has_value();
    }
    if (value.chain) {
        emit(1, value.chain->header().data(), value.chain->header().size());
        for_chain_slices(*value.chain, command_bytes, [&](const char* data, std::size_t bytes, std::uint64_t position) {
            emit(position + 1, data, bytes);
        });
        return true;
    }
    value.attach_facts();
    const std::uint64_t total = saved_bytes(value.file);
    return for_slices(value, command_bytes, [&](const char* data, std::size_t bytes) { emit(total, data, bytes); });
}

void digest_value(module_digest* digest, stored_filter& value) {
    const auto add = [digest](const char* data, std::size_t bytes) { api.DigestAddStringBuffer(digest, data, bytes); };
    if (value.chain) {
        add(value.chain->header().data(), value.chain->header().size());
        for_chain_slices(*value.chain, slice_bytes,
                         [&](const char* data, std::size_t bytes, std::uint64_t) { add(data, bytes); });
    } else if (value.filter().has_filter()) {
        (void)for_slices(value, slice_bytes, add); // without memory: the digest of nothing, which equals no other
    }
    api.DigestEndSequence(digest);
}

} // namespace everbloom::redis
