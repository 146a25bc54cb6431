// The elastic Bloom filter: a Bloom filter that can remove keys, grow and shrink, because it remembers the hashes.
//
// Idea        The fast part is a Bloom filter of m = 2^j bits; queries look at nothing else. The slow part keeps, for every bit, the
//             fingerprints of the hashes that set it: a hash number h of w bits lies in bucket h mod m as h div m. A key
//             leaves by taking its k fingerprints out; a bit without fingerprints becomes 0. To grow, each fingerprint gives its
//             lowest bit to the index: m doubles, and the rate of false positives falls. To shrink, it takes it back.
// Source      [Wu21]
// Layout      bits      | 0 1 0 0 1 ... |  bit p stands for the bucket whose index is p backwards         (elastic_bits.hpp)
//             records   | page of 8 bins | page of 8 bins | ...  hash numbers backwards, sorted, packed    (records/record_page.hpp)
// Guarantees  No false negative, also while it grows or shrinks. A key is removed only if all its fingerprints are there: a
//             stranger is refused except with chance (records / 2^w)^k. Inserting a key again counts a copy of its fingerprints,
//             up to 2^20 of them, and needs no more bits. Refusals leave everything as it was: full_bucket if the bucket tree
//             overflows and one doubling does not help; full_counter; growth_refused at most_bits, at w = log2 m, without memory.
// Cost        Query: that of a Bloom filter. Insertion and removal: k bits and k pages of some 700 bytes. Slow part
//             k (w - log2 m + 7) / 0.85 bits per key before it grows: 290 at k = 5, w = 64, m = 2^23; 120 at w = 32, m = 2^26.
// Deviation   Copies are counted; the paper drops a key whose fingerprints are all there, which loses new keys at scale. Buckets are
//             ranges of sorted records instead of arrays of slots; their limits are kept (elastic_tree.hpp). Set bits are counted,
//             not sampled. Lazy update moves a frontier instead of copying everything first (elastic_body.hpp). One insertion
//             begins one doubling at most. Shrinking is checked before it begins.
//
// After an intersection some records may be left whose key is in one filter only, because one of its hash numbers is also that of
// another key. They make a few more bits than needed, can not be removed by their key, and `items` is the least that the records
// allow.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/elastic/elastic_rebuild.hpp>

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
    static constexpr std::array<std::string_view, 2> kept_by_reshape{"hashes", "word_bits"};
    static constexpr std::array<std::string_view, 6> section_names{"bits",   "next_bits",  "pages",
                                                                   "spares", "next_pages", "next_spares"};

    [[nodiscard]] static std::array<std::uint64_t, 6> section_lines(const elastic_spec& spec) noexcept {
        const auto pages = spec.progress().section_lines(static_cast<unsigned>(spec.word_bits));
        return {lines_for_bits(spec.bits), lines_for_bits(spec.next_bits), pages[0], pages[1], pages[2], pages[3]};
    }

    [[nodiscard]] static result<basic_elastic_filter> assemble(const elastic_spec& spec, std::array<Store, 6> stores) {
        auto parts = elastic_parts<Store>::assemble(spec, std::move(stores));
        if (!parts) return fail(std::move(parts.error()));
        if (auto checked = parts->check(); !checked) return fail(std::move(checked.error()));
        basic_elastic_filter made(spec, std::move(*parts));
        if (made.body_.has_plausible_items()) return made;
        return fail(failure_reason::damaged,
                    "so many fingerprints are not those of " + std::to_string(spec.items) + " keys");
    }
    /// The same for stores that are known to be all zeros.
    [[nodiscard]] static result<basic_elastic_filter> assemble_empty(const elastic_spec& spec,
                                                                     std::array<Store, 6> stores) {
        auto parts = elastic_parts<Store>::assemble(spec, std::move(stores));
        if (!parts) return fail(std::move(parts.error()));
        return basic_elastic_filter(spec, std::move(*parts));
    }

    [[nodiscard]] const elastic_spec& spec() const noexcept { return body_.spec(); }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 6> sections() const noexcept { return parts().sections(); }
    /// The bits as queries see them, in the order of the array; the larger one while the filter moves.
    [[nodiscard]] std::uint64_t cells() const noexcept { return parts().larger_bits(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        const auto log_bits = static_cast<unsigned>(std::bit_width(cells())) - 1;
        return parts().view().test(index << (64 - log_bits)) ? 1 : 0;
    }

    /// How [Wu21] draws it: bit and fingerprints (with copies) of an index, at the size it has or is moving to.
    [[nodiscard]] bool bit(std::uint64_t index) const noexcept { return parts().view().test(backwards(index)); }
    [[nodiscard]] std::vector<std::uint64_t> bucket(std::uint64_t index) const {
        std::vector<std::uint64_t> fingerprints;
        const record_range range = bucket_of(backwards(index), parts().target_log_bits());
        parts().records().for_each_within(range.lowest, range.highest, [&](std::uint64_t record, std::uint64_t copies) {
            fingerprints.insert(fingerprints.end(), copies, backwards(record) >> parts().target_log_bits());
        });
        return fingerprints;
    }

    [[nodiscard]] const elastic_parts<Store>& parts() const noexcept { return body_.parts(); }
    /// Chance that a bit, chosen by a random hash number, is set.
    [[nodiscard]] double set_bit_rate() const noexcept {
        return static_cast<double>(parts().weighted_ones()) / static_cast<double>(parts().larger_bits());
    }
    [[nodiscard]] std::uint64_t expansions() const noexcept { return body_.expansions(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept { return parts().view().contains(item, hashes()); }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        parts().view().contains(items, answers, hashes());
    }
    /// The accurate query: asks for the fingerprints too.
    [[nodiscard]] bool confirm(digest item) const noexcept {
        return with_records(item, [&](record_span records) { return body_.holds(records); });
    }
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        return with_records(item, [&](record_span records) { return body_.count(records); });
    }
    [[nodiscard]] erase_outcome judge_erase(digest item) const noexcept {
        return with_records(item, [&](record_span records) { return body_.judge_erase(records); });
    }

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return with_records(item, [&](record_span records) { return body_.insert(records); });
    }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        in_windows(items, [&](std::size_t i, record_span records) { outcomes[i] = body_.insert(records); });
    }
    erase_outcome erase(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return with_records(item, [&](record_span records) { return body_.erase(records); });
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        in_windows(items, [&](std::size_t i, record_span records) { outcomes[i] = body_.erase(records); });
    }
    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        body_.clear();
    }

    /// Union: the keys of both with all their copies. The sizes may differ; it becomes as large as the larger one, or as needed.
    result<void> merge(const basic_elastic_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = check_same_hashes(other); !checked) return checked;
        if (other.parts().copies() == 0) return {};
        const std::uint64_t start = common_bits(other);
        const std::uint64_t slots = parts().slots() + other.parts().slots();
        auto both = elastic_parts_of(spec().at_rest_with(start, slots), all_records());
        if (!both) return fail(std::move(both.error()));
        insert_outcome failed = insert_outcome::inserted;
        other.parts().records().for_each([&](std::uint64_t record, std::uint64_t copies) {
            if (succeeded(failed)) failed = both->add(record, copies).outcome;
        });
        if (!succeeded(failed)) return elastic_no_room("a key would have more copies than can be counted");
        const auto bits = size_for(spec(), both->records(), start);
        if (!bits) return fail(bits.error());
        return take(spec().at_rest_with(*bits, both->slots()), spec().items + other.spec().items,
                    [&](auto visit) { both->records().for_each(visit); });
    }

    /// The fingerprints that both hold, each in the smaller number of copies.
    result<void> intersect(const basic_elastic_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = check_same_hashes(other); !checked) return checked;
        return take(spec().at_rest_with(common_bits(other), parts().slots()), 0, [&](auto visit) {
            parts().records().for_each([&](std::uint64_t record, std::uint64_t copies) {
                visit(record, std::min(copies, other.parts().records().count(record)));
            });
        });
    }

    /// Twice the bits, at once.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        if (spec().target_bits() > spec().largest_bits() / 2) {
            return elastic_no_room("the filter cannot grow: most_bits and word_bits allow " +
                                   std::to_string(spec().largest_bits()) + " bits at most");
        }
        return reshape(spec().at_rest_with(2 * spec().target_bits(), 0));
    }
    /// Half the bits, at once; refused if too many of them would be set or buckets would overflow.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        if (spec().target_bits() == elastic_spec::least_bits) {
            return fail(failure_reason::unsupported, "the filter cannot shrink: it has two bits");
        }
        return reshape(spec().at_rest_with(spec().target_bits() / 2, 0));
    }

    /// Any other size, threshold, bucket tree or limit, at once; not the hashes, which are all that is known of the keys.
    result<void> reshape(const elastic_spec& wanted)
        requires std::same_as<Store, heap_words>
    {
        if (wanted.hashes != spec().hashes || wanted.word_bits != spec().word_bits) {
            return fail(failure_reason::mismatch, "hashes (" + std::to_string(spec().hashes) + ") and word_bits (" +
                                                      std::to_string(spec().word_bits) +
                                                      ") cannot be changed without the keys");
        }
        if (auto checked = wanted.check(); !checked) return checked;
        const elastic_spec target = wanted.at_rest_with(wanted.target_bits(), parts().slots());
        const auto bits = size_for(target, parts().records(), target.bits);
        if (!bits || *bits != target.bits) {
            return elastic_no_room("the keys do not fit into " + std::to_string(target.bits) +
                                   " bits: too many of them would be set, or buckets would overflow");
        }
        return take(target, spec().items, all_records());
    }

