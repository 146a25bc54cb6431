// cell_filter: the shared implementation of all filters with k cells per item.
//
// Such a filter differs from the next only in what one cell can hold. Its kind says that with a handful of functions on a view
// of the cells (a value, so that loops keep it in registers):
//
//   tag(item)            what a cell may remember of an item: a fingerprint, or nothing
//   may_hold(at, tag)    can an item with this tag be in the cell?
//   put(at, tag)         adds the item; true if the cell is saturated afterwards: it will never be decremented
//   judge(at, tag)       whether the item can be removed from the cell (cell_state)
//   take(at, tag)        removes the item, unless the cell is saturated
//   prefetch(at), cell(at), absorb(at, other)
//
// Everything else follows: one pass over the k distinct positions, batches with prefetching, and erasing in two phases, so that a
// refusal changes nothing.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/kernel/cell_batches.hpp>

#include <cstring>

namespace everbloom {

enum class cell_state : std::uint8_t {
    foreign, // proves that the item is absent
    last,    // the item can be removed, and the cell will then prove it absent
    more,    // the item can be removed, but the cell will still match it
    stuck,   // saturated: its number of items is unknown, so it never changes
};

/// The state of a bit that has a flag for collisions.
[[nodiscard]] constexpr cell_state bit_state(bool bit, bool flag) noexcept {
    static_assert(static_cast<int>(cell_state::foreign) == 0 && static_cast<int>(cell_state::last) == 1 &&
                  static_cast<int>(cell_state::stuck) == 3);
    return static_cast<cell_state>((bit ? 1u : 0u) * (flag ? 3u : 1u));
}

template <class Kind, WordStore Store>
class cell_filter {
public:
    using spec_type = typename Kind::spec_type;
    using store_type = Store;
    static constexpr std::string_view kind_name = Kind::name;
    static constexpr std::string_view summary = Kind::summary;
    static constexpr auto section_names = Kind::section_names;
    static constexpr std::size_t parts = section_names.size();

    [[nodiscard]] static std::array<std::uint64_t, parts> section_lines(const spec_type& spec) noexcept {
        return Kind::section_lines(spec);
    }

    [[nodiscard]] static result<cell_filter> assemble(const spec_type& spec, std::array<Store, parts> stores) {
        cell_filter made(spec, std::move(stores));
        if (auto legal = Kind::check_contents(spec, made.sections()); !legal) return fail(std::move(legal.error()));
        return made;
    }

    [[nodiscard]] const spec_type& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, parts> sections() const noexcept {
        std::array<std::span<const std::uint64_t>, parts> made;
        for (std::size_t i = 0; i < parts; ++i) {
            made[i] = {std::as_const(stores_[i]).data(), static_cast<std::size_t>(stores_[i].words())};
        }
        return made;
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return probing_.range; }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        return with_cells([index](auto cells) { return cells.cell(index); });
    }
    /// Calls `visit(value)` for every cell, in order; much faster than asking for them one by one.
    template <class Visit>
    void for_each_cell(Visit visit) const {
        with_cells([&](auto cells) {
            for (std::uint64_t i = 0; i < probing_.range; ++i) visit(cells.cell(i));
        });
    }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return with_cells([&](auto cells) {
            return all_positions(item, probing_,
                                 [cells, tag = cells.tag(item)](std::uint64_t at) { return cells.may_hold(at, tag); });
        });
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        with_cells([&](auto cells) {
            if constexpr (requires { cells.ask_all(items, answers, probing_); }) {
                if (cells.ask_all(items, answers, probing_)) return;
            }
            query_in_windows(
                items, answers, probing_, [cells](std::uint64_t at) { cells.prefetch(at); },
                [cells](const digest& item, std::uint64_t at) { return cells.may_hold(at, cells.tag(item)); }, bytes());
        });
    }

    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        const position_list positions = position_list::distinct(item, probing_);
        return with_cells([&](auto cells) { return judge_at(cells, positions.get(), cells.tag(item)); });
    }

    /// The smallest count among the key's cells: how often it was inserted, or more.
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept
        requires requires { Kind::counts; }
    {
        return with_cells([&](auto cells) {
            std::uint64_t smallest = ~std::uint64_t{0};
            for_each_position(item, probing_, [&](std::uint64_t at) {
                smallest = std::min(smallest, cells.may_hold(at, cells.tag(item)) ? cells.count(at) : 0);
            });
            return smallest;
        });
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const position_list positions = position_list::distinct(item, probing_);
        return with_cells([&](auto cells) { return insert_at(cells, positions.get(), cells.tag(item)); });
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        with_cells([&](auto cells) {
            if constexpr (requires {
                              cells.insert_all(items, outcomes, probing_, [](digest) { return insert_outcome{}; });
                          }) {
                if (cells.insert_all(items, outcomes, probing_, [this](digest item) noexcept { return insert(item); }))
                    return;
            }
            if (is_near(bytes())) { // nothing to send for
                for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = insert(items[i]);
                return;
            }
            update_in_windows<repeated_positions::dropped>(
                items, probing_, [cells](std::uint64_t at) { prefetch_all(cells, at); },
                [=](std::size_t index, std::span<const std::uint64_t> at) {
                    outcomes[index] = insert_at(cells, at, cells.tag(items[index]));
                });
        });
    }

    erase_outcome erase(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const position_list positions = position_list::distinct(item, probing_);
        return with_cells([&](auto cells) { return erase_at(cells, positions.get(), cells.tag(item)); });
    }

    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        with_cells([&](auto cells) {
            if constexpr (requires {
                              cells.erase_all(items, outcomes, probing_, [](digest) { return erase_outcome{}; });
                          }) {
                if (cells.erase_all(items, outcomes, probing_, [this](digest item) noexcept { return erase(item); }))
                    return;
            }
            if constexpr (!requires { Kind::counts; }) { // where that was measured to be faster
                if (is_near(bytes())) {
                    for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = erase(items[i]);
                    return;
                }
            }
            update_in_windows<repeated_positions::dropped>(
                items, probing_, [cells](std::uint64_t at) { prefetch_all(cells, at); },
                [=](std::size_t index, std::span<const std::uint64_t> at) {
                    outcomes[index] = erase_at(cells, at, cells.tag(items[index]));
                });
        });
    }

    result<void> merge(const cell_filter& other)
        requires WritableWordStore<Store>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch,
                        "the two " + std::string(kind_name) + " filters have different geometry");
        }
        with_cells([&](auto mine) {
            other.with_cells([&](auto theirs) {
                if constexpr (requires { mine.absorb(std::uint64_t{}, theirs); }) {
                    for (std::uint64_t i = 0; i < probing_.range; ++i) mine.absorb(i, theirs);
                }
            });
        });
        return {};
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        for (Store& store : stores_) std::memset(store.data(), 0, store.words() * sizeof(std::uint64_t));
    }

