// Bucket occupancy: only the places of fingerprints are simulated, uniform random ones or those of the keys of a trace.
#pragma once

#include "lab/papers/elastic/workload_keys.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::lab::elastic {

/// An endless sequence of random places below `range`.
class random_places {
public:
    random_places(std::uint64_t seed, std::uint64_t range) noexcept : state_(mix(seed)), range_(range) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        state_ += golden_ratio_bits; // mixing consecutive multiples of it gives random numbers [Steele14]
        return reduce(mix(state_), range_);
    }

private:
    std::uint64_t state_;
    std::uint64_t range_;
};

/// The places of eight fingerprints of each key of a trace, one key after the other. A repeated key has the same places again.
class trace_places {
public:
    static constexpr std::uint64_t hashes = 8; // of the paper's filters

    trace_places(const laboratory& lab, std::uint64_t trial, std::uint64_t range) noexcept
        : keys_(lab, trial), range_(range) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        if (number_ % hashes == 0) key_ = keys_.member(number_ / hashes);
        return reduce(mix(key_.low + number_++ % hashes * key_.high), range_);
    }

private:
    workload_keys keys_;
    std::uint64_t range_;
    std::uint64_t number_ = 0;
    digest key_{};
};

/// Calls `fill` with the places of one trial.
template <class Fill>
[[nodiscard]] std::uint64_t with_places(const laboratory& lab, std::uint64_t trial, std::uint64_t range, Fill fill) {
    if (lab.trace().empty()) return fill(random_places(lab.seed() + trial, range));
    return fill(trace_places(lab, trial, range));
}

/// The two-level tree of [Wu21 §3.3.2].
struct bucket_tree {
    std::uint64_t buckets = 0; // on level 1
    std::uint64_t slots = 8;
    std::uint64_t branches = 3;

    [[nodiscard]] constexpr std::uint64_t shared_buckets() const noexcept {
        return (buckets + branches - 1) / branches;
    }
    [[nodiscard]] constexpr std::uint64_t all_slots() const noexcept { return slots * (buckets + shared_buckets()); }

    /// Number of fingerprints inserted before the first overflow, at the latest when all slots are full.
    template <class Places>
    [[nodiscard]] std::uint64_t fill(Places places) const {
        std::vector<std::uint8_t> own(buckets, 0);
        std::vector<std::uint8_t> shared(shared_buckets(), 0);
        for (std::uint64_t inside = 0;; ++inside) {
            const std::uint64_t place = places.next();
            if (own[place] < slots) {
                ++own[place];
            } else if (std::uint8_t& over = shared[place / branches]; over < slots) {
                ++over;
            } else {
                return inside;
            }
        }
    }
};

} // namespace everbloom::lab::elastic
