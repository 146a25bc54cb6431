#include "lab/rivals/cuckoo.hpp"

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/probe/mix.hpp>

#include <cmath>
#include <utility>

namespace everbloom::lab::rivals {

cuckoo_filter::cuckoo_filter(unsigned log_buckets, unsigned fingerprint_bits)
    : bucket_mask_(low_mask(log_buckets)), fingerprint_bits_(fingerprint_bits),
      cells_(bucket_cells << log_buckets, fingerprint_bits) {}

cuckoo_filter::place cuckoo_filter::place_of(digest item) const noexcept {
    // 0 is the empty cell. Reducing the other bits to 1 ... 2^f - 1 instead of remapping 0 keeps fingerprints uniform.
    const std::uint64_t values = low_mask(fingerprint_bits_);
    return {item.low & bucket_mask_, 1 + item.high % values};
}

std::uint64_t cuckoo_filter::other_bucket(std::uint64_t bucket, std::uint64_t fingerprint) const noexcept {
    return bucket ^ (mix(fingerprint) & bucket_mask_);
}

bool cuckoo_filter::put(std::uint64_t bucket, std::uint64_t fingerprint) noexcept {
    for (std::uint64_t cell = bucket * bucket_cells; cell < (bucket + 1) * bucket_cells; ++cell) {
        if (cells_.get(cell) != 0) continue;
        cells_.set(cell, fingerprint);
        return true;
    }
    return false;
}

bool cuckoo_filter::has(std::uint64_t bucket, std::uint64_t fingerprint, line_log* log) const {
    const std::uint64_t bucket_bits = bucket_cells * fingerprint_bits_;
    if (log != nullptr) log->note_bits(0, bucket * bucket_bits, bucket_bits);
    for (std::uint64_t cell = bucket * bucket_cells; cell < (bucket + 1) * bucket_cells; ++cell) {
        if (cells_.get(cell) == fingerprint) return true;
    }
    return false;
}

bool cuckoo_filter::contains(digest item, line_log* log) const {
    const auto [bucket, fingerprint] = place_of(item);
    return has(bucket, fingerprint, log) || has(other_bucket(bucket, fingerprint), fingerprint, log);
}

insert_outcome cuckoo_filter::insert(digest item) {
    auto [bucket, fingerprint] = place_of(item);
    if (put(bucket, fingerprint) || put(other_bucket(bucket, fingerprint), fingerprint)) {
        ++keys_;
        return insert_outcome::inserted;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> moved; // cells, with what was in them
    if ((mix(++choices_) & 1) != 0) bucket = other_bucket(bucket, fingerprint);
    for (unsigned moves = 0; moves < most_moves; ++moves) {
        const std::uint64_t cell = bucket * bucket_cells + mix(++choices_) % bucket_cells;
        const std::uint64_t victim = cells_.get(cell);
        moved.emplace_back(cell, victim);
        cells_.set(cell, fingerprint);
        fingerprint = victim;
        bucket = other_bucket(bucket, fingerprint);
        if (put(bucket, fingerprint)) {
            ++keys_;
            return insert_outcome::inserted;
        }
    }
    // clang 14 does not compile std::views::reverse. NOLINTNEXTLINE(modernize-loop-convert)
    for (auto one = moved.rbegin(); one != moved.rend(); ++one) cells_.set(one->first, one->second);
    return insert_outcome::full_bucket;
}

erase_outcome cuckoo_filter::erase(digest item) {
    const auto [first, fingerprint] = place_of(item);
    for (const std::uint64_t bucket : {first, other_bucket(first, fingerprint)}) {
        for (std::uint64_t cell = bucket * bucket_cells; cell < (bucket + 1) * bucket_cells; ++cell) {
            if (cells_.get(cell) != fingerprint) continue;
            cells_.set(cell, 0);
            --keys_;
            return contains(item) ? erase_outcome::removed_still_positive : erase_outcome::removed;
        }
    }
    return erase_outcome::not_present;
}

double cuckoo_filter::model_fpr(unsigned fingerprint_bits, double load) {
    const auto values = static_cast<double>(low_mask(fingerprint_bits));
    return 1 - std::pow(1 - 1 / values, 2 * static_cast<double>(bucket_cells) * load);
}

} // namespace everbloom::lab::rivals
