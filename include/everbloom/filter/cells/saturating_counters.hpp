// saturating_counters: saturating cells. They count items exactly up to a limit; a saturated cell never changes again.
//
//   0 -> 1 -> 2 -> ... -> saturated    an insertion
//   0 <- 1 <- 2 <- ...    saturated    a removal; a saturated cell no longer knows its number of items and is not decremented
//
// With the limit 2 these are ternary cells (0, 1, x), with 3 quaternary ones (0, 1, 2, x), with 2^b - 1 counters of b bits.
#pragma once

#include <everbloom/filter/cells/cell_filter.hpp>

namespace everbloom {

/// `View` reads and changes the numbers, however they are packed: cell_view, trit_view.
template <class View>
class saturating_counters {
public:
    /// Of cell_view; 0 for others.
    static constexpr unsigned fixed_bits = [] {
        if constexpr (requires { View::fixed_bits; }) return View::fixed_bits;
        return 0u;
    }();
    /// Counters of four bits; cells with fewer values are stuck too often for it.
    static constexpr bool in_kernel = fixed_bits == 4;

    /// How many items are in a cell of 1.6 or two bits is a matter of chance, and no branch predicts it. Wider ones are hardly ever stuck.
    static constexpr bool few_values = fixed_bits == 2 || !requires { View::fixed_bits; };

    saturating_counters(View view, std::uint64_t stuck) noexcept : view_(view), stuck_(stuck) {}

    [[nodiscard]] static std::uint64_t tag(const digest&) noexcept { return 0; }
    void prefetch(std::uint64_t at) const noexcept { view_.prefetch(at); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t at) const noexcept { return view_.get(at); }
    [[nodiscard]] std::uint64_t count(std::uint64_t at) const noexcept { return view_.get(at); }

    [[nodiscard]] bool may_hold(std::uint64_t at, std::uint64_t) const noexcept { return view_.get(at) != 0; }

    bool put(std::uint64_t at, std::uint64_t) const noexcept {
        const std::uint64_t value = view_.get(at);
        if constexpr (few_values) {
            view_.add_within(at, value != stuck_ ? 1 : 0);
            return value + 1 >= stuck_;
        }
        if (value + 1 < stuck_) [[likely]] {
            view_.add_within(at, 1);
            return false;
        }
        if (value != stuck_) view_.add_within(at, 1);
        return true;
    }

    [[nodiscard]] cell_state judge(std::uint64_t at, std::uint64_t) const noexcept {
        const std::uint64_t value = view_.get(at);
        if constexpr (few_values) {
            const std::uint64_t few = std::min<std::uint64_t>(value, 2); // 0: foreign, 1: last, 2: more
            return value == stuck_ ? cell_state::stuck : static_cast<cell_state>(few);
        }
        if (value == stuck_) [[unlikely]]
            return cell_state::stuck;
        return value > 1 ? cell_state::more : static_cast<cell_state>(value);
    }

    void take(std::uint64_t at, std::uint64_t) const noexcept {
        const bool counts_down = view_.get(at) != stuck_;
        if constexpr (few_values) {
            view_.subtract_within(at, counts_down ? 1 : 0);
        } else if (counts_down) [[likely]] {
            view_.subtract_within(at, 1);
        }
    }

    template <class Other>
    void absorb(std::uint64_t at, const Other& other) const noexcept {
        view_.set(at, std::min(view_.get(at) + other.cell(at), stuck_));
    }

    bool ask_all(std::span<const digest> items, std::span<std::uint8_t> answers, const probing& how) const noexcept
        requires(fixed_bits == 2)
    {
        return kernel::cell_batches::ask_pairs(view_.words(), items, answers, how);
    }
    // Whole batches; false: not on this processor, or not with this geometry. `one` does it for a single key.
    bool ask_all(std::span<const digest> items, std::span<std::uint8_t> answers, const probing& how) const noexcept
        requires in_kernel
    {
        return kernel::cell_batches::ask_counters(view_.words(), items, answers, how);
    }
    template <class One>
    bool insert_all(std::span<const digest> items, std::span<insert_outcome> outcomes, const probing& how,
                    One one) const noexcept
        requires in_kernel
    {
        return kernel::cell_batches::insert_counters(view_.words(), items, outcomes, how,
                                                     kernel::one_key<insert_outcome>(one));
    }
    template <class One>
    bool erase_all(std::span<const digest> items, std::span<erase_outcome> outcomes, const probing& how,
                   One one) const noexcept
        requires in_kernel
    {
        return kernel::cell_batches::erase_counters(view_.words(), items, outcomes, how,
                                                    kernel::one_key<erase_outcome>(one));
    }

    template <class One>
    bool insert_all(std::span<const digest> items, std::span<insert_outcome> outcomes, const probing& how,
                    One one) const noexcept
        requires(fixed_bits == 2)
    {
        return kernel::cell_batches::insert_pairs(view_.words(), static_cast<unsigned>(stuck_), items, outcomes, how,
                                                  kernel::one_key<insert_outcome>(one));
    }
    template <class One>
    bool erase_all(std::span<const digest> items, std::span<erase_outcome> outcomes, const probing& how,
                   One one) const noexcept
        requires(fixed_bits == 2)
    {
        return kernel::cell_batches::erase_pairs(view_.words(), static_cast<unsigned>(stuck_), items, outcomes, how,
                                                 kernel::one_key<erase_outcome>(one));
    }

private:
    static_assert(static_cast<int>(cell_state::foreign) == 0 && static_cast<int>(cell_state::last) == 1 &&
                  static_cast<int>(cell_state::more) == 2);

    View view_;
    std::uint64_t stuck_;
};

} // namespace everbloom
