// elastic_tree: how many fingerprints may lie at one position before an elastic filter grows [Wu21 §3.3.2].
//
// A bucket has D slots; what is over goes to a bucket of D slots more, which `branches` neighbours share:
//
//      level 2     |      D slots      |      D slots      | ...        bucket i of level 1 belongs to bucket i / branches
//      level 1     |  D  |  D  |  D    |  D  |  D  |  D    | ...
//
// Here these are limits only: fingerprints lie in packed pages, which need no empty slots in every bucket. A bucket is a range of
// records, and its load is a number to be counted. Copies of one fingerprint are counted in place and take one slot together: nine
// copies of a key are no reason to grow, since no growth would part them.
#pragma once

#include <everbloom/filter/elastic/elastic_hashes.hpp>
#include <everbloom/filter/elastic/elastic_spec.hpp>
#include <everbloom/filter/elastic/records/record_range.hpp>

#include <bit>

namespace everbloom {

/// The records of the bucket that a record falls into, where there are 2^log_bits buckets (1 <= log_bits <= 56).
[[nodiscard]] constexpr record_range bucket_of(std::uint64_t record, unsigned log_bits) noexcept {
    const std::uint64_t inside = low_mask(64 - log_bits);
    return {record & ~inside, record | inside};
}

class elastic_tree {
public:
    elastic_tree() noexcept = default;
    explicit elastic_tree(const elastic_spec& spec) noexcept
        : slots_(static_cast<unsigned>(spec.bucket_slots)), branches_(spec.branches) {}

    /// Whether the bucket of a record and the one it shares hold all that is in them, at 2^log_bits buckets.
    template <class Records>
    [[nodiscard]] bool holds(const Records& records, std::uint64_t record, unsigned log_bits) const noexcept {
        if (count_within(records, bucket_of(record, log_bits), slots_ + 1) <= slots_) return true;
        const std::uint64_t index = backwards(record) & low_mask(log_bits);
        const std::uint64_t first = index / branches_ * branches_;
        const std::uint64_t end = std::min(first + branches_, std::uint64_t{1} << log_bits);
        unsigned over = 0;
        for (std::uint64_t i = first; i < end && over <= slots_; ++i) {
            const unsigned load = count_within(records, bucket_of(backwards(i), log_bits), 2 * slots_ + 1);
            over += load > slots_ ? load - slots_ : 0;
        }
        return over <= slots_;
    }

    /// The same for all records within a range, which ends with a whole bucket or is looked at again from there.
    template <class Records>
    [[nodiscard]] bool holds_all(const Records& records, const record_range& range, unsigned log_bits) const noexcept {
        bool all = true;
        unsigned load = 0;
        record_range bucket{1, 0};
        std::uint64_t last = 0;
        const auto visit = [&](std::uint64_t record, std::uint64_t) {
            if (record > bucket.highest || bucket.lowest > bucket.highest) {
                bucket = bucket_of(record, log_bits);
                load = 0;
            }
            last = record;
            if (++load == slots_ + 1 && all) all = holds(records, record, log_bits);
        };
        records.for_each_within(range.lowest, range.highest, visit);
        // The last bucket may go on behind the range.
        return all && (load == 0 || holds(records, last, log_bits));
    }

    [[nodiscard]] unsigned slots() const noexcept { return slots_; }

private:
    unsigned slots_ = 8;
    std::uint64_t branches_ = 3;
};

} // namespace everbloom
