// The d-left counting filter: a hash table of short fingerprints, so evenly filled that it needs no pointers and little slack.
//
// Idea        A key becomes a fingerprint; the fingerprint has one bucket in each of d subtables, and its remainder is stored in
//             the one with the fewest keys. A query looks for the remainder in d buckets. Because a fingerprint's places are
//             permutations of it, equal remainders in a key's buckets mean equal fingerprints: a small counter beside the
//             remainder counts them, and removing a key never removes another one's.
// Source      [Bonomi06 §3]; moving keys when all buckets are full: §5.2.
// Layout      d subtables x B buckets x 8 cells:   | remainder : 14 | counter : 2 |      (dleft_table.hpp)
//             Counter 0 means empty; remainder 0 is an ordinary one.
// Guarantees  No false negative as long as only members are removed. An insertion that finds no room (full_bucket) or whose
//             fingerprint came too often (full_counter) changes nothing, to the bit. Removing is refused unless the fingerprint is
//             there; every member can be removed. Merge inserts every cell of the other filter, all or nothing.
// Cost        d cache lines per operation; (remainder + counter bits) / load: 21.3 bits per item for an FPR of 0.15 % with the
//             paper's geometry, about half of a counting filter. False positives: items / 2^(log2 B + remainder bits).
// Deviation   A fourth copy of one fingerprint does not fit a 2-bit counter with 0 for empty (the paper needs a sentinel
//             remainder, which loses keys): it takes a second cell. Chains of moves, growing and shrinking are ours:
//
//      grow     2B buckets, one bit of the remainder becomes a bit of the bucket and its place goes to the counter: cells keep
//               their width, fingerprints keep all their bits, no bucket can overflow
//      shrink   gives that bit back; or, when there is none to give back, folds the upper half of each subtable onto the lower
//               one, and fingerprints lose their highest bit: half the items at the same FPR
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/dleft/dleft_lines.hpp>
#include <everbloom/filter/dleft/dleft_operations.hpp>
#include <everbloom/filter/dleft/dleft_resize.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <cstring>

namespace everbloom {

template <WordStore Store>
class basic_dleft_filter {
public:
    using spec_type = dleft_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "dleft";
    static constexpr std::string_view summary = "deletes everything, counts copies; half the bits of counting";
    static constexpr std::array<std::string_view, 1> section_names{"cells"};

    /// A fifth copy of a key finds its counter full, and a key beyond the capacity may find its buckets full.
    static constexpr bool may_refuse_keys = true;

    /// Cache lines that a query reads, at most.
    [[nodiscard]] static constexpr std::uint64_t query_lines(const dleft_spec& spec) noexcept { return spec.subtables; }

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const dleft_spec& spec) noexcept {
        return {lines_for_cells(spec.cells(), spec.cell_bits())};
    }

    [[nodiscard]] static result<basic_dleft_filter> assemble(const dleft_spec& spec, std::array<Store, 1> stores) {
        basic_dleft_filter made(spec, std::move(stores[0]));
        if (auto clean = check_tail(made.sections()[0], spec.bits(), "cells"); !clean) {
            return fail(std::move(clean.error()));
        }
        std::uint64_t hidden = 0;
        made.for_each_cell([&](const dleft_cell& cell) { hidden |= cell.count == 0 ? cell.remainder : 0; });
        if (hidden != 0) return fail(failure_reason::damaged, "a cell with a counter of 0 holds a remainder");
        return made;
    }

    /// The same for stores that are known to be all zeros.
    [[nodiscard]] static basic_dleft_filter assemble_empty(const dleft_spec& spec, std::array<Store, 1> stores) {
        return basic_dleft_filter(spec, std::move(stores[0]));
    }

    [[nodiscard]] const dleft_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(words(), store_.words())};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return spec_.cells(); }
    /// How many copies a cell counts.
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        return dleft_table<const std::uint64_t>(layout_, words()).cell(index).count;
    }
    /// Calls `visit(dleft_cell)` for every cell, bucket after bucket, subtable after subtable.
    template <class Visit>
    void for_each_cell(Visit visit) const {
        with_table([&](const auto& table) {
            for (std::uint64_t i = 0; i < table.all_cells(); ++i) visit(table.cell(i));
        });
    }
    [[nodiscard]] const dleft_history& history() const noexcept { return history_; }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        // The designed shapes come first, in separate code: they need so few registers that none has to be saved.
        const std::uint64_t fingerprint = layout_.places.fingerprint(item);
