// elastic_body: what inserting and removing hash numbers does to an elastic filter, and how it grows and shrinks on the way.
//
//   grows     when an insertion sets more bits than the threshold allows, or overflows the bucket tree: twice the bits are
//             allocated, zeroed, and nothing else happens. From then on each insertion or removal moves one page, so the move is over
//             long before the next one is due (docs/models/elastic.md). One insertion begins one doubling at most.
//   shrinks   when removals leave less than a quarter of the threshold: a few pages at a time are looked through, whether halves
//             can be joined without an overflow of the tree; if so half the bits are allocated, and pages move as above.
//   moves     to more pages with the same bits, when copies of keys take more slots than were foreseen.
//
// No operation touches all data, but for one case: a tree that overflows while a move is under way waits for its end.
#pragma once

#include <everbloom/filter/elastic/elastic_parts.hpp>

#include <algorithm>
#include <span>

namespace everbloom {

using record_span = std::span<const std::uint64_t>;

/// What makes an elastic filter grow: case 2 and case 1 of [Wu21 §3.2.4].
enum class growth_cause { set_bits, bucket_tree };

template <WordStore Store>
class elastic_body {
public:
    elastic_body() noexcept = default;
    elastic_body(const elastic_spec& spec, elastic_parts<Store> parts) noexcept
        : spec_(spec), tree_(spec), parts_(std::move(parts)) {
        note_size();
    }

    [[nodiscard]] const elastic_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const elastic_parts<Store>& parts() const noexcept { return parts_; }
    [[nodiscard]] const elastic_tree& tree() const noexcept { return tree_; }
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }

    /// Copies of the record that has the fewest.
    [[nodiscard]] std::uint64_t count(record_span records) const noexcept {
        std::uint64_t fewest = ~std::uint64_t{0};
        for (const std::uint64_t record : records) fewest = std::min(fewest, parts_.records().count(record));
        return fewest;
    }
    [[nodiscard]] bool holds(record_span records) const noexcept {
        const elastic_bit_view bits = parts_.view();
        return std::all_of(records.begin(), records.end(), [&](std::uint64_t record) { return bits.test(record); }) &&
               std::all_of(records.begin(), records.end(),
                           [&](std::uint64_t record) { return parts_.records().count(record) != 0; });
    }

