// Core of an elastic filter: inserts and removes hashes, and decides when to grow and shrink on the way.
//
//   grows     when an insertion sets more bits than the threshold allows, or overflows the bucket tree: twice the bits are
//             allocated, zeroed, and nothing else happens. From then on each insertion or removal moves one page, so the resize is
//             over long before the next one is due (docs/models/elastic.md). One insertion begins one doubling at most.
//   shrinks   when removals leave less than a quarter of the threshold: a few pages at a time are checked, whether buckets can be
//             joined in pairs without an overflow of the tree; if so half the bits are allocated, and pages move as above.
//   resizes   to more pages with the same bits, when copies of keys take more slots than were planned.
//
// No operation touches all data, but for one case: a tree that overflows during a resize first ends that resize.
#pragma once

#include <everbloom/filter/elastic/elastic_limits.hpp>
#include <everbloom/filter/elastic/elastic_parts.hpp>

#include <algorithm>

namespace everbloom {

/// What makes an elastic filter grow: case 2 and case 1 of [Wu21 §3.2.4].
enum class growth_cause { set_bits, bucket_tree };

template <WordStore Store>
class elastic_core {
public:
    elastic_core() noexcept = default;
    elastic_core(const elastic_spec& spec, elastic_parts<Store> parts) noexcept
        : spec_(spec), tree_(spec), parts_(std::move(parts)) {
        note_size();
    }

    [[nodiscard]] const elastic_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const elastic_parts<Store>& parts() const noexcept { return parts_; }
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }

    /// Copies of the hash that has the fewest.
    [[nodiscard]] std::uint64_t count(hash_span hashes) const noexcept {
        std::uint64_t fewest = ~std::uint64_t{0};
        for (const std::uint64_t hash : hashes) fewest = std::min(fewest, parts_.stored().count(hash));
        return fewest;
    }
    [[nodiscard]] bool holds(hash_span hashes) const noexcept {
        return all_set(hashes) && std::all_of(hashes.begin(), hashes.end(),
                                              [&](std::uint64_t hash) { return parts_.stored().count(hash) != 0; });
    }