#if !defined(EVERBLOOM_SMALL)
        if (layout_.shape == dleft_shape::two_by_32) return two_by_32(layout_, words()).holds(fingerprint);
        if (layout_.shape == dleft_shape::four_by_8) return four_by_8(layout_, words()).holds(fingerprint);
#endif
#if defined(EVERBLOOM_PACKED_KERNEL)
        if (layout_.packed_call.hold != nullptr) {
            const packed_answer answer = layout_.packed_call.hold(layout_, words(), fingerprint);
            if (answer != packed_answer::cannot_tell) [[likely]]
                return answer == packed_answer::holds;
        }
#endif
        return holds_in_other_shape(fingerprint);
    }

    /// Whether single queries are in line for this geometry and processor (dleft_lines.hpp). A caller that asks once and keeps the answer may
    /// call them by this name.
    [[nodiscard]] bool in_line() const noexcept {
#if defined(EVERBLOOM_DLEFT_LINES)
        return is_of_lines_;
#else
        return false;
#endif
    }
    [[nodiscard, gnu::always_inline]] bool may_contain_in_line(digest item) const noexcept {
#if defined(EVERBLOOM_DLEFT_LINES)
        return dleft_lines(layout_, words()).hold(item);
#else
        return may_contain(item);
#endif
    }
    [[gnu::always_inline]] insert_outcome insert_in_line(digest item) noexcept
        requires WritableWordStore<Store>
    {
        return insert(item);
    }
    [[gnu::always_inline]] erase_outcome erase_in_line(digest item) noexcept
        requires WritableWordStore<Store>
    {
#if defined(EVERBLOOM_DLEFT_LINES)
        if (dleft_lines(layout_, words()).erase_lone(item, store_.data())) [[likely]]
            return erase_outcome::removed;
        return erase_slowly(layout_.places.fingerprint(item));
#else
        return erase(item);
#endif
    }

#if defined(EVERBLOOM_PACKED_KERNEL)
    /// The same for operations that are one call (src/dleft_pair.cpp).
    [[nodiscard]] bool in_call() const noexcept { return has_pair() && !is_of_lines_; }
    [[nodiscard, gnu::always_inline]] bool may_contain_in_call(digest item) const noexcept {
        return layout_.pair.calls.hold(layout_, words(), item.low) != packed_answer::lacks;
    }
    [[gnu::always_inline]] erase_outcome erase_in_call(digest item) noexcept
        requires WritableWordStore<Store>
    {
        return pair_erase(item.low);
    }
#endif

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
#if defined(EVERBLOOM_DLEFT_LINES)
        if (is_of_lines_) return dleft_lines(layout_, words()).hold(items, answers);
        if (has_pair()) return layout_.pair.calls.hold_all(layout_, words(), items, answers.data());
#endif
        in_best_code(
            *this,
            items, [&](const auto& table, std::size_t i, std::uint64_t fingerprint) __attribute__((always_inline)) {
                answers[i] = static_cast<std::uint8_t>(table.holds(fingerprint));
            });
    }

    /// The same for digests that the loop makes itself.
    template <class Make>
    void may_contain(const digests_on_demand<Make>& items, std::span<std::uint8_t> answers) const noexcept {
#if defined(EVERBLOOM_DLEFT_LINES)
        if (is_of_lines_) return dleft_lines(layout_, words()).hold(items, answers);
#endif
        std::array<digest, 256> some;
        for (std::size_t first = 0; first < items.size(); first += some.size()) {
            const std::size_t count = std::min(some.size(), items.size() - first);
            for (std::size_t i = 0; i < count; ++i) some[i] = items[first + i];
            may_contain(std::span<const digest>(some.data(), count), answers.subspan(first, count));
        }
    }

    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        return with_table(
            [&](const auto& table) { return dleft_operations(table).can_erase(table.places().fingerprint(item)); });
    }

    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        return with_table(
            [&](const auto& table) { return dleft_operations(table).count(table.places().fingerprint(item)); });
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t fingerprint = layout_.places.fingerprint(item);
#if defined(EVERBLOOM_PACKED_KERNEL)
        if (has_pair()) return pair_insert(fingerprint);
#endif
#if defined(EVERBLOOM_MODERN_X86)
        if (layout_.is_modern) return insert_in_modern_code(fingerprint);
