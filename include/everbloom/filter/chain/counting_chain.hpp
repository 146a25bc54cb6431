// counting_chain: a growing list of equal counting sub-filters. `dynamic` and `partitioned` differ only in how they distribute them.
//
// A key goes into the first sub-filter that is not full; so room that removals have made is used again before the chain grows. If
// all are full, an empty one is appended: the store becomes longer, nothing in it moves.
//
//   | counters of sub-filter 0 | counters of sub-filter 1 | ...      each begins on a line of its own, all have the same size
//
// A key may be removed only if exactly one sub-filter answers "maybe": a member's own one always does, so it is that one. If two do,
// one of them is a false positive, or the key was inserted twice; which one holds it is unknown, and the answer is `ambiguous`.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/chain/counting_fold.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>

#include <optional>

namespace everbloom {

/// `Kind` has: spec_type, name, summary, and lists(spec), the number of lists to which the sub-filters are assigned in turn.
template <class Kind, WordStore Store>
class counting_chain {
public:
    using spec_type = typename Kind::spec_type;
    using store_type = Store;
    static constexpr std::string_view kind_name = Kind::name;
    static constexpr std::string_view summary = Kind::summary;
    static constexpr std::array<std::string_view, 1> section_names{"counters"};

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const spec_type& spec) noexcept {
        return {spec.sub_lines() * spec.filters};
    }

    [[nodiscard]] static result<counting_chain> assemble(const spec_type& spec, std::array<Store, 1> stores) {
        auto made = assemble_empty(spec, std::move(stores));
        if (!made) return made;
        for (std::uint64_t sub = 0; sub < spec.filters; ++sub) {
            const std::span words(made->sub_words(sub), spec.sub_lines() * line_words);
            const auto clean = check_tail(words, spec.sub_cells() * spec.counter_bits, "counters of a sub-filter");
            if (!clean) return fail(clean.error());
            made->levels_[sub] =
                made->with_view(sub, [&](auto view) { return count_occupied(view, spec.sub_cells()); });
        }
        made->find_open();
        return made;
    }

    /// The same for stores that are known to be all zeros.
    [[nodiscard]] static result<counting_chain> assemble_empty(const spec_type& spec, std::array<Store, 1> stores) {
        auto levels = fill_levels::make(spec.filters);
        if (!levels) return fail(std::move(levels.error()));
        return counting_chain(spec, std::move(stores[0]), std::move(*levels));
    }

