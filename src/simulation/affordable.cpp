#include <everbloom/bits/heap_words.hpp>
#include <everbloom/simulation/affordable.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace everbloom {
namespace {

std::string rounded(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", number);
    return text.data();
}

} // namespace

result<void> check_affordable(const any_filter& empty, const simulation_request& wanted) {
    const auto items = static_cast<double>(wanted.items);
    const auto trials = static_cast<double>(wanted.trials);
    const double removed = wanted.removed_share * items;
    const double inserted = items + removed;
    // A churn step takes one key out and puts one in; in the end every member is queried twice.
    const double keys = trials * (inserted + removed + 2 * static_cast<double>(wanted.churn_steps) + 2 * items +
                                  static_cast<double>(wanted.queries));
    if (!(keys <= most_keys)) {
        return fail(failure_reason::bad_parameter,
                    "that is " + rounded(keys) +
                        " keys to insert, remove or query, and would take days; a simulation has " +
                        rounded(most_keys) + " at most: ask for fewer items, steps, queries or trials");
    }
    // The members are stored as a list as soon as one of them is removed.
    const double list = removed > 0 || wanted.churn_steps > 0 ? inserted * sizeof(std::uint64_t) : 0;
    const double at_once = std::min(trials, static_cast<double>(wanted.threads));
    const double bytes = at_once * (static_cast<double>(empty.payload_bytes()) + list);
    const std::uint64_t memory = heap_words::physical_memory_bytes();
    if (bytes > static_cast<double>(memory)) {
        return fail(failure_reason::out_of_memory, rounded(at_once) + " trials at the same time need " +
                                                       rounded(bytes / (1 << 20)) + " MiB, but this machine has " +
                                                       std::to_string(memory >> 20) +
                                                       " MiB; ask for fewer bits or items, or for fewer threads");
    }
    return {};
}

} // namespace everbloom
