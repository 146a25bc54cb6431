// The formulas of [Carrea16 §IV] against simulation. Keys are asked for that are members, known negatives or strangers; Eq. 24 says
// how many of them are false positives, Eq. 30 how many a no-filter vetoes.
#include "experiments/comparison.hpp"
#include "experiments/yesno/builds.hpp"
#include "experiments/yesno/yesno.hpp"
#include "simulation/trial_randomness.hpp"

#include <everbloom/filter/yes_no_build.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace everbloom::experiments::yesno {
namespace {

constexpr std::uint64_t strangers = 1000;

/// What the formulas are made of, and what they should say, for one filter or on average.
struct terms {
    double stored = 0;    // |R|
    double eq24 = 0;      // as printed
    double corrected = 0; // without Pr[S] f_R
    double split = 0;     // the same, but known negatives that found no place are not vetoed
    cli::tally positives; // E among all keys
    cli::tally vetoed;    // strangers that a no-filter covers
    std::optional<failure> trouble;
};

double ones_of(const yes_no_filter& filter, std::uint64_t no_filter) {
    double ones = 0;
    for (std::uint64_t i = 0; i < filter.spec().no_bits; ++i) ones += filter.no_bit(0, no_filter, i) ? 1 : 0;
    return ones;
}

/// Whether a no-filter has all positions of the key.
bool is_vetoed(const yes_no_filter& filter, digest key) {
    const position_list positions = yes_no_places(filter.spec()).no(key, filter.seed(0));
    for (std::uint64_t j = 0; j < filter.spec().no_filters; ++j) {
        const auto there = positions.get();
        if (std::all_of(there.begin(), there.end(), [&](std::uint64_t at) { return filter.no_bit(0, j, at); }))
            return true;
    }
    return false;
}

terms look_at(const setting& wanted, const cli::trial_randomness& random) {
    std::vector<digest> members;
    std::vector<digest> others; // the known negatives, then the strangers
    for (std::uint64_t i = 0; i < wanted.members; ++i) members.push_back(random(cli::stream::members, i));
    for (std::uint64_t i = 0; i < wanted.negatives + strangers; ++i)
        others.push_back(random(cli::stream::strangers, i));
    const std::span<const digest> negatives = std::span(others).first(wanted.negatives);
    terms seen;
    const auto built = build_yes_no(wanted.spec, members, negatives);
    if (!built) {
        seen.trouble = built.error();
        return seen;
    }
    const yes_no_filter& filter = built->filter;
    const auto all = static_cast<double>(members.size() + others.size());
    double yes_ones = 0;
    for (std::uint64_t i = 0; i < wanted.spec.yes_bits; ++i) yes_ones += filter.yes_bit(0, i) ? 1 : 0;
    std::vector<double> no_ones;
    for (std::uint64_t j = 0; j < wanted.spec.no_filters; ++j) no_ones.push_back(ones_of(filter, j));

    const auto left = static_cast<double>(built->report.false_positives_after);
    seen.stored = static_cast<double>(built->report.false_positives_before) - left;
    const double f_s =
        std::pow(yes_ones / static_cast<double>(wanted.spec.yes_bits), static_cast<double>(wanted.spec.yes_hashes));
    const double f_r = yes_no_expectation::veto_share(wanted.spec, no_ones);
    const double member_share = static_cast<double>(members.size()) / all;
    const double stored_share = seen.stored / all;
    seen.eq24 = (1 - member_share) * f_s - (member_share + (1 - member_share) * f_s) * f_r - (1 - f_r) * stored_share;
    seen.corrected = yes_no_expectation::false_positive_share(member_share, f_s, f_r, stored_share);
    seen.split = (left + static_cast<double>(strangers) * f_s * (1 - f_r)) / all;

    const auto says_yes = [&](digest key) { return filter.may_contain(key); };
    seen.positives = {static_cast<std::uint64_t>(std::count_if(others.begin(), others.end(), says_yes)),
                      members.size() + others.size()};
    const std::span<const digest> unknown = std::span(others).subspan(wanted.negatives);
    seen.vetoed = {static_cast<std::uint64_t>(std::count_if(unknown.begin(), unknown.end(),
                                                            [&](digest key) { return is_vetoed(filter, key); })),
                   strangers};
    return seen;
}

struct averages {
    terms mean;
    estimate positives;
    estimate vetoed;
};

result<averages> average(const laboratory& lab, const setting& wanted) {
    const std::uint64_t trials = 2 * experiments_of(lab);
    std::vector<terms> seen(trials);
    lab.in_parallel(
        trials, [&](std::uint64_t trial) { seen[trial] = look_at(wanted, cli::trial_randomness(lab.seed(), trial)); });
    lab.tell(trials * (wanted.members + wanted.negatives + strangers));
    averages made;
    std::vector<cli::tally> positives;
    std::vector<cli::tally> vetoed;
    const auto count = static_cast<double>(trials);
    for (const terms& one : seen) {
        if (one.trouble) return fail(*one.trouble);
        made.mean.stored += one.stored / count;
        made.mean.eq24 += one.eq24 / count;
        made.mean.corrected += one.corrected / count;
        made.mean.split += one.split / count;
        positives.push_back(one.positives);
        vetoed.push_back(one.vetoed);
    }
    made.positives = cli::estimate_share(positives);
    made.vetoed = cli::estimate_share(vetoed);
    return made;
}

setting with(std::uint64_t members, std::uint64_t no_filters) {
    setting made = papers_setting();
    made.members = members;
    made.spec.no_filters = no_filters;
    made.spec.assign = static_cast<std::uint64_t>(yes_no_assignment::first_fit);
    return made;
}

/// Eq. 30, with whatever number one puts into it.
double eq30(const setting& one, double keys) {
    const auto hashes = static_cast<double>(one.spec.no_hashes);
    return std::pow(-std::expm1(-hashes * keys / static_cast<double>(one.spec.no_bits)), hashes);
}

} // namespace

