// The elastic blocked filter: deletes, grows, shrinks, merges and intersects, and answers queries like a blocked filter.
//
// Idea        Two parts. The fast part is a blocked Bloom filter: all bits of a key in one block of 512 bits, one cache line, and
//             queries read nothing else. The slow part stores one hash per key, some 50 bits, sorted: with it removals are verified
//             (no stored hash, no removal), copies are counted, and the fast part can be rebuilt at any size without the keys.
//             When the blocks become too full, more of them are allocated, and with every few insertions a page of stored hashes
//             moves over: no operation touches all data. The words of the family are in elastic.hpp, the story in docs/elastic.md.
// Source      Elastic fingerprints and the split into fast and slow memory are from [Wu21]; blocks from [Putze07].
// Layout      blocks          | 512 bits | 512 bits | ...                (elastic_blocks.hpp; the sections are called lines)
//             stored hashes   | page of 8 bins | page of 8 bins | ...    (stored_hashes/page.hpp)
// Guarantees  No false negative, also while it grows. A key that was never added is not removed, except with a chance below
//             2^-20. Exact number of keys and copies. Adding a key again counts a copy; the copies take no more bits.
//             A refusal leaves everything as it was. Same keys and same sizes, same bytes, in whatever order they came.
// Cost        Query: one cache line. Insertion and removal: one block and one page of about 560 bytes. Fast part about 16 bits
//             per key for 0.1 %; slow part about 40.
// Deviation   [Wu21] keeps k fingerprints per key, doubles only, and copies everything when it expands.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/elastic/elastic_blocked_core.hpp>
#include <everbloom/filter/elastic/elastic_wide_query.hpp>
#include <everbloom/filter/make.hpp>

namespace everbloom {

/// `Access` is exclusive_access, or shared_access where threads read beside the one that writes.
template <WordStore Store, class Access>
class elastic_blocked_filter_with {
public:
    using spec_type = elastic_blocked_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "elastic_blocked";
    static constexpr std::string_view summary =
        "deletes for certain, grows and shrinks without the keys; queries nearly as fast as blocked";
    static constexpr std::array<std::string_view, 1> kept_by_resize{"word_bits"};
    static constexpr std::array<std::string_view, 6> section_names{"lines",  "next_lines", "pages",
                                                                   "spares", "next_pages", "next_spares"};

    /// Cache lines that a query reads, at most.
    [[nodiscard]] static constexpr std::uint64_t query_lines(const elastic_blocked_spec&) noexcept { return 1; }

    [[nodiscard]] static std::array<std::uint64_t, 6> section_lines(const elastic_blocked_spec& spec) noexcept {
        const auto progress = spec.progress();
        const auto blocks =
            elastic_blocks<Store>::section_blocks(spec.blocks(), spec.next_blocks(), progress.frontier());
        const auto pages = progress.section_lines(spec.word_bits);
        return {blocks[0], blocks[1], pages[0], pages[1], pages[2], pages[3]};
    }

    /// Checks every stored hash, and that the bits match them.
    [[nodiscard]] static result<elastic_blocked_filter_with> assemble(const elastic_blocked_spec& spec,
                                                                      std::array<Store, 6> stores) {
        auto made = assemble_empty(spec, std::move(stores));
        if (!made) return made;
        if (auto checked = made->core_.check(); !checked) return fail(std::move(checked.error()));
        return made;
    }
    /// The same for stores that are known to be all zeros.
    [[nodiscard]] static result<elastic_blocked_filter_with> assemble_empty(const elastic_blocked_spec& spec,
                                                                            std::array<Store, 6> stores) {
        auto core = elastic_blocked_core<Store, Access>::assemble(spec, std::move(stores));
        if (!core) return fail(std::move(core.error()));
        elastic_blocked_filter_with made;
        made.core_ = std::move(*core);
        return made;
    }

    /// A filter of these stored hashes: `for_each(put)` calls `put(hash, copies)` for each of them, once, in ascending order. The geometry has
    /// room for them.
    template <class ForEach>
    [[nodiscard]] static result<elastic_blocked_filter_with> of_sorted_hashes(const elastic_blocked_spec& target,
                                                                              ForEach for_each) {
        return filled<true>(target, for_each);
    }

