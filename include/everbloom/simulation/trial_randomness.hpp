// Random digests by number: the i-th member or absent key of a trial can be recomputed at any time, so none are stored.
//
// A counter is multiplied by an odd number, which is a bijection, and mixed into each half of the digest. The stream's number is in
// the counter's highest bits and mixing is a bijection, so within a trial no digest repeats: an absent key is never a member. Seed and
// trial only choose the keys.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <cstdint>

namespace everbloom {

enum class random_stream : std::uint64_t { members, absent, choices, negatives };

/// The size of each stream.
inline constexpr std::uint64_t stream_numbers = std::uint64_t{1} << 62;

class trial_randomness {
public:
    trial_randomness(std::uint64_t seed, std::uint64_t trial) noexcept
        : low_key_(mix(mix(seed + golden_ratio_bits) + trial)), high_key_(mix(low_key_ + golden_ratio_bits)) {}

    /// `number` is below `stream_numbers`.
    [[nodiscard]] digest operator()(random_stream from, std::uint64_t number) const noexcept {
        const std::uint64_t counter = static_cast<std::uint64_t>(from) * stream_numbers + number;
        return {mix(low_key_ + counter * golden_ratio_bits), mix(high_key_ + counter * root_of_two_bits)};
    }

    /// The `number`-th random choice, an index below `range`.
    [[nodiscard]] std::uint64_t choose(std::uint64_t number, std::uint64_t range) const noexcept {
        return reduce((*this)(random_stream::choices, number).low, range);
    }

private:
    std::uint64_t low_key_;
    std::uint64_t high_key_;
};

} // namespace everbloom
