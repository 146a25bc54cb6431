// The fingerprint counting Bloom filter (FP-CBF): counters that also remember the xor of their items' fingerprints.
//
// Idea        As in a counting filter every item adds one to its k counters; beside each counter lies the xor of the fingerprints
//             of the items in it. Where a counter is 1 that is the fingerprint of the one item: another one there proves absence.
// Source      [Pontarelli16] as described in [Kwon §II.C].
// Layout      M = bits / (counter_bits + fingerprint_bits) cells, packed:   | fingerprint : f | counter : c |  (counter lowest)
// Guarantees  No false negative as long as only members are removed. A counter at its largest value is saturated permanently, and
//             its fingerprint is 0 from then on. Refusals change nothing. A key inserted twice must be removed twice.
// Cost        k cache lines per operation (absent keys: fewer than two).
// Deviation   Equal positions of one item are counted once.
#pragma once

#include <everbloom/bits/cell_view.hpp>
#include <everbloom/filter/cells/cell_filter.hpp>
#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/probe/fingerprint.hpp>

namespace everbloom {

struct fingerprint_counting_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t counter_bits = 4;
    std::uint64_t fingerprint_bits = 4;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<fingerprint_counting_spec>, 5> fields() noexcept {
        using own = fingerprint_counting_spec;
        return {
            bits_field<own>(), hashes_field<own>(),
            spec_field<own>{"counter_bits", &own::counter_bits, 2, max_cell_bits - 1, "bits per counter"},
            spec_field<own>{"fingerprint_bits", &own::fingerprint_bits, 1, max_cell_bits - 2, "bits per fingerprint"},
            probe_field<own>()};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (cell_bits() > max_cell_bits) {
            return fail(failure_reason::bad_parameter, "counter_bits and fingerprint_bits together are " +
                                                           std::to_string(cell_bits()) + "; a cell has 32 at most");
        }
        if (cells() == 0) {
            return fail(failure_reason::bad_parameter,
                        "bits is " + std::to_string(bits) + "; one cell alone needs " + std::to_string(cell_bits()));
        }
        return {};
    }
    [[nodiscard]] std::uint64_t cell_bits() const noexcept { return counter_bits + fingerprint_bits; }
    [[nodiscard]] std::uint64_t cells() const noexcept { return bits / cell_bits(); }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const fingerprint_counting_spec&, const fingerprint_counting_spec&) = default;
};

template <class View>
class fingerprint_counter_cells {
public:
    fingerprint_counter_cells(View view, unsigned counter_bits, unsigned fingerprint_bits) noexcept
        : view_(view), counter_bits_(counter_bits), fingerprint_bits_(fingerprint_bits),
          stuck_(low_mask(counter_bits)) {}

    /// Where it lies in the cell, above the counter.
    [[nodiscard]] std::uint64_t tag(const digest& item) const noexcept {
        return fingerprint(item, fingerprint_bits_) << counter_bits_;
    }
    void prefetch(std::uint64_t at) const noexcept { view_.prefetch(at); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t at) const noexcept { return count(at); }
    [[nodiscard]] std::uint64_t count(std::uint64_t at) const noexcept { return view_.get(at) & stuck_; }

    [[nodiscard]] bool may_hold(std::uint64_t at, std::uint64_t tag) const noexcept {
        return holds(view_.get(at), tag);
    }

    bool put(std::uint64_t at, std::uint64_t tag) const noexcept {
        const std::uint64_t value = view_.get(at);
        const std::uint64_t count = value & stuck_;
        if (count + 1 < stuck_) [[likely]] {
            view_.set(at, (value + 1) ^ tag);
            return false;
        }
        view_.set(at, stuck_);
        return true;
    }

    [[nodiscard]] cell_state judge(std::uint64_t at, std::uint64_t tag) const noexcept {
        const std::uint64_t value = view_.get(at);
        if (!holds(value, tag)) return cell_state::foreign;
        if ((value & stuck_) == stuck_) return cell_state::stuck;
        return holds((value - 1) ^ tag, tag) ? cell_state::more : cell_state::last;
    }

    void take(std::uint64_t at, std::uint64_t tag) const noexcept {
        const std::uint64_t value = view_.get(at);
        if ((value & stuck_) != stuck_) view_.set(at, (value - 1) ^ tag);
    }

    template <class Other>
    void absorb(std::uint64_t at, const Other& other) const noexcept {
        const std::uint64_t mine = view_.get(at);
        const std::uint64_t theirs = other.raw(at);
        const std::uint64_t count = (mine & stuck_) + (theirs & stuck_);
        view_.set(at, count >= stuck_ ? stuck_ : (((mine ^ theirs) & ~stuck_) | count));
    }
    [[nodiscard]] std::uint64_t raw(std::uint64_t at) const noexcept { return view_.get(at); }

private:
    [[nodiscard]] bool holds(std::uint64_t value, std::uint64_t tag) const noexcept {
        const std::uint64_t count = value & stuck_;
        return count > 1 || (count == 1 && (value & ~stuck_) == tag);
    }

    View view_;
    unsigned counter_bits_;
    unsigned fingerprint_bits_;
    std::uint64_t stuck_; // the largest count, and the mask of the counter
};

struct fingerprint_counting_kind {
    using spec_type = fingerprint_counting_spec;
    static constexpr std::string_view name = "fingerprint_counting";
    static constexpr std::string_view summary = "deletes; counters with fingerprints, far fewer false positives";
    static constexpr std::array<std::string_view, 1> section_names{"cells"};
    static constexpr bool counts = true;

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const spec_type& spec) noexcept {
        return {lines_for_cells(spec.cells(), spec.cell_bits())};
    }

    [[nodiscard]] static result<void> check_contents(const spec_type& spec,
                                                     const std::array<std::span<const std::uint64_t>, 1>& sections) {
        if (auto tail = check_tail(sections[0], spec.cells() * spec.cell_bits(), "cells"); !tail) return tail;
        const cell_view<const std::uint64_t> view(sections[0].data(), static_cast<unsigned>(spec.cell_bits()));
        const std::uint64_t stuck = low_mask(static_cast<unsigned>(spec.counter_bits));
        for (std::uint64_t i = 0; i < spec.cells(); ++i) {
            const std::uint64_t count = view.get(i) & stuck;
            if ((count == 0 || count == stuck) && view.get(i) != count) {
                return fail(failure_reason::damaged,
                            "cell " + std::to_string(i) + " has a fingerprint, but its counter is zero or saturated");
            }
        }
        return {};
    }

    template <class Word, class Body>
    static auto with_cells(const spec_type& spec, const std::array<Word*, 1>& words, Body body) {
        const auto counter_bits = static_cast<unsigned>(spec.counter_bits);
        const auto fingerprint_bits = static_cast<unsigned>(spec.fingerprint_bits);
        return body(fingerprint_counter_cells(cell_view<Word>(words[0], counter_bits + fingerprint_bits), counter_bits,
                                              fingerprint_bits));
    }
};

template <class Store>
using basic_fingerprint_counting_filter = cell_filter<fingerprint_counting_kind, Store>;
using fingerprint_counting_filter = basic_fingerprint_counting_filter<heap_words>;

} // namespace everbloom
