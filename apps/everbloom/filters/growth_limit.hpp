// growth_limit: the number of keys at which a growing filter reaches its limits, shown beforehand and when it happens.
#pragma once

#include "filters/insertion.hpp"
#include "output/json_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>

namespace everbloom::cli {

/// An estimate; nothing for a kind that does not grow.
[[nodiscard]] inline std::optional<double> growth_limit(const any_filter& filter) {
    const auto growth = filter.growth();
    return growth ? std::optional(growth->most_keys) : std::nullopt;
}

/// With up to this many keys a removal of one that was never added passes with a chance below 1e-6; nothing if that is not known.
[[nodiscard]] inline std::optional<double> sure_keys(const any_filter& filter) {
    const auto growth = filter.growth();
    return growth && growth->sure_keys != 0 ? std::optional(growth->sure_keys) : std::nullopt;
}

/// "grows to about 1,073,741,824 keys"; empty for a kind that does not grow. Where the FPR is planned for fewer, it says so.
[[nodiscard]] inline std::string growth_limit_text(const any_filter& filter) {
    const auto growth = filter.growth();
    if (!growth) return "";
    const std::string plan = growth->planned_keys == 0
                                 ? ""
                                 : fmt::format("planned for {}, then the FPR doubles whenever it doubles; ",
                                               counted(static_cast<std::uint64_t>(growth->planned_keys), "key"));
    return plan + "grows to " + estimated_keys(growth->most_keys);
}

/// The same if the limit may be reached in practice; empty if it is a billion keys or more.
[[nodiscard]] inline std::string near_growth_limit_text(const any_filter& filter) {
    constexpr double far = 1e9;
    return growth_limit(filter).value_or(far) < far ? growth_limit_text(filter) : "";
}

/// "of a key that was never added: ..."; empty for a kind whose removals are not verified.
[[nodiscard]] inline std::string removal_risk_text(const any_filter& filter, double now) {
    const auto sure = sure_keys(filter);
    if (!sure) return "";
    return fmt::format("of a key that was never added: carried out with a chance of {} now, below 1e-6 up to {}",
                       rate_text(now), counted(static_cast<std::uint64_t>(*sure), "key"));
}

/// Why a growing filter refused keys, and what to do; empty if it refused none.
[[nodiscard]] inline std::string end_of_growth_text(const any_filter& filter, const insert_tally& tally) {
    const std::uint64_t refused = tally.of(insert_outcome::growth_refused);
    const auto limit = growth_limit(filter);
    if (refused == 0 || !limit) return "";
    const std::string what = counted(refused, "key") + (refused == 1 ? " was" : " were");
    constexpr double nearly = 0.9; // the limit is an estimate for kinds made of sub-filters
    if (filter.measure().items >= nearly * *limit) {
        return fmt::format("{} refused: the filter has reached the limit of its growth, {}; create a larger filter "
                           "from all keys, or one "
                           "with higher limits ('everbloom show' lists them)",
                           what, estimated_keys(*limit));
    }
    return fmt::format("{} refused: there is not enough memory to grow; the limit of the filter is {}", what,
                       estimated_keys(*limit));
}

/// Prints it to standard error.
inline void warn_of_end_of_growth(const std::string& path, const any_filter& filter, const insert_tally& tally) {
    const std::string sentence = end_of_growth_text(filter, tally);
    if (!sentence.empty()) fmt::print(stderr, "everbloom: {}: {}\n", path, sentence);
}

} // namespace everbloom::cli
