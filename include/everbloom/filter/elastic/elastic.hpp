// The elastic Bloom filter: removes keys, grows and shrinks without the keys, because it stores their hashes.
//
// Idea        Two parts. The fast part is a Bloom filter of m = 2^j bits; queries read nothing else. The slow part stores the k hashes
//             of every key, w bits each: a hash h lies in bucket h mod m with the fingerprint h div m, and a bit is set if its bucket
//             is not empty. A key is removed by taking its k hashes out; a bit whose bucket becomes empty becomes 0. To grow, each
//             fingerprint gives its lowest bit to the index: m doubles, and the FPR falls. To shrink, it takes it back.
// Source      [Wu21]
// Layout      bits            | 0 1 0 0 1 ... |  bit p stands for the bucket whose index is p backwards   (elastic_bits.hpp)
//             stored hashes   | page of 8 bins | page of 8 bins | ...   backwards, sorted, packed         (stored_hashes/page.hpp)
// Guarantees  No false negative, also while it grows or shrinks. A key is removed only if all its hashes are stored: a key that was
//             never added is refused except with chance (stored hashes / 2^w)^k. Adding a key again counts a copy of its hashes, up to
//             2^20 of them, and needs no more bits. Refusals leave everything as it was: full_bucket if the bucket tree overflows and
//             one doubling does not help; full_counter; growth_refused at most_bits, at w = log2 m, without memory.
// Cost        Query: that of a Bloom filter. Insertion and removal: k bits and k pages of some 700 bytes. Slow part
//             k (w - log2 m + 7) / 0.85 bits per key before it grows: 290 at k = 5, w = 64, m = 2^23; 120 at w = 32, m = 2^26.
// Deviation   Copies are counted; the paper drops a key whose fingerprints are all there, which loses new keys at scale. Buckets are
//             ranges of sorted hashes instead of arrays of slots; their limits are kept (elastic_limits.hpp). Set bits are counted,
//             not sampled. Lazy update moves a frontier instead of copying everything first (elastic_core.hpp). One insertion
//             begins one doubling at most. Shrinking is checked before it begins.
//
// Words of the family (the story: docs/elastic.md)
//   stored hash     the first w bits of a hash of a key, kept sorted in *pages*; equal ones are *copies* of one
//   fingerprint     what is left of a stored hash when the index of its bucket is known [Wu21]
//   overflow page   continues a page that is full (field `spares` of a spec)
//   resize          growing or shrinking; incremental, a page at a time: what lies below the *frontier* has moved to the new size
//   at rest         no resize is under way
//   block           512 bits, one cache line: the unit of elastic_blocked
//
// After an intersection some stored hashes may be left whose key is in one filter only, because one of its hashes is also one of
// another key. They set a few more bits than needed, cannot be removed by their key, and `items` is the least that the stored hashes
// allow.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/elastic/elastic_core.hpp>

#include <vector>

namespace everbloom {

template <WordStore Store>
class basic_elastic_filter {
public:
    using spec_type = elastic_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "elastic";
    static constexpr std::string_view summary =
        "a Bloom filter that deletes for certain, doubles and halves without the keys";
    static constexpr std::array<std::string_view, 2> kept_by_resize{"hashes", "word_bits"};
    static constexpr std::array<std::string_view, 6> section_names{"bits",   "next_bits",  "pages",
                                                                   "spares", "next_pages", "next_spares"};

    [[nodiscard]] static std::array<std::uint64_t, 6> section_lines(const elastic_spec& spec) noexcept {
        return elastic_parts<Store>::section_lines(spec);
    }

    [[nodiscard]] static result<basic_elastic_filter> assemble(const elastic_spec& spec, std::array<Store, 6> stores) {
        auto parts = elastic_parts<Store>::assemble(spec, std::move(stores));
        if (!parts) return fail(std::move(parts.error()));
        if (auto checked = parts->check(); !checked) return fail(std::move(checked.error()));
        basic_elastic_filter made(spec, std::move(*parts));
        if (made.core_.has_plausible_items()) return made;
        return fail(failure_reason::damaged,
                    "the number of stored hashes does not match " + std::to_string(spec.items) + " keys");
    }
    /// The same for stores that are known to be all zeros.
    [[nodiscard]] static result<basic_elastic_filter> assemble_empty(const elastic_spec& spec,
                                                                     std::array<Store, 6> stores) {
        auto parts = elastic_parts<Store>::assemble(spec, std::move(stores));
        if (!parts) return fail(std::move(parts.error()));
        return basic_elastic_filter(spec, std::move(*parts));
    }

