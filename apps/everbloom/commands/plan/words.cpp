#include "commands/plan/words.hpp"

#include "filters/geometry_flags.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace everbloom::cli {
namespace {

/// 16000000 -> "16M", exactly or not at all.
std::string short_size(std::uint64_t count) {
    constexpr std::array<std::pair<std::uint64_t, const char*>, 3> units{
        {{1'000'000'000, "G"}, {1'000'000, "M"}, {1'000, "k"}}};
    for (const auto& [unit, name] : units) {
        if (count != 0 && count % unit == 0) return fmt::format("{}{}", count / unit, name);
    }
    return fmt::format("{}", count);
}

void join(std::string& text, const std::string& more) { text += (text.empty() ? "" : "; ") + more; }

/// A kind that degrades is created for a lower FPR than it will have.
/// To four digits.
double rounded_down(double rate) {
    const double unit = std::pow(10, std::floor(std::log10(rate)) - 3);
    return std::floor(rate / unit) * unit;
}

bool is_made_larger(const planned_kind& planned, const planning_request& wanted) {
    return planned.request.fpr != wanted.wanted.fpr;
}

} // namespace

std::string workload_words(const planning_request& wanted) {
    const expected_lifetime& lifetime = wanted.lifetime;
    std::string text = fmt::format("{} at {} FPR", counted(wanted.wanted.items, "key"), rate_text(wanted.wanted.fpr));
    if (lifetime == any_lifetime) {
        text += fmt::format("; no workload given, so all of it may happen:\nunlimited churn, keys that are added "
                            "repeatedly, and growth to {:g} times the size (--remove 0: no removals)",
                            lifetime.growth);
    } else {
        if (!lifetime.removes()) text += "; no removals";
        if (lifetime.removed_share > 0)
            text += fmt::format("; {} more keys are added and removed again", rate_text(lifetime.removed_share));
        if (lifetime.churn_rounds > 0)
            text += fmt::format("; every key is replaced {:.4g} times", lifetime.churn_rounds);
        if (lifetime.growth > 1) text += fmt::format("; the set may grow to {:.4g} times its size", lifetime.growth);
    }
    if (wanted.negatives > 0) text += "; " + counted(wanted.negatives, "known negative");
    if (wanted.memory_bytes) text += fmt::format("; {} of memory", bytes_text(*wanted.memory_bytes));
    return text;
}

std::string why_chosen(const planned_kind& planned, const planning_request& wanted) {
    std::string text;
    if (wanted.lifetime.growth > 1) {
        const bool begins_small = planned.request.items == wanted.wanted.items;
        join(text, begins_small ? fmt::format("grows, {} initially", bytes_text(planned.first_bytes))
                                : "full size from the start");
    }
    if (wanted.lifetime.removes() && wanted.lifetime.churn_rounds >= lasting_churn_rounds)
        join(text, "does not degrade");
    if (is_made_larger(planned, wanted) && wanted.lifetime.removes()) {
        join(text, fmt::format("degrades, so created for {} FPR", rate_text(*planned.request.fpr)));
    }
    if (planned.slow_bytes > 0) join(text, fmt::format("{} of it is slow memory", bytes_text(planned.slow_bytes)));
    if (planned.guard_bytes > 0)
        join(text, fmt::format("{} of it is the exclusion list", bytes_text(planned.guard_bytes)));
    join(text, fmt::format("{} per query", counted(planned.query_lines, "cache line")));
    return text;
}

std::string why_dropped(const dropped_kind& dropped, const planning_request& wanted) {
    switch (dropped.why) {
    case obstacle::cannot_remove: return "cannot remove keys";
    case obstacle::loses_members: return "removals cause false negatives";
    case obstacle::may_refuse:
        return "may refuse keys that are added repeatedly or beyond its capacity; use --churn if yours are not";
    case obstacle::no_negatives: return "is for known negatives, and none are given (--negatives)";
    case obstacle::no_model: return "has no model for this workload";
    case obstacle::no_geometry: return dropped.sentence;
    case obstacle::rate_too_high:
        return fmt::format("degrades: an FPR of {} at the end, with four times the bits", rate_text(dropped.figure));
    case obstacle::stay_for_ever:
        return fmt::format("degrades: only {} of the keys are removable at the end", rate_text(dropped.figure));
    case obstacle::worse_than_exact:
        return fmt::format("needs {}; an exact set of the keys is smaller", bytes_text(dropped.bytes));
    case obstacle::too_large:
        return fmt::format("needs {}, {} over the limit", bytes_text(dropped.bytes),
                           bytes_text(dropped.bytes - wanted.memory_bytes.value_or(0)));
    }
    return {};
}

std::string create_command(const planned_kind& planned, const planning_request& wanted) {
    // Rounding to whole cells may need a slightly lower FPR; where keys are removed, the workload is given instead.
    const bool is_rounded = is_made_larger(planned, wanted) && !wanted.lifetime.removes();
    std::string text = fmt::format("everbloom create filter.eb --kind {} --capacity {} --fpr {}", planned.kind->name,
                                   short_size(planned.request.items.value_or(0)),
                                   is_rounded ? rounded_down(*planned.request.fpr) : wanted.wanted.fpr);
    for (const parameter_text& one : planned.request.parameters) {
        text += one.name == "planned_keys" ? fmt::format(" --growth {:g}x", wanted.lifetime.growth)
                                           : " " + flag_of(one.name) + " " + one.value;
    }
    if (!is_made_larger(planned, wanted)) return text;
    if (wanted.lifetime.removed_share > 0) text += fmt::format(" --remove {}", wanted.lifetime.removed_share);
    if (wanted.lifetime.churn_rounds > 0) text += fmt::format(" --churn {}", wanted.lifetime.churn_rounds);
    if (wanted.deletable != planning_request{}.deletable) text += fmt::format(" --deletable {}", wanted.deletable);
    return text;
}

std::string protect_command(const planned_kind& planned) {
    const bool by_itself = planned.kind->capabilities.has(capability::protect);
    return std::string("everbloom protect filter.eb negatives.txt") + (by_itself ? " --members members.txt" : "");
}

} // namespace everbloom::cli
