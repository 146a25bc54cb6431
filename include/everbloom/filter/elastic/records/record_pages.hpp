// record_pages: a sorted multiset of hashes in pages, which can be written anew with any number of pages without the keys.
//
// It is the slow part of the elastic filters: queries never look at it, insertions and removals touch one page. Pages that the
// records have left for a newer set of pages are given back one by one: only the pages from `first_page` on are held.
//
//      pages     | page first | page first + 1 | ...                  | last page |
//      spares    | spare 0 | spare 1 | ...    continuations of pages that are full; the header of a spare names its owner
#pragma once

#include <everbloom/bits/fetch.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/records/record_page.hpp>
#include <everbloom/filter/outcomes.hpp>

#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace everbloom {

template <WordStore Store>
class record_pages {
public:
    record_pages() noexcept = default;
    /// `pages` holds the pages from `first_page` on, not necessarily all of them; `used_spares` of the spares have an owner.
    record_pages(const record_geometry& geometry, std::uint64_t first_page, Store pages, Store spares,
                 std::uint64_t used_spares) noexcept
        : geometry_(geometry), first_page_(first_page), used_spares_(used_spares), pages_(std::move(pages)),
          spares_(std::move(spares)) {}

    [[nodiscard]] static result<record_pages> make(const record_geometry& geometry)
        requires std::same_as<Store, heap_words>
    {
        auto pages = heap_words::make(geometry.pages() * geometry.page_lines());
        if (!pages) return fail(std::move(pages.error()));
        return record_pages(geometry, 0, std::move(*pages), heap_words{}, 0);
    }

    [[nodiscard]] const record_geometry& geometry() const noexcept { return geometry_; }
    [[nodiscard]] std::uint64_t first_page() const noexcept { return first_page_; }
    [[nodiscard]] std::uint64_t held_pages() const noexcept { return pages_.words() / geometry_.page_words(); }
    [[nodiscard]] std::uint64_t used_spares() const noexcept { return used_spares_; }
    [[nodiscard]] const Store& page_store() const noexcept { return pages_; }
    [[nodiscard]] std::span<const std::uint64_t> spare_words_in_use() const noexcept {
        return {spares_.data(), used_spares_ * geometry_.page_words()};
    }

    /// In the header of a spare: its owner is a spare, not a page.
    static constexpr std::uint64_t owned_by_spare = std::uint64_t{1} << 62;

    /// How often the multiset holds a record.
    [[nodiscard]] std::uint64_t count(std::uint64_t record) const noexcept {
        const record_place place = geometry_.place_of(record);
        return page(page_of(place)).find(bin_of(place), place.stored).copies;
    }

    /// Calls `visit(record, copies)` for all records from `lowest` to `highest`, both included, in order.
    template <class Visit>
    void for_each_within(std::uint64_t lowest, std::uint64_t highest, Visit visit) const {
        const record_place from = geometry_.place_of(lowest);
        const record_place to = geometry_.place_of(highest);
        for (std::uint64_t bin = from.bin; bin <= to.bin; ++bin) {
            const std::uint64_t start = geometry_.start_of_bin(bin);
            page(bin / record_geometry::page_bins)
                .for_each(static_cast<unsigned>(bin % record_geometry::page_bins),
                          [&](std::uint64_t stored, std::uint64_t copies) {
                              if (bin == from.bin && stored < from.stored) return;
                              if (bin == to.bin && stored > to.stored) return;
                              visit(geometry_.record_at({bin, stored}, start), copies);
                          });
        }
    }

    /// All records of one page.
    template <class Visit>
    void for_each_in_page(std::uint64_t index, Visit visit) const {
        const auto here = page(index);
        for (unsigned i = 0; i < record_geometry::page_bins; ++i) {
            const std::uint64_t bin = index * record_geometry::page_bins + i;
            const std::uint64_t start = geometry_.start_of_bin(bin);
            here.for_each(i, [&](std::uint64_t stored, std::uint64_t copies) {
                visit(geometry_.record_at({bin, stored}, start), copies);
            });
        }
    }