result<outcome> formulas(laboratory& lab) {
    artefact eq24{"eq24",
                  "False positives among members, 100 known negatives and 1000 strangers: Eq. 24, corrected, measured",
                  {"n, members"},
                  {"share of the keys that are false positives"}};
    eq24.paper_values = "Eq. 24";
    eq24.reading =
        "The line is the corrected form. Eq. 24 subtracts members that a no-filter vetoes, and there are none.";
    artefact veto{"eq30",
                  "Strangers that the only no-filter vetoes: Eq. 30, our model, measured",
                  {"n, members"},
                  axis_from_zero("f_R")};
    veto.paper_values = "Eq. 30, with n";
    veto.reading = "A no-filter stores false positives, not members, and takes only as many as do no harm.";
    series shares{"three no-filters, first-fit", {"#c44e52", 7, 0.6, 1.7}};
    series vetoes{"one no-filter, first-fit", {"#c44e52", 7, 0.6, 1.7}};
    series by_stored{"Eq. 30 with the stored false positives", {"#2b7bba", 5, 0.5, 1.5}};
    fit printed(fit::error::relative, 0.05);
    fit corrected(fit::error::relative, 0.05);
    fit split(fit::error::relative, 0.02);
    fit with_members(fit::error::relative, 0.1);
    fit with_chain(fit::error::relative, 0.1);
    std::string example;
    std::string veto_example;
    for (const std::uint64_t members : {10, 20, 30, 40, 50, 60}) {
        const auto x = static_cast<double>(members);
        const auto seen = average(lab, with(members, 3));
        if (!seen) return fail(seen.error());
        shares.points.push_back({x, seen->mean.eq24, seen->mean.corrected, seen->positives});
        printed.note(seen->positives, seen->mean.eq24);
        corrected.note(seen->positives, seen->mean.corrected);
        split.note(seen->positives, seen->mean.split);

        const setting alone = with(members, 1);
        const auto one = average(lab, alone);
        if (!one) return fail(one.error());
        const double said = yes_no_first_fit::expect(alone.spec, members, alone.negatives).veto_share;
        vetoes.points.push_back({x, eq30(alone, x), said, one->vetoed});
        by_stored.points.push_back({x, std::nullopt, eq30(alone, one->mean.stored), std::nullopt});
        with_members.note(one->vetoed, eq30(alone, x));
        with_chain.note(one->vetoed, said);
        if (members == 30) {
            example = fmt::format("at n = 30 it says {:.5f}, the corrected form {:.5f}, measured is {:.5f}",
                                  seen->mean.eq24, seen->mean.corrected, seen->positives.mean);
            veto_example =
                fmt::format("at n = 30 it says {:.3f}; measured is {:.3f}, with {:.2f} false positives stored",
                            eq30(alone, x), one->vetoed.mean, one->mean.stored);
        }
    }
    // With nothing but known keys, as in §V, the error is larger than all the rest.
    const setting defaults = with(30, 3);
    const auto said = yes_no_first_fit::expect(defaults.spec, 30, 100);
    const double f_s = said.before / 100;
    const double known = 130;
    const double bare = 100 / known * f_s - (30 / known + 100 / known * f_s) * said.veto_share -
                        (1 - said.veto_share) * (said.before - said.after) / known;
    eq24.curves = {std::move(shares)};
    veto.curves = {std::move(vetoes), std::move(by_stored)};
    outcome found;
    found.findings = {
        {"eq24", printed.share(),
         fmt::format("{}; asked for members and known negatives only, as in §V, it gives a probability of {:.3f}",
                     example, bare)},
        {"eq24-corrected", corrected.share(), corrected.words()},
        {"eq24-split", split.share(), split.words()},
        {"eq30", with_members.share(), veto_example},
        {"veto-model", with_chain.share(), with_chain.words()}};
    found.artefacts = {std::move(eq24), std::move(veto)};
    return found;
}

} // namespace everbloom::experiments::yesno
