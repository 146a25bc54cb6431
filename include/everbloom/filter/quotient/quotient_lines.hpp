// The lines of a quotient filter as they come and go: their memory, and when one is split or united.
//
// More than a certain share of all slots in use, and the line at the frontier is split; fewer than another, and the last split is taken
// back. Memory follows in steps of 1/64 of the lines, at most a unit, so that no operation takes long.
#pragma once

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/quotient/quotient_table.hpp>

#include <algorithm>
#include <concepts>
#include <utility>

namespace everbloom {

/// A part of basic_quotient_filter (quotient.hpp).
template <WordStore Store>
class quotient_lines {
protected:
    /// Lines come and go one at a time, so their memory does not lie in one block.
    using line_store = typename growing_store<Store>::type;

    quotient_lines(const quotient_spec& spec, line_store store) noexcept
        : spec_(spec), places_(spec), store_(std::move(store)) {}

    using read_lines = decltype(everbloom::lines_of(std::declval<const line_store&>()));
    using written_lines = lines_in_units<std::uint64_t>;

    [[nodiscard, gnu::always_inline]] quotient_table<read_lines> table() const noexcept {
        return {places_, lines_of(store_)};
    }
    [[nodiscard, gnu::always_inline]] quotient_table<written_lines> writable_table() noexcept {
        return {places_, writable_lines_of(store_)};
    }

    // Growing and shrinking by itself. Two lines at a time catch up with whatever came before.
    [[gnu::noinline]] bool grow_a_little() noexcept {
        const bool begins = spec_.frontier == 0;
        const bool grew = split_line();
        if (grew && items_ > comfortable_) split_line();
        return grew && begins;
    }
    [[gnu::noinline]] void shrink_a_little() noexcept {
        for (int i = 0; i < 2 && items_ < sparse_; ++i) {
            if (!unite_line()) {
                sparse_ -= std::min<std::uint64_t>(sparse_, 64); // try again later
                return;
            }
        }
        // Two steps too many, or what it has would go back and forth.
        if (store_.lines() <= spec_.lines() + 2 * memory_step()) return;
        ++moves_;
        store_.shrink(spec_.lines() + memory_step());
    }

    /// What there is memory for after the next step: a unit is completed before the next one is begun.
    [[nodiscard]] std::uint64_t next_memory(std::uint64_t lines) const noexcept {
        constexpr std::uint64_t unit = chunked_words::unit_lines;
        const std::uint64_t end = lines % unit == 0 ? lines + unit : (lines / unit + 1) * unit;
        return std::min(lines + memory_step(), end);
    }
    /// Lines by which memory grows and shrinks: no more than a unit, so that no operation takes long.
    [[nodiscard]] std::uint64_t memory_step() const noexcept {
        return std::min(spec_.lines() / 64 + 1, chunked_words::unit_lines);
    }

    [[nodiscard]] bool reserve(std::uint64_t lines) noexcept {
        if (store_.lines() >= lines) return true;
        ++moves_;
        return or_out_of_memory([&]() -> result<void> { return store_.extend(lines); }).has_value();
    }
    /// Returns the memory behind the last line.
    void give_back() noexcept { store_.shrink(spec_.lines()); }

    bool split_line() noexcept {
        const std::uint64_t lines = spec_.lines();
        if (lines >= spec_.largest_lines()) return false;
        if (store_.lines() <= lines && !reserve(std::min(next_memory(lines), spec_.largest_lines()))) return false;
        writable_table().split(spec_.frontier, lines);
        if (spec_.frontier == 0) ++expansions_;
        set_lines(spec_.with_lines(lines + 1));
        return true;
    }

    /// False if the items of the last two parts of a line do not fit into one, and have nowhere else to go.
    bool unite_line() noexcept {
        const std::uint64_t lines = spec_.lines();
        if (lines <= spec_.initial_lines) return false;
        const quotient_spec target = spec_.with_lines(lines - 1);
        // The geometry in which the line at the frontier is still split.
        quotient_spec before = target;
        before.frontier = target.frontier + 1;
        const quotient_places split_places(before);
        const quotient_table<written_lines> split_table(split_places, writable_lines_of(store_));
        const std::uint64_t first = target.frontier;
        const std::uint64_t second = lines - 1;
        const unsigned slots = split_places.shape(0).slots;
        while (split_table.line(first).count() + split_table.line(second).count() > slots) {
            const std::uint64_t fuller =
                split_table.line(first).count() > split_table.line(second).count() ? first : second;
            if (!split_table.template evict<kernel::portable_select>(fuller, first, second)) return false;
        }
        split_table.unite(first, second);
        set_lines(target);
        return true;
    }

    void set_lines(const quotient_spec& spec) noexcept {
        if (spec.level == spec_.level) {
            places_.move_frontier(spec);
        } else {
            places_ = quotient_places(spec);
        }
        spec_ = spec;
        comfortable_ = spec_.comfortable_items();
        sparse_ = spec_.sparse_items();
        ++resizes_;
    }

    void clear_lines() noexcept {
        for (std::uint64_t line = 0; line < spec_.lines(); ++line) writable_table().line(line).clear();
    }

    quotient_spec spec_;
    quotient_places places_;
    line_store store_;
    std::uint64_t items_ = 0;
    std::uint64_t comfortable_ = spec_.comfortable_items();
    std::uint64_t sparse_ = spec_.sparse_items();
    std::uint64_t expansions_ = 0;
    std::uint64_t resizes_ = 0;
    std::uint64_t moves_ = 0; // how often lines may have got other addresses
};

} // namespace everbloom