    [[nodiscard]] const spec_type& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(sub_words(0), store_.words())};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return spec_.sub_cells() * spec_.filters; }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        return with_view(index / spec_.sub_cells(), [&](auto view) { return view.get(index % spec_.sub_cells()); });
    }
    /// Calls `visit(value)` for every cell of one sub-filter.
    template <class Visit>
    void for_each_cell_of(std::uint64_t sub, Visit visit) const {
        with_view(sub, [&](auto view) {
            for (std::uint64_t i = 0; i < spec_.sub_cells(); ++i) visit(view.get(i));
        });
    }
    /// How many cells of a sub-filter are occupied.
    [[nodiscard]] std::uint64_t occupied(std::uint64_t sub) const noexcept { return levels_[sub]; }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return with_links(0, 1, [&](const auto& links) { return chain_may_contain(item, spec_.scheme(), links); });
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        with_links(0, 1, [&](const auto& links) { chain_may_contain(items, answers, spec_.scheme(), links); });
    }

    /// The lists to which the sub-filters are assigned in turn: sub-filter i is in list i mod lists().
    [[nodiscard]] std::uint64_t lists() const noexcept { return Kind::lists(spec_); }

    /// Queries the sub-filters of one list only; `settled` and `found` as in chain_find_in_windows.
    template <class Settled, class Found>
    void find_in_list(std::uint64_t list, std::span<const digest> items, Settled settled, Found found) const noexcept {
        with_links(list, lists(),
                   [&](const auto& links) { chain_find_in_windows(items, spec_.scheme(), links, settled, found); });
    }

    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        return judge_at(position_list::distinct(item, spec_.positions()).get()).outcome;
    }

    /// How often the key was inserted, or more: the smallest of its counters, summed over the sub-filters.
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        const position_list positions = position_list::distinct(item, spec_.positions());
        std::uint64_t sum = 0;
        for (std::uint64_t sub = 0; sub < spec_.filters; ++sub) sum += smallest_at(sub, positions.get());
        return sum;
    }

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words> // growing requires owned memory
    {
        return insert_at(position_list::distinct(item, spec_.positions()).get());
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words> // growing requires owned memory
    {
        update_in_windows<repeated_positions::dropped>(
            items, spec_.positions(), [this](std::uint64_t at) { prefetch(std::min(open_, spec_.filters - 1), at); },
            [this, outcomes](std::size_t index, std::span<const std::uint64_t> at) {
                outcomes[index] = insert_at(at);
            });
    }

    erase_outcome erase(digest item) noexcept
        requires WritableWordStore<Store>
    {
        return erase_at(position_list::distinct(item, spec_.positions()).get());
    }

    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        update_in_windows<repeated_positions::dropped>(
            items, spec_.positions(), [this](std::uint64_t at) { prefetch(0, at); },
            [this, outcomes](std::size_t index, std::span<const std::uint64_t> at) { outcomes[index] = erase_at(at); });
    }

    /// Merges the sub-filters of the other chain: added to those that have room for them, appended otherwise.
    result<void> merge(const counting_chain& other)
        requires std::same_as<Store, heap_words>
    {
        if (other.spec_.started() != spec_.started()) {
            return fail(failure_reason::mismatch,
                        "the two " + std::string(kind_name) + " filters have different geometry");
        }
        auto words = store_.copy();
        if (!words) return fail(std::move(words.error()));
        auto levels = levels_.copy();
        if (!levels) return fail(std::move(levels.error()));
        counting_fold both{spec_, std::move(*words), std::move(*levels)};
        for (std::uint64_t sub = 0; sub < other.spec_.filters; ++sub) {
            if (auto taken = both.take(other.sub_words(sub), other.levels_[sub]); !taken) return taken;
        }
        become(std::move(both));
        return {};
    }

    /// Appends an empty sub-filter.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        return counting_fold::append_link(spec_, store_, levels_);
    }

    /// Drops empty sub-filters and merges those that fit into one.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        counting_fold fewer = counting_fold::empty(spec_);
        for (std::uint64_t sub = 0; sub < spec_.filters; ++sub) {
            if (auto taken = fewer.take(sub_words(sub), levels_[sub]); !taken) return taken;
        }
        if (fewer.spec.filters == 0) {
            if (auto one = fewer.append(); !one) return one;
        }
        if (fewer.spec.filters == spec_.filters) {
            return fail(failure_reason::no_room, "the filter cannot shrink: no two of its " +
                                                     std::to_string(spec_.filters) +
                                                     " sub-filters fit into one; remove some keys first");
        }
        become(std::move(fewer));
        return {};
    }

    /// Keeps the memory; `shrink` gives it back.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(store_.data(), 0, store_.words() * sizeof(std::uint64_t));
        levels_.clear();
        open_ = 0;
    }

