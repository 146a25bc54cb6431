// How many keys a filter that grows by itself can take before its own limits end its growth: said beforehand, and when it happens.
#pragma once

#include "filters/insertion.hpp"
#include "output/json_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>

namespace everbloom::cli {

/// About how many; nothing for a kind that does not grow by itself.
[[nodiscard]] inline std::optional<double> growth_limit(const any_filter& filter) {
    const auto growth = filter.growth();
    return growth ? std::optional(growth->most_keys) : std::nullopt;
}

/// "grows up to about 1073741824 keys"; empty for a kind that does not grow by itself.
[[nodiscard]] inline std::string growth_limit_text(const any_filter& filter) {
    const auto limit = growth_limit(filter);
    return limit ? fmt::format("grows up to about {:.0f} keys", *limit) : "";
}

/// The same where the limit is one that somebody may meet; empty where it is a billion keys or more.
[[nodiscard]] inline std::string near_growth_limit_text(const any_filter& filter) {
    constexpr double far = 1e9;
    return growth_limit(filter).value_or(far) < far ? growth_limit_text(filter) : "";
}

/// Why keys were refused by a filter that grows by itself, and what to do; empty if none was.
[[nodiscard]] inline std::string end_of_growth_text(const any_filter& filter, const insert_tally& tally) {
    const std::uint64_t refused = tally.of(insert_outcome::growth_refused);
    const auto limit = growth_limit(filter);
    if (refused == 0 || !limit) return "";
    const std::string who = refused == 1 ? "1 key was" : fmt::format("{} keys were", refused);
    constexpr double nearly = 0.9; // the limit is an estimate for kinds made of sub-filters
    if (filter.measure().items >= nearly * *limit) {
        return fmt::format(
            "{} refused: its limits end its growth at about {:.0f} keys; create a larger filter from all "
            "keys, or one with higher limits ('everbloom show' names them)",
            who, *limit);
    }
    return fmt::format("{} refused: there was no memory to grow; its own limit is about {:.0f} keys", who, *limit);
}

/// Says so on standard error.
inline void warn_of_end_of_growth(const std::string& path, const any_filter& filter, const insert_tally& tally) {
    const std::string sentence = end_of_growth_text(filter, tally);
    if (!sentence.empty()) fmt::print(stderr, "everbloom: {}: {}\n", path, sentence);
}

} // namespace everbloom::cli
