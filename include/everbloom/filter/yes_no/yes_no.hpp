// The yes-no filter: a Bloom filter for the members, and small ones for known negatives that are its false positives.
//
// Idea        If the keys that will be queried are known, their false positives can be found in advance. Those go into
//             a no-filter: a key whose k' bits are all set in a no-filter is no member, whatever the yes-filter answers. A no-filter
//             has false positives too, and one that is a member would be lost. So a false positive goes into a no-filter only if no
//             member is covered by it afterwards; r no-filters are r chances (filter/yes_no/yes_no_build.hpp).
// Source      [Carrea16].
// Layout      For each part of the hash space, on word boundaries:
//
//                 yes    | p bits |                           bit i at bit i mod 64 of word i / 64
//                 no     | r bits | r bits | ... |            q groups: bit i of no-filter j is bit j of group i
//                 seeds  | 8 bits |                           which set of hash functions
//
//             A key's k' groups, and-ed, have a 1 for each no-filter that covers the key: all r no-filters are compared at once.
// Guarantees  No false negative, unless it was built to allow them. A key inserted later is never vetoed: the no-filters that would
//             do it lose a bit of that key, which may give some known negatives back (`inserted_unprotected`).
// Cost        As a Bloom filter for keys that answer "surely not"; for the others also k' groups that lie close together.
// Deviation   The paper has one part and one seed. Parts keep building linear and local for millions of keys.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/cell_view.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/yes_no/yes_no_places.hpp>

#include <algorithm>

namespace everbloom {

template <WordStore Store>
class basic_yes_no_filter {
public:
    using spec_type = yes_no_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "yes_no";
    static constexpr std::string_view summary = "insert-only; known negatives are never false positives";
    static constexpr std::array<std::string_view, 3> section_names{"yes", "no", "seeds"};

    /// Cache lines that a query reads, at most.
    [[nodiscard]] static constexpr std::uint64_t query_lines(const yes_no_spec& spec) noexcept {
        return spec.yes_hashes;
    }

    [[nodiscard]] static std::array<std::uint64_t, 3> section_lines(const yes_no_spec& spec) noexcept {
        return {ceil_divide(spec.parts * spec.yes_words(), line_words),
                ceil_divide(spec.parts * spec.no_words(), line_words),
                lines_for_bits(spec.parts * yes_no_spec::seed_bits)};
    }

    [[nodiscard]] static result<basic_yes_no_filter> assemble(const yes_no_spec& spec, std::array<Store, 3> stores) {
        basic_yes_no_filter made(spec, std::move(stores));
        if (auto checked = made.check_contents(); !checked) return fail(std::move(checked.error()));
        return made;
    }
    [[nodiscard]] static result<basic_yes_no_filter> assemble_empty(const yes_no_spec& spec,
                                                                    std::array<Store, 3> stores) {
        return basic_yes_no_filter(spec, std::move(stores));
    }

    [[nodiscard]] const yes_no_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 3> sections() const noexcept {
        return {words(0), words(1), words(2)};
    }

    /// The cells are the bits of the yes-filters.
    [[nodiscard]] std::uint64_t cells() const noexcept { return spec_.parts * spec_.yes_bits; }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        return yes_bit(index / spec_.yes_bits, index % spec_.yes_bits) ? 1 : 0;
    }

