#include "shard_conversion.hpp"

#include "copied_sections.hpp"
#include "kind_entry.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace everbloom::door {
namespace {

using shard_filter = shared_elastic_filter::shard_filter;

parameter_values values_of(const elastic_blocked_spec& spec) {
    parameter_values values;
    for (const auto& field : elastic_blocked_spec::fields()) values.push_back(spec.*field.value);
    return values;
}

elastic_blocked_spec smallest() { return elastic_blocked_spec{.initial_bits = line_bits}.started(); }

/// At least its bits, and enough for this many keys.
elastic_blocked_spec with_room_for(elastic_blocked_spec spec, std::uint64_t keys) {
    spec = spec.at_rest();
    while (spec.keys_for(spec.bits) < keys) spec.bits += std::max(line_bits, spec.bits / 64 / line_bits * line_bits);
    spec.most_bits = std::max(spec.most_bits, spec.bits);
    return spec;
}

/// A copy for reading, without another look at what it holds.
result<shard_filter> quick_copy(const shard_filter& shard) {
    auto stores = copied_sections(shard.sections(), 0);
    if (!stores) return fail(std::move(stores.error()));
    std::array<heap_words, shard_filter::section_names.size()> fixed;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        auto words = std::move((*stores)[i]).whole();
        if (!words) return fail(std::move(words.error()));
        fixed[i] = std::move(*words);
    }
    return shard_filter::assemble_empty(shard.spec(), std::move(fixed));
}

} // namespace

result<any_filter> copy_of(const shard_filter& shard) {
    auto stores = copied_sections(shard.sections(), 0);
    if (!stores) return fail(std::move(stores.error()));
    return find_entry(elastic_kind::id)->assemble(values_of(shard.spec()), std::move(*stores));
}

result<shared_elastic_filter> cut_into_shards(const elastic_blocked_filter& filter, unsigned shards) {
    auto part = shared_elastic_filter::part_of(filter.spec(), shards);
    if (!part) return fail(std::move(part.error()));
    const unsigned bits = part->bits;
    const std::size_t count = std::size_t{1} << bits;
    std::vector<std::uint64_t> keys(count); // of each shard
    const auto shard_of = [&](std::uint64_t hash) { return static_cast<std::size_t>(hash >> 1 >> (63 - bits)); };
    filter.for_each_digest([&](digest item, std::uint64_t) { ++keys[shard_of(item.low)]; });
    return or_out_of_memory([&]() -> result<shared_elastic_filter> {
        // Each hash with its copies, of one shard at a time.
        std::vector<std::pair<std::uint64_t, std::uint64_t>> waiting;
        waiting.reserve(*std::max_element(keys.begin(), keys.end()));
        std::vector<shard_filter> made;
        made.reserve(count);
        std::optional<failure> failed;
        const auto finish_shard = [&] {
            auto one = shard_filter::of_sorted_hashes(with_room_for(part->spec, waiting.size()), [&](auto put) {
                for (const auto& [hash, copies] : waiting) put(hash, copies);
            });
            waiting.clear();
            if (one)
                made.push_back(std::move(*one));
            else
                failed = std::move(one.error());
        };
        filter.for_each_digest([&](digest item, std::uint64_t copies) {
            while (!failed && made.size() < shard_of(item.low)) finish_shard();
            if (!failed) waiting.emplace_back(item.low << bits, copies);
        });
        while (!failed && made.size() < count) finish_shard();
        if (failed) return fail(std::move(*failed));
        return shared_elastic_filter::of_shards(std::move(made));
    });
}

result<any_filter> put_together(const shared_elastic_filter& filter) {
    std::vector<shard_filter> parts;
    parts.reserve(filter.shards());
    elastic_blocked_spec spec;
    std::uint64_t keys = 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < filter.shards(); ++i) {
        auto part = filter.with_shard(i, [&](const shard_filter& shard) {
            keys += shard.keys();
            return quick_copy(shard);
        });
        if (!part) return fail(std::move(part.error()));
        spec = part->spec();
        bits += spec.at_rest().bits;
        parts.push_back(std::move(*part));
    }
    const unsigned shard_bits = filter.shard_bits();
    spec.word_bits += shard_bits;
    spec.initial_bits <<= shard_bits;
    spec.most_bits = std::min(max_structure_bits, spec.most_bits << shard_bits);
    spec = with_room_for(spec.at_rest_with(bits), keys);
    auto whole = elastic_blocked_filter::of_sorted_hashes(spec, [&](auto put) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::uint64_t leading = shard_bits == 0 ? 0 : std::uint64_t{i} << (64 - shard_bits);
            parts[i].for_each_digest(
                [&](digest item, std::uint64_t copies) { put(leading | item.low >> shard_bits, copies); });
        }
    });
    if (!whole) return fail(std::move(whole.error()));
    auto made = find_entry(elastic_kind::id)->make(values_of(smallest()));
    if (made) *made->as<elastic_kind>() = std::move(*whole);
    return made;
}

} // namespace everbloom::door