    insert_outcome insert(hash_span hashes) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t ones_before = parts_.weighted_ones();
        const unsigned log_bits = parts_.target_log_bits();
        // When the filter shrinks, a bucket that will be joined with another may overflow though its own bit was not set.
        const bool joins = parts_.next().bits() != 0 && parts_.next().bits() < parts_.now().bits();
        bool is_new = false;
        bool overflows = false;
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            const elastic_addition added = parts_.add(hashes[i]);
            if (added.outcome == insert_outcome::inserted) {
                is_new = true;
                if (added.found_set || joins) overflows |= !tree_.holds(parts_.stored(), hashes[i], log_bits);
            } else if (!succeeded(added.outcome)) [[unlikely]] {
                return take_back(hashes.first(i), added.outcome);
            }
        }
        insert_outcome outcome = is_new ? insert_outcome::inserted : insert_outcome::inserted_counted;
        const std::uint64_t ones = parts_.weighted_ones();
        if (overflows || (ones > ones_allowed_ && ones > ones_before)) [[unlikely]] {
            const insert_outcome made =
                begin_growth(hashes, overflows ? growth_cause::bucket_tree : growth_cause::set_bits);
            if (made == insert_outcome::inserted_grew || !succeeded(made)) outcome = made;
            if (!succeeded(outcome)) return take_back(hashes, outcome);
        }
        ++spec_.items;
        if (parts_.is_resizing() || parts_.slots() > slots_allowed_ || checked_pages_ != 0) [[unlikely]]
            keep_pace(hashes);
        note_overflow_pages();
        return outcome;
    }

    /// Two phases: nothing is changed unless all hashes are there.
    erase_outcome erase(hash_span hashes) noexcept
        requires std::same_as<Store, heap_words>
    {
        if (!holds(hashes)) return erase_outcome::not_present;
        for (const std::uint64_t hash : hashes) parts_.remove(hash);
        note_items(spec_.items - 1);
        if (parts_.is_resizing()) {
            move_page();
        } else {
            consider_shrinking();
        }
        note_overflow_pages();
        return all_set(hashes) ? erase_outcome::removed_still_positive : erase_outcome::removed;
    }

    /// What `erase` would answer, with the page that it would move.
    [[nodiscard]] erase_outcome can_erase(hash_span hashes) const noexcept {
        if (!holds(hashes)) return erase_outcome::not_present;
        const bool ends = parts_.ends_with_next_step();
        const std::uint64_t frontier = parts_.next_frontier();
        const auto stays_set = [&](std::uint64_t hash) {
            const hash_range range =
                ends ? bucket_of(hash, parts_.next().log_bits()) : parts_.bucket_side(hash, frontier);
            bool stays = false;
            parts_.stored().for_each_within(range, [&](std::uint64_t other, std::uint64_t copies) {
                stays |= copies > 1 || std::find(hashes.begin(), hashes.end(), other) == hashes.end();
            });
            return stays;
        };
        return std::all_of(hashes.begin(), hashes.end(), stays_set) ? erase_outcome::removed_still_positive
                                                                    : erase_outcome::removed;
    }

    /// Empty, at rest, at the size of the resize under way, if there is one.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        parts_.clear();
        spec_.items = 0;
        note_size();
        note_overflow_pages();
    }

    /// Takes the place of this one, with `items` keys, after a rebuild.
    void replace_by(elastic_core made, std::uint64_t items) noexcept {
        made.note_items(items);
        made.note_overflow_pages();
        made.expansions_ = expansions_ + (made.spec_.bits > spec_.target_bits() ? 1 : 0);
        *this = std::move(made);
    }
    /// Whether the number of keys is one that the stored hashes allow: a key has at least one, at most k of them.
    [[nodiscard]] bool has_plausible_items() const noexcept { return spec_.items == plausible_items(spec_.items); }

