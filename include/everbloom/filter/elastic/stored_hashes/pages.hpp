// Pages of stored hashes: a sorted multiset of them, in a fixed number of pages.
//
// Insertions and removals touch one page. A page that is full continues in an overflow page (overflow.hpp). Pages that a resize has
// emptied are given back one by one: only the pages from `first_page` on are held.
//
//      | page first | page first + 1 | ... | last page |
#pragma once

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/growing_words.hpp>
#include <everbloom/filter/elastic/stored_hashes/overflow.hpp>
#include <everbloom/filter/elastic/stored_hashes/page_kernel.hpp>
#include <everbloom/filter/outcomes.hpp>

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace everbloom {

template <WordStore Store>
class hash_pages {
public:
    hash_pages() noexcept = default;
    /// `pages` holds the pages from `first_page` on, not necessarily all of them; the first `used` overflow pages have an owner.
    hash_pages(const hash_geometry& geometry, std::uint64_t first_page, Store pages, Store overflow,
               std::uint64_t used) noexcept
        : geometry_(geometry), first_page_(first_page), pages_(std::move(pages)),
          overflow_(geometry, std::move(overflow), used) {
#if defined(EVERBLOOM_MODERN_X86)
        functions_ = kernel::page_functions_for(geometry);
#endif
    }

    /// `room` as in make_growing_words.
    [[nodiscard]] static result<hash_pages> make(const hash_geometry& geometry, bool room = false)
        requires std::same_as<Store, heap_words>
    {
        auto pages = make_growing_words(geometry.pages() * geometry.page_lines(), room);
        if (!pages) return fail(std::move(pages.error()));
        return hash_pages(geometry, 0, std::move(*pages), heap_words{}, 0);
    }
    /// Where the words of more pages begin, before those of all of these, if they can be moved there within their own memory: with `make_over`.
    [[nodiscard]] std::optional<std::uint64_t> open_growth(const hash_geometry& wanted) noexcept
        requires std::same_as<Store, heap_words>
    {
        // The hashes of an old page end in the new page in which they would end if those were filled evenly.
        const std::uint64_t apart = geometry_.page_words() + wanted.page_words();
        return open_growth_in_place(pages_, wanted.pages() * wanted.page_words(), apart);
    }
    /// More pages, in the same memory. These ones can be read and moved, from the first to the last, as long as the others live.
    [[nodiscard]] hash_pages make_over(const hash_geometry& wanted, std::uint64_t before) noexcept
        requires std::same_as<Store, heap_words>
    {
        hash_pages made(wanted, 0, pages_.take_over(before, wanted.pages() * wanted.page_words()), heap_words{}, 0);
        made.mark_ = growing_mark(before);
        return made;
    }

    [[nodiscard]] const hash_geometry& geometry() const noexcept { return geometry_; }
    [[nodiscard]] std::uint64_t first_page() const noexcept { return first_page_; }
    [[nodiscard]] const overflow_pages<Store>& overflow() const noexcept { return overflow_; }
    [[nodiscard]] overflow_pages<Store>& overflow() noexcept { return overflow_; }
    [[nodiscard]] const Store& page_store() const noexcept { return pages_; }
    /// Memory, in use or not.
    [[nodiscard]] std::uint64_t memory_words() const noexcept {
        return held_words_of(pages_) + overflow_.memory_words();
    }
    /// The same of pages that a growth is filling, from the first to the last.
    [[nodiscard]] std::uint64_t memory_words_so_far() const noexcept {
        if constexpr (std::same_as<Store, heap_words>) return mark_.reached_words(pages_) + overflow_.memory_words();
        return memory_words();
    }

    /// How often the multiset holds a hash.
    [[nodiscard]] std::uint64_t count(std::uint64_t hash) const noexcept {
        const hash_place place = geometry_.place_of(hash);
#if defined(EVERBLOOM_MODERN_X86)
        if (functions_ != nullptr) [[likely]] {
            const auto answer =
                functions_->find(page_words(place.page()), geometry_, place.bin_in_page(), place.remainder);
            if (answer != kernel::page_answer::unknown) [[likely]]
                return answer == kernel::page_answer::present ? 1 : 0;
        }
#endif
        return page(place.page()).find(place.bin_in_page(), place.remainder).copies;
    }

    /// How many different hashes lie in a range; the counting ends at `enough`.
    [[nodiscard]] unsigned count_within(const hash_range& wanted, unsigned enough) const noexcept {
        const hash_range range = geometry_.stored_within(wanted);
        if (range.lowest > range.highest) return 0;
        hash_place at = geometry_.place_of(range.lowest);
        const hash_place to = geometry_.place_of(range.highest);
        unsigned counted = 0;
        for (; at.bin <= to.bin && counted < enough; at = {at.bin + 1, 0}) {
            const std::uint64_t last = at.bin == to.bin ? to.remainder : ~std::uint64_t{0};
            counted += page(at.page()).count_within(at.bin_in_page(), at.remainder, last, enough - counted);
        }
        return counted;
    }

    /// Calls `visit(hash, copies)` for all hashes in a range, in order.
    template <class Visit>
    void for_each_within(const hash_range& wanted, Visit visit) const {
        const hash_geometry geometry =
            geometry_; // a copy that no write of the visitor can change, so that it stays in registers
        const hash_range range = geometry.stored_within(wanted);
        if (range.lowest > range.highest) return;
        const hash_place from = geometry.place_of(range.lowest);
        const hash_place to = geometry.place_of(range.highest);
        for (std::uint64_t bin = from.bin; bin <= to.bin; ++bin) {
            const std::uint64_t start = geometry.start_of_bin(bin);
            const std::uint64_t lowest = bin == from.bin ? from.remainder : 0;
            const std::uint64_t highest = bin == to.bin ? to.remainder : ~std::uint64_t{0};
            const hash_place at{bin, 0};
            page(at.page()).for_each_between(at.bin_in_page(), lowest, highest,
                                             [&](std::uint64_t remainder, std::uint64_t copies) {
                                                 visit(geometry.hash_at({bin, remainder}, start), copies);
                                             });
        }
    }

    /// Calls `take(hashes, how many)` for all hashes in a range, many at a time, in order and without their copies.
    template <class Take>
    void take_within(const hash_range& wanted, Take take) const {
        const hash_range range = geometry_.stored_within(wanted);
        if (range.lowest > range.highest) return;
        const hash_place from = geometry_.place_of(range.lowest);
        const hash_place to = geometry_.place_of(range.highest);
        constexpr unsigned most = hash_page<const std::uint64_t>::most_bin_slots; // of a bin
        std::array<std::uint64_t, 2 * most> hashes;
        unsigned count = 0;
        for (std::uint64_t bin = from.bin; bin <= to.bin; ++bin) {
            if (count > most) [[unlikely]] {
                take(hashes.data(), count);
                count = 0;
            }
            const hash_place at{bin, 0};
            const std::uint64_t lowest = bin == from.bin ? from.remainder : 0;
            const std::uint64_t highest = bin == to.bin ? to.remainder : ~std::uint64_t{0};
            count += collect(at, lowest, highest, hashes.data() + count);
        }
        take(hashes.data(), count);
    }

#if defined(EVERBLOOM_MODERN_X86)
    /// Notes in which lanes hashes of a range have the bits of a pattern. False if that has to be done by `take_within`; then lanes may have
    /// been noted, but none wrongly.
    [[nodiscard]] bool note_shared_within(const hash_range& wanted, const kernel::lane_pattern& pattern,
                                          kernel::shared_lanes& shared) const noexcept {
        if (functions_ == nullptr) return false;
        const hash_range range = geometry_.stored_within(wanted);
        if (range.lowest > range.highest) return true;
        const hash_place from = geometry_.place_of(range.lowest);
        const hash_place to = geometry_.place_of(range.highest);
        for (std::uint64_t index = from.page(); index <= to.page(); ++index) {
            const kernel::position_range here{index == from.page() ? position_of(from) : 0,
                                              index == to.page() ? position_of(to) : last_position()};
            if (!functions_->note_shared(shared, pattern, page_to_read(index), geometry_, here)) return false;
        }
        return true;
    }
#endif

#if defined(EVERBLOOM_MODERN_X86)
    /// Takes other functions than the best, or none: for tests.
    void use(const kernel::page_functions* functions) noexcept { functions_ = functions; }
#endif

    /// All hashes of one page, in order.
    template <class Visit>
    void for_each_in_page(std::uint64_t index, Visit visit) const {
        const hash_geometry geometry = geometry_;
        const auto here = page(index);
        for (unsigned i = 0; i < hash_geometry::page_bins; ++i) {
            const std::uint64_t bin = index * hash_geometry::page_bins + i;
            const std::uint64_t start = geometry.start_of_bin(bin);
            here.for_each(i, [&](std::uint64_t remainder, std::uint64_t copies) {
                visit(geometry.hash_at({bin, remainder}, start), copies);
            });
        }
    }

    /// Prefetches the page of a hash.
    void prefetch(std::uint64_t hash) const noexcept {
        const std::uint64_t* words = page_words(geometry_.page_of(hash));
        std::uint64_t left = geometry_.page_lines();
        for (; left >= 4; left -= 4, words += 4 * line_words) {
            prefetch_line(words);
            prefetch_line(words + line_words);
            prefetch_line(words + 2 * line_words);
            prefetch_line(words + 3 * line_words);
        }
        for (; left > 0; --left, words += line_words) prefetch_line(words);
    }

    /// The first line of it.
    void prefetch_first_line(std::uint64_t hash) const noexcept { prefetch_line(page_words(geometry_.page_of(hash))); }

    /// Where many pages are prefetched together: only the header, and the cache lines where the hash should be in a page that is
    /// three quarters full. The processor follows by itself where a gap is opened behind it.
    void prefetch_place(std::uint64_t hash) const noexcept {
        const wide_product product = multiply_wide(hash, geometry_.pages());
        const std::uint64_t* const words = page_words(product.high);
        const std::uint64_t full_words = geometry_.page_words() / 4 * 3;
        const std::uint64_t* const near = words + multiply_wide(product.low, full_words).high;
        prefetch_line(words);
        prefetch_line(near);
        prefetch_line(near + line_words);
    }

    [[nodiscard]] hash_page<const std::uint64_t> page(std::uint64_t index) const noexcept {
        return {geometry_, page_words(index), overflow_.data()};
    }

    /// Adds copies of a hash. `inserted` if there were none before, otherwise `inserted_counted`; a refusal changes nothing.
    [[nodiscard]] insert_outcome add(std::uint64_t hash, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        const hash_place place = geometry_.place_of(hash);
#if defined(EVERBLOOM_MODERN_X86)
        if (functions_ != nullptr && copies == 1 &&
            functions_->insert(page_to_change(place.page()), geometry_, place.bin_in_page(), place.remainder))
            [[likely]]
            return insert_outcome::inserted;
#endif
        return add_by_slots(place, copies);
    }

    [[nodiscard, gnu::noinline]] insert_outcome add_by_slots(const hash_place& place, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        auto here = page_to_write(place.page());
        const hash_slot found = here.find(place.bin_in_page(), place.remainder);
        if (copies > here.most_copies - found.copies) return insert_outcome::full_counter;
        const unsigned more = here.slots_for(found.copies + copies) - here.slots_for(found.copies);
        if (!here.has_room(place.bin_in_page(), more)) [[unlikely]] {
            const insert_outcome made = make_room(place, more);
            if (!succeeded(made)) return made;
            here = page_to_write(place.page());
        }
        here.set_copies(place.bin_in_page(), found, place.remainder, found.copies + copies);
        return found.copies == 0 ? insert_outcome::inserted : insert_outcome::inserted_counted;
    }

    /// The same for a hash that is larger than all others of its page: nothing has to be searched or shifted.
    [[nodiscard]] insert_outcome append(std::uint64_t hash, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        const hash_place place = geometry_.place_of(hash);
        auto here = page_to_write(place.page());
        if (copies > here.most_copies) return insert_outcome::full_counter;
        const unsigned more = here.slots_for(copies);
        if (!here.has_room(place.bin_in_page(), more)) [[unlikely]] {
            const insert_outcome made = make_room(place, more);
            if (!succeeded(made)) return made;
            here = page_to_write(place.page());
        }
        here.append(place.bin_in_page(), place.remainder, copies);
        return insert_outcome::inserted;
    }

    /// Takes copies of a hash out and returns how many are left; nothing, and nothing is changed, if there are fewer.
    std::optional<std::uint64_t> remove(std::uint64_t hash, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        const hash_place place = geometry_.place_of(hash);
#if defined(EVERBLOOM_MODERN_X86)
        if (functions_ != nullptr && copies == 1 &&
            functions_->erase(page_to_change(place.page()), geometry_, place.bin_in_page(), place.remainder)) [[likely]]
            return 0;
#endif
        const auto here = page_to_write(place.page());
        const hash_slot found = here.find(place.bin_in_page(), place.remainder);
        if (found.copies < copies) return std::nullopt;
        here.set_copies(place.bin_in_page(), found, place.remainder, found.copies - copies);
        if (link(place.page()) != 0) [[unlikely]]
            release_unneeded(place.page(), here.used_slots());
        return found.copies - copies;
    }

#if defined(EVERBLOOM_MODERN_X86)
    /// Says where a hash of these pages is that is to be removed, and all hashes of its block, of which it is one. Without branches, which the
    /// processor could not foresee.
    [[gnu::always_inline]] void find_removal(kernel::hash_in_block& what, std::uint64_t hash,
                                             const hash_range& block) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t unstored = ~geometry_.stored_mask();
        const hash_place place = geometry_.place_of(hash);
        const hash_place from = geometry_.place_of((block.lowest + unstored) & ~unstored);
        const hash_place to = geometry_.place_of(block.highest & ~unstored);
        const std::uint64_t page = place.page();
        // How many pages the block begins before this one and ends behind it. One is the most that is done here.
        const std::uint64_t before = page - from.page();
        const std::uint64_t behind = to.page() - page;
        const std::uint64_t begins = last_position() & (0 - before);
        const std::uint64_t ends = last_position() & (0 - behind);
        what.page = words_to_write(page);
        what.index = page;
        what.position = position_of(place);
        what.range = {position_of(from) & ~begins, position_of(to) | ends};
        what.neighbour_index = page + behind - before;
        what.neighbour = words_to_write(what.neighbour_index);
        what.neighbour_range = {position_of(from) & begins, position_of(to) | begins};
        what.is_simple = before + behind <= 1 ? 1 : 0;
    }
    /// Of these pages, if they have any.
    [[nodiscard]] const kernel::page_functions* functions() const noexcept { return functions_; }
#endif

    /// Puts hashes in ascending order, which are larger than all others, into the page of the first one: as many as belong to it. None if it
    /// must be appended by itself.
    [[nodiscard]] std::size_t append_some([[maybe_unused]] std::span<const std::uint64_t> hashes) noexcept
        requires WritableWordStore<Store>
    {
#if defined(EVERBLOOM_MODERN_X86)
        if (functions_ != nullptr) {
            const std::uint64_t index = geometry_.page_of(hashes.front());
            return functions_->append(words_to_write(index), geometry_, index, hashes);
        }
#endif
        return 0;
    }

    /// The hashes of a page in order; nothing if they must be read one by one, because some have copies or there are many overflow pages. The
    /// array has room for those of any page.
    [[nodiscard]] std::optional<unsigned> read_page([[maybe_unused]] std::uint64_t index,
                                                    [[maybe_unused]] std::uint64_t* hashes) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if (functions_ != nullptr) {
            const auto read = functions_->hashes(page_to_read(index), geometry_, hashes);
            if (read.known) return read.count;
        }
#endif
        return std::nullopt;
    }

    /// Empties a page and frees its overflow pages.
    void clear_page(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        if (link(index) != 0) release_unneeded(index, 0);
        std::memset(words_to_write(index), 0, geometry_.page_words() * sizeof(std::uint64_t));
    }

    [[nodiscard]] std::uint64_t* words_to_write(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        return pages_.data() + (index - first_page_) * geometry_.page_words();
    }

    /// Before hashes are appended to pages up to this one. The first `left` words of the pages they come from are not needed any more.
    void reach(std::uint64_t index, std::uint64_t left) noexcept
        requires std::same_as<Store, heap_words>
    {
        mark_.reach(pages_, (index + 1 - first_page_) * geometry_.page_words(), left);
    }

    /// Gives back the memory of the pages before this one, which are empty and will not be asked for again.
    void forget_before(std::uint64_t index) noexcept
        requires std::same_as<Store, heap_words>
    {
        pages_.forget_before((index - first_page_) * geometry_.page_words());
    }

    /// Makes room for all pages of the geometry, where a file holds the first ones only.
    [[nodiscard]] result<void> complete()
        requires std::same_as<Store, heap_words>
    {
        mark_.begin_with(pages_.words());
        return pages_.extend((geometry_.pages() - first_page_) * geometry_.page_lines());
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (pages_.words() != 0) std::memset(pages_.data(), 0, pages_.words() * sizeof(std::uint64_t));
        overflow_.clear();
    }

