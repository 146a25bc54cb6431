#include "lab/papers/dleft/bucket_process.hpp"

#include <algorithm>
#include <bit>

namespace everbloom::lab::dleft {

static_assert(all_buckets <= std::uint64_t{1} << 16 && std::has_single_bit(buckets) && subtables == 4);
namespace {

/// The least full of the buckets that `drawn` stands for, with its load above bit 16: the smallest number is the least full, and of equal
/// ones the leftmost.
std::uint64_t least_full(const std::uint8_t* loads, std::uint64_t drawn) noexcept {
    constexpr unsigned bits = std::countr_zero(buckets);
    std::array<std::uint64_t, subtables> seen{};
    for (std::uint64_t i = 0; i < subtables; ++i) {
        const std::uint64_t bucket = i * buckets + (drawn >> (i * bits) & (buckets - 1));
        seen[i] = std::uint64_t{loads[bucket]} << 16 | bucket;
    }
    return std::min({seen[0], seen[1], seen[2], seen[3]});
}

} // namespace

bool bucket_process::fill(std::uint64_t keys) {
    buckets_of_keys_.reserve(buckets_of_keys_.size() + keys);
    for (std::uint64_t i = 0; i < keys; ++i) {
        const std::uint64_t best = least_full(loads_.data(), random_(random_stream::members, inserted_++).low);
        if (best >> 16 >= bucket_cells) return false;
        ++loads_[best & 0xffff];
        buckets_of_keys_.push_back(static_cast<std::uint16_t>(best));
    }
    return true;
}

bool bucket_process::churn(std::uint64_t steps) {
    // Copies: a write to a load, a byte, could otherwise change any member.
    const trial_randomness random = random_;
    std::uint8_t* const loads = loads_.data();
    std::uint16_t* const places = buckets_of_keys_.data();
    const std::uint64_t keys = buckets_of_keys_.size();
    const std::uint64_t first = inserted_;
    inserted_ += steps;
    for (std::uint64_t i = 0; i < steps; ++i) {
        std::uint16_t& place = places[random.choose(first + i, keys)];
        --loads[place];
        const std::uint64_t best = least_full(loads, random(random_stream::members, first + i).low);
        if (best >> 16 >= bucket_cells) return false;
        place = static_cast<std::uint16_t>(best);
        ++loads[place];
    }
    return true;
}

double bucket_process::at_least(unsigned keys) const {
    const auto full = std::count_if(loads_.begin(), loads_.end(), [&](std::uint8_t load) { return load >= keys; });
    return static_cast<double>(full) / static_cast<double>(all_buckets);
}

} // namespace everbloom::lab::dleft
