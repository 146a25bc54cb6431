// The keys: random 64-bit numbers, all made before the clock starts.
//
// Key i is the i-th output of SplitMix64 [Steele14], which is a bijection of i: members (the first so many) and absent keys (those
// behind them) cannot meet, whatever the seed.
#pragma once

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace everbloom::bench {

/// Keys per call of a batch interface, and per iteration of a lookup benchmark.
inline constexpr std::size_t batch_keys = batch_items;

[[nodiscard]] constexpr std::uint64_t key_at(std::uint64_t index) noexcept {
    return mix((index + 1) * golden_ratio_bits); // SplitMix64; the factor is odd, so no index repeats another
}

class key_set {
public:
    explicit key_set(std::uint64_t items);

    [[nodiscard]] std::uint64_t items() const noexcept { return members_.size(); }
    /// Every member once, in the order of insertion.
    [[nodiscard]] std::span<const std::uint64_t> members() const noexcept { return members_; }
    /// Every member once, in an order that has nothing to do with that of insertion.
    [[nodiscard]] std::span<const std::uint64_t> shuffled_members() const noexcept { return shuffled_; }
    /// Keys that are no members; as many as fill whole batches.
    [[nodiscard]] std::span<const std::uint64_t> absent_keys() const noexcept { return absent_; }
    /// Members to look for, in random order; as many as there are absent keys.
    [[nodiscard]] std::span<const std::uint64_t> wanted_members() const noexcept { return wanted_; }

private:
    std::vector<std::uint64_t> members_;
    std::vector<std::uint64_t> shuffled_;
    std::vector<std::uint64_t> absent_;
    std::vector<std::uint64_t> wanted_;
};

/// The keys of this run, made at the first call.
[[nodiscard]] const key_set& run_keys();

/// Hands out a span of keys batch by batch, for ever. The span holds whole batches.
class batch_cycle {
public:
    explicit batch_cycle(std::span<const std::uint64_t> keys) noexcept : keys_(keys) {}

    [[nodiscard]] std::span<const std::uint64_t, batch_keys> next() noexcept {
        if (at_ == keys_.size()) at_ = 0;
        const auto batch = keys_.subspan(at_).first<batch_keys>();
        at_ += batch_keys;
        return batch;
    }

private:
    std::span<const std::uint64_t> keys_;
    std::size_t at_ = 0;
};

/// Calls `act(part)` for the keys in parts of at most one batch.
template <class Act>
void for_each_batch(std::span<const std::uint64_t> keys, Act act) {
    while (!keys.empty()) {
        const auto part = keys.first(keys.size() < batch_keys ? keys.size() : batch_keys);
        act(part);
        keys = keys.subspan(part.size());
    }
}

} // namespace everbloom::bench
