// The D-FP filter: two bits per cell that hold a fingerprint of one item, or say "several".
//
// Idea        Every item has one of two fingerprints, 01 or 10. Into an empty cell it writes its fingerprint; into any other cell
//             11, "collision". A query needs its own fingerprint or 11 in all k cells: a lone item of the other fingerprint proves
//             absence, which a plain bit could not. An item can be removed if one of its cells still holds its fingerprint alone.
// Source      [Kwon §III].
// Layout      M = bits / 2 cells, packed:   | 00 none | 01 one | 10 one | 11 several |
// Guarantees  No false negative as long as only members are removed. Refusals change nothing, and a different fingerprint refuses
//             the removal of an absent key. Inserting a key twice makes all its cells 11: it can never be removed.
// Cost        k cache lines per operation (absent keys: fewer than two). At low load the false positive rate is a fraction of
//             ternary's in the same bits.
// Deviation   Equal positions of one item are written once (the paper would turn them into 11).
#pragma once

#include <everbloom/filter/cells/cell_filter.hpp>
#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/filter/cells/two_bit_spec.hpp>
#include <everbloom/probe/fingerprint.hpp>

namespace everbloom {

template <class Word>
class dfp_cells {
public:
    static constexpr std::uint64_t empty = 0;
    static constexpr std::uint64_t several = 3;

    explicit dfp_cells(Word* words) noexcept : view_(words, 2) {}

    /// 01 or 10.
    [[nodiscard]] static std::uint64_t tag(const digest& item) noexcept { return 1 + fingerprint(item, 1); }
    void prefetch(std::uint64_t at) const noexcept { view_.prefetch(at); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t at) const noexcept { return view_.get(at); }

    [[nodiscard]] bool may_hold(std::uint64_t at, std::uint64_t tag) const noexcept {
        return (view_.get(at) & tag) != 0;
    }

    bool put(std::uint64_t at, std::uint64_t tag) const noexcept {
        const std::uint64_t value = view_.get(at);
        view_.set(at, value == empty ? tag : several);
        return value != empty;
    }

    [[nodiscard]] cell_state judge(std::uint64_t at, std::uint64_t tag) const noexcept {
        const std::uint64_t value = view_.get(at);
        return bit_state((value & tag) != 0, value == several);
    }

    void take(std::uint64_t at, std::uint64_t) const noexcept {
        view_.set(at, view_.get(at) == several ? several : empty); // no branch: it could not be predicted
    }

    template <class Other>
    void absorb(std::uint64_t at, const Other& other) const noexcept {
        const std::uint64_t theirs = other.cell(at);
        if (theirs != empty) view_.set(at, view_.get(at) == empty ? theirs : several);
    }

    // Whole batches; false: not on this processor, or not with this geometry. `one` does it for a single key.
    bool ask_all(std::span<const digest> items, std::span<std::uint8_t> answers, const probing& how) const noexcept {
        return kernel::cell_batches::ask_fingerprints(view_.words(), items, answers, how);
    }
    template <class One>
    bool insert_all(std::span<const digest> items, std::span<insert_outcome> outcomes, const probing& how,
                    One one) const noexcept {
        return kernel::cell_batches::insert_fingerprints(view_.words(), items, outcomes, how,
                                                         kernel::one_key<insert_outcome>(one));
    }
    template <class One>
    bool erase_all(std::span<const digest> items, std::span<erase_outcome> outcomes, const probing& how,
                   One one) const noexcept {
        return kernel::cell_batches::erase_fingerprints(view_.words(), items, outcomes, how,
                                                        kernel::one_key<erase_outcome>(one));
    }

private:
    cell_view<Word, 2> view_;
};

struct dfp_kind {
    using spec_type = two_bit_spec;
    static constexpr std::string_view name = "dfp";
    static constexpr std::string_view summary = "deletes many members; two-bit fingerprints, lowest FPR at low load";
    static constexpr std::array<std::string_view, 1> section_names{"cells"};

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const spec_type& spec) noexcept {
        return {lines_for_cells(spec.cells(), 2)};
    }
    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 1>& sections) {
        return check_tail(sections[0], spec.cells() * 2, "cells");
    }
    template <class Word, class Body>
    static auto with_cells(const spec_type&, const std::array<Word*, 1>& words, Body body) {
        return body(dfp_cells<Word>(words[0]));
    }
};

template <class Store>
using basic_dfp_filter = cell_filter<dfp_kind, Store>;
using dfp_filter = basic_dfp_filter<heap_words>;

} // namespace everbloom
