// The collision filter: a Bloom filter with a second array of flags that say which bits were set more than once.
//
// Idea        A bit that is set again gets its companion flag. Removing an item clears those of its bits that have no flag; a
//             flagged bit may be shared and stays set permanently. If all its bits are flagged, the item cannot be removed.
// Source      [Summary02], "collision array".
// Layout      two arrays of M = bits / 2 bits:   bits | 0 1 1 0 ... |   flags | 0 0 1 0 ... |
// Guarantees  No false negative as long as only members are removed. Refusals change nothing. Inserting a key twice flags all its
//             bits: it can never be removed.
// Cost        Queries touch the bits only: k cache lines, about two for absent keys. Updates touch both arrays.
// Deviation   Equal positions of one item are not a collision. Behaves like ternary cells of two bits, laid out for queries.
#pragma once

#include <everbloom/filter/cells/cell_filter.hpp>
#include <everbloom/filter/cells/two_bit_spec.hpp>

namespace everbloom {

template <class Word>
class flagged_bits {
public:
    flagged_bits(Word* bits, Word* flags) noexcept : bits_(bits), flags_(flags) {}

    [[nodiscard]] static std::uint64_t tag(const digest&) noexcept { return 0; }
    void prefetch(std::uint64_t at) const noexcept { bits_.prefetch(at); }
    void prefetch_flags(std::uint64_t at) const noexcept { flags_.prefetch(at); }
    /// 0 empty, 1 one item, 2 several.
    [[nodiscard]] std::uint64_t cell(std::uint64_t at) const noexcept {
        return (bits_.test(at) ? 1u : 0u) + (flags_.test(at) ? 1u : 0u);
    }

    [[nodiscard]] bool may_hold(std::uint64_t at, std::uint64_t) const noexcept { return bits_.test(at); }
    bool ask_all(std::span<const digest> items, std::span<std::uint8_t> answers, const probing& how) const noexcept {
        return kernel::cell_batches::ask_bits(bits_.words(), items, answers, how);
    }
    // Whole batches; false: not on this processor, or not with this geometry. `one` does it for a single key.
    template <class One>
    bool insert_all(std::span<const digest> items, std::span<insert_outcome> outcomes, const probing& how,
                    One one) const noexcept {
        return kernel::cell_batches::insert_flagged(bits_.words(), flags_.words(), items, outcomes, how,
                                                    kernel::one_key<insert_outcome>(one));
    }
    template <class One>
    bool erase_all(std::span<const digest> items, std::span<erase_outcome> outcomes, const probing& how,
                   One one) const noexcept {
        return kernel::cell_batches::erase_flagged(bits_.words(), flags_.words(), items, outcomes, how,
                                                   kernel::one_key<erase_outcome>(one));
    }

    // Without branches: which bits are set already is a matter of chance.
    bool put(std::uint64_t at, std::uint64_t) const noexcept {
        const bool met = bits_.test(at);
        bits_.set(at);
        flags_.set(at, met);
        return met;
    }

    [[nodiscard]] cell_state judge(std::uint64_t at, std::uint64_t) const noexcept {
        return bit_state(bits_.test(at), flags_.test(at));
    }

    void take(std::uint64_t at, std::uint64_t) const noexcept { bits_.reset(at, !flags_.test(at)); }

    template <class Other>
    void absorb(std::uint64_t at, const Other& other) const noexcept {
        for (std::uint64_t copies = other.cell(at); copies > 0; --copies) put(at, 0);
    }

private:
    bit_view<Word> bits_;
    bit_view<Word> flags_;
};

struct collision_kind {
    using spec_type = two_bit_spec;
    static constexpr std::string_view name = "collision";
    static constexpr std::string_view summary = "deletes many members; a Bloom filter with collision flags";
    static constexpr std::array<std::string_view, 2> section_names{"bits", "flags"};

    [[nodiscard]] static std::array<std::uint64_t, 2> section_lines(const spec_type& spec) noexcept {
        return {lines_for_bits(spec.cells()), lines_for_bits(spec.cells())};
    }
    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 2>& sections) {
        if (auto tail = check_tail(sections[0], spec.cells(), "bits"); !tail) return tail;
        if (!is_subset(sections[1], sections[0])) {
            return fail(failure_reason::damaged, "a collision is flagged at a bit that is not set");
        }
        return {};
    }
    template <class Word, class Body>
    static auto with_cells(const spec_type&, const std::array<Word*, 2>& words, Body body) {
        return body(flagged_bits<Word>(words[0], words[1]));
    }
};

template <class Store>
using basic_collision_filter = cell_filter<collision_kind, Store>;
using collision_filter = basic_collision_filter<heap_words>;

} // namespace everbloom
