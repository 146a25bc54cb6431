// The fluid limit of d-left hashing: how full the buckets are when tables are large. Derivation: docs/models/dleft.md.
//
// y_ij is the share of the buckets of subtable j (from the left) that hold at least i keys. A new key goes to subtable j and makes
// a bucket there hold i keys if that bucket held exactly i - 1, every bucket on its left at least i, and every one on its right at
// least i - 1. A key that leaves is any of those in. In the limit of many buckets the shares follow differential equations.
#pragma once

#include <cstdint>
#include <vector>

namespace everbloom {

enum class dleft_regime {
    insertions_only, // filled once
    steady_state,    // filled, then replaced one by one indefinitely
};

/// Operations on a table, as numbers of keys per bucket: inserted, then removed, then replaced one by one.
struct dleft_lifetime {
    double inserted = 0;
    double removed = 0;
    double replaced = 0;
    double fingerprints = 0; // that exist, per bucket
};

/// Shares of buckets by their load, all subtables.
class dleft_fluid_limit {
public:
    /// `load` is the mean number of *distinct* fingerprints per bucket; shares are worked out up to `highest`.
    [[nodiscard]] static dleft_fluid_limit solve(unsigned subtables, double load, unsigned highest,
                                                 dleft_regime regime);

    /// A table that refuses keys, because buckets have no more than `bucket_cells` cells, at the end of these operations.
    [[nodiscard]] static dleft_fluid_limit live(unsigned subtables, unsigned bucket_cells, const dleft_lifetime& lived);

    /// Mean number of different fingerprints per bucket.
    [[nodiscard]] double present() const;
    [[nodiscard]] unsigned highest() const noexcept { return highest_; }
    /// The share of all buckets that hold at least `keys` keys.
    [[nodiscard]] double at_least(unsigned keys) const;
    /// The chance that a new key finds at least `keys` keys in each of its buckets.
    [[nodiscard]] double everywhere_at_least(unsigned keys) const;

private:
    [[nodiscard]] double share(unsigned keys, unsigned subtable) const;

    unsigned subtables_ = 0;
    unsigned highest_ = 0;
    std::vector<double> shares_; // of load 1, 2, ... `highest_`, subtable by subtable; then the members per bucket
};

/// The chance that an insertion into a table in its steady state finds all its buckets full, buckets having no limit. The load is
/// rounded up to a sixteenth and answers are kept, so that planning is quick.
[[nodiscard]] double dleft_overflow_rate(unsigned subtables, unsigned bucket_cells, double load);

} // namespace everbloom
