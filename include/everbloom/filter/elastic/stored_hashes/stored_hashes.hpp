// The stored hashes of a filter: a sorted multiset that can be resized a page at a time, while it is used.
//
// This is the slow part of both elastic kinds. Between resizes it is one set of pages (pages.hpp). During a resize there are two:
// hashes below the *frontier* are in the new pages already, all others are still in the old ones.
//
//      hashes in order    0 ........... frontier ............................ 2^64
//                         | new pages  | old pages                           |
//
// Each step moves the next old page. The filter that keeps bits for these hashes (its fast part) passes a callback, which gets every
// moved hash before the frontier passes it: bits of the new size are set when queries begin to look for them. A step that finds no
// room makes no callback: a refused step leaves no bits behind.
#pragma once

#include <everbloom/bits/choose.hpp>
#include <everbloom/filter/elastic/stored_hashes/pages.hpp>

#include <array>
#include <span>

namespace everbloom {

/// Copies the hashes of a page, one by one, to the end of other pages, where they are the largest; all of them or none. They are noted in
/// `copied`, and counted (src/page_copy.cpp).
[[nodiscard]] insert_outcome copy_hash_by_hash(const hash_pages<heap_words>& from, std::uint64_t page,
                                               hash_pages<heap_words>& to, std::uint64_t* copied,
                                               std::size_t& count) noexcept;

template <WordStore Store>
class stored_hashes {
public:
    stored_hashes() noexcept = default;

    /// From the words of a file, in the order of `sections`. They are not checked yet: see check.hpp.
    [[nodiscard]] static result<stored_hashes> assemble(const resize_progress& progress, unsigned word_bits,
                                                        std::array<Store, 4> stores) {
        stored_hashes made;
        const hash_geometry now(progress.pages, word_bits);
        made.now_ =
            hash_pages<Store>(now, progress.moved, std::move(stores[0]), std::move(stores[1]), progress.overflow_pages);
        made.moved_ = progress.moved;
        if (progress.next_pages == 0) return made;
        const hash_geometry next(progress.next_pages, word_bits);
        made.next_ =
            hash_pages<Store>(next, 0, std::move(stores[2]), std::move(stores[3]), progress.next_overflow_pages);
        made.frontier_ = progress.frontier();
        if constexpr (std::same_as<Store, heap_words>) {
            if (auto completed = made.next_.complete(); !completed) return fail(std::move(completed.error()));
        }
        return made;
    }

    [[nodiscard]] resize_progress progress() const noexcept {
        return {now_.geometry().pages(), now_.overflow().used(), next_.geometry().pages(), next_.overflow().used(),
                moved_};
    }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 4> sections() const noexcept {
        const auto all = [](const Store& store) { return std::span(store.data(), store.words()); };
        const std::uint64_t gone = (moved_ - now_.first_page()) * now_.geometry().page_words();
        const std::uint64_t begun = progress().begun_pages() * next_.geometry().page_words();
        return {all(now_.page_store()).subspan(gone), now_.overflow().words_in_use(),
                all(next_.page_store()).first(begun), next_.overflow().words_in_use()};
    }

    [[nodiscard]] std::uint64_t memory_words() const noexcept {
        return now_.memory_words() + next_.memory_words_so_far();
    }

    [[nodiscard]] bool is_resizing() const noexcept { return next_.geometry().pages() != 0; }
    /// Hashes below this are in the new pages; 0 at rest.
    [[nodiscard]] std::uint64_t frontier() const noexcept { return frontier_; }
    [[nodiscard]] std::uint64_t moved_pages() const noexcept { return moved_; }
    [[nodiscard]] const hash_pages<Store>& now() const noexcept { return now_; }
    [[nodiscard]] const hash_pages<Store>& next() const noexcept { return next_; }

    [[nodiscard]] std::uint64_t count(std::uint64_t hash) const noexcept { return holder(hash).count(hash); }
    void prefetch(std::uint64_t hash) const noexcept { holder(hash).prefetch(hash); }
    void prefetch_first_line(std::uint64_t hash) const noexcept { holder(hash).prefetch_first_line(hash); }
    void prefetch_place(std::uint64_t hash) const noexcept { holder(hash).prefetch_place(hash); }