#endif
        return insert_one(fingerprint);
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        in_best_code(
            *this,
            items, [&](const auto& table, std::size_t i, std::uint64_t fingerprint) __attribute__((always_inline)) {
                outcomes[i] = insert_into(table, fingerprint);
            });
    }

    erase_outcome erase(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const std::uint64_t fingerprint = layout_.places.fingerprint(item);
#if defined(EVERBLOOM_PACKED_KERNEL)
        if (has_pair()) return pair_erase(fingerprint);
#endif
#if defined(EVERBLOOM_MODERN_X86)
        if (layout_.is_modern) return erase_in_modern_code(fingerprint);
#endif
        return erase_one(fingerprint);
    }

    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        in_best_code(
            *this,
            items, [&](const auto& table, std::size_t i, std::uint64_t fingerprint) __attribute__((always_inline)) {
                outcomes[i] = erase_from(table, fingerprint);
            });
    }

    /// Works on a copy, so that a failed merge changes nothing.
    result<void> merge(const basic_dleft_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch, "the two dleft filters have different geometry");
        }
        auto copy = store_.copy();
        if (!copy) return fail(std::move(copy.error()));
        return take_over({spec_, std::move(*copy)}, other, carrying::merging,
                         "the two filters do not fit into one of this size; grow both first");
    }

    /// Twice the buckets.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        auto target = dleft_target::grown(spec_);
        if (!target) return fail(std::move(target.error()));
        return take_over(std::move(*target), *this, carrying::resizing, "a bucket did not fit into two");
    }

    /// Half the buckets.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        std::uint64_t largest = 0;
        for_each_cell([&](const dleft_cell& cell) { largest = std::max(largest, cell.count); });
        auto target = dleft_target::shrunk(spec_, largest);
        if (!target) return fail(std::move(target.error()));
        return take_over(std::move(*target), *this, carrying::resizing,
                         "the keys do not fit into half the buckets; remove some keys first");
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(store_.data(), 0, store_.words() * sizeof(std::uint64_t));
    }

private:
    basic_dleft_filter(const dleft_spec& spec, Store store) noexcept
        : spec_(spec), layout_(spec), store_(std::move(store)) {}

    [[nodiscard]] const std::uint64_t* words() const noexcept { return std::as_const(store_).data(); }

    template <class Body>
    [[gnu::always_inline]] inline auto with_table(Body body) const {
        return with_dleft_table(layout_, words(), body);
    }
    template <class Body>
    [[gnu::always_inline]] inline auto with_table(Body body)
        requires WritableWordStore<Store>
    {
        return with_dleft_table(layout_, store_.data(), body);
    }

    using two_by_32 = dleft_table<const std::uint64_t, 2, 32, 16>;
    using four_by_8 = dleft_table<const std::uint64_t, 4, 8, 16>;

    [[nodiscard, gnu::noinline]] bool holds_in_other_shape(std::uint64_t fingerprint) const noexcept {
        return with_table([&](const auto& table) { return table.holds(fingerprint); });
    }

    [[gnu::always_inline]] insert_outcome insert_one(std::uint64_t fingerprint) noexcept {
        return with_table([&](const auto& table)
                              __attribute__((always_inline)) { return insert_into(table, fingerprint); });
    }
    [[gnu::always_inline]] erase_outcome erase_one(std::uint64_t fingerprint) noexcept {
        return with_table([&](const auto& table)
                              __attribute__((always_inline)) { return erase_from(table, fingerprint); });
    }
#if defined(EVERBLOOM_MODERN_X86)
    EVERBLOOM_MODERN [[gnu::noinline]] insert_outcome insert_in_modern_code(std::uint64_t fingerprint) noexcept {
        return insert_one(fingerprint);
    }
    EVERBLOOM_MODERN [[gnu::noinline]] erase_outcome erase_in_modern_code(std::uint64_t fingerprint) noexcept {
        return erase_one(fingerprint);
    }
#endif

#if defined(EVERBLOOM_PACKED_KERNEL)
    [[nodiscard]] bool has_pair() const noexcept { return layout_.pair.calls.hold != nullptr; }
    [[gnu::always_inline]] insert_outcome pair_insert(std::uint64_t fingerprint) noexcept {
        if (layout_.pair.calls.insert_lone(layout_, store_.data(), fingerprint)) [[likely]]
            return insert_outcome::inserted;
        return insert_slowly(fingerprint);
    }
    [[gnu::always_inline]] erase_outcome pair_erase(std::uint64_t low) noexcept {
        if (layout_.pair.calls.erase_lone(layout_, store_.data(), low)) [[likely]]
            return erase_outcome::removed;
        return erase_slowly(layout_.places.fingerprint({low, 0}));
    }
