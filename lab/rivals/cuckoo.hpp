// Cuckoo filter [Fan14]: buckets of four fingerprints; a key may lie in two buckets.
//
// The second bucket is the first one XOR a hash of the fingerprint, so that a fingerprint can move between its two buckets although the
// key is not known any more. An insertion into two full buckets moves one of the fingerprints to its other bucket, and so on. After 500
// moves it gives up: the table is full. Here the moves are then undone, so that a refused insertion has changed nothing; the paper keeps
// the last fingerprint beside the table instead. The number of buckets is a power of two because of the XOR.
//
// FPR: a query compares itself with up to eight fingerprints of f bits, 1 - (1 - 2^-f)^(8 load), about 8 load / 2^f. Erasing a member is
// always possible; erasing a key that was never added may remove another's fingerprint.
#pragma once

#include "lab/rivals/packed_cells.hpp"
#include "lab/rivals/rival.hpp"

namespace everbloom::lab::rivals {

class cuckoo_filter : public growing_rival {
public:
    static constexpr std::uint64_t bucket_cells = 4;
    static constexpr unsigned most_moves = 500;
    /// What the paper reaches with buckets of four.
    static constexpr double usual_load = 0.95;

    /// `fingerprint_bits` is 2 to 32. The fingerprint 0 means an empty cell.
    cuckoo_filter(unsigned log_buckets, unsigned fingerprint_bits);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override { return cells_.bits(); }
    [[nodiscard]] insert_outcome insert(digest item) override;
    [[nodiscard]] erase_outcome erase(digest item) override;

    [[nodiscard]] std::uint64_t cells() const noexcept { return cells_.size(); }
    [[nodiscard]] double load() const noexcept { return static_cast<double>(keys_) / static_cast<double>(cells()); }
    [[nodiscard]] static double model_fpr(unsigned fingerprint_bits, double load);

private:
    struct place {
        std::uint64_t bucket;
        std::uint64_t fingerprint;
    };
    [[nodiscard]] place place_of(digest item) const noexcept;
    [[nodiscard]] std::uint64_t other_bucket(std::uint64_t bucket, std::uint64_t fingerprint) const noexcept;
    /// Puts it into a free cell of the bucket, if there is one.
    bool put(std::uint64_t bucket, std::uint64_t fingerprint) noexcept;
    [[nodiscard]] bool has(std::uint64_t bucket, std::uint64_t fingerprint, line_log* log) const;

    std::uint64_t bucket_mask_;
    unsigned fingerprint_bits_;
    packed_cells cells_;
    std::uint64_t keys_ = 0;
    std::uint64_t choices_ = 0; // of the fingerprint that moves
};

} // namespace everbloom::lab::rivals
