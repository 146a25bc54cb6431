// The ternary Bloom filter (TBF): cells 0, 1 and x.
//
// Idea        A cell is "empty", "exactly one item" or "more than one item at some time". An item can be removed if one of its k
//             cells is still 1: that cell becomes 0, and the item is surely gone. Cells that are x stay x.
// Source      [Lim17] as described in [Kwon §II.B].
// Layout      packed: five cells in a byte (3^5 = 243), M = 5 floor(bits / 8);  or twobit: M = bits / 2, values 00 01 10, 11 illegal
// Guarantees  No false negative as long as only members are removed. Refusals change nothing. Inserting a key twice makes all its
//             cells x: it can never be removed.
// Cost        k cache lines per operation (absent keys: about two); 1.6 or 2 bits a cell.
// Deviation   Both cell forms are offered: only the packed one is more deletable than dfp in the same bits; in two bits the two
//             deletabilities are equal (docs/models/saturating.md). Equal positions of one item are counted once.
#pragma once

#include <everbloom/bits/trit_view.hpp>
#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/filter/cells/saturating_counters.hpp>

namespace everbloom {

/// Written to files: a number is never given a second meaning.
enum class ternary_cells : std::uint64_t { packed = 0, twobit = 1 };

inline constexpr std::array<std::string_view, 2> ternary_cells_words{"packed", "twobit"};

struct ternary_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t cells_form = static_cast<std::uint64_t>(ternary_cells::packed);
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<ternary_spec>, 4> fields() noexcept {
        return {bits_field<ternary_spec>(), hashes_field<ternary_spec>(),
                spec_field<ternary_spec>{"cells", &ternary_spec::cells_form, 0, ternary_cells_words.size() - 1,
                                         "packed (five cells in a byte) or twobit", ternary_cells_words},
                probe_field<ternary_spec>()};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (cells() == 0) {
            return fail(failure_reason::bad_parameter,
                        "bits is " + std::to_string(bits) + "; the smallest filter needs 8");
        }
        return {};
    }
    [[nodiscard]] bool is_packed() const noexcept {
        return cells_form == static_cast<std::uint64_t>(ternary_cells::packed);
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return is_packed() ? bits / 8 * trits_per_byte : bits / 2; }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const ternary_spec&, const ternary_spec&) = default;
};

struct ternary_kind {
    using spec_type = ternary_spec;
    static constexpr std::string_view name = "ternary";
    static constexpr std::string_view summary = "deletes many members; cells of 0, 1 and 'many'";
    static constexpr std::array<std::string_view, 1> section_names{"cells"};
    static constexpr std::uint64_t stuck = 2;

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const spec_type& spec) noexcept {
        return {lines_for_bits(used_bits(spec))};
    }

    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 1>& sections) {
        if (auto tail = check_tail(sections[0], used_bits(spec), "cells"); !tail) return tail;
        for (const std::uint64_t word : sections[0]) {
            if (spec.is_packed() ? has_illegal_byte(word) : has_illegal_pair(word)) {
                return fail(failure_reason::damaged, "a cell has an illegal value (ternary cells are 0, 1 or 2)");
            }
        }
        return {};
    }

    template <class Word, class Body>
    static auto with_cells(const spec_type& spec, const std::array<Word*, 1>& words, Body body) {
        if (spec.is_packed()) return body(saturating_counters(trit_view<Word>(words[0]), stuck));
        return body(saturating_counters(cell_view<Word, 2>(words[0], 2), stuck));
    }

private:
    [[nodiscard]] static std::uint64_t used_bits(const spec_type& spec) noexcept {
        return spec.is_packed() ? spec.bits / 8 * 8 : spec.cells() * 2;
    }
    [[nodiscard]] static bool has_illegal_byte(std::uint64_t word) noexcept {
        for (; word != 0; word >>= 8) {
            if ((word & 0xff) >= legal_trit_bytes) return true;
        }
        return false;
    }
    [[nodiscard]] static bool has_illegal_pair(std::uint64_t word) noexcept {
        return (word & (word >> 1) & 0x5555555555555555) != 0;
    }
};

template <class Store>
using basic_ternary_filter = cell_filter<ternary_kind, Store>;
using ternary_filter = basic_ternary_filter<heap_words>;

} // namespace everbloom