#endif

    /// The common cases: most keys are new and find room, and most removed keys were inserted once. The rest is left to separate
    /// functions, which build their own view of the table: if it were passed to them, it could not stay in registers here.
    template <class Table>
    [[gnu::always_inline]] insert_outcome insert_into(const Table& table, std::uint64_t fingerprint) noexcept {
#if defined(EVERBLOOM_PACKED_KERNEL)
        if constexpr (Table::has_two_subtables) {
            if (has_pair()) return pair_insert(fingerprint);
        }
#endif
        if (dleft_operations(table).insert_lone(fingerprint)) [[likely]]
            return insert_outcome::inserted;
        return insert_slowly(fingerprint);
    }
    [[gnu::noinline]] insert_outcome insert_slowly(std::uint64_t fingerprint) noexcept {
        return with_table([&](const auto& table) {
            return dleft_operations(table).insert(fingerprint, 1, static_cast<unsigned>(spec_.move), history_);
        });
    }
    template <class Table>
    [[gnu::always_inline]] erase_outcome erase_from(const Table& table, std::uint64_t fingerprint) noexcept {
#if defined(EVERBLOOM_PACKED_KERNEL)
        if constexpr (Table::has_two_subtables &&
                      !Table::is_vector_shape) { // in line is faster where nothing is to be unpacked
            if (has_pair()) return pair_erase(fingerprint);
        }
#endif
        if (dleft_operations(table).erase_lone(fingerprint)) [[likely]]
            return erase_outcome::removed;
        return erase_slowly(fingerprint);
    }
    [[gnu::noinline]] erase_outcome erase_slowly(std::uint64_t fingerprint) noexcept {
        return with_table([&](const auto& table) { return dleft_operations(table).erase(fingerprint); });
    }

    /// Calls `act(table, index, fingerprint)` for every item, compiled for this processor.
    template <class Self, class Act>
    static void in_best_code(Self& self, std::span<const digest> items, Act act) noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::is_modern()) return in_modern_code(self, items, act);
#endif
        in_flight(self, items, act);
    }
#if defined(EVERBLOOM_MODERN_X86)
    template <class Self, class Act>
    EVERBLOOM_MODERN static void in_modern_code(Self& self, std::span<const digest> items, Act act) noexcept {
        in_flight(self, items, act);
    }
#endif

    /// The same, prefetching the buckets of later items. Inlined, so that it is compiled for its caller's instruction set.
    template <class Self, class Act>
    [[gnu::always_inline]] static inline void in_flight(Self& self, std::span<const digest> items, Act& act) noexcept {
        self.with_table([&](const auto& table) __attribute__((always_inline)) {
            constexpr std::size_t lead = 16; // items; each prefetches one cache line per subtable
            const auto fetch_buckets = [&](const digest& item) __attribute__((always_inline)) {
                const std::uint64_t fingerprint = table.places().fingerprint(item);
                for (unsigned i = 0; i < table.subtables(); ++i) {
                    table.prefetch(table.first_cell(i, table.places().place(fingerprint, i).bucket));
                }
            };
            const std::size_t ahead = std::min(lead, items.size());
            for (std::size_t i = 0; i < ahead; ++i) fetch_buckets(items[i]);
            for (std::size_t i = 0; i < items.size(); ++i) {
                if (i + lead < items.size()) fetch_buckets(items[i + lead]);
                act(table, i, table.places().fingerprint(items[i]));
            }
        });
    }

    result<void> take_over(dleft_target target, const basic_dleft_filter& from, carrying why,
                           std::string_view otherwise)
        requires std::same_as<Store, heap_words>
    {
        dleft_history seen = history_;
        if (!copy_cells(target, from.spec_, from.words(), why, seen)) {
            return fail(failure_reason::no_room, std::string(otherwise));
        }
        spec_ = target.spec;
        layout_ = dleft_layout(spec_);
#if defined(EVERBLOOM_DLEFT_LINES)
        is_of_lines_ = dleft_lines::suit(layout_);
#endif
        store_ = std::move(target.words);
        history_ = seen;
        return {};
    }

    dleft_spec spec_;
    dleft_layout layout_;
    Store store_;
    dleft_history history_;
#if defined(EVERBLOOM_DLEFT_LINES)
    bool is_of_lines_ = dleft_lines::suit(layout_);
#endif
};

using dleft_filter = basic_dleft_filter<heap_words>;

} // namespace everbloom