    /// All records that are held.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t i = 0; i < held_pages(); ++i) for_each_in_page(first_page_ + i, visit);
    }

    /// Starts to bring the page of a record nearer.
    void prefetch(std::uint64_t record) const noexcept {
        const std::uint64_t* const words = page_words(geometry_.page_of(record));
        for (std::uint64_t line = 0; line < geometry_.page_lines(); ++line) fetch(words + line * line_words);
    }

    /// The same for one who brings many pages nearer: the header, and the lines where the record should be in a page that is
    /// three quarters full. The processor follows by itself where a gap is opened behind it.
    void prefetch_place(std::uint64_t record) const noexcept {
        const wide_product product = multiply_wide(record, geometry_.pages());
        const std::uint64_t* const words = page_words(product.high);
        const std::uint64_t full_words = geometry_.page_words() / 4 * 3;
        const std::uint64_t* const near = words + multiply_wide(product.low, full_words).high;
        fetch(words);
        fetch(near);
        fetch(near + line_words);
    }

    [[nodiscard]] record_page<const std::uint64_t> page(std::uint64_t index) const noexcept {
        return {geometry_, page_words(index), spares_.data()};
    }

    /// Adds copies of a record. `inserted` if there were none before, otherwise `inserted_counted`; a refusal changes nothing.
    [[nodiscard]] insert_outcome add(std::uint64_t record, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        const record_place place = geometry_.place_of(record);
        auto here = page_to_write(page_of(place));
        const record_slot found = here.find(bin_of(place), place.stored);
        if (copies > here.most_copies - found.copies) return insert_outcome::full_counter;
        const unsigned more = here.slots_for(found.copies + copies) - here.slots_for(found.copies);
        if (!here.has_room(bin_of(place), more)) [[unlikely]] {
            const insert_outcome made = make_room(place, more);
            if (!succeeded(made)) return made;
            here = page_to_write(page_of(place));
        }
        here.set_copies(bin_of(place), found, place.stored, found.copies + copies);
        return found.copies == 0 ? insert_outcome::inserted : insert_outcome::inserted_counted;
    }

    /// The same for a record that is larger than all others of its page: nothing has to be looked for or moved.
    [[nodiscard]] insert_outcome append(std::uint64_t record, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        const record_place place = geometry_.place_of(record);
        auto here = page_to_write(page_of(place));
        if (copies > here.most_copies) return insert_outcome::full_counter;
        const unsigned more = here.slots_for(copies);
        if (!here.has_room(bin_of(place), more)) [[unlikely]] {
            const insert_outcome made = make_room(place, more);
            if (!succeeded(made)) return made;
            here = page_to_write(page_of(place));
        }
        here.append(bin_of(place), place.stored, copies);
        return insert_outcome::inserted;
    }

    /// Takes copies of a record away and says how many are left; nothing, and nothing is changed, if there are not so many.
    std::optional<std::uint64_t> remove(std::uint64_t record, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        const record_place place = geometry_.place_of(record);
        const auto here = page_to_write(page_of(place));
        const record_slot found = here.find(bin_of(place), place.stored);
        if (found.copies < copies) return std::nullopt;
        here.set_copies(bin_of(place), found, place.stored, found.copies - copies);
        if (link(page_of(place)) != 0) [[unlikely]]
            release_unneeded(page_of(place), here.used_slots());
        return found.copies - copies;
    }

    /// Empties a page and gives its spares back.
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

    /// Gives back the memory of the pages before this one, which are empty and will not be asked for again.
    void forget_before(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        if constexpr (std::same_as<Store, heap_words>) {
            pages_.forget_before((index - first_page_) * geometry_.page_words());
        }
    }

    /// Makes room for all pages of the geometry, where a file holds the first ones only.
    [[nodiscard]] result<void> complete()
        requires std::same_as<Store, heap_words>
    {
        return pages_.extend((geometry_.pages() - first_page_) * geometry_.page_lines());
    }

    /// Makes room for so many spares more, so that taking them cannot fail; false if there is no memory for them.
    [[nodiscard]] bool reserve_spares(std::uint64_t more) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t wanted = used_spares_ + more;
        if (wanted * geometry_.page_words() <= spares_.words()) return true;
        try {
            return spares_.extend(wanted * geometry_.page_lines()).has_value();
        } catch (const std::bad_alloc&) {
            return false; // for the words of the failure
        }
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (pages_.words() != 0) std::memset(pages_.data(), 0, pages_.words() * sizeof(std::uint64_t));
        if (spares_.words() != 0) std::memset(spares_.data(), 0, spares_.words() * sizeof(std::uint64_t));
        used_spares_ = 0;
    }

