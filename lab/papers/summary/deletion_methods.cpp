// Deletion methods compared in the summary: a collision array, counters, and a second filter of deleted values. Same number of cells, same
// hash functions; three kinds of error over the deleted share.
#include "lab/papers/comparison.hpp"
#include "lab/papers/summary/deletion_trial.hpp"
#include "lab/papers/summary/summary.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::summary {
namespace {

constexpr std::uint64_t inserted_items = 10'000;
constexpr double planned_rate = 0.05; // high enough for errors to be frequent
constexpr double effort = 2;          // false negatives are rare

struct method {
    structure filter;
    std::uint64_t bits_a_cell;
};

std::vector<method> methods() {
    return {{{"Bloom filter (no deletion)", "bloom", {}, {"#8a8f98", 13, 0.7, 1.6}}, 1},
            {{"counting filter, 4 bits", "counting", {{"counter_bits", "4"}}, {"#2a9d74", 9, 0.6, 1.6}}, 4},
            {{"collision array", "collision", {}, {"#2b7bba", 5, 0.5, 1.6}}, 2},
            {{"filter of deleted values", "tombstone", {}, {"#d1495b", 7, 0.6, 2.2}}, 2}};
}

/// Measurements of one method at one deleted share, with the models.
struct view {
    double deleted_share = 0;
    estimate absent;
    estimate deleted;
    estimate members;
    estimate returned;
    std::uint64_t false_negatives = 0;
    double absent_model = 0;
    double deleted_model = 0;
    double members_model = 0;
    double fresh_model = 0; // FPR of a filter of the members alone
};

struct method_views {
    method one;
    std::uint64_t bits = 0;
    std::vector<view> views;
};

void add_models(view& seen, const any_filter& filter, const deletion_plan& plan) {
    const std::uint64_t left = plan.inserted - plan.deleted;
    const double removed_share = static_cast<double>(plan.deleted) / static_cast<double>(left);
    const bool erases = filter.can(capability::erase);
    const prediction after = filter.predict(erases ? lifetime{left, removed_share, 0} : lifetime{plan.inserted, 0, 0});
    const prediction full = filter.predict({plan.inserted, 0, 0});
    seen.absent_model = after.fpr.value_or(0);
    seen.fresh_model = filter.predict({left, 0, 0}).fpr.value_or(0);
    // A deleted item stays positive if none of its cells could be cleared; with counters it is like any absent key.
    seen.deleted_model = 1 - full.deletability.value_or(0);
    if (filter.kind() == "counting") seen.deleted_model = seen.absent_model;
    if (filter.kind() == "tombstone") {
        seen.deleted_model = 0;
        seen.members_model = 1 - after.deletability.value_or(1);
    }
}

result<view> look(laboratory& lab, const condition& wanted, const deletion_plan& plan) {
    const auto like = filter_for(wanted);
    if (!like) return fail(like.error());
    view seen;
    add_models(seen, *like, plan);
    const std::uint64_t trials = lab.trials_for(plan.inserted, effort);
    deletion_plan each = plan;
    each.queries = queries_for(lab.thoroughness(), seen.absent_model) / trials;

    std::vector<result<deletion_errors>> errors(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        auto filter = build_like(*like);
        errors[trial] = filter ? run_deletion_trial(std::move(*filter), each, trial_randomness(lab.seed(), trial))
                               : fail(std::move(filter.error()));
    });
    lab.report(trials * (2 * each.inserted + each.queries));
    std::vector<trial_tally> absent;
    std::vector<trial_tally> deleted;
    std::vector<trial_tally> members;
    std::vector<trial_tally> returned;
    for (const auto& one : errors) {
        if (!one) return fail(one.error());
        absent.push_back(one->absent);
        deleted.push_back(one->deleted);
        members.push_back(one->members);
        returned.push_back(one->returned);
        seen.false_negatives += one->members.hits;
    }
    seen.absent = estimate_share(absent);
    seen.deleted = estimate_share(deleted);
    seen.members = estimate_share(members);
    seen.returned = estimate_share(returned);
    return seen;
}

result<std::vector<method_views>> look_at_all(laboratory& lab) {
    const auto planned = build({"bloom", inserted_items, planned_rate, {}});
    if (!planned) return fail(planned.error());
    std::vector<method_views> all;
    for (const method& one : methods()) {
        const condition wanted{one.filter, planned->cells() * one.bits_a_cell, planned->geometry("hashes").value_or(0),
                               inserted_items};
        method_views seen{one, wanted.bits, {}};
        for (const std::uint64_t tenths : lab.thinned({0, 1, 2, 3, 4, 5, 6, 7, 8})) {
            auto here = look(lab, wanted, {inserted_items, inserted_items / 10 * tenths, 0});
            if (!here) return fail(std::move(here.error()));
            here->deleted_share = static_cast<double>(tenths) / 10;
            seen.views.push_back(*here);
        }
        all.push_back(std::move(seen));
    }
    return all;
}

