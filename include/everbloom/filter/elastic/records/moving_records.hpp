// moving_records: a multiset of records that changes its number of pages a page at a time, while it is used.
//
// Records below the frontier are in the new pages already, all others are still in the old ones:
//
//      records in order   0 ........... frontier ............................ 2^64
//                         | new pages  | old pages                           |
//
// Each step carries the next old page over. Whoever keeps bits for these records (the fast part of an elastic filter) is told every
// record that is moved, before the frontier passes it: so bits of the new size are there when queries begin to look for them. Nobody is
// told of a page that finds no room: a refused step leaves no bits behind.
#pragma once

#include <everbloom/filter/elastic/records/record_appender.hpp>

#include <array>
#include <span>

namespace everbloom {

/// The pages of moving_records as a spec tells them; `next_pages` is 0 at rest.
struct record_progress {
    std::uint64_t pages = 0;
    std::uint64_t spares = 0; // in use
    std::uint64_t next_pages = 0;
    std::uint64_t next_spares = 0;
    std::uint64_t moved = 0; // old pages that are empty

    friend constexpr bool operator==(const record_progress&, const record_progress&) = default;

    /// Records below this are in the new pages.
    [[nodiscard]] constexpr std::uint64_t frontier() const noexcept {
        return next_pages == 0 ? 0 : record_geometry::start_of(moved, pages);
    }
    /// How many of the new pages have been begun.
    [[nodiscard]] constexpr std::uint64_t begun_pages() const noexcept {
        return frontier() == 0 ? 0 : reduce(frontier() - 1, next_pages) + 1;
    }
    /// Pages of each section: old, its spares, new, its spares.
    [[nodiscard]] constexpr std::array<std::uint64_t, 4> section_lines(unsigned word_bits) const noexcept {
        const std::uint64_t now = record_geometry(pages, word_bits).page_lines();
        const std::uint64_t next = next_pages == 0 ? 0 : record_geometry(next_pages, word_bits).page_lines();
        return {(pages - moved) * now, spares * now, begun_pages() * next, next_spares * next};
    }
};

template <WordStore Store>
class moving_records {
public:
    moving_records() noexcept = default;

    [[nodiscard]] static result<moving_records> make(const record_geometry& geometry)
        requires std::same_as<Store, heap_words>
    {
        auto pages = record_pages<Store>::make(geometry);
        if (!pages) return fail(std::move(pages.error()));
        moving_records made;
        made.now_ = std::move(*pages);
        return made;
    }

    /// From the words of a file, in the order of `sections`. They are not believed yet: see record_check.hpp.
    [[nodiscard]] static result<moving_records> assemble(const record_progress& progress, unsigned word_bits,
                                                         std::array<Store, 4> stores) {
        moving_records made;
        const record_geometry now(progress.pages, word_bits);
        made.now_ =
            record_pages<Store>(now, progress.moved, std::move(stores[0]), std::move(stores[1]), progress.spares);
        made.moved_ = progress.moved;
        if (progress.next_pages == 0) return made;
        const record_geometry next(progress.next_pages, word_bits);
        made.next_ = record_pages<Store>(next, 0, std::move(stores[2]), std::move(stores[3]), progress.next_spares);
        made.frontier_ = progress.frontier();
        if constexpr (std::same_as<Store, heap_words>) {
            if (auto completed = made.next_.complete(); !completed) return fail(std::move(completed.error()));
        }
        return made;
    }

    [[nodiscard]] record_progress progress() const noexcept {
        return {now_.geometry().pages(), now_.used_spares(), next_.geometry().pages(), next_.used_spares(), moved_};
    }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 4> sections() const noexcept {
        const auto all = [](const Store& store) { return std::span(store.data(), store.words()); };
        const std::uint64_t gone = (moved_ - now_.first_page()) * now_.geometry().page_words();
        const std::uint64_t begun = progress().begun_pages() * next_.geometry().page_words();
        return {all(now_.page_store()).subspan(gone), now_.spare_words_in_use(), all(next_.page_store()).first(begun),
                next_.spare_words_in_use()};
    }

    [[nodiscard]] bool is_moving() const noexcept { return next_.geometry().pages() != 0; }
    /// Records below this are in the new pages; 0 at rest.
    [[nodiscard]] std::uint64_t frontier() const noexcept { return frontier_; }
    [[nodiscard]] std::uint64_t moved_pages() const noexcept { return moved_; }
    [[nodiscard]] const record_pages<Store>& now() const noexcept { return now_; }
    [[nodiscard]] const record_pages<Store>& next() const noexcept { return next_; }

    [[nodiscard]] std::uint64_t count(std::uint64_t record) const noexcept { return holder(record).count(record); }
    void prefetch(std::uint64_t record) const noexcept { holder(record).prefetch(record); }
    void prefetch_place(std::uint64_t record) const noexcept { holder(record).prefetch_place(record); }

    /// Calls `visit(record, copies)` for all records from `lowest` to `highest`, both included, in order.
    template <class Visit>
    void for_each_within(std::uint64_t lowest, std::uint64_t highest, Visit visit) const {
        if (lowest < frontier_) next_.for_each_within(lowest, std::min(highest, frontier_ - 1), visit);
        if (highest >= frontier_) now_.for_each_within(std::max(lowest, frontier_), highest, visit);
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for_each_within(0, ~std::uint64_t{0}, visit);
    }

