#include "stored_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace everbloom::redis {
namespace {

/// Reads what has arrived, and gives each chunk back as soon as it is read: there is little more than one copy at a time.
class chunk_source final : public byte_source {
public:
    explicit chunk_source(std::vector<server_bytes>& chunks) noexcept : chunks_(chunks) {}

    result<void> read(std::span<std::byte> into) override {
        while (!into.empty()) {
            if (chunk_ == chunks_.size()) return fail(failure_reason::damaged, "the chunks end too early");
            server_bytes& chunk = chunks_[chunk_];
            const std::size_t count = std::min(into.size(), chunk.size() - position_);
            std::memcpy(into.data(), chunk.data() + position_, count);
            into = into.subspan(count);
            position_ += count;
            if (position_ == chunk.size()) {
                server_bytes().swap(chunk);
                ++chunk_;
                position_ = 0;
            }
        }
        return {};
    }

private:
    std::vector<server_bytes>& chunks_;
    std::size_t chunk_ = 0;
    std::size_t position_ = 0;
};

} // namespace

/// 2 n / F: the chance that a key has the fingerprint, or the other one of its pair, of one of n keys (docs/models/quotient.md).
void stored_filter::set_most_keys() {
    if (!facts.deletable) return;
    constexpr double most_mistakes = 1e-7;
    const auto rows = filter().geometry("rows");
    const auto buckets = filter().geometry("buckets");
    const auto bits = filter().geometry("remainder_bits");
    if (!rows || !buckets || !bits) {
        facts.deletable = false; // a file that claims what its kind cannot do
        return;
    }
    const double fingerprints =
        std::ldexp(static_cast<double>(*rows) * static_cast<double>(*buckets), static_cast<int>(*bits));
    most_keys = static_cast<std::uint64_t>(most_mistakes / 2 * fingerprints);
}

std::uint64_t stored_filter::memory_bytes() const noexcept {
    std::uint64_t bytes = std::max<std::uint64_t>(object_bytes, sizeof *this);
    if (filter().has_filter()) {
        bytes += filter().memory_bytes();
        for (const auto& section : filter().sections()) {
            section.for_each_run(
                [&](std::span<const std::uint64_t> run) { bytes += rounding_of_block_at(run.data()); });
        }
    }
    if (arriving) bytes += arriving->bytes;
    if (chain) bytes += chain->memory_bytes();
    return bytes;
}

result<std::unique_ptr<stored_filter>> create_filter(const creation& wanted, std::uint64_t most_bytes) {
    // No planner is asked for what could not be stored with a bit per key.
    if (std::max(wanted.request.items.value_or(0), wanted.target.items) / 8 > most_bytes) {
        return fail(failure_reason::out_of_memory, "that many keys need more bytes than MAX_BYTES allows");
    }
    const auto bytes = bytes_needed(wanted.request);
    if (!bytes) return fail(bytes.error());
    if (*bytes > most_bytes) {
        return fail(failure_reason::out_of_memory, "the filter would need " + std::to_string(*bytes) +
                                                       " bytes; at most " + std::to_string(most_bytes) +
                                                       " are allowed (MAX_BYTES)");
    }
    const counted_objects objects;
    auto made = build(wanted.request);
    if (!made) return fail(std::move(made.error()));
    auto value = std::make_unique<stored_filter>();
    value->file = filter_file{{std::move(*made), wanted.hasher}, wanted.keys, wanted.target};
    value->facts = wanted.facts;
    value->set_most_keys();
    value->attach_facts();
    value->object_bytes = objects.bytes();
    return value;
}

std::unique_ptr<stored_filter> stored(filter_file file) {
    auto value = std::make_unique<stored_filter>();
    value->file = std::move(file);
    if (const auto facts = filter_facts::from(value->file.attached)) value->facts = *facts;
    value->set_most_keys();
    return value;
}

result<void> take_chunk(stored_filter& value, std::span<const std::byte> chunk) {
    arriving_file& file = *value.arriving;
    // Small ones are joined: a byte at a time would cost more for its bookkeeping than for the byte.
    constexpr std::size_t joined_bytes = std::size_t{64} << 10;
    if (!file.chunks.empty() && file.chunks.back().size() + chunk.size() <= joined_bytes) {
        file.chunks.back().insert(file.chunks.back().end(), chunk.begin(), chunk.end());
    } else {
        file.chunks.emplace_back(chunk.begin(), chunk.end());
    }
    file.bytes += chunk.size();
    if (file.bytes < file.total_bytes) return {};
    chunk_source source(file.chunks);
    const std::uint64_t total = file.total_bytes;
    const counted_objects objects;
    auto read = read_filter(source, total);
    if (!read) {
        value.arriving.reset();
        return fail(std::move(read.error()));
    }
    auto made = stored(std::move(*read));
    made->object_bytes = objects.bytes();
    if (made->facts.family != value.facts.family) {
        return fail(failure_reason::mismatch, "the chunks are those of a filter of other commands");
    }
    value = std::move(*made);
    return {};
}

} // namespace everbloom::redis
