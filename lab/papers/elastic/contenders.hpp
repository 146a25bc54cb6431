// Filters compared in [Wu21 §5], with its settings: initially 2^18 bits, five hash functions, full or grown at a threshold of 0.2 set bits.
// All use double hashing, so that speeds are comparable. In addition our elastic_blocked, with as many bits per key as `elastic` has just
// before it grows.
#pragma once

#include "lab/papers/laboratory.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace everbloom::lab::elastic {

inline constexpr std::uint64_t papers_bits = std::uint64_t{1} << 18;
inline constexpr std::uint64_t papers_hashes = 5;
inline constexpr double papers_threshold = 0.2;
inline constexpr std::uint64_t papers_items = std::uint64_t{1} << 14; // a relative peak data size of 1

[[nodiscard]] inline structure elastic_contender() {
    return {"elastic",
            "elastic",
            {{"hashes", "5"}, {"threshold", "0.2"}, {"bucket_slots", "8"}, {"branches", "3"}},
            {"#2b7bba", 7, 0.7, 1.8}};
}
/// 512 / 23 = 22.3 bits per key; `elastic` has 5 / -ln(1 - 0.2) = 22.4 before it doubles.
[[nodiscard]] inline structure blocked_contender() {
    return {"elastic_blocked (ours)", "elastic_blocked", {{"line_keys", "23"}}, {"#2a9d74", 9, 0.6, 1.6}};
}
[[nodiscard]] inline structure dynamic_contender() {
    return {"dynamic", "dynamic", {{"hashes", "5"}, {"threshold", "0.2"}}, {"#e08a1e", 5, 0.6, 1.6}};
}
[[nodiscard]] inline structure scalable_contender() {
    return {"scalable", "scalable", {{"hashes", "5"}, {"threshold", "0.2"}}, {"#b1447f", 11, 0.6, 1.6}};
}
[[nodiscard]] inline structure bloom_contender() {
    return {"bloom (fixed size)", "bloom", {{"hashes", "5"}}, {"#777777", 13, 0.6, 1.4}};
}

/// An empty filter. The size is initial_bits for kinds that grow, else bits.
[[nodiscard]] inline result<any_filter> build_contender(const structure& wanted, std::uint64_t bits) {
    build_request request{wanted.kind, std::nullopt, std::nullopt, wanted.parameters};
    request.parameters.push_back({wanted.kind == "bloom" ? "bits" : "initial_bits", std::to_string(bits)});
    return build(request);
}

/// Relative peak data sizes: powers of two up to a limit of the scale, 256 as in the paper at full scale.
[[nodiscard]] inline std::uint64_t largest_peak(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return 256;
    return lab.thoroughness().name == "glance" ? 8 : 64;
}

/// A geometric sequence from `least` on.
[[nodiscard]] inline std::vector<std::uint64_t> peaks_up_to(std::uint64_t most, std::uint64_t factor,
                                                            std::uint64_t least = 1) {
    std::vector<std::uint64_t> made;
    for (std::uint64_t peak = least; peak <= most; peak *= factor) made.push_back(peak);
    return made;
}

} // namespace everbloom::lab::elastic