    /// How many different hashes lie in a range; the counting ends at `enough`.
    [[nodiscard]] unsigned count_within(const hash_range& range, unsigned enough) const noexcept {
        unsigned counted = 0;
        if (range.lowest < frontier_) counted = next_.count_within(below_frontier(range), enough);
        if (range.highest < frontier_ || counted >= enough) return counted;
        return counted + now_.count_within(from_frontier(range), enough - counted);
    }
    /// Calls `visit(hash, copies)` for all hashes in a range, in order.
    template <class Visit>
    void for_each_within(const hash_range& range, Visit visit) const {
        if (range.lowest < frontier_) next_.for_each_within(below_frontier(range), visit);
        if (range.highest >= frontier_) now_.for_each_within(from_frontier(range), visit);
    }
    /// Calls `take(hashes, how many)` for all hashes in a range, some at a time, in order and without their copies.
    template <class Take>
    void take_within(const hash_range& range, Take take) const {
        if (range.lowest < frontier_) next_.take_within(below_frontier(range), take);
        if (range.highest >= frontier_) now_.take_within(from_frontier(range), take);
    }
#if defined(EVERBLOOM_MODERN_X86)
    /// Notes in which lanes hashes of a range have the bits of a pattern, if it can (hash_pages::note_shared_within).
    [[nodiscard]] bool note_shared_within(const hash_range& range, const kernel::lane_pattern& pattern,
                                          kernel::shared_lanes& shared) const noexcept {
        if (range.lowest < frontier_ && !next_.note_shared_within(below_frontier(range), pattern, shared)) return false;
        return range.highest < frontier_ || now_.note_shared_within(from_frontier(range), pattern, shared);
    }
#endif
    template <class Visit>
    void for_each(Visit visit) const {
        for_each_within({}, visit);
    }

    [[nodiscard]] insert_outcome add(std::uint64_t hash, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        return holder_to_write(hash).add(hash, copies);
    }
    /// For a hash that is larger than all others.
    [[nodiscard]] insert_outcome append(std::uint64_t hash, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        return now_.append(hash, copies);
    }
    std::optional<std::uint64_t> remove(std::uint64_t hash) noexcept
        requires WritableWordStore<Store>
    {
        return holder_to_write(hash).remove(hash);
    }

#if defined(EVERBLOOM_MODERN_X86)
    /// hash_pages::find_removal. Not simple if the block lies on both sides of the frontier.
    [[gnu::always_inline]] void find_removal(kernel::hash_in_block& what, std::uint64_t hash,
                                             const hash_range& block) noexcept
        requires WritableWordStore<Store>
    {
        const bool has_moved = hash < frontier_;
        holder_to_write(hash).find_removal(what, hash, block);
        what.side = has_moved ? 1 : 0;
        what.is_simple &= has_moved == (block.lowest < frontier_) ? 1 : 0;
    }
    /// What takes such hashes out; null if they must be taken out one by one.
    [[nodiscard]] const kernel::page_functions* removing_functions() const noexcept {
        const auto* const functions = now_.functions();
        return is_resizing() && next_.functions() != functions ? nullptr : functions;
    }
    /// For the hashes of both sides; until overflow pages are taken or given back.
    [[nodiscard]] kernel::removal_setting removal_setting(unsigned hashes) noexcept {
        return {{&now_.geometry(), is_resizing() ? &next_.geometry() : nullptr},
                {now_.overflow().data(), next_.overflow().data()},
                hashes};
    }
    /// For one hash, which is then on the first of one side.
    [[nodiscard]] kernel::removal_setting removal_setting(unsigned hashes, kernel::hash_in_block& one) noexcept {
        const bool has_moved = std::exchange(one.side, 0) != 0;
        hash_pages<Store>& pages = *choose(has_moved, &next_, &now_);
        return {{&pages.geometry(), nullptr}, {pages.overflow().data(), nullptr}, hashes};
    }
#endif

    /// Begins to move into these pages, which are empty; nothing is moved yet.
    void begin_resize(hash_pages<Store> pages) noexcept
        requires std::same_as<Store, heap_words>
    {
        next_ = std::move(pages);
    }
    /// The same, with more pages in the memory of the ones there are. `open_growth` finds out whether that can be, also before the last resize has
    /// ended, and changes nothing.
    [[nodiscard]] std::optional<std::uint64_t> open_growth(const hash_geometry& wanted) noexcept
        requires std::same_as<Store, heap_words>
    {
        return (is_resizing() ? next_ : now_).open_growth(wanted);
    }
    void begin_growth_in_place(const hash_geometry& wanted, std::uint64_t before) noexcept
        requires std::same_as<Store, heap_words>
    {
        next_ = now_.make_over(wanted, before);
    }

