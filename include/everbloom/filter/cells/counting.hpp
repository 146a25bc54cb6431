// The counting Bloom filter: every bit of a Bloom filter becomes a small counter, so that items can leave again.
//
// Idea        An item increments its k counters; removing it decrements them. A key with a zero among its counters is surely
//             absent. A counter that reaches its largest value is saturated: its number of items is unknown, so it never changes
//             again, because decrementing it could lose another key.
// Source      [Fan00], [Bonomi06 §2.1].
// Layout      M = bits / counter_bits counters, packed:   | 3 | 0 | 1 | 15 | 0 | ...      (15 of 4 bits: saturated)
// Guarantees  No false negative as long as only members are removed, saturation included. Removing is two-phase: all
//             counters are read before one is written. A key inserted twice must be removed twice. Merge adds counters.
//             A removed key that others still cover answers "maybe", and the outcome says so.
// Cost        k cache lines per operation (absent keys: about two); counter_bits times the bits of a Bloom filter.
// Deviation   Equal positions of one item are counted once. Four bits by default: at the best k a counter reaches 15 with
//             probability below 1e-14 [Fan00 §V-C].
#pragma once

#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/filter/cells/saturating_counters.hpp>

namespace everbloom {

struct counting_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t counter_bits = 4;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<counting_spec>, 4> fields() noexcept {
        return {bits_field<counting_spec>(), hashes_field<counting_spec>(),
                spec_field<counting_spec>{"counter_bits", &counting_spec::counter_bits, 2, max_cell_bits,
                                          "bits per counter"},
                probe_field<counting_spec>()};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (cells() == 0) {
            return fail(failure_reason::bad_parameter, "bits is " + std::to_string(bits) +
                                                           "; one counter alone needs " + std::to_string(counter_bits));
        }
        return {};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return bits / counter_bits; }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const counting_spec&, const counting_spec&) = default;
};

struct counting_kind {
    using spec_type = counting_spec;
    static constexpr std::string_view name = "counting";
    static constexpr std::string_view summary = "deletes; four times the bits of bloom";
    static constexpr std::array<std::string_view, 1> section_names{"counters"};
    static constexpr bool counts = true;

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const spec_type& spec) noexcept {
        return {lines_for_cells(spec.cells(), spec.counter_bits)};
    }
    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 1>& sections) {
        return check_tail(sections[0], spec.cells() * spec.counter_bits, "counters");
    }
    template <class Word, class Body>
    static auto with_cells(const spec_type& spec, const std::array<Word*, 1>& words, Body body) {
        return with_fixed_width(words[0], static_cast<unsigned>(spec.counter_bits),
                                [&](auto view) { return body(saturating_counters(view, view.largest())); });
    }
};

template <class Store>
using basic_counting_filter = cell_filter<counting_kind, Store>;
using counting_filter = basic_counting_filter<heap_words>;

} // namespace everbloom