    [[nodiscard]] insert_outcome add(std::uint64_t record, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        return (record < frontier_ ? next_ : now_).add(record, copies);
    }
    /// For a record that is larger than all others.
    [[nodiscard]] insert_outcome append(std::uint64_t record, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        return now_.append(record, copies);
    }
    std::optional<std::uint64_t> remove(std::uint64_t record) noexcept
        requires WritableWordStore<Store>
    {
        return (record < frontier_ ? next_ : now_).remove(record);
    }

    /// Begins to move into these pages, which are empty; nothing is moved yet.
    void begin(record_pages<Store> pages) noexcept
        requires std::same_as<Store, heap_words>
    {
        next_ = std::move(pages);
    }

    /// Makes room for all that is still to be moved: no step until the arrival is refused then. False if there is no such room; no record
    /// has changed its place either way.
    [[nodiscard]] bool reserve_steps() noexcept
        requires std::same_as<Store, heap_words>
    {
        std::uint64_t more = 0;                 // spares
        unsigned used = 0;                      // slots of the new page that is being counted
        unsigned room = ~0u;                    // that it has without another spare
        std::uint64_t page = ~std::uint64_t{0}; // its number; none has this one
        std::array<unsigned, record_geometry::page_bins> bins{};
        bool fits = true;
        const unsigned slots = next_.geometry().slots();
        const auto count_spares = [&] { more += used > room ? ceil_divide(used - room, slots) : 0; };
        const auto count = [&](std::uint64_t record, std::uint64_t copies) {
            const record_place place = next_.geometry().place_of(record);
            if (place.bin / record_geometry::page_bins != page) {
                count_spares();
                page = place.bin / record_geometry::page_bins;
                const auto here = std::as_const(next_).page(page);
                used = here.used_slots();
                room = here.chunks() * slots;
                for (unsigned bin = 0; bin < bins.size(); ++bin) bins[bin] = here.bin_slots(bin);
            }
            const unsigned taken = record_page<const std::uint64_t>::slots_for(copies);
            used += taken;
            unsigned& bin = bins[place.bin % record_geometry::page_bins];
            bin += taken;
            fits &= bin <= record_page<const std::uint64_t>::most_bin_slots;
        };
        for (std::uint64_t i = moved_; i < now_.geometry().pages(); ++i) now_.for_each_in_page(i, count);
        count_spares();
        return fits && next_.reserve_spares(more);
    }

    /// Moves one page. `inserted`, after `told(record)` has heard of each of its records and before the frontier passes them; or a
    /// refusal that has changed nothing, and of which nobody was told.
    template <class Told>
    [[nodiscard]] insert_outcome step(Told told) noexcept
        requires std::same_as<Store, heap_words>
    {
        std::array<std::uint64_t, most_page_records> carried; // only the first `count` are ever read
        std::size_t count = 0;
        const insert_outcome done = carry_over(carried, count);
        if (!succeeded(done)) return done;
        for (std::size_t i = 0; i < count; ++i) told(carried[i]);
        now_.clear_page(moved_);
        ++moved_;
        frontier_ = now_.geometry().start_of_page(moved_);
        now_.forget_before(moved_);
        return insert_outcome::inserted;
    }
    [[nodiscard]] bool has_arrived() const noexcept { return moved_ == now_.geometry().pages(); }
    /// After the last step: the new pages are the pages. Returns the old ones, so that the caller decides when they die.
    record_pages<Store> settle() noexcept {
        frontier_ = 0;
        moved_ = 0;
        return std::exchange(now_, std::exchange(next_, record_pages<Store>{}));
    }

    /// Empty, at rest, as large as the newest pages.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (is_moving()) (void)settle();
        now_.clear();
    }

private:
    static constexpr std::size_t most_page_records =
        record_geometry::page_bins * record_page<const std::uint64_t>::most_bin_slots;

    /// The records of the next old page into the new pages, where they are the largest; all of them or none.
    [[nodiscard]] insert_outcome carry_over(std::array<std::uint64_t, most_page_records>& carried,
                                            std::size_t& count) noexcept {
        insert_outcome failed = insert_outcome::inserted;
        {
            record_appender appender(next_);
            now_.for_each_in_page(moved_, [&](std::uint64_t record, std::uint64_t copies) {
                if (!succeeded(failed)) [[unlikely]]
                    return;
                failed = appender.put(record, copies);
                carried[count] = record;
                count += succeeded(failed) ? 1 : 0;
            });
        }
        if (succeeded(failed)) return failed;
        now_.for_each_in_page(moved_, [&](std::uint64_t record, std::uint64_t copies) {
            if (count == 0) return;
            --count;
            next_.remove(record, copies);
        });
        return failed;
    }

    [[nodiscard]] const record_pages<Store>& holder(std::uint64_t record) const noexcept {
        return record < frontier_ ? next_ : now_;
    }

    record_pages<Store> now_;
    record_pages<Store> next_;
    std::uint64_t frontier_ = 0;
    std::uint64_t moved_ = 0;
};

} // namespace everbloom
