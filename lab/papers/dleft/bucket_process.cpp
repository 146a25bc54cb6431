#include "lab/papers/dleft/bucket_process.hpp"

#include <everbloom/model/dleft/dleft.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

namespace everbloom::lab::dleft {

static_assert(all_buckets <= std::uint64_t{1} << 16 && std::has_single_bit(buckets) && subtables == 4);

std::uint64_t bucket_process::next_bucket() noexcept {
    constexpr unsigned bits = std::countr_zero(buckets);
    const std::uint64_t drawn = random_(random_stream::members, inserted_++).low;
    // The load above the number of the subtable: the smallest is the least full, and of equal ones the leftmost.
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint64_t i = 0; i < subtables; ++i) {
        const std::uint64_t bucket = i * buckets + (drawn >> (i * bits) & (buckets - 1));
        best = std::min(best, std::uint64_t{loads_[bucket]} << 16 | bucket);
    }
    return best >> 16 < bucket_cells ? best & 0xffff : all_buckets;
}

bool bucket_process::fill(std::uint64_t keys) {
    buckets_of_keys_.reserve(buckets_of_keys_.size() + keys);
    for (std::uint64_t i = 0; i < keys; ++i) {
        const std::uint64_t bucket = next_bucket();
        if (bucket == all_buckets) return false;
        ++loads_[bucket];
        buckets_of_keys_.push_back(static_cast<std::uint16_t>(bucket));
    }
    return true;
}

bool bucket_process::churn(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
        std::uint16_t& place = buckets_of_keys_[random_.choose(removed_++, buckets_of_keys_.size())];
        --loads_[place];
        const std::uint64_t bucket = next_bucket();
        if (bucket == all_buckets) return false;
        ++loads_[bucket];
        place = static_cast<std::uint16_t>(bucket);
    }
    return true;
}

double bucket_process::at_least(unsigned keys) const {
    const auto full = std::count_if(loads_.begin(), loads_.end(), [&](std::uint8_t load) { return load >= keys; });
    return static_cast<double>(full) / static_cast<double>(all_buckets);
}

std::uint64_t trials_with_refusal(const laboratory& lab, std::uint64_t items, std::uint64_t trials) {
    const double load = dleft_model::distinct_load(papers_table(), static_cast<double>(items));
    const auto cells = static_cast<std::uint64_t>(std::llround(load * static_cast<double>(all_buckets)));
    std::atomic<std::uint64_t> refused = 0;
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        bucket_process process(trial_randomness(lab.seed(), trial));
        if (!process.fill(cells) || !process.churn(churn_steps)) ++refused;
    });
    lab.report(trials * (cells + 2 * churn_steps));
    return refused;
}

} // namespace everbloom::lab::dleft