private:
    cell_filter(const spec_type& spec, std::array<Store, parts> stores) noexcept
        : spec_(spec), probing_{spec.cells(), static_cast<unsigned>(spec.hashes), spec.scheme()},
          stores_(std::move(stores)) {}

    template <class Body>
    auto with_cells(Body body) const {
        std::array<const std::uint64_t*, parts> words;
        for (std::size_t i = 0; i < parts; ++i) words[i] = stores_[i].data();
        return Kind::with_cells(spec_, words, body);
    }
    template <class Body>
    auto with_cells(Body body)
        requires WritableWordStore<Store>
    {
        std::array<std::uint64_t*, parts> words;
        for (std::size_t i = 0; i < parts; ++i) words[i] = stores_[i].data();
        return Kind::with_cells(spec_, words, body);
    }

    [[nodiscard]] std::uint64_t bytes() const noexcept {
        std::uint64_t sum = 0;
        for (const Store& store : stores_) sum += store.words() * sizeof(std::uint64_t);
        return sum;
    }

    // A kind that keeps flags beside its bits reads them only for updates.
    template <class Cells>
    static void prefetch_all(Cells cells, std::uint64_t at) noexcept {
        cells.prefetch(at);
        if constexpr (requires { cells.prefetch_flags(at); }) cells.prefetch_flags(at);
    }

    template <class Cells>
    static insert_outcome insert_at(Cells cells, std::span<const std::uint64_t> positions, std::uint64_t tag) noexcept {
        bool stuck = false;
        for (const std::uint64_t at : positions) stuck |= cells.put(at, tag);
        return stuck ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }

    template <class Cells>
    static erase_outcome judge_at(Cells cells, std::span<const std::uint64_t> positions, std::uint64_t tag) noexcept {
        unsigned seen = 0;
        for (const std::uint64_t at : positions) seen |= bit_of(cells.judge(at, tag));
        if ((seen & bit_of(cell_state::foreign)) != 0) return erase_outcome::not_present;
        if ((seen & bit_of(cell_state::last)) != 0) return erase_outcome::removed;
        return (seen & bit_of(cell_state::more)) != 0 ? erase_outcome::removed_still_positive
                                                      : erase_outcome::not_deletable;
    }

    [[nodiscard]] static constexpr unsigned bit_of(cell_state state) noexcept {
        return 1u << static_cast<unsigned>(state);
    }

    template <class Cells>
    static erase_outcome erase_at(Cells cells, std::span<const std::uint64_t> positions, std::uint64_t tag) noexcept {
        const erase_outcome outcome = judge_at(cells, positions, tag);
        if (!succeeded(outcome)) return outcome;
        for (const std::uint64_t at : positions) cells.take(at, tag);
        return outcome;
    }

    spec_type spec_;
    probing probing_;
    std::array<Store, parts> stores_;
};

} // namespace everbloom