private:
    struct verdict {
        erase_outcome outcome;
        std::uint64_t sub; // where the key is, if it can be removed
    };

    counting_chain(const spec_type& spec, Store store, fill_levels levels) noexcept
        : spec_(spec), full_from_(spec.full_from()), sub_words_(spec.sub_lines() * line_words),
          store_(std::move(store)), levels_(std::move(levels)) {}

    [[nodiscard]] const std::uint64_t* sub_words(std::uint64_t sub) const noexcept {
        return std::as_const(store_).data() + sub * sub_words_;
    }
    [[nodiscard]] unsigned counter_bits() const noexcept { return static_cast<unsigned>(spec_.counter_bits); }

    template <class Body>
    auto with_view(std::uint64_t sub, Body body) const {
        return with_fixed_width(sub_words(sub), counter_bits(), body);
    }

    /// Calls `body(links)` with every step-th sub-filter from `first` on.
    template <class Body>
    auto with_links(std::uint64_t first, std::uint64_t step, Body body) const {
        return with_view(0, [&](auto view) {
            const std::uint64_t links = first < spec_.filters ? (spec_.filters - 1 - first) / step + 1 : 0;
            return body(counting_links<decltype(view), const std::uint64_t>{
                sub_words(0), levels_.data(), sub_words_, spec_.positions(), counter_bits(), first, step, links});
        });
    }

    void prefetch(std::uint64_t sub, std::uint64_t at) const noexcept {
        prefetch_line(sub_words(sub) + at * spec_.counter_bits / word_bits);
    }

    /// The smallest counter among a key's positions in one sub-filter.
    [[nodiscard]] std::uint64_t smallest_at(std::uint64_t sub,
                                            std::span<const std::uint64_t> positions) const noexcept {
        if (levels_[sub] == 0) return 0;
        return with_view(sub, [&](auto view) {
            std::uint64_t smallest = view.largest();
            for (std::size_t i = 0; i < positions.size() && smallest != 0; ++i) {
                smallest = std::min(smallest, view.get(positions[i]));
            }
            return smallest;
        });
    }

    [[nodiscard]] verdict judge_at(std::span<const std::uint64_t> positions) const noexcept {
        constexpr std::uint64_t ahead = 4; // sub-filters whose first counter is being prefetched
        verdict found{erase_outcome::not_present, 0};
        for (std::uint64_t sub = 0; sub < spec_.filters; ++sub) {
            if (sub + ahead < spec_.filters) prefetch(sub + ahead, positions[0]);
            const std::uint64_t smallest = smallest_at(sub, positions);
            if (smallest == 0) continue;
            if (found.outcome != erase_outcome::not_present) return {erase_outcome::ambiguous, sub};
            found = {smallest == 1 ? erase_outcome::removed : erase_outcome::removed_still_positive, sub};
            if (smallest == low_mask(counter_bits())) found.outcome = erase_outcome::not_deletable; // all are saturated
        }
        return found;
    }

    /// Moves `open_` to the first sub-filter that is not full; to the end if there is none.
    void find_open() noexcept {
        while (open_ < spec_.filters && levels_[open_] >= full_from_) ++open_;
    }

    insert_outcome insert_at(std::span<const std::uint64_t> positions) noexcept {
        const bool grows = open_ == spec_.filters;
        if (grows && !or_out_of_memory([&] { return grow(); })) return insert_outcome::growth_refused;
        const bool stuck = with_fixed_width(store_.data() + open_ * sub_words_, counter_bits(), [&](auto view) {
            const saturating_counters cells(view, view.largest());
            bool sticks = false;
            std::uint64_t fresh = 0;
            for (const std::uint64_t at : positions) {
                fresh += cells.cell(at) == 0 ? 1 : 0;
                sticks |= cells.put(at, 0);
            }
            levels_[open_] += fresh;
            return sticks;
        });
        find_open();
        if (grows) return insert_outcome::inserted_grew;
        return stuck ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }

    erase_outcome erase_at(std::span<const std::uint64_t> positions) noexcept {
        const verdict found = judge_at(positions);
        if (!succeeded(found.outcome)) return found.outcome;
        with_fixed_width(store_.data() + found.sub * sub_words_, counter_bits(), [&](auto view) {
            const saturating_counters cells(view, view.largest());
            for (const std::uint64_t at : positions) {
                levels_[found.sub] -= cells.cell(at) == 1 ? 1 : 0;
                cells.take(at, 0);
            }
        });
        if (levels_[found.sub] < full_from_) open_ = std::min(open_, found.sub);
        return found.outcome;
    }

    void become(counting_fold&& changed) noexcept {
        spec_.filters = changed.spec.filters;
        store_ = std::move(changed.words);
        levels_ = std::move(changed.levels);
        open_ = 0;
        find_open();
    }

    spec_type spec_;
    std::uint64_t full_from_;
    std::uint64_t sub_words_;
    Store store_;
    fill_levels levels_;
    std::uint64_t open_ = 0; // the first sub-filter that is not full
};

} // namespace everbloom
