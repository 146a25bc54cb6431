// Formulas of [Carrea16 §IV] against simulation. Queried keys are members, known negatives or unknown absent keys; Eq. 24 is the share of
// false positives among them, Eq. 30 the share vetoed by a no-filter.
#include "lab/papers/comparison.hpp"
#include "lab/papers/yesno/builds.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace everbloom::lab::yesno {
namespace {

constexpr std::uint64_t absent_keys = 1000; // for the measurement of f_R
constexpr std::uint64_t absent_keys_asked = 100;

/// The queried population of a formula.
struct population {
    trial_tally positives; // E, measured
    double eq24 = 0;       // as printed
    double corrected = 0;  // without Pr[S] f_R
    double split = 0;      // the same, but known negatives that are not stored are not vetoed
};

/// Results of one filter.
struct terms {
    double stored = 0;             // |R|
    double veto_share = 0;         // f_R, from the set bits of the no-filters
    std::vector<trial_tally> ones; // of each no-filter
    trial_tally vetoed;            // absent keys covered by a no-filter
    population known;              // members and known negatives
    population mixed;              // and some absent keys
    std::optional<failure> error;
};

trial_tally ones_of(const yes_no_filter& filter, std::uint64_t no_filter) {
    trial_tally ones{0, filter.spec().no_bits};
    for (std::uint64_t i = 0; i < ones.of; ++i) ones.hits += filter.no_bit(0, no_filter, i) ? 1 : 0;
    return ones;
}

double yes_rate_of(const yes_no_filter& filter) {
    double ones = 0;
    for (std::uint64_t i = 0; i < filter.spec().yes_bits; ++i) ones += filter.yes_bit(0, i) ? 1 : 0;
    return std::pow(ones / static_cast<double>(filter.spec().yes_bits), static_cast<double>(filter.spec().yes_hashes));
}

/// Does a no-filter have all positions of the key?
bool is_vetoed(const yes_no_filter& filter, digest key) {
    const position_list positions = yes_no_places(filter.spec()).no(key, filter.seed(0));
    for (std::uint64_t j = 0; j < filter.spec().no_filters; ++j) {
        const auto there = positions.get();
        if (std::all_of(there.begin(), there.end(), [&](std::uint64_t at) { return filter.no_bit(0, j, at); }))
            return true;
    }
    return false;
}

terms look_at(const setting& wanted, const trial_randomness& random) {
    std::vector<digest> members;
    std::vector<digest> others; // the known negatives, then the absent keys
    for (std::uint64_t i = 0; i < wanted.members; ++i) members.push_back(random(random_stream::members, i));
    for (std::uint64_t i = 0; i < wanted.negatives + absent_keys; ++i)
        others.push_back(random(random_stream::absent, i));
    const std::span<const digest> negatives = std::span(others).first(wanted.negatives);
    terms seen;
    const auto built = build_yes_no(wanted.spec, members, negatives);
    if (!built) {
        seen.error = built.error();
        return seen;
    }
    const yes_no_filter& filter = built->filter;
    std::vector<double> ones;
    for (std::uint64_t j = 0; j < wanted.spec.no_filters; ++j) {
        seen.ones.push_back(ones_of(filter, j));
        ones.push_back(static_cast<double>(seen.ones.back().hits));
    }
    const auto left = static_cast<double>(built->report.false_positives_after);
    seen.stored = static_cast<double>(built->report.false_positives_before) - left;
    seen.veto_share = yes_no_expectation::veto_share(wanted.spec, ones);
    const double f_r = seen.veto_share;
    const double f_s = yes_rate_of(filter);
    const auto ask = [&](std::uint64_t unknown) {
        const std::uint64_t all = wanted.members + wanted.negatives + unknown;
        const double member_share = static_cast<double>(wanted.members) / static_cast<double>(all);
        const double stored_share = seen.stored / static_cast<double>(all);
        population made;
        made.eq24 =
            (1 - member_share) * f_s - (member_share + (1 - member_share) * f_s) * f_r - (1 - f_r) * stored_share;
        made.corrected = yes_no_expectation::false_positive_share(member_share, f_s, f_r, stored_share);
        made.split = (left + static_cast<double>(unknown) * f_s * (1 - f_r)) / static_cast<double>(all);
        const auto asked = std::span(others).first(wanted.negatives + unknown);
        made.positives = {static_cast<std::uint64_t>(std::count_if(
                              asked.begin(), asked.end(), [&](digest key) { return filter.may_contain(key); })),
                          all};
        return made;
    };
    seen.known = ask(0);
    seen.mixed = ask(absent_keys_asked);
    const auto unknown = std::span(others).subspan(wanted.negatives);
    seen.vetoed = {static_cast<std::uint64_t>(std::count_if(unknown.begin(), unknown.end(),
                                                            [&](digest key) { return is_vetoed(filter, key); })),
                   absent_keys};
    return seen;
}

struct shares {
    estimate positives;
    double eq24 = 0;
    double corrected = 0;
    double split = 0;
};

shares average(const std::vector<terms>& all, population terms::*whom) {
    shares made;
    std::vector<trial_tally> positives;
    const auto count = static_cast<double>(all.size());
    for (const terms& one : all) {
        positives.push_back((one.*whom).positives);
        made.eq24 += (one.*whom).eq24 / count;
        made.corrected += (one.*whom).corrected / count;
        made.split += (one.*whom).split / count;
    }
    made.positives = estimate_share(positives);
    return made;
}

struct averages {
    double stored = 0;
    double veto_share = 0;
    std::vector<estimate> ones;
    estimate vetoed;
    shares known;
    shares mixed;
};

result<averages> average(const laboratory& lab, const setting& wanted) {
    const std::uint64_t trials = 2 * experiments_of(lab);
    std::vector<terms> seen(trials);
    lab.in_parallel(trials,
                    [&](std::uint64_t trial) { seen[trial] = look_at(wanted, trial_randomness(lab.seed(), trial)); });
    lab.report(trials * (wanted.members + wanted.negatives + absent_keys));
    averages made;
    std::vector<trial_tally> vetoed;
    std::vector<std::vector<trial_tally>> ones(wanted.spec.no_filters);
    for (const terms& one : seen) {
        if (one.error) return fail(*one.error);
        made.stored += one.stored / static_cast<double>(trials);
        made.veto_share += one.veto_share / static_cast<double>(trials);
        vetoed.push_back(one.vetoed);
        for (std::size_t j = 0; j < ones.size(); ++j) ones[j].push_back(one.ones[j]);
    }
    for (const auto& each : ones) made.ones.push_back(estimate_share(each) * static_cast<double>(wanted.spec.no_bits));
    made.vetoed = estimate_share(vetoed);
    made.known = average(seen, &terms::known);
    made.mixed = average(seen, &terms::mixed);
    return made;
}

setting with(std::uint64_t members, std::uint64_t no_filters) {
    setting made = papers_setting();
    made.members = members;
    made.spec.no_filters = no_filters;
    made.spec.assign = static_cast<std::uint64_t>(yes_no_assignment::first_fit);
    return made;
}

/// Eq. 30 for a given number of stored keys.
double eq30(const setting& one, double keys) {
    const auto hashes = static_cast<double>(one.spec.no_hashes);
    return std::pow(-std::expm1(-hashes * keys / static_cast<double>(one.spec.no_bits)), hashes);
}

} // namespace