    insert_outcome insert(record_span records) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t ones_before = parts_.weighted_ones();
        const unsigned log_bits = parts_.target_log_bits();
        // A bucket that will be joined with another may overflow though its own bit was not set.
        const bool joins = parts_.next().bits() != 0 && parts_.next().bits() < parts_.now().bits();
        bool is_new = false;
        bool overflows = false;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const elastic_addition added = parts_.add(records[i]);
            if (added.outcome == insert_outcome::inserted) {
                is_new = true;
                if (added.found_set || joins) overflows |= !tree_.holds(parts_.records(), records[i], log_bits);
            } else if (!succeeded(added.outcome)) [[unlikely]] {
                return take_back(records.first(i), added.outcome);
            }
        }
        insert_outcome outcome = is_new ? insert_outcome::inserted : insert_outcome::inserted_counted;
        const std::uint64_t ones = parts_.weighted_ones();
        if (overflows || (ones > ones_allowed_ && ones > ones_before)) [[unlikely]] {
            const insert_outcome made =
                make_room(records, overflows ? growth_cause::bucket_tree : growth_cause::set_bits);
            if (made == insert_outcome::inserted_grew || !succeeded(made)) outcome = made;
            if (!succeeded(outcome)) return take_back(records, outcome);
        }
        ++spec_.items;
        if (parts_.is_moving() || parts_.slots() > slots_allowed_ || checked_pages_ != 0) [[unlikely]]
            keep_pace(records);
        note_spares();
        return outcome;
    }

    /// Two phases: nothing is changed unless all records are there.
    erase_outcome erase(record_span records) noexcept
        requires std::same_as<Store, heap_words>
    {
        if (!holds(records)) return erase_outcome::not_present;
        for (const std::uint64_t record : records) parts_.remove(record);
        note_items(spec_.items - 1);
        if (parts_.is_moving()) {
            move_page();
        } else {
            consider_shrinking();
        }
        note_spares();
        return all_set(records) ? erase_outcome::removed_still_positive : erase_outcome::removed;
    }

    /// What `erase` would answer, with the page that it would move.
    [[nodiscard]] erase_outcome judge_erase(record_span records) const noexcept {
        if (!holds(records)) return erase_outcome::not_present;
        const bool arrives = parts_.arrives_with_next_step();
        const std::uint64_t frontier = parts_.next_frontier();
        const auto stays_set = [&](std::uint64_t record) {
            const record_range range =
                arrives ? bucket_of(record, parts_.next().log_bits()) : parts_.holders(record, frontier);
            bool stays = false;
            parts_.records().for_each_within(
                range.lowest, range.highest, [&](std::uint64_t other, std::uint64_t copies) {
                    stays |= copies > 1 || std::find(records.begin(), records.end(), other) == records.end();
                });
            return stays;
        };
        return std::all_of(records.begin(), records.end(), stays_set) ? erase_outcome::removed_still_positive
                                                                      : erase_outcome::removed;
    }

    /// Empty, as large as it was or was to become.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        parts_.clear();
        spec_.items = 0;
        note_size();
        note_spares();
    }

    /// Takes over what was made aside.
    void replace_by(elastic_body made) noexcept {
        made.expansions_ = expansions_ + (made.spec_.bits > spec_.target_bits() ? 1 : 0);
        *this = std::move(made);
    }
    /// As many keys as are said, within what the records allow: each has left at least one, at most one for each hash.
    void note_items(std::uint64_t items) noexcept {
        spec_.items = std::clamp(items, ceil_divide(parts_.copies(), spec_.hashes), parts_.copies());
    }
    [[nodiscard]] bool has_plausible_items() const noexcept {
        return spec_.items >= ceil_divide(parts_.copies(), spec_.hashes) && spec_.items <= parts_.copies();
    }
    void note_spares() noexcept {
        spec_.spares = parts_.records().now().used_spares();
        spec_.next_spares = parts_.records().next().used_spares();
    }

