// filter_stats: the state of a filter, from its real cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace everbloom {

/// The state of a filter.
struct filter_stats {
    /// The name of the kind.
    std::string_view kind;
    double keys = 0; // different keys: counted where the kind counts them, otherwise estimated from the cells
    bool keys_are_exact = false; // counted, not estimated
    std::uint64_t capacity = 0;  // 0: none was given
    double fill = 0;             // keys / capacity; 1 is full
    double fpr = 0;              // current FPR
    /// What it was made for.
    double target_fpr = 0;
    std::optional<double> deletable_share; // of the keys in it, for kinds that remove
    /// All memory of the filter.
    std::uint64_t memory_bytes = 0;
    double bits_per_key = 0; // 0 while it is empty
};

} // namespace everbloom
