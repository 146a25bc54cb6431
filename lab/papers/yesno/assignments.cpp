// Assignments beyond [Carrea16]: a search instead of first-fit, and the best of several sets of hash functions. A lower bound for all
// assignments are hopeless false positives: those whose positions alone cover a member fit into no no-filter. Only other hash functions
// help.
#include "lab/papers/comparison.hpp"
#include "lab/papers/yesno/builds.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/filter/yes_no/yes_no_places.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace everbloom::lab::yesno {
namespace {

/// Hopeless false positives of one filter, counted without building it.
std::uint64_t hopeless_in(const setting& wanted, const trial_randomness& random) {
    const yes_no_places places(wanted.spec);
    std::vector<bool> yes(wanted.spec.yes_bits);
    std::vector<position_list> member_rows;
    for (std::uint64_t i = 0; i < wanted.members; ++i) {
        const digest member = random(random_stream::members, i);
        const position_list own = places.yes(member, 0);
        for (const std::uint64_t at : own.get()) yes[at] = true;
        member_rows.push_back(places.no(member, 0));
    }
    std::uint64_t hopeless = 0;
    for (std::uint64_t i = 0; i < wanted.negatives; ++i) {
        const digest negative = random(random_stream::absent, i);
        const position_list own = places.yes(negative, 0);
        const auto asked = own.get();
        if (!std::all_of(asked.begin(), asked.end(), [&](std::uint64_t at) { return yes[at]; })) continue;
        const position_list row = places.no(negative, 0);
        const auto has = [set = row.get()](std::uint64_t at) { return std::count(set.begin(), set.end(), at) > 0; };
        const bool covers = std::any_of(member_rows.begin(), member_rows.end(), [&](const position_list& member) {
            const auto needed = member.get();
            return std::all_of(needed.begin(), needed.end(), has);
        });
        hopeless += covers ? 1 : 0;
    }
    return hopeless;
}

/// Number of hopeless false positives of each filter; the same keys as in build_many.
std::vector<std::uint64_t> count_hopeless(const laboratory& lab, const setting& wanted, std::uint64_t trials) {
    std::vector<std::uint64_t> made(trials);
    lab.in_parallel(
        trials, [&](std::uint64_t trial) { made[trial] = hopeless_in(wanted, trial_randomness(lab.seed(), trial)); });
    lab.report(trials * (wanted.members + wanted.negatives));
    return made;
}

estimate mean_of(const std::vector<std::uint64_t>& counts, std::uint64_t of) {
    std::vector<trial_tally> tallies;
    tallies.reserve(counts.size());
    for (const std::uint64_t each : counts) tallies.push_back({each, of});
    return estimate_share(tallies) * static_cast<double>(of);
}

/// The formula against counts for several lengths and numbers of hash functions.
fit check_bound(const laboratory& lab) {
    fit agrees(fit::error::relative, 0.05);
    for (const std::uint64_t hashes : {1, 2, 3, 5}) {
        for (const std::uint64_t bits : {16, 32}) {
            setting wanted = papers_setting();
            wanted.spec.no_hashes = hashes;
            wanted.spec.no_bits = bits;
            agrees.note(mean_of(count_hopeless(lab, wanted, 5 * experiments_of(lab)), wanted.negatives),
                        yes_no_expectation::hopeless_negatives(wanted.spec, wanted.members, wanted.negatives));
        }
    }
    return agrees;
}

result<artefact> over_seeds(const laboratory& lab) {
    setting crowded = papers_setting();
    crowded.members = 45;
    const std::uint64_t trials = experiments_of(lab) / 4;
    artefact figure{"assignment",
                    "False positives with other assignments and hash functions, 45 members instead of 30",
                    {"seeds tried", axis_scale::logarithmic, 0.9, 18, {1, 2, 4, 8, 16}},
                    {"false positives of 100 negatives", axis_scale::logarithmic, 1e-3, 10}};
    figure.reading =
        "A search gains as much as about four sets of hash functions with first-fit, and the two gains combine.";
    for (const construction* how : {&first_fit(), &search()}) {
        series line{how->label, how->drawn};
        for (const std::uint64_t seeds : {1, 2, 4, 8, 16}) {
            construction one = *how;
            one.seeds = seeds;
            const auto built = build_many(lab, crowded, one, trials);
            if (!built) return fail(built.error());
            line.points.push_back({static_cast<double>(seeds), std::nullopt, std::nullopt, built->after});
        }
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

} // namespace

result<outcome> assignments(laboratory& lab) {
    const setting defaults = papers_setting();
    const std::uint64_t trials = 10 * experiments_of(lab);
    const auto plain = build_many(lab, defaults, first_fit(), trials);
    if (!plain) return fail(plain.error());
    const auto searched = build_many(lab, defaults, search(), trials);
    if (!searched) return fail(searched.error());
    const auto seeded = build_many(lab, defaults, search_with_seeds(), trials);
    if (!seeded) return fail(seeded.error());
    const auto hopeless = count_hopeless(lab, defaults, trials);
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < hopeless.size(); ++i) {
        below += plain->left[i] < hopeless[i] || searched->left[i] < hopeless[i] ? 1 : 0;
    }
    const estimate least = mean_of(hopeless, defaults.negatives);
    const fit bound = check_bound(lab);
    auto figure = over_seeds(lab);
    if (!figure) return fail(std::move(figure.error()));

    outcome found;
    found.findings = {
        {"search-gain", plain->after.mean / std::max(searched->after.mean, 1e-9),
         fmt::format("{:.4f} ({:.4f} .. {:.4f}) with first-fit, {:.4f} ({:.4f} .. {:.4f}) with search, over {} filters",
                     plain->after.mean, plain->after.low, plain->after.high, searched->after.mean, searched->after.low,
                     searched->after.high, trials)},
        {"search-reaches-bound", searched->after.mean / std::max(least.mean, 1e-9),
         fmt::format("search leaves {:.4f}, of which {:.4f} are hopeless; {:.4f} by the formula", searched->after.mean,
                     least.mean,
                     yes_no_expectation::hopeless_negatives(defaults.spec, defaults.members, defaults.negatives))},
        {"seeds-gain", plain->after.mean / std::max(seeded->after.high, 1e-9),
         fmt::format("{:.4f} with first-fit; {:.5f}, at most {:.5f}, with search and the best of four seeds",
                     plain->after.mean, seeded->after.mean, seeded->after.high)},
        {"hopeless-formula", bound.counted(), bound.words()},
        {"hopeless-bound", static_cast<double>(below),
         fmt::format("{} of {} filters left fewer false positives than their hopeless ones", below, trials)}};
    found.artefacts.push_back(std::move(*figure));
    return found;
}

} // namespace everbloom::lab::yesno
