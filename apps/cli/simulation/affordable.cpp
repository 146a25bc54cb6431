#include "simulation/affordable.hpp"

#include "wording.hpp"

#include <everbloom/bits/heap_words.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli {

result<void> check_affordable(const any_filter& empty, const simulation_request& wanted) {
    const auto items = static_cast<double>(wanted.items);
    const auto trials = static_cast<double>(wanted.trials);
    const double removed = wanted.removed_share * items;
    const double inserted = items + removed;
    // A churn step takes one key out and puts one in; in the end every member is asked about twice.
    const double keys = trials * (inserted + removed + 2 * static_cast<double>(wanted.churn_steps) + 2 * items +
                                  static_cast<double>(wanted.queries));
    if (!(keys <= most_keys)) {
        return fail(
            failure_reason::bad_parameter,
            fmt::format("that is {:.2g} keys to put in, take out or ask about, and would take days; a simulation "
                        "has {:.0e} at most: ask for fewer items, steps, queries or trials",
                        keys, most_keys));
    }
    // The members are a list as soon as one of them leaves.
    const double list = removed > 0 || wanted.churn_steps > 0 ? inserted * sizeof(std::uint64_t) : 0;
    const double at_once = std::min(trials, static_cast<double>(wanted.threads));
    const double bytes = at_once * (static_cast<double>(empty.payload_bytes()) + list);
    const std::uint64_t memory = heap_words::physical_memory_bytes();
    if (bytes > static_cast<double>(memory)) {
        return fail(
            failure_reason::out_of_memory,
            fmt::format("{:.0f} trials at the same time need {}, but this machine has {}; ask for fewer bits or "
                        "items, or for fewer --threads",
                        at_once, bytes_text(static_cast<std::uint64_t>(bytes)), bytes_text(memory)));
    }
    return {};
}

} // namespace everbloom::cli
