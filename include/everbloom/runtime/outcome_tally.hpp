// outcome_tally: counts the outcomes of an operation.
#pragma once

#include <everbloom/filter/outcomes.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace everbloom {

template <class Outcome, std::size_t Count>
class outcome_tally {
public:
    void add(Outcome outcome, std::uint64_t times = 1) noexcept { counts_[static_cast<std::size_t>(outcome)] += times; }
    /// Many outcomes. Those of eight in a row that are equal are counted at once: adding to a count waits for the addition before.
    void add(std::span<const Outcome> outcomes) noexcept {
        constexpr std::uint64_t each_byte = 0x0101010101010101;
        std::uint64_t eight = 0;
        for (; outcomes.size() >= sizeof eight; outcomes = outcomes.subspan(sizeof eight)) {
            std::memcpy(&eight, outcomes.data(), sizeof eight);
            if (eight == (eight & 0xff) * each_byte) {
                add(outcomes.front(), sizeof eight);
            } else {
                add_short(outcomes.first(sizeof eight));
            }
        }
        add_short(outcomes);
    }
    void add(const outcome_tally& more) noexcept {
        for (std::size_t i = 0; i < Count; ++i) counts_[i] += more.counts_[i];
    }

    [[nodiscard]] std::uint64_t of(Outcome outcome) const noexcept {
        return counts_[static_cast<std::size_t>(outcome)];
    }
    [[nodiscard]] std::uint64_t all() const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : counts_) sum += count;
        return sum;
    }
    [[nodiscard]] std::uint64_t successes() const noexcept {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < Count; ++i) sum += succeeded(static_cast<Outcome>(i)) ? counts_[i] : 0;
        return sum;
    }

    /// Calls `visit(name, count)` for every outcome, including zero counts.
    template <class Visitor>
    void for_each(Visitor visit) const {
        for (std::size_t i = 0; i < Count; ++i) visit(name_of(static_cast<Outcome>(i)), counts_[i]);
    }

private:
    /// Up to fifteen outcomes, in one number that has four bits for each kind of outcome.
    void add_short(std::span<const Outcome> outcomes) noexcept {
        constexpr unsigned bits = 4;
        static_assert(Count * bits <= 64);
        std::uint64_t sums = 0;
        for (const Outcome one : outcomes) sums += std::uint64_t{1} << (bits * static_cast<unsigned>(one));
        for (std::size_t i = 0; sums != 0; ++i, sums >>= bits) counts_[i] += sums & ((1u << bits) - 1);
    }

    std::array<std::uint64_t, Count> counts_{};
};

using insert_tally = outcome_tally<insert_outcome, insert_outcome_names.size()>;
using erase_tally = outcome_tally<erase_outcome, erase_outcome_names.size()>;

} // namespace everbloom