    [[nodiscard]] std::uint64_t seed(std::uint64_t part) const noexcept {
        return cell_view<const std::uint64_t, yes_no_spec::seed_bits>(stores_[2].data(), yes_no_spec::seed_bits)
            .get(part);
    }
    [[nodiscard]] bool yes_bit(std::uint64_t part, std::uint64_t index) const noexcept {
        return yes_of(part).test(index);
    }
    [[nodiscard]] bool no_bit(std::uint64_t part, std::uint64_t no_filter, std::uint64_t index) const noexcept {
        return ((no_of(part).get(index) >> no_filter) & 1) != 0;
    }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        const std::uint64_t part = places_.part(item);
        const digest seen = yes_no_places::seeded(item, seed(part));
        return said_yes(part, seen) && vetoes(part, seen) == 0;
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        probing first_look = places_.yes_probing();
        first_look.hashes = std::min(first_look.hashes, 2u); // most absent keys fail within two positions
        std::array<digest, prefetch_window> seen;
        std::array<std::uint64_t, prefetch_window> parts;
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t count = std::min(prefetch_window, items.size() - from);
            for (std::size_t i = 0; i < count; ++i) {
                parts[i] = places_.part(items[from + i]);
                seen[i] = yes_no_places::seeded(items[from + i], seed(parts[i]));
                for_each_position(seen[i], first_look,
                                  [yes = yes_of(parts[i])](std::uint64_t at) { yes.prefetch(at); });
            }
            for (std::size_t i = 0; i < count; ++i) {
                answers[from + i] = said_yes(parts[i], seen[i]) && vetoes(parts[i], seen[i]) == 0 ? 1 : 0;
            }
        }
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t part = places_.part(item);
        const digest seen = yes_no_places::seeded(item, seed(part));
        for_each_position(seen, places_.yes_probing(), [yes = yes_of(part)](std::uint64_t at) { yes.set(at); });
        const std::uint64_t vetoing = vetoes(part, seen);
        if (vetoing == 0) return insert_outcome::inserted;
        // Clearing one bit is enough to let the key pass; the others keep protecting.
        const auto no = no_of(part);
        const position_list places = position_list::all(yes_no_places::negated(seen), places_.no_probing());
        const std::uint64_t at = places.get().front();
        no.set(at, no.get(at) & ~vetoing);
        return insert_outcome::inserted_unprotected;
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t count = std::min(prefetch_window, items.size() - from);
            for (std::size_t i = from; i < from + count; ++i) {
                const std::uint64_t part = places_.part(items[i]);
                for_each_position(yes_no_places::seeded(items[i], seed(part)), places_.yes_probing(),
                                  [yes = yes_of(part)](std::uint64_t at) { yes.prefetch(at); });
            }
            for (std::size_t i = from; i < from + count; ++i) outcomes[i] = insert(items[i]);
        }
    }

    /// The union of the members. Negatives protected by both stay protected where the bits are the same; others may be lost.
    result<void> merge(const basic_yes_no_filter& other)
        requires WritableWordStore<Store>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch, "the two yes_no filters have different geometry");
        }
        if (!std::equal(words(2).begin(), words(2).end(), other.words(2).begin(), other.words(2).end())) {
            return fail(failure_reason::mismatch,
                        "the two yes_no filters were built with different seeds; build one from the keys of both");
        }
        for (std::size_t i = 0; i < stores_[0].words(); ++i) stores_[0].data()[i] |= other.stores_[0].data()[i];
        // A member of either is covered by no no-filter of its own, so by none that both agree on.
        for (std::size_t i = 0; i < stores_[1].words(); ++i) stores_[1].data()[i] &= other.stores_[1].data()[i];
        return {};
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        for (Store& store : stores_) std::fill_n(store.data(), store.words(), std::uint64_t{0});
    }

    /// For the builder: replaces the contents of a part. `yes` and `no` have the words of the layout above.
    void set_part(std::uint64_t part, std::uint64_t seed, std::span<const std::uint64_t> yes,
                  std::span<const std::uint64_t> no) noexcept
        requires WritableWordStore<Store>
    {
        std::copy(yes.begin(), yes.end(), stores_[0].data() + part * spec_.yes_words());
        std::copy(no.begin(), no.end(), stores_[1].data() + part * spec_.no_words());
        // Parts are built by several threads, and eight seeds share a word.
        auto* const seeds = reinterpret_cast<unsigned char*>(stores_[2].data());
        seeds[part] = static_cast<unsigned char>(seed);
    }

    [[nodiscard]] std::span<const std::uint64_t> yes_words(std::uint64_t part) const noexcept {
        return words(0).subspan(part * spec_.yes_words(), spec_.yes_words());
    }
    [[nodiscard]] std::span<const std::uint64_t> no_words(std::uint64_t part) const noexcept {
        return words(1).subspan(part * spec_.no_words(), spec_.no_words());
    }

private:
    basic_yes_no_filter(const yes_no_spec& spec, std::array<Store, 3> stores) noexcept
        : spec_(spec), places_(spec), stores_(std::move(stores)) {}

    [[nodiscard]] std::span<const std::uint64_t> words(std::size_t section) const noexcept {
        return {stores_[section].data(), static_cast<std::size_t>(stores_[section].words())};
    }
    [[nodiscard]] auto yes_of(std::uint64_t part) const noexcept {
        return bit_view<const std::uint64_t>(stores_[0].data() + part * spec_.yes_words());
    }
    [[nodiscard]] auto yes_of(std::uint64_t part) noexcept
        requires WritableWordStore<Store>
    {
        return bit_view<std::uint64_t>(stores_[0].data() + part * spec_.yes_words());
    }
    [[nodiscard]] auto no_of(std::uint64_t part) const noexcept {
        return cell_view<const std::uint64_t>(stores_[1].data() + part * spec_.no_words(),
                                              static_cast<unsigned>(spec_.no_filters));
    }
    [[nodiscard]] auto no_of(std::uint64_t part) noexcept
        requires WritableWordStore<Store>
    {
        return cell_view<std::uint64_t>(stores_[1].data() + part * spec_.no_words(),
                                        static_cast<unsigned>(spec_.no_filters));
    }

    [[nodiscard]] bool said_yes(std::uint64_t part, digest seen) const noexcept {
        return all_positions(seen, places_.yes_probing(),
                             [yes = yes_of(part)](std::uint64_t at) { return yes.test(at); });
    }

    /// A bit for each no-filter that covers the key.
    [[nodiscard]] std::uint64_t vetoes(std::uint64_t part, digest seen) const noexcept {
        if (spec_.no_filters == 0) return 0;
        std::uint64_t covering = ~std::uint64_t{0};
        (void)all_positions(yes_no_places::negated(seen), places_.no_probing(),
                            [no = no_of(part), &covering](std::uint64_t at) {
                                covering &= no.get(at);
                                return covering != 0;
                            });
        return covering;
    }

    [[nodiscard]] result<void> check_contents() const {
        for (std::uint64_t i = 0; i < spec_.parts; ++i) {
            if (auto tail = check_tail(yes_words(i), spec_.yes_bits, "yes-filter"); !tail) return tail;
            if (auto tail = check_tail(no_words(i), spec_.no_filters * spec_.no_bits, "no-filters"); !tail) return tail;
        }
        if (auto tail = check_tail(words(0), spec_.parts * spec_.yes_words() * word_bits, "yes-filters"); !tail)
            return tail;
        if (auto tail = check_tail(words(1), spec_.parts * spec_.no_words() * word_bits, "no-filters"); !tail)
            return tail;
        return check_tail(words(2), spec_.parts * yes_no_spec::seed_bits, "seeds");
    }

    yes_no_spec spec_;
    yes_no_places places_;
    std::array<Store, 3> stores_;
};

using yes_no_filter = basic_yes_no_filter<heap_words>;

} // namespace everbloom