    [[nodiscard]] const elastic_spec& spec() const noexcept { return core_.spec(); }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 6> sections() const noexcept { return parts().sections(); }
    [[nodiscard]] std::uint64_t memory_words() const noexcept { return parts().memory_words(); }
    /// The bits as queries see them, in the order of the array; during a resize, at the larger size.
    [[nodiscard]] std::uint64_t cells() const noexcept { return parts().larger_bits(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        const auto log_bits = static_cast<unsigned>(std::bit_width(cells())) - 1;
        return parts().view().test(index << (64 - log_bits)) ? 1 : 0;
    }

    /// As [Wu21] draws it: bit and fingerprints (with copies) of an index, at the size it has or is moving to.
    [[nodiscard]] bool bit(std::uint64_t index) const noexcept { return parts().view().test(backwards(index)); }
    [[nodiscard]] std::vector<std::uint64_t> bucket(std::uint64_t index) const {
        std::vector<std::uint64_t> fingerprints;
        const hash_range range = bucket_of(backwards(index), parts().target_log_bits());
        parts().stored().for_each_within(range, [&](std::uint64_t hash, std::uint64_t copies) {
            fingerprints.insert(fingerprints.end(), copies, backwards(hash) >> parts().target_log_bits());
        });
        return fingerprints;
    }

    [[nodiscard]] const elastic_parts<Store>& parts() const noexcept { return core_.parts(); }
    /// Chance that the bit of a random hash is set.
    [[nodiscard]] double set_bit_rate() const noexcept {
        return static_cast<double>(parts().weighted_ones()) / static_cast<double>(parts().larger_bits());
    }
    [[nodiscard]] std::uint64_t expansions() const noexcept { return core_.expansions(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept { return parts().view().contains(item, hash_count()); }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        parts().view().contains(items, answers, hash_count());
    }
    /// The verified query: looks for the stored hashes too.
    [[nodiscard]] bool confirm(digest item) const noexcept {
        return with_hashes(item, [&](hash_span hashes) { return core_.holds(hashes); });
    }
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        return with_hashes(item, [&](hash_span hashes) { return core_.count(hashes); });
    }
    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        return with_hashes(item, [&](hash_span hashes) { return core_.can_erase(hashes); });
    }

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return with_hashes(item, [&](hash_span hashes) { return core_.insert(hashes); });
    }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        in_windows(items, [&](std::size_t i, hash_span hashes) { outcomes[i] = core_.insert(hashes); });
    }
    erase_outcome erase(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return with_hashes(item, [&](hash_span hashes) { return core_.erase(hashes); });
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        in_windows(items, [&](std::size_t i, hash_span hashes) { outcomes[i] = core_.erase(hashes); });
    }
    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        core_.clear();
    }

    /// Union: the keys of both with all their copies. The sizes may differ; it becomes as large as the larger one, or as needed.
    result<void> merge(const basic_elastic_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = check_same_hashes(other); !checked) return checked;
        if (other.parts().copies() == 0) return {};
        const std::uint64_t start = common_bits(other);
        const std::uint64_t slots = parts().slots() + other.parts().slots();
        auto both = elastic_parts<Store>::from_hashes(spec().at_rest_with(start, slots), all_hashes());
        if (!both) return fail(std::move(both.error()));
        insert_outcome failed = insert_outcome::inserted;
        other.parts().stored().for_each([&](std::uint64_t hash, std::uint64_t copies) {
            if (succeeded(failed)) failed = both->add(hash, copies).outcome;
        });
        if (!succeeded(failed)) return no_room("a key would have more copies than can be counted");
        const auto bits = smallest_size(spec(), both->stored(), start);
        if (!bits) return fail(bits.error());
        return rebuild(spec().at_rest_with(*bits, both->slots()), spec().items + other.spec().items,
                       [&](auto visit) { both->stored().for_each(visit); });
    }

    /// The hashes that both store, each in the smaller number of copies.
    result<void> intersect(const basic_elastic_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = check_same_hashes(other); !checked) return checked;
        return rebuild(spec().at_rest_with(common_bits(other), parts().slots()), 0, [&](auto visit) {
            parts().stored().for_each([&](std::uint64_t hash, std::uint64_t copies) {
                visit(hash, std::min(copies, other.parts().stored().count(hash)));
            });
        });
    }

    /// Twice the bits, at once.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        if (spec().target_bits() > spec().largest_bits() / 2) {
            return no_room("the filter cannot grow: most_bits and word_bits allow " +
                           std::to_string(spec().largest_bits()) + " bits at most");
        }
        return resize(spec().at_rest_with(2 * spec().target_bits(), 0));
    }
    /// Half the bits, at once; refused if too many of them would be set or buckets would overflow.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        if (spec().target_bits() == elastic_spec::least_bits) {
            return fail(failure_reason::unsupported, "the filter cannot shrink: it has two bits");
        }
        return resize(spec().at_rest_with(spec().target_bits() / 2, 0));
    }

    /// Resizes to any other size, threshold, bucket tree or limit, at once; not to other hashes, which are all that is known of the keys.
    result<void> resize(const elastic_spec& wanted)
        requires std::same_as<Store, heap_words>
    {
        if (wanted.hashes != spec().hashes || wanted.word_bits != spec().word_bits) {
            return fail(failure_reason::mismatch, "hashes (" + std::to_string(spec().hashes) + ") and word_bits (" +
                                                      std::to_string(spec().word_bits) +
                                                      ") cannot be changed without the keys");
        }
        if (auto checked = wanted.check(); !checked) return checked;
        const elastic_spec target = wanted.at_rest_with(wanted.target_bits(), parts().slots());
        const auto bits = smallest_size(target, parts().stored(), target.bits);
        if (!bits || *bits != target.bits) {
            return no_room("the keys do not fit into " + std::to_string(target.bits) +
                           " bits: too many of them would be set, or buckets would overflow");
        }
        return rebuild(target, spec().items, all_hashes());
    }