private:
#if defined(EVERBLOOM_MODERN_X86)
    /// Of a hash in its page.
    [[nodiscard]] std::uint64_t position_of(const hash_place& at) const noexcept {
        return std::uint64_t{at.bin_in_page()} << geometry_.slot_bits() | at.remainder;
    }
    [[nodiscard]] std::uint64_t last_position() const noexcept {
        return (std::uint64_t{hash_geometry::page_bins} << geometry_.slot_bits()) - 1;
    }
    [[nodiscard]] kernel::page_to_read page_to_read(std::uint64_t index) const noexcept {
        return {page_words(index), overflow_.data(), index};
    }
    [[nodiscard]] kernel::page_to_change page_to_change(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        return {words_to_write(index), overflow_.data()};
    }
#endif

    /// The hashes of a bin with remainders from `lowest` to `highest`.
    [[nodiscard]] unsigned collect(const hash_place& bin, std::uint64_t lowest, std::uint64_t highest,
                                   std::uint64_t* hashes) const {
        const std::uint64_t start = geometry_.start_of_bin(bin.bin);
        const auto here = page(bin.page());
        const auto found = here.collect(geometry_, start, bin.bin_in_page(), lowest, highest, hashes);
        if (found) [[likely]]
            return *found;
        unsigned count = 0;
        here.for_each_between(bin.bin_in_page(), lowest, highest, [&](std::uint64_t remainder, std::uint64_t) {
            hashes[count++] = geometry_.hash_at({bin.bin, remainder}, start);
        });
        return count;
    }

    [[nodiscard]] const std::uint64_t* page_words(std::uint64_t index) const noexcept {
        return pages_.data() + (index - first_page_) * geometry_.page_words();
    }
    [[nodiscard]] std::uint64_t link(std::uint64_t index) const noexcept {
        return hash_page<const std::uint64_t>::link(page_words(index));
    }
    [[nodiscard]] hash_page<std::uint64_t> page_to_write(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        return {geometry_, words_to_write(index), overflow_.data()};
    }

    /// An overflow page at the end of a page that is full. A full bin is full permanently: that many hashes alike do not come by
    /// chance.
    [[nodiscard, gnu::noinline]] insert_outcome make_room(const hash_place& place, unsigned more) noexcept {
        if constexpr (std::same_as<Store, heap_words>) {
            if (page(place.page()).bin_slots(place.bin_in_page()) + more > hash_page<std::uint64_t>::most_bin_slots) {
                return insert_outcome::full_bucket;
            }
            // A few at a time: about one page in forty overflows when the pages are as full as they should be.
            if (!overflow_.has_room() && !overflow_.reserve(1 + geometry_.pages() / 128))
                return insert_outcome::growth_refused;
            overflow_.add(words_to_write(place.page()), place.page());
            return insert_outcome::inserted;
        } else {
            return insert_outcome::full_bucket;
        }
    }

    /// Frees the overflow pages of a page that its `used` slots do not need.
    [[gnu::noinline]] void release_unneeded(std::uint64_t index, unsigned used) noexcept {
        overflow_.release_unneeded(words_to_write(index), used,
                                   [&](std::uint64_t page) { return words_to_write(page); });
    }

    hash_geometry geometry_;
    std::uint64_t first_page_ = 0;
    Store pages_;
    overflow_pages<Store> overflow_;
    growing_mark mark_; // of pages_
#if defined(EVERBLOOM_MODERN_X86)
    const kernel::page_functions* functions_ = nullptr; // for these pages, if this processor has any
#endif
};

} // namespace everbloom
