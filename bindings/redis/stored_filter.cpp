#include "stored_filter.hpp"

#include <algorithm>
#include <cmath>

namespace everbloom::redis {

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
    if (arriving) bytes += arriving->memory_bytes();
    if (chain) bytes += chain->memory_bytes();
    return bytes;
}

result<std::uint64_t> bytes_for(const creation& wanted, std::uint64_t most_bytes) {
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
    return bytes;
}

result<std::unique_ptr<stored_filter>> create_filter(const creation& wanted) {
    const counted_objects objects;
    auto made = build(wanted.request);
    if (!made) return fail(std::move(made.error()));
    auto value = stored(std::move(*made), wanted);
    value->object_bytes = objects.bytes();
    return value;
}

std::unique_ptr<stored_filter> stored(any_filter filter, const creation& wanted) {
    auto value = std::make_unique<stored_filter>();
    value->file = filter_file{{std::move(filter), wanted.hasher}, wanted.keys, wanted.target};
    value->facts = wanted.facts;
    value->set_most_keys();
    value->attach_facts();
    return value;
}

result<any_filter> filter_around(quotient::filter table) {
    const quotient_spec& spec = table.spec();
    // The smallest table there is, for the object around it.
    auto made = build({"quotient",
                       std::nullopt,
                       std::nullopt,
                       {{"initial_lines", "1"}, {"rows", "1"}, {"buckets", std::to_string(spec.buckets)}}});
    if (made) *made->as<quotient>() = std::move(table);
    return made;
}

std::unique_ptr<stored_filter> stored(filter_file file) {
    auto value = std::make_unique<stored_filter>();
    value->file = std::move(file);
    if (const auto facts = filter_facts::from(value->file.attached)) value->facts = *facts;
    value->set_most_keys();
    return value;
}

result<void> take_chunk(stored_filter& value, std::span<const std::byte> chunk) {
    filter_arrival& file = *value.arriving;
    if (auto taken = file.take(chunk); !taken) return taken;
    if (!file.is_complete()) return {};
    const counted_objects objects;
    auto read = file.finish();
    if (!read) return fail(std::move(read.error()));
    auto made = stored(std::move(*read));
    made->object_bytes = objects.bytes();
    if (made->facts.family != value.facts.family) {
        return fail(failure_reason::mismatch, "the chunks are those of a filter of other commands");
    }
    value = std::move(*made);
    return {};
}

} // namespace everbloom::redis