artefact figure_of(std::string id, std::string title, const std::vector<method_views>& all, estimate view::*measured,
                   double view::*model, std::string reading) {
    artefact figure{std::move(id), std::move(title), axis_from_zero("deleted share of the inserted items"),
                    rate_axis("error rate")};
    figure.reading = std::move(reading);
    for (const method_views& one : all) {
        series line{one.one.filter.label, one.one.filter.drawn};
        for (const view& seen : one.views) {
            line.points.push_back({seen.deleted_share,
                                   std::nullopt,
                                   seen.*model,
                                   seen.*measured,
                                   {{"bits", static_cast<double>(one.bits)}}});
        }
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

const method_views& of_kind(const std::vector<method_views>& all, std::string_view kind) {
    for (const method_views& one : all) {
        if (one.one.filter.kind == kind) return one;
    }
    return all.front();
}

finding counting_is_exact(const method_views& counting, const method_views& flagged) {
    fit like_fresh(fit::error::relative, 0.02);
    for (const view& seen : counting.views) {
        like_fresh.note(seen.absent, seen.fresh_model);
        if (seen.deleted_share > 0) like_fresh.note(seen.deleted, seen.fresh_model);
    }
    return {"counting-exact", like_fresh.counted(),
            fmt::format(
                "absent keys and deleted items, against a filter of the members alone: {}; {} bits against {} for the "
                "collision array",
                like_fresh.words(), grouped(counting.bits), grouped(flagged.bits))};
}

finding no_false_negatives(const std::vector<method_views>& all, std::uint64_t trials) {
    std::uint64_t lost = 0;
    std::uint64_t asked = 0;
    for (const std::string_view kind : {"bloom", "collision", "counting"}) {
        for (const view& seen : of_kind(all, kind).views) {
            lost += seen.false_negatives;
            asked += trials * static_cast<std::uint64_t>(std::llround(inserted_items * (1 - seen.deleted_share)));
        }
    }
    return {"no-false-negatives", static_cast<double>(lost),
            fmt::format("of {} queried members, the Bloom filter, collision array and counting filter lost {}",
                        grouped(asked), lost)};
}

finding deleted_values_lose_members(const method_views& deleted_values, const method_views& flagged) {
    place_count places;
    for (std::size_t i = 0; i < flagged.views.size(); ++i) {
        const view& seen = deleted_values.views[i];
        if (seen.deleted_share > 0) places.note_less(flagged.views[i].members, seen.members);
    }
    const view& last = deleted_values.views.back();
    return {"deleted-values-lose-members", places.counted(),
            fmt::format("more false negatives {}; {:.2f} % of the members when {:.0f} % of the items were deleted",
                        places.words(), 100 * last.members.mean, 100 * last.deleted_share)};
}

finding more_error(const method_views& deleted_values, const method_views& flagged) {
    place_count all;
    std::array<place_count, 3> by_kind;
    for (std::size_t i = 0; i < flagged.views.size(); ++i) {
        const view& theirs = deleted_values.views[i];
        const view& ours = flagged.views[i];
        if (theirs.deleted_share == 0) continue;
        const std::array<std::pair<estimate, estimate>, 3> pairs{
            {{ours.absent, theirs.absent}, {ours.deleted, theirs.deleted}, {ours.members, theirs.members}}};
        for (std::size_t kind = 0; kind < pairs.size(); ++kind) {
            by_kind[kind].note_less(pairs[kind].first, pairs[kind].second);
            all.note_less(pairs[kind].first, pairs[kind].second);
        }
    }
    const view& last = deleted_values.views.back();
    return {"deleted-values-more-error", all.counted(),
            fmt::format(
                "more errors for absent keys {}, for members {}, for deleted items {}: it answers yes for {:.2g} % of "
                "them, "
                "the collision array for {:.2g} %. Deleted items that are inserted again are false negatives: {:.0f} %",
                by_kind[0].words(), by_kind[2].words(), by_kind[1].words(), 100 * last.deleted.mean,
                100 * flagged.views.back().deleted.mean, 100 * last.returned.mean)};
}

} // namespace

result<outcome> deletion_methods(laboratory& lab) {
    const auto all = look_at_all(lab);
    if (!all) return fail(all.error());
    const method_views& flagged = of_kind(*all, "collision");
    const method_views& deleted_values = of_kind(*all, "tombstone");
    const std::string setting = fmt::format("{} items, P = {} before deletions", grouped(inserted_items), planned_rate);
    outcome found;
    found.artefacts = {figure_of("absent", "False positives for absent keys: " + setting, *all, &view::absent,
                                 &view::absent_model,
                                 "Deletion clears bits in a counting filter, most of them in a collision array, and "
                                 "none in a filter of deleted "
                                 "values, which only rejects absent keys that match the deleted values."),
                       figure_of("deleted", "False positives for deleted items: " + setting, *all, &view::deleted,
                                 &view::deleted_model,
                                 "The filter of deleted values answers no for all of them (zero is not on a "
                                 "logarithmic axis). The collision array "
                                 "keeps those that share all of their bits."),
                       figure_of("members", "False negatives for members: " + setting, *all, &view::members,
                                 &view::members_model, "Only the filter of deleted values has false negatives.")};
    const double space = static_cast<double>(deleted_values.bits) / static_cast<double>(flagged.bits);
    found.findings = {counting_is_exact(of_kind(*all, "counting"), flagged),
                      no_false_negatives(*all, lab.trials_for(inserted_items, effort)),
                      deleted_values_lose_members(deleted_values, flagged),
                      more_error(deleted_values, flagged),
                      {"deleted-values-same-space", space,
                       fmt::format("{} bits against {} with the same number of positions", grouped(deleted_values.bits),
                                   grouped(flagged.bits))}};
    return found;
}

} // namespace everbloom::lab::summary
