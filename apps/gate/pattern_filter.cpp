#include "gate/pattern_filter.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/model/bloom/bloom.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace everbloom::cli {
namespace {

constexpr std::uint64_t sieve_bits_per_pattern = 64;
constexpr double most_behind_sieve = 0.5; // upper limit of the Bloom filter's target FPR

double sieve_fpr(std::uint64_t patterns, std::uint64_t bits) {
    return -std::expm1(-static_cast<double>(patterns) / static_cast<double>(bits));
}

} // namespace

result<pattern_filter> pattern_filter::make(const pattern_list& patterns, double fpr, const any_hasher& hash) {
    const rolling_hash rolling(hash);
    std::vector<digest> digests;
    digests.reserve(patterns.count());
    for (std::size_t i = 0; i < patterns.count(); ++i) digests.push_back(rolling.digest_of(patterns[i]));
    return make(digests, fpr);
}

result<pattern_filter> pattern_filter::make(std::span<const digest> patterns, double fpr) {
    const std::uint64_t count = patterns.size();
    const std::uint64_t sieve_bits = std::bit_ceil(std::max<std::uint64_t>(count, 1) * sieve_bits_per_pattern);
    const double passing = std::max(sieve_fpr(count, sieve_bits), 1.0 / static_cast<double>(sieve_bits));
    const auto spec =
        bloom_model::plan({std::max<std::uint64_t>(count, 1), std::min(fpr / passing, most_behind_sieve)});
    if (!spec) return fail(in("bad_data", spec.error()));
    auto behind = everbloom::make<bloom_filter>(*spec);
    if (!behind) return fail(in("bad_data", std::move(behind.error())));
    pattern_filter made(std::move(*behind), sieve_bits, count);
    for (const digest words : patterns) {
        const std::uint64_t at = words.low & made.last_bit_;
        made.sieve_[at / 64] |= std::uint64_t{1} << (at % 64);
        made.behind_.insert(words);
    }
    return made;
}

double pattern_filter::model_fpr() const noexcept {
    if (patterns_ == 0) return 0;
    return sieve_fpr(patterns_, last_bit_ + 1) *
           bloom_model::predict(behind_.spec(), {.items = patterns_}).fpr.value_or(1);
}

std::size_t pattern_filter::bytes() const noexcept {
    return sieve_.size() * sizeof(std::uint64_t) + behind_.sections()[0].size_bytes();
}

} // namespace everbloom::cli
