// Fig. 8a of [Wu21 §5.4]: slow memory of fingerprints against a large counting filter. The size of the latter is fixed, that of the
// fingerprints grows with the items. Both let a filter grow from 2^12 to 2^22 bits, or as far as the keys of a trace go.
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace everbloom::lab::elastic {
namespace {

constexpr unsigned first_power = 12;
constexpr unsigned last_power = 22;
constexpr std::size_t sizes = last_power - first_power + 1;
constexpr double counting_bits = 4.0 * (1u << last_power);
constexpr double papers_slots = 8;
constexpr double papers_word = 32;

/// Bits of slow memory at each size: before the next expansion, and the maximum during the expansion to that size.
struct slow_sizes {
    std::array<double, sizes> at_rest{};
    std::array<double, sizes> most{};
    std::size_t reached = 0; // sizes that have been outgrown
};

result<slow_sizes> grow_through(const laboratory& lab, unsigned word_bits) {
    structure wanted = elastic_contender();
    wanted.parameters.push_back({"word_bits", std::to_string(word_bits)});
    auto filter = build_contender(wanted, std::uint64_t{1} << first_power);
    if (!filter) return fail(std::move(filter.error()));
    const workload_keys keys(lab, 0);
    slow_sizes made;
    std::uint64_t inserted = 0;
    const std::uint64_t available = insertions_available(lab, std::uint64_t{1} << last_power);
    for (; made.reached < sizes && inserted < available; ++inserted) {
        const auto outcome = filter->insert(keys.member(inserted));
        if (!outcome) return fail(outcome.error());
        if (!succeeded(*outcome)) return fail(failure_reason::unsupported, "elastic refused a key");
        made.reached = filter->growth()->expansions;
        if (made.reached == sizes) break;
        const auto slow = static_cast<double>(filter->growth()->slow_bits);
        made.at_rest[made.reached] = slow;
        made.most[made.reached] = std::max(made.most[made.reached], slow);
    }
    lab.report(inserted);
    return made;
}

series line_of(std::string label, look drawn, std::span<const double> bits) {
    series made{std::move(label), std::move(drawn)};
    for (std::size_t i = 0; i < bits.size(); ++i) {
        made.points.push_back({static_cast<double>(i),
                               std::nullopt,
                               std::nullopt,
                               estimate{bits[i], bits[i], bits[i]},
                               {{"fast_bits", std::exp2(first_power + i)}}});
    }
    return made;
}

/// By the formula m D w.
std::array<double, sizes> fixed_buckets() {
    std::array<double, sizes> made{};
    for (std::size_t i = 0; i < sizes; ++i) made[i] = std::exp2(first_power + i) * papers_slots * papers_word;
    return made;
}

double share_below_counting(const std::array<double, sizes>& bits) {
    const auto below = std::count_if(bits.begin(), bits.end(), [](double one) { return one < counting_bits; });
    return static_cast<double>(below) / sizes;
}

} // namespace

result<outcome> slow_memory(laboratory& lab) {
    const auto wide = grow_through(lab, 64);
    if (!wide) return fail(wide.error());
    const auto narrow = grow_through(lab, static_cast<unsigned>(papers_word));
    if (!narrow) return fail(narrow.error());
    const std::size_t reached = std::min(wide->reached, narrow->reached);
    if (reached == 0) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("the trace has {} keys, too few for the first expansion, at 2^{} bits",
                                lab.trace().size(), first_power));
    }
    const auto fixed = fixed_buckets();
    std::array<double, sizes> counting{};
    counting.fill(counting_bits);

    artefact figure{"fig8a",
                    "Slow memory over the number of expansions, from 2^12 bits on; before the next expansion",
                    {"expansions"},
                    {"bits of slow memory", axis_scale::logarithmic}};
    figure.reading = "Ours are packed pages; during an expansion the old and the new pages coexist. The fixed buckets "
                     "have m x 8 slots "
                     "x 32 bits as described in the paper, without the second level of the tree.";
    figure.curves = {line_of("counting filter, 2^22 counters", {"#777777", 13, 0.6, 1.6}, counting),
                     line_of("fixed buckets of the paper", {"#e08a1e", 5, 0.6, 1.6}, fixed),
                     line_of("elastic, w = 64", {"#7fb2d9", 7, 0.6, 1.6}, std::span(wide->at_rest).first(reached)),
                     line_of("elastic, w = 32", {"#2b7bba", 7, 0.7, 1.8}, std::span(narrow->at_rest).first(reached))};
    const double share = share_below_counting(narrow->at_rest);
    outcome found;
    found.artefacts.push_back(std::move(figure));
    if (reached < sizes) {
        const std::string why = fmt::format("not tested: the trace ends at 2^{} bits", first_power + reached);
        for (const char* claim : {"slow-memory-mostly-less", "counting-better-at-the-end", "fixed-buckets-mostly-less"})
            found.findings.push_back({claim, std::nan(""), why});
        return found;
    }
    found.findings = {
        {"slow-memory-mostly-less", share,
         fmt::format("w = 32: below the counting filter's {:.3g} bits at {:.0f} of {} sizes (w = 64: {:.0f}); {:.3g} "
                     "to {:.3g} bits, "
                     "and up to {:.2g} times that during an expansion",
                     counting_bits, share * sizes, sizes, share_below_counting(wide->at_rest) * sizes,
                     narrow->at_rest.front(), narrow->at_rest.back(), narrow->most.back() / narrow->at_rest.back())},
        {"counting-better-at-the-end", narrow->at_rest.back() / counting_bits,
         fmt::format("at 2^22 bits {:.3g} bits (w = 64: {:.3g}) against {:.3g} of the counting filter",
                     narrow->at_rest.back(), wide->at_rest.back(), counting_bits)},
        {"fixed-buckets-mostly-less", share_below_counting(fixed),
         fmt::format(
             "m x 8 x 32 bits are less than {:.3g} at {:.0f} of {} sizes, and {:.0f} times as much at the last one",
             counting_bits, share_below_counting(fixed) * sizes, sizes, fixed.back() / counting_bits)}};
    return found;
}

} // namespace everbloom::lab::elastic
