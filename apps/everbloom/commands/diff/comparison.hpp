// filter_comparison: the differences of two filters, and an estimate of the keys they share.
//
// Bits are compared one by one if kind, geometry, hash and its key are equal. The number of keys in both is estimated from the
// intersection, for kinds that have one, or from the occupied cells of the union: |A and B| = |A| + |B| - |A or B|. A kind whose union
// counts a key of both twice gives no estimate; it is recognised by merging a filter with itself.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace everbloom::cli {

/// One filter with its measurements.
struct compared_filter {
    std::string path;
    filter_file file;
    std::uint64_t file_bytes = 0;
    measurement now;
    double occupied_share = 0;
};

[[nodiscard]] result<compared_filter> look_at_filter(const std::string& path);

/// Estimated numbers of keys.
struct key_overlap {
    double only_a = 0;
    double only_b = 0;
    double both = 0;
};

struct filter_comparison {
    bool same_kind = false;
    bool same_geometry = false;
    bool same_hash = false; // and key
    bool same_key_type = false;
    bool same_target = false;
    bool same_guard = false;
    bool same_attachment = false;
    std::optional<std::uint64_t> different_bits; // of this many, where they can be compared
    std::uint64_t compared_bits = 0;
    std::optional<key_overlap> overlap;

    /// Would the two files be equal, byte for byte?
    [[nodiscard]] bool is_same() const noexcept {
        return different_bits == 0 && same_target && same_guard && same_attachment;
    }
};

[[nodiscard]] result<filter_comparison> compare(const compared_filter& a, const compared_filter& b);

} // namespace everbloom::cli
