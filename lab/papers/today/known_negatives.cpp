// False positives among known negatives T for equal bits: yes_no and an exclusion list in front of a Bloom filter (ours), Bloom cascade,
// stacked filter, HABF, complement Bloom filter, and a Bloom filter that knows nothing.
#include "lab/papers/comparison.hpp"
#include "lab/papers/today/contender.hpp"
#include "lab/papers/today/today.hpp"
#include "lab/rivals/complement_bloom.hpp"
#include "lab/rivals/habf.hpp"
#include "lab/rivals/layered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace everbloom::lab::today {
namespace {

using rivals::built_rival;

constexpr double known_share = 0.9; // of the queries for absent keys, where a method can use that

/// A filter of at most `bits` bits that knows the negatives.
using negative_builder =
    std::function<built_rival(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits)>;

struct method {
    std::string label;
    look drawn;
    negative_builder build;
};

struct negative_sight {
    std::optional<std::string> refusal;
    trial_tally known;   // false positives in T
    trial_tally unknown; // and among other absent keys
    std::uint64_t false_negatives = 0;
};

struct method_point {
    double bits_per_member = 0;
    std::optional<estimate> known;
    std::optional<estimate> unknown;
    double lost_share = 0; // of the members
};

std::uint64_t members_of(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return 10'000;
    return lab.thoroughness().name == "glance" ? 1'000 : 5'000;
}

result<std::unique_ptr<our_filter>> our_bloom(std::span<const digest> members, std::uint64_t bits) {
    const double each = static_cast<double>(bits) / static_cast<double>(members.size());
    const auto hashes = static_cast<std::uint64_t>(std::clamp(std::round(each * 0.6931), 1.0, 30.0));
    auto made = build(
        {"bloom", std::nullopt, std::nullopt, {{"bits", std::to_string(bits)}, {"hashes", std::to_string(hashes)}}});
    if (!made) return fail(std::move(made.error()));
    for (const digest& one : members) made->insert_one(one);
    return std::make_unique<our_filter>(std::move(*made));
}

built_rival plain(std::span<const digest> members, std::span<const digest>, std::uint64_t bits) {
    auto made = our_bloom(members, bits);
    if (!made) return fail(std::move(made.error()));
    return std::unique_ptr<rival>(std::move(*made));
}

/// The largest Bloom filter whose exclusion list still fits beside it.
built_rival excluded(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits) {
    for (std::uint64_t percent = 99; percent >= 20; --percent) {
        auto made = our_bloom(members, bits * percent / 100);
        if (!made) return fail(std::move(made.error()));
        std::uint64_t positives = 0;
        for (const digest& one : negatives) positives += (*made)->contains(one) ? 1 : 0;
        const std::uint64_t list = exclusion_list_size::for_keys(positives, static_cast<double>(members.size())).bits;
        if (positives > 0 && bits * percent / 100 + list > bits) continue;
        if (auto done = (*made)->filter().exclude(negatives); !done) return fail(std::move(done.error()));
        if ((*made)->bits() > bits) continue;
        return std::unique_ptr<rival>(std::move(*made));
    }
    return fail(failure_reason::bad_parameter,
                "an exclusion list for the false positives of any Bloom filter is larger than the bits");
}

built_rival yes_no(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits) {
    auto made = build({"yes_no",
                       members.size(),
                       std::nullopt,
                       {{"bits", std::to_string(bits)}, {"negatives", std::to_string(negatives.size())}}});
    if (!made) return fail(std::move(made.error()));
    for (const digest& one : members) made->insert_one(one);
    if (auto done = made->protect(members, negatives); !done) return fail(std::move(done.error()));
    return std::unique_ptr<rival>(std::make_unique<our_filter>(std::move(*made)));
}

/// The best of six choices, by its false positives in T.
built_rival best_habf(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits) {
    std::unique_ptr<rivals::habf> best;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (const unsigned hashes : {2U, 3U, 5U}) {
        for (const double share : {0.05, 0.15}) {
            auto made = std::make_unique<rivals::habf>(members, negatives, bits, hashes, share);
            std::uint64_t wrong = 0;
            for (const digest& one : negatives) wrong += made->contains(one) ? 1 : 0;
            if (wrong >= fewest) continue;
            fewest = wrong;
            best = std::move(made);
        }
    }
    return std::unique_ptr<rival>(std::move(best));
}

std::vector<method> methods() {
    return {
        {"Bloom filter", {"#9aa0a6", 4, 0.7, 1.4}, plain},
        {"yes_no (ours)", {"#1368aa", 7, 0.8, 2.2}, yes_no},
        {"bloom, excluding (ours)", {"#2a9d74", 9, 0.9, 1.8}, excluded},
        {"Bloom cascade",
         {"#d1495b", 5, 0.8, 1.8},
         [](auto members, auto negatives, std::uint64_t bits) {
             return rivals::layered_bloom::cascade(members, negatives, bits);
         }},
        {"stacked filter",
         {"#8d5a97", 11, 0.8, 1.8},
         [](auto members, auto negatives, std::uint64_t bits) {
             return rivals::layered_bloom::stacked(members, negatives, bits, known_share);
         }},
        {"HABF", {"#edae49", 13, 0.9, 1.8}, best_habf},
        {"complement Bloom filter",
         {"#6b4c3b", 2, 0.9, 1.4},
         [](auto members, auto negatives, std::uint64_t bits) -> built_rival {
             return std::unique_ptr<rival>(std::make_unique<rivals::complement_bloom>(members, negatives, bits));
         }},
    };
}

negative_sight look_at(const laboratory& lab, const method& how, std::uint64_t trial, std::uint64_t members,
                       std::uint64_t count, std::uint64_t bits) {
    const std::vector<digest> inside = keys_of(lab, trial, random_stream::members, members);
    const std::vector<digest> known = keys_of(lab, trial, random_stream::negatives, count);
    negative_sight seen;
    const auto made = how.build(inside, known, bits);
    if (!made) {
        seen.refusal = made.error().sentence;
        return seen;
    }
    for (const digest& one : inside) seen.false_negatives += (*made)->contains(one) ? 0 : 1;
    for (const digest& one : known) seen.known.hits += (*made)->contains(one) ? 1 : 0;
    const std::uint64_t others = 10 * members;
    for (const digest& one : keys_of(lab, trial, random_stream::absent, others)) {
        seen.unknown.hits += (*made)->contains(one) ? 1 : 0;
    }
    seen.known.of = count;
    seen.unknown.of = others;
    return seen;
}

method_point measure_point(const laboratory& lab, const method& how, std::uint64_t negatives_per_member,
                           std::uint64_t bits_per_member, std::vector<std::string>& notes) {
    const std::uint64_t members = members_of(lab);
    const std::uint64_t trials = lab.thoroughness().places == 0 ? 5 : 3;
    std::vector<negative_sight> sights(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        sights[trial] = look_at(lab, how, trial, members, negatives_per_member * members, bits_per_member * members);
    });
    lab.report(trials * members * (11 + negatives_per_member));
    method_point made{static_cast<double>(bits_per_member), {}, {}};
    std::vector<trial_tally> known;
    std::vector<trial_tally> unknown;
    std::uint64_t lost = 0;
    for (const negative_sight& one : sights) {
        if (one.refusal) {
            notes.push_back(fmt::format("{}, {} bits per member: {}", how.label, bits_per_member, *one.refusal));
            return made;
        }
        known.push_back(one.known);
        unknown.push_back(one.unknown);
        lost += one.false_negatives;
    }
    made.known = estimate_share(known);
    made.unknown = estimate_share(unknown);
    made.lost_share = static_cast<double>(lost) / static_cast<double>(members * trials);
    return made;
}