    /// Reserves room for all that is still to be moved: then no step of this resize can be refused. False if there is no such room;
    /// no hash has changed its place either way.
    [[nodiscard]] bool reserve_moves() noexcept
        requires std::same_as<Store, heap_words>
    {
        std::uint64_t more = 0;                 // overflow pages
        unsigned used = 0;                      // slots of the new page that is being counted
        unsigned room = ~0u;                    // that it has without another overflow page
        std::uint64_t page = ~std::uint64_t{0}; // its number; none has this one
        std::array<unsigned, hash_geometry::page_bins> bins{};
        bool fits = true;
        const unsigned slots = next_.geometry().slots();
        const std::uint64_t begun = progress().begun_pages(); // the others are empty, whatever lies where they will be
        const auto count_overflow = [&] { more += used > room ? ceil_divide(used - room, slots) : 0; };
        const auto count = [&](std::uint64_t hash, std::uint64_t copies) {
            const hash_place place = next_.geometry().place_of(hash);
            if (place.page() != page) {
                count_overflow();
                page = place.page();
                const auto here = std::as_const(next_).page(page);
                used = page < begun ? here.used_slots() : 0;
                room = page < begun ? here.chunks() * slots : slots;
                for (unsigned bin = 0; bin < bins.size(); ++bin) bins[bin] = page < begun ? here.bin_slots(bin) : 0;
            }
            const unsigned taken = hash_page<const std::uint64_t>::slots_for(copies);
            used += taken;
            unsigned& bin = bins[place.bin_in_page()];
            bin += taken;
            fits &= bin <= hash_page<const std::uint64_t>::most_bin_slots;
        };
        for (std::uint64_t i = moved_; i < now_.geometry().pages(); ++i) now_.for_each_in_page(i, count);
        count_overflow();
        return fits && next_.overflow().reserve(more);
    }

    /// Moves one page, and calls `callback(hashes)` with its hashes, in order, before the frontier passes them. `inserted`, or a
    /// refusal that has changed nothing and called nothing.
    template <class Callback>
    [[nodiscard]] insert_outcome move_page(Callback callback) noexcept
        requires std::same_as<Store, heap_words>
    {
        std::array<std::uint64_t, most_page_hashes> moved; // only the first `count` are ever read
        std::size_t count = 0;
        const insert_outcome done = copy_page(moved, count);
        if (!succeeded(done)) return done;
        callback(std::span<const std::uint64_t>(moved.data(), count));
        now_.clear_page(moved_);
        ++moved_;
        frontier_ = now_.geometry().start_of_page(moved_);
        now_.forget_before(moved_);
        now_.overflow().forget_unused();
        return insert_outcome::inserted;
    }
    [[nodiscard]] bool all_moved() const noexcept { return moved_ == now_.geometry().pages(); }
    /// After the last step: the new pages are the pages.
    void finish_resize() noexcept {
        frontier_ = 0;
        moved_ = 0;
        now_ = std::exchange(next_, hash_pages<Store>{});
    }

    /// Empty, at rest, as large as the newest pages.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (is_resizing()) finish_resize();
        now_.clear();
    }

private:
    static constexpr std::size_t most_page_hashes =
        hash_geometry::page_bins * hash_page<const std::uint64_t>::most_bin_slots;

    /// Copies the hashes of the next old page into the new pages, where they are the largest; all of them or none.
    [[nodiscard]] insert_outcome copy_page(std::array<std::uint64_t, most_page_hashes>& copied,
                                           std::size_t& count) noexcept {
        const std::uint64_t left = (moved_ - now_.first_page()) * now_.geometry().page_words();
        next_.reach(next_.geometry().page_of(now_.geometry().range_of_page(moved_).highest), left);
        if (const auto read = now_.read_page(moved_, copied.data())) [[likely]]
            return copy_hashes(std::span<const std::uint64_t>(copied.data(), *read), count);
        return copy_hash_by_hash(now_, moved_, next_, copied.data(), count);
    }

    /// The same for hashes that have been read, each of which has one copy.
    [[nodiscard]] insert_outcome copy_hashes(std::span<const std::uint64_t> hashes, std::size_t& count) noexcept {
        while (count < hashes.size()) {
            const std::size_t done = next_.append_some(hashes.subspan(count));
            count += done;
            if (done != 0) [[likely]]
                continue;
            const insert_outcome appended = next_.append(hashes[count], 1);
            if (!succeeded(appended)) [[unlikely]] {
                while (count != 0) next_.remove(hashes[--count]);
                return appended;
            }
            ++count;
        }
        return insert_outcome::inserted;
    }

    [[nodiscard]] hash_range below_frontier(const hash_range& range) const noexcept {
        return {range.lowest, std::min(range.highest, frontier_ - 1)};
    }
    [[nodiscard]] hash_range from_frontier(const hash_range& range) const noexcept {
        return {std::max(range.lowest, frontier_), range.highest};
    }
    /// Chosen without a branch: it cannot be foreseen on which side of the frontier a hash is.
    [[nodiscard]] const hash_pages<Store>& holder(std::uint64_t hash) const noexcept {
        return *choose(hash < frontier_, &next_, &now_);
    }
    [[nodiscard]] hash_pages<Store>& holder_to_write(std::uint64_t hash) noexcept {
        return *choose(hash < frontier_, &next_, &now_);
    }

    hash_pages<Store> now_;
    hash_pages<Store> next_;
    std::uint64_t frontier_ = 0;
    std::uint64_t moved_ = 0;
};

} // namespace everbloom
