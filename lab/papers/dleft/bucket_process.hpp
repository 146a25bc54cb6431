// bucket_process: how full the buckets of a d-left table are under churn, without the keys: a few nanoseconds for each step.
//
// What a d-left table refuses depends only on how many cells each bucket uses. So a key is here the bucket that it is in, and its d buckets
// are drawn independently, as [Bonomi06] assumes; keys with equal fingerprints share a cell and count as one. Ten thousand trials of 2^20
// steps, as in the paper, take a minute or two this way, and hours with whole filters.
#pragma once

#include "lab/papers/dleft/tables.hpp"

#include <everbloom/simulation/trial_randomness.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace everbloom::lab::dleft {

class bucket_process {
public:
    static constexpr std::uint8_t bucket_cells = 8;

    explicit bucket_process(const trial_randomness& random) : random_(random) {}

    /// Inserts keys, each into the least full of its buckets, of equal ones the leftmost; false at the first one without room.
    [[nodiscard]] bool fill(std::uint64_t keys);
    /// Replaces random keys by new ones; false at the first one without room, and then the process has ended.
    [[nodiscard]] bool churn(std::uint64_t steps);

    /// Share of the buckets with at least this many keys.
    [[nodiscard]] double at_least(unsigned keys) const;

private:
    trial_randomness random_;
    std::uint64_t inserted_ = 0;
    std::array<std::uint8_t, all_buckets> loads_{};
    std::vector<std::uint16_t> buckets_of_keys_;
};

} // namespace everbloom::lab::dleft