    [[nodiscard]] const elastic_blocked_spec& spec() const noexcept { return core_.spec(); }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 6> sections() const noexcept {
        const auto blocks = core_.blocks();
        const auto pages = stored().sections();
        return {blocks[0], blocks[1], pages[0], pages[1], pages[2], pages[3]};
    }
    [[nodiscard]] std::uint64_t memory_words() const noexcept { return core_.memory_words(); }
    /// Cells are the bits that queries look at: the new ones up to the frontier, then the old ones.
    [[nodiscard]] std::uint64_t cells() const noexcept {
        const auto blocks = core_.blocks();
        return (blocks[0].size() + blocks[1].size()) * word_bits;
    }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        const auto blocks = core_.blocks();
        const std::uint64_t at = index / word_bits;
        const std::uint64_t word = at < blocks[1].size() ? blocks[1][at] : blocks[0][at - blocks[1].size()];
        return word >> (index % word_bits) & 1;
    }
    /// Different keys in it, exactly (equal stored hashes count once).
    [[nodiscard]] std::uint64_t keys() const noexcept { return core_.keys(); }
    /// Insertions that were not removed.
    [[nodiscard]] std::uint64_t copies() const noexcept { return core_.copies(); }
    /// How often it has begun to grow since it was made or loaded.
    [[nodiscard]] std::uint64_t expansions() const noexcept { return core_.expansions(); }
    [[nodiscard]] bool is_growing() const noexcept { return stored().is_resizing(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        const auto& query = core_.query();
        return Access::contains(query.line_of(item), query.hash_of(item), query.hashes);
    }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        query_batch(items, answers);
    }
    /// The same for digests that the loop makes itself.
    template <class Make>
    void may_contain(const digests_on_demand<Make>& items, std::span<std::uint8_t> answers) const noexcept {
        query_batch(items, answers);
    }
    /// The verified query: wrong about an absent key with a chance below 2^-20.
    [[nodiscard]] bool confirm(digest item) const noexcept { return estimate_count(item) != 0; }
    void confirm(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        constexpr std::size_t lead = 8; // as many pages at a time as a processor has misses under way
        std::array<std::uint64_t, 2 * lead> hashes;
        for (std::size_t from = 0; from < items.size(); from += hashes.size()) {
            const std::size_t count = std::min(hashes.size(), items.size() - from);
            for (std::size_t i = 0; i < count; ++i) {
                hashes[i] = stored_hash(items[from + i]);
                stored().prefetch(hashes[i]);
            }
            for (std::size_t i = 0; i < count; ++i) {
                answers[from + i] = static_cast<std::uint8_t>(stored().count(hashes[i]) != 0);
            }
        }
    }
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept { return stored().count(stored_hash(item)); }
    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        return confirm(item) ? erase_outcome::removed : erase_outcome::not_present;
    }

    /// Calls `act(i)` for every item, with the blocks and pages of the next ones prefetched.
    template <class Act>
    void prefetching(std::span<const digest> items, Act act) const noexcept {
        constexpr std::size_t lead = 6; // items; each prefetches a block and a page of about nine cache lines
        for (std::size_t i = 0; i < std::min(lead, items.size()); ++i) core_.prefetch(stored_hash(items[i]));
        constexpr std::uint64_t large = (std::uint64_t{16} << 20) / sizeof(std::uint64_t); // words
        std::size_t next_group = memory_words() > large ? 0 : items.size();
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i == next_group) [[unlikely]] {
                prefetch_first_lines(items, i + lead);
                next_group += translated_at_once;
            }
            if (i + lead < items.size()) core_.prefetch(stored_hash(items[i + lead]));
            act(i);
        }
    }

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return core_.insert(stored_hash(item));
    }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        prefetching(items, [&](std::size_t i) { outcomes[i] = insert(items[i]); });
    }
    erase_outcome erase(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return core_.erase(stored_hash(item));
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        core_.erase_many(
            items.size(), [&](std::size_t i) { return stored_hash(items[i]); }, outcomes.data());
    }
    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        core_.clear();
    }

    /// All keys of both. The sizes may differ; the result has at least this size, and enough for the keys. Where the two store
    /// different numbers of bits of a hash, the result stores the smaller.
    result<void> merge(const elastic_blocked_filter_with& other)
        requires std::same_as<Store, heap_words>
    {
        return with_equal_widths(
            other,
            [&](const elastic_blocked_filter_with& mine, const elastic_blocked_filter_with& theirs) -> result<void> {
                std::uint64_t together = mine.keys();
                theirs.stored().for_each(
                    [&](std::uint64_t hash, std::uint64_t) { together += mine.stored().count(hash) == 0 ? 1 : 0; });
                auto made = mine.rebuilt(mine.spec().at_rest_with(mine.bits_for(together)), together, all_copies);
                if (!made) return fail(std::move(made.error()));
                insert_outcome failed = insert_outcome::inserted;
                theirs.stored().for_each([&](std::uint64_t hash, std::uint64_t copies) {
                    if (succeeded(failed)) failed = made->core_.fill(hash, copies);
                });
                if (!succeeded(failed)) return fail(no_room("a key would have more copies than can be counted"));
                return become(std::move(*made));
            });
    }

    /// The keys of both, with the smaller number of copies.
    result<void> intersect(const elastic_blocked_filter_with& other)
        requires std::same_as<Store, heap_words>
    {
        return with_equal_widths(
            other,
            [&](const elastic_blocked_filter_with& mine, const elastic_blocked_filter_with& theirs) -> result<void> {
                auto made =
                    mine.rebuilt(mine.spec().emptied(), mine.keys(), [&](std::uint64_t hash, std::uint64_t copies) {
                        return std::min(copies, theirs.stored().count(hash));
                    });
                if (!made) return fail(std::move(made.error()));
                return become(std::move(*made));
            });
    }

    /// Twice the bits.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t now = spec().emptied().bits;
        if (now > spec().most_bits / 2) {
            return fail(failure_reason::no_room, "the filter cannot grow: " + std::to_string(spec().most_bits) +
                                                     " bits are its limit; resize it with a higher most_bits");
        }
        return resize(spec().at_rest_with(2 * now));
    }
    /// Half the bits, if the keys do not make them too full.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t blocks = spec().emptied().blocks();
        if (blocks == 1) return fail(failure_reason::unsupported, "the filter cannot shrink: it has one block");
        return resize(spec().at_rest_with((blocks + 1) / 2 * line_bits));
    }

    /// Resizes to any other size, number of hashes, density, way to grow or limit. Of a stored hash, bits can be dropped, not added.
    result<void> resize(const elastic_blocked_spec& wanted)
        requires std::same_as<Store, heap_words>
    {
        if (wanted.word_bits > spec().word_bits) {
            return fail(failure_reason::mismatch, "a stored hash has " + std::to_string(spec().word_bits) +
                                                      " bits; word_bits cannot be raised without the keys");
        }
        elastic_blocked_spec target = wanted.emptied();
        target.initial_bits = spec().initial_bits;
        auto made = rebuilt(target, keys(), all_copies);
        if (!made) return fail(std::move(made.error()));
        return become(std::move(*made));
    }

    /// What queries read, for readers beside a writer.
    [[nodiscard]] const elastic_block_view<const std::uint64_t>& block_view() const noexcept { return core_.query(); }
    /// The blocks that a growth has left behind, once.
    [[nodiscard]] Store take_retired_blocks() noexcept { return core_.take_retired_blocks(); }

    /// Calls `visit(words, share)` for every block that queries read, with the share of all hashes that lead to it.
    template <class Visit>
    void for_each_block(Visit visit) const {
        const auto blocks = core_.blocks();
        const double moved = static_cast<double>(stored().frontier()) * 0x1p-64;
        const auto part = [&](std::span<const std::uint64_t> words, double share) {
            const std::size_t count = words.size() / line_words;
            for (std::size_t at = 0; at < words.size(); at += line_words) {
                visit(std::span<const std::uint64_t, line_words>(words.subspan(at).first(line_words)),
                      share / static_cast<double>(count));
            }
        };
        part(blocks[1], moved);
        part(blocks[0], 1 - moved);
    }

    /// Calls `visit(digest, copies)` with a digest of the same stored hash for every key.
    template <class Visit>
    void for_each_digest(Visit visit) const {
        stored().for_each([&](std::uint64_t hash, std::uint64_t copies) { visit(digest{hash, 0}, copies); });
    }

