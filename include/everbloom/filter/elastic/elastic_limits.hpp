// Limits that make an elastic filter grow: set bits, and the bucket tree of [Wu21 §3.3.2].
//
// A bucket has D slots; what is over goes to a bucket of D slots more, which `branches` neighbours share:
//
//      level 2     |      D slots      |      D slots      | ...        bucket i of level 1 belongs to bucket i / branches
//      level 1     |  D  |  D  |  D    |  D  |  D  |  D    | ...
//
// Here these are limits only: stored hashes lie in packed pages, which need no empty slots in every bucket. A bucket is a range of
// hashes, and its load is counted. Copies of one fingerprint are counted in place and take one slot together: nine copies of a key are
// no reason to grow, since no growth would part them.
#pragma once

#include <everbloom/filter/elastic/elastic_bits.hpp>
#include <everbloom/filter/elastic/elastic_spec.hpp>
#include <everbloom/filter/elastic/stored_hashes/stored_hashes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

namespace everbloom {

class bucket_tree {
public:
    bucket_tree() noexcept = default;
    explicit bucket_tree(const elastic_spec& spec) noexcept
        : slots_(static_cast<unsigned>(spec.bucket_slots)), branches_(spec.branches) {}

    /// Whether the bucket of a hash and the one it shares hold all that is in them, at 2^log_bits buckets.
    template <WordStore Store>
    [[nodiscard]] bool holds(const stored_hashes<Store>& stored, std::uint64_t hash, unsigned log_bits) const noexcept {
        if (stored.count_within(bucket_of(hash, log_bits), slots_ + 1) <= slots_) return true;
        const std::uint64_t index = backwards(hash) & low_mask(log_bits);
        const std::uint64_t first = index / branches_ * branches_;
        const std::uint64_t end = std::min(first + branches_, std::uint64_t{1} << log_bits);
        unsigned over = 0;
        for (std::uint64_t i = first; i < end && over <= slots_; ++i) {
            const unsigned load = stored.count_within(bucket_of(backwards(i), log_bits), 2 * slots_ + 1);
            over += load > slots_ ? load - slots_ : 0;
        }
        return over <= slots_;
    }

    /// The same for all hashes in a range. The bucket that the end of the range cuts is looked at as a whole.
    template <WordStore Store>
    [[nodiscard]] bool holds_all(const stored_hashes<Store>& stored, const hash_range& range,
                                 unsigned log_bits) const noexcept {
        bool all = true;
        unsigned load = 0;
        hash_range bucket{1, 0};
        std::uint64_t last = 0;
        stored.for_each_within(range, [&](std::uint64_t hash, std::uint64_t) {
            if (hash > bucket.highest || bucket.lowest > bucket.highest) {
                bucket = bucket_of(hash, log_bits);
                load = 0;
            }
            last = hash;
            if (++load == slots_ + 1 && all) all = holds(stored, hash, log_bits);
        });
        return all && (load == 0 || holds(stored, last, log_bits));
    }

private:
    unsigned slots_ = 8;
    std::uint64_t branches_ = 3;
};

/// How many bits a sorted sequence of hashes sets, at every size.
class set_bit_profile {
public:
    void add_next(std::uint64_t hash) noexcept {
        // Two neighbours share a bucket as long as the index ends before the first bit in which they differ.
        ++parted_at_[any_ ? static_cast<unsigned>(std::countl_zero(hash ^ last_)) : 0];
        last_ = hash;
        any_ = true;
    }
    [[nodiscard]] std::uint64_t ones(unsigned log_bits) const noexcept {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < log_bits; ++i) sum += parted_at_[i];
        return sum;
    }

private:
    std::array<std::uint64_t, 65> parted_at_{};
    std::uint64_t last_ = 0;
    bool any_ = false;
};

/// The smallest size from `bits` on at which the hashes neither set too many bits nor overflow the tree.
template <WordStore Store>
[[nodiscard]] result<std::uint64_t> smallest_size(const elastic_spec& spec, const stored_hashes<Store>& stored,
                                                  std::uint64_t bits) {
    set_bit_profile profile;
    stored.for_each([&](std::uint64_t hash, std::uint64_t) { profile.add_next(hash); });
    const bucket_tree tree(spec);
    for (; bits <= spec.largest_bits(); bits *= 2) {
        const auto log_bits = static_cast<unsigned>(std::bit_width(bits)) - 1;
        if (profile.ones(log_bits) <= spec.ones_allowed(bits) && tree.holds_all(stored, {}, log_bits)) return bits;
    }
    return fail(failure_reason::no_room, "the keys do not fit into " + std::to_string(spec.largest_bits()) +
                                             " bits, which most_bits and word_bits allow at most");
}

} // namespace everbloom