private:
    static constexpr std::uint64_t pages_checked_at_once = 4;

    [[nodiscard]] bool all_set(record_span records) const noexcept {
        const elastic_bit_view bits = parts_.view();
        return std::all_of(records.begin(), records.end(), [&](std::uint64_t record) { return bits.test(record); });
    }

    [[gnu::noinline]] insert_outcome take_back(record_span records, insert_outcome why) noexcept {
        for (const std::uint64_t record : records) parts_.remove(record);
        note_spares();
        return why;
    }

    /// Begins to grow for records that are in already. A refusal has changed nothing.
    [[gnu::noinline]] insert_outcome make_room(record_span records, growth_cause why) noexcept {
        const bool was_moving = parts_.is_moving();
        if (was_moving && why == growth_cause::set_bits) { // the pages that move make the room
            return move_page() ? insert_outcome::inserted : insert_outcome::growth_refused;
        }
        if (spec_.target_bits() > spec_.largest_bits() / 2) return insert_outcome::growth_refused;
        const unsigned twice = parts_.target_log_bits() + 1;
        if (why == growth_cause::bucket_tree && !std::all_of(records.begin(), records.end(), [&](std::uint64_t record) {
                return tree_.holds(parts_.records(), record, twice);
            })) {
            return insert_outcome::full_bucket; // another doubling might help, but not one key makes it grow twice
        }
        while (parts_.is_moving()) {
            if (!move_page()) return insert_outcome::inserted; // no memory: the next insertion tries again
        }
        if (!begin(2 * spec_.bits)) return was_moving ? insert_outcome::inserted : insert_outcome::growth_refused;
        ++expansions_;
        return insert_outcome::inserted_grew;
    }

    [[nodiscard]] bool begin(std::uint64_t bits) noexcept { return begin(bits, spec_.pages_for(bits, parts_.slots())); }
    [[nodiscard]] bool begin(std::uint64_t bits, std::uint64_t pages) noexcept {
        // A file may not claim more pages to move to (see elastic_spec::check); spares take what does not fit.
        if (!parts_.begin(bits, std::min(pages, elastic_spec::most_next_pages(spec_.pages)), spec_.word_bits))
            return false;
        note_size();
        return true;
    }

    bool move_page() noexcept {
        const bool moved = parts_.step();
        note_size();
        return moved;
    }

    /// After an insertion: one page moves, and as many more as bring the share of set bits below the threshold.
    [[gnu::noinline]] void keep_pace(record_span records) noexcept {
        if (parts_.is_moving()) {
            bool moved = move_page();
            while (moved && parts_.is_moving() && parts_.weighted_ones() > ones_allowed_) moved = move_page();
            return;
        }
        if (parts_.slots() > slots_allowed_) {
            const std::uint64_t pages = spec_.pages_for(spec_.bits, parts_.slots() / 2 * 3);
            if (pages > spec_.pages) (void)begin(spec_.bits, pages); // without memory the spares go on
        }
        const unsigned half = parts_.target_log_bits() - 1;
        if (checked_pages_ != 0 && !std::all_of(records.begin(), records.end(), [&](std::uint64_t record) {
                return tree_.holds(parts_.records(), record, half);
            })) {
            checked_pages_ = 0;
        }
    }

    /// After a removal, at rest: looks through some more pages, or begins to shrink when all have been looked through.
    void consider_shrinking() noexcept {
        if (spec_.bits <= spec_.initial_bits || 4 * parts_.now().ones() >= ones_allowed_) [[likely]] {
            checked_pages_ = 0;
            return;
        }
        if (parts_.now().ones() > retry_below_) return;
        const unsigned half = parts_.now().log_bits() - 1;
        const record_geometry& pages = parts_.records().now().geometry();
        for (std::uint64_t i = 0; i < pages_checked_at_once && checked_pages_ < pages.pages(); ++i, ++checked_pages_) {
            const record_range range{pages.start_of_page(checked_pages_), end_of_page(pages, checked_pages_)};
            if (tree_.holds_all(parts_.records(), range, half)) continue;
            checked_pages_ = 0;
            retry_below_ = parts_.now().ones() / 2;
            return;
        }
        if (checked_pages_ == pages.pages()) (void)begin(spec_.bits / 2); // without memory it stays as it is
    }
    [[nodiscard]] static std::uint64_t end_of_page(const record_geometry& pages, std::uint64_t page) noexcept {
        return page + 1 == pages.pages() ? ~std::uint64_t{0} : pages.start_of_page(page + 1) - 1;
    }

    /// What follows from the sizes, after they have changed.
    void note_size() noexcept {
        const record_progress progress = parts_.records().progress();
        const bool changed = spec_.bits != parts_.now().bits() || spec_.next_bits != parts_.next().bits();
        spec_.bits = parts_.now().bits();
        spec_.next_bits = parts_.next().bits();
        spec_.pages = progress.pages;
        spec_.next_pages = progress.next_pages;
        spec_.moved = progress.moved;
        ones_allowed_ = spec_.ones_allowed(parts_.larger_bits());
        slots_allowed_ = progress.pages * parts_.records().now().geometry().slots();
        if (!changed) return;
        checked_pages_ = 0;
        retry_below_ = ~std::uint64_t{0};
    }

    elastic_spec spec_;
    elastic_tree tree_;
    elastic_parts<Store> parts_;
    std::uint64_t ones_allowed_ = 0;
    std::uint64_t slots_allowed_ = 0;
    std::uint64_t checked_pages_ = 0;               // that can be joined in pairs of buckets
    std::uint64_t retry_below_ = ~std::uint64_t{0}; // ones, after the tree did not allow to shrink
    std::uint64_t expansions_ = 0;
};

} // namespace everbloom
