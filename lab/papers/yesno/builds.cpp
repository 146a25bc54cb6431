#include "lab/papers/yesno/builds.hpp"

#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::lab::yesno {
namespace {

/// Result of one filter.
struct trial_result {
    protection report;
    std::uint64_t left = 0;
    std::uint64_t lost = 0;
    std::optional<failure> error;
};

trial_result build_and_ask(const setting& wanted, const yes_no_spec& spec, const trial_randomness& random) {
    std::vector<digest> members;
    std::vector<digest> negatives;
    for (std::uint64_t i = 0; i < wanted.members; ++i) members.push_back(random(random_stream::members, i));
    for (std::uint64_t i = 0; i < wanted.negatives; ++i) negatives.push_back(random(random_stream::absent, i));
    trial_result seen;
    const auto built = build_yes_no(spec, members, negatives);
    if (!built) {
        seen.error = built.error();
        return seen;
    }
    // The builder's report is verified with queries.
    const auto says_yes = [&](digest key) { return built->filter.may_contain(key); };
    seen.report = built->report;
    seen.left = static_cast<std::uint64_t>(std::count_if(negatives.begin(), negatives.end(), says_yes));
    seen.lost = wanted.members - static_cast<std::uint64_t>(std::count_if(members.begin(), members.end(), says_yes));
    return seen;
}

} // namespace

setting papers_setting() {
    setting made;
    made.spec.yes_bits = 160;
    made.spec.yes_hashes = 4;
    made.spec.no_filters = 3;
    made.spec.no_bits = 32;
    made.spec.no_hashes = 5;
    return made;
}

const construction& first_fit() {
    static const construction one{
        "yes-no, first-fit (the paper)", {"#c44e52", 7, 0.55, 1.6}, yes_no_assignment::first_fit, 1};
    return one;
}
const construction& search() {
    static const construction one{"yes-no, search", {"#2b7bba", 5, 0.55, 1.6}, yes_no_assignment::search, 1};
    return one;
}
const construction& search_with_seeds() {
    static const construction one{
        "yes-no, search, best of 4 seeds", {"#2e8b57", 9, 0.7, 1.6}, yes_no_assignment::search, 4};
    return one;
}

result<builds> build_many(const laboratory& lab, const setting& wanted, const construction& how, std::uint64_t trials,
                          std::uint64_t first_trial) {
    yes_no_spec spec = wanted.spec;
    spec.assign = static_cast<std::uint64_t>(how.assign);
    spec.seeds = how.seeds;
    if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
    std::vector<trial_result> results(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        results[trial] = build_and_ask(wanted, spec, trial_randomness(lab.seed(), first_trial + trial));
    });
    lab.report(trials * (wanted.members + wanted.negatives));

    builds made;
    std::vector<trial_tally> before;
    std::vector<trial_tally> after;
    for (const trial_result& one : results) {
        if (one.error) return fail(*one.error);
        before.push_back({one.report.false_positives_before, wanted.negatives});
        after.push_back({one.left, wanted.negatives});
        made.left.push_back(one.left);
        made.members_lost += one.lost;
    }
    made.members_asked = trials * wanted.members;
    const auto each = static_cast<double>(wanted.negatives);
    made.before = estimate_share(before) * each;
    made.after = estimate_share(after) * each;
    return made;
}

setting bloom_of(std::uint64_t bits, std::uint64_t hashes, const setting& like) {
    setting made = like;
    made.spec.yes_bits = bits;
    made.spec.yes_hashes = hashes;
    made.spec.no_filters = 0;
    return made;
}

double papers_bloom(const setting& bloom) {
    const auto hashes = static_cast<double>(bloom.spec.yes_hashes);
    const double empty =
        std::pow(1 - 1 / static_cast<double>(bloom.spec.yes_bits), hashes * static_cast<double>(bloom.members));
    return static_cast<double>(bloom.negatives) * std::pow(1 - empty, hashes);
}

double our_bloom(const setting& bloom) {
    return static_cast<double>(bloom.negatives) * yes_no_expectation::yes_rate(bloom.spec, bloom.members);
}

std::uint64_t experiments_of(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return 10'000;
    return lab.thoroughness().name == "glance" ? 200 : 1'000;
}

result<sight> examine(const laboratory& lab, const setting& wanted, std::uint64_t trials, std::uint64_t first_trial) {
    sight made;
    made.at = wanted;
    made.said = yes_no_first_fit::expect(wanted.spec, wanted.members, wanted.negatives);
    const auto fewer = static_cast<std::uint64_t>(static_cast<double>(trials) / (1 + 10 * made.said.after));
    const std::uint64_t searches = std::max<std::uint64_t>(trials / 100 + 10, fewer);
    auto plain = build_many(lab, wanted, first_fit(), trials, first_trial);
    if (!plain) return fail(std::move(plain.error()));
    auto searched = build_many(lab, wanted, search(), std::min(trials, searches), first_trial);
    if (!searched) return fail(std::move(searched.error()));
    auto seeded = build_many(lab, wanted, search_with_seeds(), std::min(trials, searches), first_trial);
    if (!seeded) return fail(std::move(seeded.error()));
    made.plain = std::move(*plain);
    made.searched = std::move(*searched);
    made.seeded = std::move(*seeded);
    return made;
}

} // namespace everbloom::lab::yesno