private:
    elastic_blocked_filter_with() noexcept = default;

    template <class Items>
    void query_batch(const Items& items, std::span<std::uint8_t> answers) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (std::same_as<Items, std::span<const digest>>) {
            const auto& query = core_.query();
            const std::size_t together = items.size() / kernel::wide::wide_query_keys * kernel::wide::wide_query_keys;
            if (together != 0 && kernel::wide::suits_wide_query(query)) {
                kernel::wide::contains(query, items.first(together), answers.data());
                return query_in_order(items.subspan(together), answers.subspan(together));
            }
        }
#endif
        query_in_order(items, answers);
    }
    template <class Items>
    void query_in_order(const Items& items, std::span<std::uint8_t> answers) const noexcept {
        const auto& query = core_.query();
        if (query.frontier == 0) return kernel::contains(resting_block_view(query), items, answers);
        kernel::contains(growing_block_view(query), items, answers);
    }

    static constexpr auto all_copies = [](std::uint64_t, std::uint64_t copies) { return copies; };

    /// Calls `act(mine, theirs)` with this filter and the other one, the one with longer stored hashes cut down to the shorter.
    template <class Act>
    [[nodiscard]] result<void> with_equal_widths(const elastic_blocked_filter_with& other, Act act) {
        if (other.spec().word_bits == spec().word_bits) return act(*this, other);
        const bool cut_mine = spec().word_bits > other.spec().word_bits;
        const elastic_blocked_filter_with& longer = cut_mine ? *this : other;
        elastic_blocked_spec shorter = longer.spec().emptied();
        shorter.word_bits = std::min(spec().word_bits, other.spec().word_bits);
        auto cut = longer.rebuilt(shorter, longer.keys(), all_copies);
        if (!cut) return fail(std::move(cut.error()));
        return cut_mine ? act(*cut, other) : act(*this, *cut);
    }
    [[nodiscard]] static failure no_room(const std::string& why) { return {failure_reason::no_room, why}; }

    /// At least this size, and enough for this many keys.
    [[nodiscard]] std::uint64_t bits_for(std::uint64_t keys) const noexcept {
        elastic_blocked_spec size = spec().at_rest();
        while (size.keys_for(size.bits) < keys && size.grown_bits() != size.bits) size.bits = size.grown_bits();
        return size.bits;
    }

    /// A filter of another geometry with the stored hashes of this one, in as many copies as `copies_of` says.
    template <class CopiesOf>
    [[nodiscard]] result<elastic_blocked_filter_with> rebuilt(const elastic_blocked_spec& target, std::uint64_t keys,
                                                              CopiesOf copies_of) const {
        if (keys > std::min(target.keys_for(target.bits), target.most_keys())) {
            return fail(no_room(std::to_string(keys) + " keys do not fit into " + std::to_string(target.bits) +
                                " bits; allow more line_keys, or more bits"));
        }
        const std::uint64_t mask = stored_mask(static_cast<unsigned>(target.word_bits));
        const auto put_all = [&](auto put) {
            stored().for_each([&](std::uint64_t hash, std::uint64_t copies) {
                if (const std::uint64_t kept = copies_of(hash, copies)) put(hash & mask, kept);
            });
        };
        // With fewer bits two hashes may become one.
        if (target.word_bits != spec().word_bits) return filled<false>(target, put_all);
        return filled<true>(target, put_all);
    }
    template <bool Ascending, class ForEach>
    [[nodiscard]] static result<elastic_blocked_filter_with> filled(const elastic_blocked_spec& target,
                                                                    ForEach for_each) {
        auto made = make<elastic_blocked_filter_with>(target);
        if (!made) return made;
        insert_outcome failed = insert_outcome::inserted;
        for_each([&](std::uint64_t hash, std::uint64_t copies) {
            if (!succeeded(failed)) return;
            failed = Ascending ? made->core_.fill_last(hash, copies) : made->core_.fill(hash, copies);
        });
        if (!succeeded(failed)) return fail(no_room("the stored hashes do not find room in this number of pages"));
        made->core_.end_filling();
        return made;
    }
    result<void> become(elastic_blocked_filter_with made) noexcept {
        core_.replace_by(std::move(made.core_));
        return {};
    }

    [[nodiscard]] const stored_hashes<Store>& stored() const noexcept { return core_.stored(); }
    [[nodiscard]] std::uint64_t stored_hash(digest item) const noexcept { return core_.query().stored_hash(item); }

    /// In a filter so large that most addresses have to be translated: so that several translations are looked up at a time.
    static constexpr std::size_t translated_at_once = 8; // items
    [[gnu::noinline]] void prefetch_first_lines(std::span<const digest> items, std::size_t from) const noexcept {
        for (std::size_t i = from; i < std::min(from + translated_at_once, items.size()); ++i) {
            core_.prefetch_first_lines(stored_hash(items[i]));
        }
    }

    elastic_blocked_core<Store, Access> core_;
};

template <WordStore Store>
using basic_elastic_blocked_filter = elastic_blocked_filter_with<Store, exclusive_access>;
using elastic_blocked_filter = basic_elastic_blocked_filter<heap_words>;

} // namespace everbloom