result<outcome> formulas(laboratory& lab) {
    artefact eq24{"eq24",
                  "Share of false positives among the queried keys: Eq. 24, corrected, measured",
                  {"n, members"},
                  {"share of the keys"}};
    eq24.paper_values = "Eq. 24";
    eq24.reading = "Eq. 24 subtracts members vetoed by a no-filter, of which there are none, and becomes negative. The "
                   "corrected form "
                   "is right for unknown absent keys; for known negatives it is slightly too low when many are left.";
    artefact veto{"eq30",
                  "Share of absent keys vetoed by a no-filter: Eq. 30, from the set bits of the no-filters, measured",
                  {"n, members"},
                  {"f_R", axis_scale::linear, 0.0, 1.05}};
    veto.paper_values = "Eq. 30, with n";
    veto.reading = "A no-filter stores false positives, not members, and only those that cause no false negatives.";
    series mixed{"members, 100 known negatives, 100 absent keys", {"#c44e52", 7, 0.6, 1.7}};
    series known{"members and 100 known negatives", {"#2b7bba", 5, 0.6, 1.7}};
    series one_filter{"one no-filter", {"#c44e52", 7, 0.6, 1.7}};
    series three_filters{"three no-filters", {"#2b7bba", 5, 0.6, 1.7}};
    series by_stored{"Eq. 30 with the stored false positives", {"#a06a00", 6, 0.5, 1.5}};
    fit printed(fit::error::relative, 0.1);
    fit corrected(fit::error::relative, 0.1);
    fit split(fit::error::relative, 0.02);
    fit with_members(fit::error::relative, 0.1);
    fit by_ones(fit::error::relative, 0.03);
    fit chain(fit::error::relative, 0.05);
    double negative = 0;
    std::string example;
    std::string veto_example;
    for (const std::uint64_t members : {10, 20, 30, 40, 50, 60}) {
        const auto x = static_cast<double>(members);
        const setting alone = with(members, 1);
        const setting three = with(members, 3);
        const auto one = average(lab, alone);
        if (!one) return fail(one.error());
        const auto seen = average(lab, three);
        if (!seen) return fail(seen.error());
        mixed.points.push_back({x, seen->mixed.eq24, seen->mixed.corrected, seen->mixed.positives});
        known.points.push_back({x, seen->known.eq24, seen->known.corrected, seen->known.positives});
        for (const shares* each : {&seen->mixed, &seen->known}) {
            printed.note(each->positives, each->eq24);
            split.note(each->positives, each->split);
            negative += each->eq24 < 0 ? 1 : 0;
        }
        corrected.note(seen->mixed.positives, seen->mixed.corrected);

        one_filter.points.push_back({x, eq30(alone, x), one->veto_share, one->vetoed});
        three_filters.points.push_back({x, std::nullopt, seen->veto_share, seen->vetoed});
        by_stored.points.push_back({x, std::nullopt, eq30(alone, one->stored), std::nullopt});
        with_members.note(one->vetoed, eq30(alone, x));
        for (const averages* each : {&*one, &*seen}) by_ones.note(each->vetoed, each->veto_share);
        const auto said = yes_no_first_fit::expect(three.spec, members, three.negatives);
        for (std::size_t j = 0; j < said.ones.size(); ++j) chain.note(seen->ones[j], said.ones[j]);
        if (members == 30) {
            example =
                fmt::format("at n = 30 {:.4f} with absent keys (corrected {:.4f}, measured {:.4f}), {:.4f} without "
                            "(corrected {:.5f}, measured {:.5f})",
                            seen->mixed.eq24, seen->mixed.corrected, seen->mixed.positives.mean, seen->known.eq24,
                            seen->known.corrected, seen->known.positives.mean);
            veto_example = fmt::format("{:.3f} at n = 30; measured {:.3f}, with {:.2f} stored false positives",
                                       eq30(alone, x), one->vetoed.mean, one->stored);
        }
    }
    eq24.curves = {std::move(mixed), std::move(known)};
    veto.curves = {std::move(one_filter), std::move(three_filters), std::move(by_stored)};
    outcome found;
    found.findings = {{"eq24", negative,
                       fmt::format("{:.0f} of 12 settings; {}; it is within 10 % of the measured share in {:.0f} % of "
                                   "them",
                                   negative, example, 100 * printed.share())},
                      {"eq24-corrected", corrected.counted(), corrected.words()},
                      {"eq24-split", split.counted(), split.words()},
                      {"eq30", with_members.counted(), veto_example},
                      {"veto-share", by_ones.counted(), by_ones.words()},
                      {"first-fit-ones", chain.counted(), chain.words()}};
    found.artefacts = {std::move(eq24), std::move(veto)};
    return found;
}

} // namespace everbloom::lab::yesno