private:
    [[nodiscard]] static std::uint64_t page_of(const record_place& place) noexcept {
        return place.bin / record_geometry::page_bins;
    }
    [[nodiscard]] static unsigned bin_of(const record_place& place) noexcept {
        return static_cast<unsigned>(place.bin % record_geometry::page_bins);
    }
    [[nodiscard]] const std::uint64_t* page_words(std::uint64_t index) const noexcept {
        return pages_.data() + (index - first_page_) * geometry_.page_words();
    }
    [[nodiscard]] std::uint64_t link(std::uint64_t index) const noexcept {
        return record_page<const std::uint64_t>::link(page_words(index));
    }
    [[nodiscard]] std::uint64_t* spare_words(std::uint64_t spare) noexcept
        requires WritableWordStore<Store>
    {
        return spares_.data() + spare * geometry_.page_words();
    }
    [[nodiscard]] record_page<std::uint64_t> page_to_write(std::uint64_t index) noexcept
        requires WritableWordStore<Store>
    {
        return {geometry_, words_to_write(index), spares_.data()};
    }

    /// A spare page at the end of a page that is full. A bin that is full is full for good: so many hashes alike do not come by
    /// chance.
    [[nodiscard, gnu::noinline]] insert_outcome make_room(const record_place& place, unsigned more) noexcept {
        if constexpr (std::same_as<Store, heap_words>) {
            if (page(page_of(place)).bin_slots(bin_of(place)) + more > record_page<std::uint64_t>::most_bin_slots) {
                return insert_outcome::full_bucket;
            }
            if ((used_spares_ + 1) * geometry_.page_words() > spares_.words() && !reserve_spares(some_spares())) {
                return insert_outcome::growth_refused;
            }
            std::uint64_t owner = page_of(place) + 1;
            std::uint64_t* last = words_to_write(page_of(place));
            while (const std::uint64_t next = record_page<std::uint64_t>::link(last)) {
                owner = next | owned_by_spare;
                last = spare_words(next - 1);
            }
            spare_words(used_spares_)[0] = owner;
            record_page<std::uint64_t>::set_link(last, ++used_spares_);
            return insert_outcome::inserted;
        } else {
            return insert_outcome::full_bucket;
        }
    }

    /// A few at a time: about one page in forty overflows when the pages are as full as they should be.
    [[nodiscard]] std::uint64_t some_spares() const noexcept { return 1 + geometry_.pages() / 128; }

    /// Gives back the spares at the end of a page that so many slots do not need.
    [[gnu::noinline]] void release_unneeded(std::uint64_t index, unsigned used) noexcept {
        for (unsigned chunks = page(index).chunks(); chunks > 1 && used <= (chunks - 1) * geometry_.slots(); --chunks) {
            std::uint64_t* before = words_to_write(index);
            for (unsigned i = 2; i < chunks; ++i) before = spare_words(record_page<std::uint64_t>::link(before) - 1);
            const std::uint64_t freed = record_page<std::uint64_t>::link(before) - 1;
            record_page<std::uint64_t>::set_link(before, 0);
            fill_hole(freed);
        }
    }

    /// The last spare takes the number of one that is free.
    void fill_hole(std::uint64_t freed) noexcept {
        const std::uint64_t last = --used_spares_;
        if (freed != last) {
            std::uint64_t* const moved = spare_words(freed);
            std::memcpy(moved, spare_words(last), geometry_.page_words() * sizeof(std::uint64_t));
            const std::uint64_t owner = moved[0] & ~owned_by_spare;
            record_page<std::uint64_t>::set_link(
                (moved[0] & owned_by_spare) != 0 ? spare_words(owner - 1) : words_to_write(owner - 1), freed + 1);
            if (const std::uint64_t next = record_page<std::uint64_t>::link(moved)) {
                spare_words(next - 1)[0] = (freed + 1) | owned_by_spare;
            }
        }
        std::memset(spare_words(last), 0, geometry_.page_words() * sizeof(std::uint64_t));
    }

    record_geometry geometry_;
    std::uint64_t first_page_ = 0;
    std::uint64_t used_spares_ = 0;
    Store pages_;
    Store spares_;
};

} // namespace everbloom