private:
    basic_elastic_filter(const elastic_spec& spec, elastic_parts<Store> parts) noexcept
        : body_(spec, std::move(parts)) {}

    [[nodiscard]] unsigned hashes() const noexcept { return static_cast<unsigned>(spec().hashes); }

    template <class Act>
    auto with_records(digest item, Act act) const noexcept {
        elastic_hashes made;
        made.make(item, hashes(), record_mask(spec().word_bits));
        return act(made.get());
    }
    template <class Act>
    void in_windows(std::span<const digest> items, Act act) noexcept {
        constexpr std::size_t window = 4; // each key fetches k lines and k pages
        std::array<elastic_hashes, window> prepared;
        const std::uint64_t mask = record_mask(spec().word_bits);
        for (std::size_t from = 0; from < items.size(); from += window) {
            const std::size_t count = std::min(window, items.size() - from);
            const elastic_bit_view bits = parts().view();
            for (std::size_t i = 0; i < count; ++i) {
                prepared[i].make(items[from + i], hashes(), mask);
                for (const std::uint64_t record : prepared[i].get()) {
                    bits.prefetch(record);
                    parts().records().prefetch_place(record);
                }
            }
            for (std::size_t i = 0; i < count; ++i) act(from + i, prepared[i].get());
        }
    }

    [[nodiscard]] auto all_records() const noexcept {
        return [this](auto visit) { parts().records().for_each(visit); };
    }
    [[nodiscard]] std::uint64_t common_bits(const basic_elastic_filter& other) const noexcept {
        return std::max(spec().target_bits(), std::min(other.spec().target_bits(), spec().largest_bits()));
    }
    [[nodiscard]] result<void> check_same_hashes(const basic_elastic_filter& other) const {
        if (other.spec().hashes == spec().hashes && other.spec().word_bits == spec().word_bits) return {};
        return fail(failure_reason::mismatch, "the two elastic filters have different hashes or word_bits");
    }
    template <class ForEach>
    result<void> take(const elastic_spec& target, std::uint64_t items, ForEach for_each) {
        auto made = elastic_parts_of(target, for_each);
        if (!made) return fail(std::move(made.error()));
        elastic_body<Store> body(target, std::move(*made));
        body.note_items(items);
        body.note_spares();
        body_.replace_by(std::move(body));
        return {};
    }

    elastic_body<Store> body_;
};

using elastic_filter = basic_elastic_filter<heap_words>;

static_assert(Deletable<elastic_filter> && Countable<elastic_filter> && Mergeable<elastic_filter>);
static_assert(Growable<elastic_filter> && Shrinkable<elastic_filter> && Reshapable<elastic_filter>);
static_assert(Intersectable<elastic_filter> && Confirming<elastic_filter>);
static_assert(Filter<basic_elastic_filter<const_words>> && !Insertable<basic_elastic_filter<const_words>>);

} // namespace everbloom