private:
    basic_elastic_filter(const elastic_spec& spec, elastic_parts<Store> parts) noexcept
        : core_(spec, std::move(parts)) {}

    [[nodiscard]] unsigned hash_count() const noexcept { return static_cast<unsigned>(spec().hashes); }

    template <class Act>
    auto with_hashes(digest item, Act act) const noexcept {
        key_hashes made;
        made.make(item, hash_count(), stored_mask(spec().word_bits));
        return act(made.get());
    }
    template <class Act>
    void in_windows(std::span<const digest> items, Act act) noexcept {
        constexpr std::size_t window = 4; // each key prefetches k lines and k pages
        std::array<key_hashes, window> prepared;
        const std::uint64_t mask = stored_mask(spec().word_bits);
        for (std::size_t from = 0; from < items.size(); from += window) {
            const std::size_t count = std::min(window, items.size() - from);
            const elastic_bit_view bits = parts().view();
            for (std::size_t i = 0; i < count; ++i) {
                prepared[i].make(items[from + i], hash_count(), mask);
                for (const std::uint64_t hash : prepared[i].get()) {
                    bits.prefetch(hash);
                    parts().stored().prefetch_place(hash);
                }
            }
            for (std::size_t i = 0; i < count; ++i) act(from + i, prepared[i].get());
        }
    }

    [[nodiscard]] auto all_hashes() const noexcept {
        return [this](auto visit) { parts().stored().for_each(visit); };
    }
    [[nodiscard]] std::uint64_t common_bits(const basic_elastic_filter& other) const noexcept {
        return std::max(spec().target_bits(), std::min(other.spec().target_bits(), spec().largest_bits()));
    }
    [[nodiscard]] result<void> check_same_hashes(const basic_elastic_filter& other) const {
        if (other.spec().hashes == spec().hashes && other.spec().word_bits == spec().word_bits) return {};
        return fail(failure_reason::mismatch, "the two elastic filters have different hashes or word_bits");
    }
    [[nodiscard]] static unexpected<failure> no_room(std::string sentence) {
        return fail(failure_reason::no_room, std::move(sentence));
    }
    /// Makes this filter one of another geometry with the hashes that `for_each` gives. It is built aside: a failure changes nothing.
    template <class ForEach>
    result<void> rebuild(const elastic_spec& target, std::uint64_t items, ForEach for_each) {
        auto made = elastic_parts<Store>::from_hashes(target, for_each);
        if (!made) return fail(std::move(made.error()));
        core_.replace_by(elastic_core<Store>(target, std::move(*made)), items);
        return {};
    }

    elastic_core<Store> core_;
};

using elastic_filter = basic_elastic_filter<heap_words>;

} // namespace everbloom