/// The fewest bits per member at which none of T is a false positive; NaN: at none of the sizes.
double exact_from(const std::vector<method_point>& points) {
    double from = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = points.size(); i-- > 0;) {
        if (!points[i].known || points[i].known->mean > 0) break;
        from = points[i].bits_per_member;
    }
    return from;
}

/// All methods at all sizes, for one number of known negatives per member, with their two figures.
struct comparison_of_methods {
    std::vector<std::vector<method_point>> points;
    artefact known;
    artefact other;
};

comparison_of_methods compare_methods(const laboratory& lab, std::span<const std::uint64_t> sizes,
                                      std::uint64_t negatives_per_member) {
    const std::string suffix = std::to_string(negatives_per_member);
    const std::string number = negatives_per_member == 1
                                   ? "as many known negatives as members"
                                   : fmt::format("{} known negatives per member", negatives_per_member);
    comparison_of_methods made;
    made.known = {"negatives_known_" + suffix,
                  "False positives among known negatives, for equal bits: " + number,
                  {"bits per member, of everything"},
                  rate_axis("share of T that are false positives")};
    made.other = {"negatives_other_" + suffix,
                  "FPR of other absent keys, for the same filters: " + number,
                  {"bits per member, of everything"},
                  rate_axis("false positive rate of other keys")};
    made.known.zero_shown_at = 1e-6;
    made.known.y.least = 5e-7;
    made.other.y.least = 1e-6;
    for (const method& one : methods()) {
        std::vector<method_point> points;
        for (const std::uint64_t bits : sizes) {
            points.push_back(measure_point(lab, one, negatives_per_member, bits, made.known.notes));
        }
        series known_curve{one.label, one.drawn};
        known_curve.joined = true;
        series other_curve = known_curve;
        for (const method_point& each : points) {
            const std::vector<std::pair<std::string, double>> setting{{"items", static_cast<double>(members_of(lab))},
                                                                      {"members_lost", each.lost_share}};
            if (each.known)
                known_curve.points.push_back({each.bits_per_member, std::nullopt, std::nullopt, each.known, setting});
            if (each.unknown)
                other_curve.points.push_back({each.bits_per_member, std::nullopt, std::nullopt, each.unknown, setting});
        }
        made.known.curves.push_back(std::move(known_curve));
        made.other.curves.push_back(std::move(other_curve));
        made.points.push_back(std::move(points));
    }
    made.known.reading =
        "Marks on the line of 1e-6: none of T is a false positive. A Bloom cascade and an exclusion list are exact or "
        "do not "
        "exist at a size; the others leave some. The complement Bloom filter answers no where both of its filters say "
        "maybe, and loses members by that.";
    made.other.notes = made.known.notes;
    made.other.reading =
        "What the same filters answer for keys that were not known in advance. Bits that remember known negatives are "
        "missing here.";
    return made;
}

} // namespace

