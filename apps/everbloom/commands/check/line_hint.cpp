#include "commands/check/line_hint.hpp"

#include "output/message.hpp"
#include "output/wording.hpp"

#include <cmath>

namespace everbloom::cli {
namespace {

/// The expected number of false positives, from the cells of the filters.
double expected_by_chance(const check_request& request, std::uint64_t keys) {
    double rate = 0;
    for (const named_filter& one : request.filters) {
        const bool confirms = request.sure != certainty::usual && one.file.filter().can(capability::confirm);
        rate += confirms ? 0 : one.current_fpr();
    }
    return rate * static_cast<double>(keys);
}

} // namespace

void hint_at_fields(const check_request& request, const check_result& sum) {
    constexpr std::uint64_t few_lines = 5; // someone tries some keys: no log
    const bool are_mostly_lines = 2 * sum.lines_with_blanks > sum.lines_looked_at;
    if (sum.lines_looked_at < few_lines || !are_mostly_lines) return;
    if (request.filters.front().file.keys != key_type::text) return;
    if (sum.found != 0) {
        const double expected = expected_by_chance(request, sum.keys);
        if (static_cast<double>(sum.found) > expected + 4 * std::sqrt(expected)) return; // most of them are no chance
    }
    say("everbloom: {}; whole lines were taken as keys, and they have blanks in them: --field N, --json-field or "
        "--regex "
        "says which part of a line is the key\n",
        sum.found == 0 ? "nothing was found"
                       : fmt::format("{} of {} were found, as many as false positives are expected", grouped(sum.found),
                                     counted(sum.keys, "key")));
}

} // namespace everbloom::cli