private:
    static constexpr std::uint64_t pages_checked_at_once = 4;

    [[nodiscard]] bool all_set(hash_span hashes) const noexcept {
        const elastic_bit_view bits = parts_.view();
        return std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t hash) { return bits.test(hash); });
    }

    [[nodiscard]] std::uint64_t plausible_items(std::uint64_t items) const noexcept {
        return std::clamp(items, ceil_divide(parts_.copies(), spec_.hashes), parts_.copies());
    }
    void note_items(std::uint64_t items) noexcept { spec_.items = plausible_items(items); }
    void note_overflow_pages() noexcept {
        spec_.spares = parts_.stored().now().overflow().used();
        spec_.next_spares = parts_.stored().next().overflow().used();
    }

    [[gnu::noinline]] insert_outcome take_back(hash_span hashes, insert_outcome why) noexcept {
        for (const std::uint64_t hash : hashes) parts_.remove(hash);
        note_overflow_pages();
        return why;
    }

    /// Begins to grow for hashes that are in already. A refusal has changed nothing.
    [[gnu::noinline]] insert_outcome begin_growth(hash_span hashes, growth_cause why) noexcept {
        const bool was_resizing = parts_.is_resizing();
        if (was_resizing && why == growth_cause::set_bits) { // the pages that move make the room
            return move_page() ? insert_outcome::inserted : insert_outcome::growth_refused;
        }
        if (spec_.target_bits() > spec_.largest_bits() / 2) return insert_outcome::growth_refused;
        const unsigned twice = parts_.target_log_bits() + 1;
        if (why == growth_cause::bucket_tree && !std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t hash) {
                return tree_.holds(parts_.stored(), hash, twice);
            })) {
            return insert_outcome::full_bucket; // another doubling might help, but one key makes it grow once
        }
        while (parts_.is_resizing()) {
            if (!move_page()) return insert_outcome::inserted; // no memory: the next insertion tries again
        }
        if (!begin_resize(2 * spec_.bits))
            return was_resizing ? insert_outcome::inserted : insert_outcome::growth_refused;
        ++expansions_;
        return insert_outcome::inserted_grew;
    }

    [[nodiscard]] bool begin_resize(std::uint64_t bits) noexcept {
        return begin_resize(bits, spec_.pages_for(bits, parts_.slots()));
    }
    [[nodiscard]] bool begin_resize(std::uint64_t bits, std::uint64_t pages) noexcept {
        // A file may not claim more pages to move to (see elastic_spec::check); overflow pages take what does not fit.
        if (!parts_.begin_resize(bits, std::min(pages, elastic_spec::most_next_pages(spec_.pages)), spec_.word_bits))
            return false;
        note_size();
        return true;
    }

    bool move_page() noexcept {
        const bool moved = parts_.move_page();
        note_size();
        return moved;
    }

    /// After an insertion: one page moves, and as many more as bring the share of set bits below the threshold.
    [[gnu::noinline]] void keep_pace(hash_span hashes) noexcept {
        if (parts_.is_resizing()) {
            bool moved = move_page();
            while (moved && parts_.is_resizing() && parts_.weighted_ones() > ones_allowed_) moved = move_page();
            return;
        }
        if (parts_.slots() > slots_allowed_) {
            const std::uint64_t pages = spec_.pages_for(spec_.bits, parts_.slots() / 2 * 3);
            if (pages > spec_.pages) (void)begin_resize(spec_.bits, pages); // without memory, overflow pages are used
        }
        const unsigned half = parts_.target_log_bits() - 1;
        if (checked_pages_ != 0 && !std::all_of(hashes.begin(), hashes.end(), [&](std::uint64_t hash) {
                return tree_.holds(parts_.stored(), hash, half);
            })) {
            checked_pages_ = 0;
        }
    }

    /// After a removal, at rest: checks some more pages, or begins to shrink when all have been checked.
    void consider_shrinking() noexcept {
        if (spec_.bits <= spec_.initial_bits || 4 * parts_.now().ones() >= ones_allowed_) [[likely]] {
            checked_pages_ = 0;
            return;
        }
        if (parts_.now().ones() > retry_below_) return;
        const unsigned half = parts_.now().log_bits() - 1;
        const hash_geometry& pages = parts_.stored().now().geometry();
        for (std::uint64_t i = 0; i < pages_checked_at_once && checked_pages_ < pages.pages(); ++i, ++checked_pages_) {
            if (tree_.holds_all(parts_.stored(), pages.range_of_page(checked_pages_), half)) continue;
            checked_pages_ = 0;
            retry_below_ = parts_.now().ones() / 2;
            return;
        }
        if (checked_pages_ == pages.pages()) (void)begin_resize(spec_.bits / 2); // without memory it stays as it is
    }

    /// What follows from the sizes, after they have changed.
    void note_size() noexcept {
        const resize_progress progress = parts_.stored().progress();
        const bool changed = spec_.bits != parts_.now().bits() || spec_.next_bits != parts_.next().bits();
        spec_.bits = parts_.now().bits();
        spec_.next_bits = parts_.next().bits();
        spec_.pages = progress.pages;
        spec_.next_pages = progress.next_pages;
        spec_.moved = progress.moved;
        ones_allowed_ = spec_.ones_allowed(parts_.larger_bits());
        slots_allowed_ = progress.pages * parts_.stored().now().geometry().slots();
        if (!changed) return;
        checked_pages_ = 0;
        retry_below_ = ~std::uint64_t{0};
    }

    elastic_spec spec_;
    bucket_tree tree_;
    elastic_parts<Store> parts_;
    std::uint64_t ones_allowed_ = 0;
    std::uint64_t slots_allowed_ = 0;
    std::uint64_t checked_pages_ = 0;               // that can be joined in pairs of buckets
    std::uint64_t retry_below_ = ~std::uint64_t{0}; // ones, after the tree did not allow to shrink
    std::uint64_t expansions_ = 0;
};

} // namespace everbloom