result<outcome> known_negatives(laboratory& lab) {
    static constexpr std::array<std::uint64_t, 10> sizes{4, 6, 8, 9, 10, 11, 12, 14, 16, 20};
    comparison_of_methods few = compare_methods(lab, sizes, 1);
    comparison_of_methods many = compare_methods(lab, sizes, 10);
    enum method_number : std::size_t { bloom, yes_no_filter, exclusions, cascade, stacked, adaptive, complement };
    place_count stacked_better;
    place_count adaptive_better;
    place_count yes_no_better; // than stacked and HABF
    double most_lost = 0;
    double others_lost = 0;
    for (const comparison_of_methods* one : {&few, &many}) {
        const auto& points = one->points;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (points[stacked][i].known) stacked_better.note_less(*points[stacked][i].known, *points[bloom][i].known);
            if (one == &few && points[adaptive][i].known) {
                adaptive_better.note_less(*points[adaptive][i].known, *points[bloom][i].known);
            }
            for (const std::size_t rival : {stacked, adaptive}) {
                if (!points[yes_no_filter][i].known || !points[rival][i].known) continue;
                yes_no_better.note_strictly_less(*points[yes_no_filter][i].known, *points[rival][i].known);
            }
            most_lost = std::max(most_lost, points[complement][i].lost_share);
            for (const std::size_t other : {bloom, yes_no_filter, exclusions, cascade, stacked, adaptive}) {
                others_lost += points[other][i].lost_share;
            }
        }
    }
    const double cascade_least = rivals::layered_bloom::cascade_bits(1, 10, 0.07213);
    const double cascade_from = exact_from(many.points[cascade]);
    outcome found;
    found.findings = {
        {"cascade-exact", cascade_from,
         fmt::format("with ten known negatives per member exact from {:.0f} bits per member on, of the sizes tried; "
                     "the formula says "
                     "{:.2f}. yes_no from {:.0f}, exclusion list from {:.0f}, stacked from {:.0f}, HABF from {:.0f} "
                     "(nan: at none)",
                     cascade_from, cascade_least, exact_from(many.points[yes_no_filter]),
                     exact_from(many.points[exclusions]), exact_from(many.points[stacked]),
                     exact_from(many.points[adaptive]))},
        {"stacked-better", stacked_better.counted(),
         stacked_better.words() + ", against the Bloom filter of the same bits"},
        {"habf-better", adaptive_better.counted(),
         adaptive_better.words() + ", against the Bloom filter of the same bits"},
        {"complement-loses-members", most_lost,
         fmt::format("up to {:.1f} % of the members, at {} bits per member", 100 * most_lost, sizes.front())},
        {"negatives-no-member-lost", others_lost, "all other methods together"},
        {"yes-no-better", yes_no_better.counted(), yes_no_better.words() + ", against stacked filter and HABF"}};
    found.artefacts = {std::move(few.known), std::move(few.other), std::move(many.known), std::move(many.other)};
    return found;
}

} // namespace everbloom::lab::today
