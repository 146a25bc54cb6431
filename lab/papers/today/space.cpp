// Bits per key against FPR: filters that can delete, and filters for queries only, each filled to its capacity, with the lower bound.
#include "lab/papers/comparison.hpp"
#include "lab/papers/today/contender.hpp"
#include "lab/papers/today/today.hpp"
#include "lab/rivals/cuckoo.hpp"
#include "lab/rivals/infini.hpp"
#include "lab/rivals/quotient_filter.hpp"
#include "lab/rivals/ribbon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace everbloom::lab::today {
namespace {

constexpr double strictest_fpr = 1.0 / (1 << 16);

/// A filter at one size: how it is built, for how many keys, and the FPR to expect.
struct one_size {
    builder build;
    std::uint64_t members = 0;
    double fpr = 0; // by its formula or its plan
};

struct curve_plan {
    std::string label;
    look drawn;
    std::vector<one_size> sizes = {};
};

struct drawn_curve {
    series curve;
    std::vector<double> overheads = {}; // bits per key divided by the least for the measured FPR
    std::uint64_t false_negatives = 0;
};

/// log2 of the number of slots.
unsigned log_slots(const laboratory& lab) {
    if (lab.thoroughness().places == 0) return 18;
    return lab.thoroughness().name == "glance" ? 12 : 15;
}

std::vector<std::uint64_t> rate_exponents(const laboratory& lab) { return lab.thinned({4, 6, 8, 10, 12, 14}); }

/// Measures a curve. A size that a filter cannot hold is a note of the artefact.
drawn_curve measure_curve(const laboratory& lab, const curve_plan& plan, std::vector<std::string>& notes) {
    drawn_curve made{{plan.label, plan.drawn}};
    for (const one_size& size : plan.sizes) {
        const seen_filter seen = examine(lab, size.build, size.members, size.fpr);
        if (seen.refusal) {
            notes.push_back(fmt::format("{}, for an FPR of {:.2g}: {}", plan.label, size.fpr, *seen.refusal));
        }
        if (seen.trials == 0) continue;
        made.false_negatives += seen.false_negatives;
        made.curve.points.push_back({seen.bits_per_key,
                                     std::nullopt,
                                     size.fpr,
                                     seen.fpr,
                                     {{"items", static_cast<double>(size.members)}, {"lines", seen.lines}}});
        if (seen.fpr.mean > 0) made.overheads.push_back(seen.bits_per_key / least_bits(seen.fpr.mean));
    }
    return made;
}

curve_plan our_plan(const laboratory& lab, const std::string& kind, look drawn, const std::string& label = "") {
    curve_plan made{label.empty() ? kind : label, std::move(drawn)};
    const auto items = static_cast<std::uint64_t>(0.95 * std::exp2(log_slots(lab)));
    for (const std::uint64_t exponent : rate_exponents(lab)) {
        const double fpr = std::exp2(-static_cast<double>(exponent));
        made.sizes.push_back({filled(ours(kind, items, fpr)), items, fpr});
    }
    return made;
}

/// Copies that `export` makes of quotient filters, at several FPRs. The source is made for `source_fpr`, or else for the FPR of the copy.
curve_plan export_plan(const laboratory& lab, std::string_view kind, std::string label, look drawn,
                       std::optional<double> source_fpr) {
    curve_plan made{std::move(label), std::move(drawn)};
    const auto members = static_cast<std::uint64_t>(std::exp2(log_slots(lab)));
    for (const std::uint64_t exponent : rate_exponents(lab)) {
        const double fpr = std::exp2(-static_cast<double>(exponent));
        const auto build = [=](std::span<const digest> keys) -> rivals::built_rival {
            constexpr double default_growth = 0;
            auto whole = filled(ours("quotient", keys.size(), source_fpr.value_or(fpr), default_growth))(keys);
            if (!whole) return whole;
            auto copy = static_cast<our_filter&>(**whole).filter().query_copy(fpr, kind);
            if (!copy) return fail(std::move(copy.error()));
            return std::unique_ptr<rival>(std::make_unique<our_filter>(std::move(*copy)));
        };
        made.sizes.push_back({build, members, fpr});
    }
    return made;
}

curve_plan cuckoo_plan(const laboratory& lab) {
    curve_plan made{"cuckoo filter", {"#d1495b", 5, 0.7, 1.8}};
    const unsigned log_buckets = log_slots(lab) - 2;
    const auto members = static_cast<std::uint64_t>(rivals::cuckoo_filter::usual_load * std::exp2(log_slots(lab)));
    for (const std::uint64_t exponent : rate_exponents(lab)) {
        const auto bits = static_cast<unsigned>(exponent + 3);
        made.sizes.push_back({filled([=]() -> result<std::unique_ptr<growing_rival>> {
                                  return std::make_unique<rivals::cuckoo_filter>(log_buckets, bits);
                              }),
                              members, rivals::cuckoo_filter::model_fpr(bits, rivals::cuckoo_filter::usual_load)});
    }
    return made;
}

curve_plan quotient_plan(const laboratory& lab) {
    curve_plan made{"quotient filter (2012)", {"#8d5a97", 9, 0.7, 1.8}};
    const unsigned log = log_slots(lab);
    const auto members = static_cast<std::uint64_t>(rivals::quotient_filter::largest_load * std::exp2(log));
    for (const std::uint64_t exponent : rate_exponents(lab)) {
        const auto bits = static_cast<unsigned>(exponent);
        made.sizes.push_back(
            {filled([=]() -> result<std::unique_ptr<growing_rival>> {
                 return std::make_unique<rivals::quotient_filter>(log, bits, rivals::quotient_filter::resizing::never);
             }),
             members, rivals::quotient_filter::model_fpr(bits, rivals::quotient_filter::largest_load)});
    }
    return made;
}

curve_plan expandable_plan(const laboratory& lab) {
    const unsigned log = log_slots(lab);
    const unsigned doublings = lab.thoroughness().name == "glance" ? 6 : 10; // of a first table that is not too small
    curve_plan made{fmt::format("expandable, {} doublings", doublings), {"#edae49", 13, 0.8, 1.8}};
    constexpr double load = 0.87; // leaves room for copies of void entries
    const auto members = static_cast<std::uint64_t>(load * std::exp2(log));
    for (const std::uint64_t exponent : rate_exponents(lab)) {
        const auto bits =
            static_cast<unsigned>(exponent) + 3; // (10 + 2) / 2 times as many matches as new keys alone have
        made.sizes.push_back({filled([=]() -> result<std::unique_ptr<growing_rival>> {
                                  return std::make_unique<rivals::expandable_filter>(log - doublings, bits);
                              }),
                              members, rivals::expandable_filter::model_fpr(bits, doublings, load)});
    }
    return made;
}

series lower_bound_curve() {
    return bound_curve(1, "lower bound, log2(1/FPR)", {"#222222", 7, 0, 1.4}, 0.1, strictest_fpr);
}

artefact space_figure(std::string id, std::string title) {
    return {std::move(id),
            std::move(title),
            {"bits per key", axis_scale::logarithmic, 3, 500, {4, 6, 8, 10, 15, 20, 30, 50, 100, 200, 400}},
            {"false positive rate", axis_scale::logarithmic, 3e-6, 1.0}};
}

double mean_of(const std::vector<double>& values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (const double one : values) sum += one;
    return sum / static_cast<double>(values.size());
}

/// Bits per key of a filter at an FPR: those of the nearest measured one, moved along the lower bound.
double bits_at(const drawn_curve& one, double fpr) {
    double nearest = std::numeric_limits<double>::infinity();
    double bits = 0;
    for (const point& each : one.curve.points) {
        if (!each.measured || !(each.measured->mean > 0)) continue;
        const double off = std::abs(std::log2(each.measured->mean / fpr));
        if (off >= nearest) continue;
        nearest = off;
        bits = each.x - least_bits(each.measured->mean) + least_bits(fpr);
    }
    return bits;
}

/// The measured values of a curve against its formula.
void note_fit(fit& agrees, const drawn_curve& one) {
    for (const point& each : one.curve.points) {
        if (each.measured && each.model) agrees.note(*each.measured, *each.model);
    }
}

/// The largest load of a cuckoo filter at the first refusal, over a few tables.
double cuckoo_load(const laboratory& lab) {
    double least = 1;
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
        rivals::cuckoo_filter filter(log_slots(lab) - 2, 12);
        const trial_randomness random(lab.seed(), trial);
        for (std::uint64_t i = 0; succeeded(filter.insert(random(random_stream::members, i)));) ++i;
        least = std::min(least, filter.load());
    }
    return least;
}

} // namespace

result<outcome> space_of_deletable(laboratory& lab) {
    artefact kinds = space_figure("space_kinds", "Bits per key against FPR: all our kinds that can delete");
    static constexpr std::array<std::string_view, 12> colours{"#4c78a8", "#f58518", "#54a24b", "#e45756",
                                                              "#72b7b2", "#b279a2", "#9d755d", "#2b7bba",
                                                              "#c9a227", "#7f7f7f", "#1b6e53", "#a0352c"};
    std::uint64_t lost = 0;
    std::optional<drawn_curve> our_quotient;
    std::size_t number = 0;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        const bool is_best = kind.name == "quotient";
        look drawn{std::string(colours[number % colours.size()]), static_cast<int>(4 + number % 10), 0.6, 1.2};
        if (is_best) drawn = {"#1368aa", 7, 0.7, 2.2};
        ++number;
        drawn_curve one = measure_curve(lab, our_plan(lab, std::string(kind.name), drawn), kinds.notes);
        lost += one.false_negatives;
        kinds.curves.push_back(one.curve);
        if (is_best) our_quotient = std::move(one);
    }
    if (!our_quotient) return fail(failure_reason::mismatch, "there is no kind quotient");
    kinds.curves.push_back(lower_bound_curve());
    kinds.reading = "Each mark is a filter that holds its capacity: all of its memory, and the FPR measured with keys "
                    "that were never added. "
                    "The elastic kinds keep a stored hash of every key beside what queries read, and count with it.";

    artefact figure = space_figure("space_deletable", "Bits per key against FPR: filters that can delete");
    figure.curves.push_back(our_quotient->curve);
    figure.curves.back().label = "quotient (ours)";
    const drawn_curve cuckoo = measure_curve(lab, cuckoo_plan(lab), figure.notes);
    const drawn_curve quotient = measure_curve(lab, quotient_plan(lab), figure.notes);
    const drawn_curve expandable = measure_curve(lab, expandable_plan(lab), figure.notes);
    const drawn_curve dleft =
        measure_curve(lab, our_plan(lab, "dleft", {"#54a24b", 11, 0.6, 1.4}, "dleft (ours)"), figure.notes);
    for (const drawn_curve* one : {&cuckoo, &quotient, &expandable, &dleft}) figure.curves.push_back(one->curve);
    figure.curves.push_back(
        bound_curve(1.4427, "Bloom filter (no deletion)", {"#9aa0a6", 7, 0, 1.2}, 0.1, strictest_fpr));
    figure.curves.push_back(lower_bound_curve());
    figure.x = {"bits per key", axis_scale::linear, 3, 26};
    figure.reading = "Four fingerprint filters in the same memory. A cuckoo filter spends log2(8) bits on the eight "
                     "cells that it compares, a "
                     "quotient filter three bits per slot on the order of its entries; the expandable filter has grown "
                     "to 1024 times its "
                     "first size and pays for the old, shorter fingerprints.";

    fit formulas(fit::error::relative, 0.05);
    for (const drawn_curve* one : {&cuckoo, &quotient, &expandable}) note_fit(formulas, *one);
    lost += cuckoo.false_negatives + quotient.false_negatives + expandable.false_negatives;
    place_count smallest;
    for (const point& each : our_quotient->curve.points) {
        if (!each.measured || !(each.measured->mean > 0)) continue;
        for (const drawn_curve* other : {&cuckoo, &quotient, &expandable, &dleft}) {
            smallest.note(each.x < bits_at(*other, each.measured->mean));
        }
    }
    double cuckoo_ratio = 0; // to 1.05 (log2(1 / FPR) + 3)
    for (const point& each : cuckoo.curve.points) {
        cuckoo_ratio +=
            each.x / (1.05 * (least_bits(each.measured->mean) + 3)) / static_cast<double>(cuckoo.curve.points.size());
    }
    const double load = cuckoo_load(lab);
    outcome found;
    found.findings = {
        {"cuckoo-load", load,
         fmt::format("the first key was refused at a load of {:.4f}, the lowest of four tables", load)},
        {"cuckoo-space", cuckoo_ratio,
         fmt::format("bits per key are {:.3f} times 1.05 (log2(1/FPR) + 3), mean over {} sizes at load 0.95",
                     cuckoo_ratio, cuckoo.curve.points.size())},
        {"rival-formulas", formulas.counted(), formulas.words()},
        {"quotient-smallest", smallest.counted(),
         fmt::format(
             "{}; at equal FPR quotient takes {:.2f} times the lower bound, cuckoo {:.2f}, the quotient filter of 2012 "
             "{:.2f}, expandable {:.2f}, dleft {:.2f} (means)",
             smallest.words(), mean_of(our_quotient->overheads), mean_of(cuckoo.overheads), mean_of(quotient.overheads),
             mean_of(expandable.overheads), mean_of(dleft.overheads))},
        {"no-member-lost", static_cast<double>(lost),
         fmt::format("{} members were not found, over all sizes and trials", lost)}};
    found.artefacts = {std::move(figure), std::move(kinds)};
    return found;
}

result<outcome> space_of_static(laboratory& lab) {
    artefact figure = space_figure("space_static", "Bits per key against FPR: filters for sets that do not change");
    figure.x = {"bits per key", axis_scale::linear, 3, 26};
    const auto members = static_cast<std::uint64_t>(std::exp2(log_slots(lab)));
    curve_plan fuse{"fuse (ours)", {"#d1495b", 5, 0.8, 1.8}};
    for (const unsigned bits : {4U, 8U, 12U, 16U}) {
        fuse.sizes.push_back({built_fuse(bits), members, std::exp2(-static_cast<double>(bits))});
    }
    curve_plan ribbon{"ribbon", {"#8d5a97", 9, 0.8, 1.8}};
    for (const std::uint64_t exponent : rate_exponents(lab)) {
        const auto bits = static_cast<unsigned>(exponent);
        ribbon.sizes.push_back({[=](std::span<const digest> keys) { return rivals::ribbon_filter::build(keys, bits); },
                                members, std::exp2(-static_cast<double>(bits))});
    }
    const curve_plan copies =
        export_plan(lab, "quotient", "copy of kind quotient (ours)", {"#1368aa", 7, 0.7, 2.2}, std::nullopt);
    const curve_plan strict_copies =
        export_plan(lab, "quotient", "copy of a quotient of 1e-6 (ours)", {"#72b7b2", 6, 0.7, 1.4}, 1e-6);
    const curve_plan fuse_copies =
        export_plan(lab, "fuse", "copy of kind fuse (ours)", {"#edae49", 13, 0.7, 1.8}, std::nullopt);
    const drawn_curve fused = measure_curve(lab, fuse, figure.notes);
    const drawn_curve banded = measure_curve(lab, ribbon, figure.notes);
    const drawn_curve copied = measure_curve(lab, copies, figure.notes);
    const drawn_curve strictly_copied = measure_curve(lab, strict_copies, figure.notes);
    const drawn_curve copied_as_fuse = measure_curve(lab, fuse_copies, figure.notes);
    const drawn_curve bloom =
        measure_curve(lab, our_plan(lab, "bloom", {"#9aa0a6", 4, 0.6, 1.4}, "bloom (ours)"), figure.notes);
    const drawn_curve blocked =
        measure_curve(lab, our_plan(lab, "blocked", {"#54a24b", 11, 0.6, 1.4}, "blocked (ours)"), figure.notes);
    for (const drawn_curve* one : {&copied, &strictly_copied, &copied_as_fuse, &bloom, &blocked, &fused, &banded})
        figure.curves.push_back(one->curve);
    figure.curves.push_back(lower_bound_curve());
    figure.reading =
        "Filters that are built once from all keys. Fuse and ribbon filters solve a system of equations for the set; "
        "both "
        "must be built again for one more key. The exported copies of quotient filters are made without the keys: as "
        "quotient filters with as many bits of the stored fingerprints as the FPR needs, or as fuse filters, whose FPR "
        "includes that of the source.";

    // The overhead of a binary fuse filter is that of the paper only for a million keys and more.
    const auto million = keys_of(lab, 1, random_stream::members, 1'000'000);
    const auto large = built_fuse(8)(million);
    const double overhead =
        large ? static_cast<double>((*large)->bits()) / 8e6 : std::numeric_limits<double>::quiet_NaN();
    const auto large_ribbon = rivals::ribbon_filter::build(million, 8);
    const double band =
        large_ribbon ? static_cast<double>((*large_ribbon)->bits()) / 8e6 : std::numeric_limits<double>::quiet_NaN();
    std::uint64_t hits = 0;
    constexpr std::uint64_t asked = 1'000'000;
    if (large) {
        for (const digest& one : keys_of(lab, 1, random_stream::absent, asked)) hits += (*large)->contains(one) ? 1 : 0;
    }
    place_count gain; // of a fuse filter over a copy of kind quotient
    std::string pairs;
    for (const point& each : fused.curve.points) {
        if (!each.measured || !(each.measured->mean > 0)) continue;
        const double copy_bits = bits_at(copied, each.measured->mean);
        gain.note(each.x < copy_bits);
        pairs += fmt::format("{}{:.1f} against {:.1f} at {:.2g}", pairs.empty() ? "" : ", ", each.x, copy_bits,
                             each.measured->mean);
    }
    outcome found;
    found.findings = {
        {"fuse-overhead", overhead, fmt::format("a million keys take {:.3f} times 8 bits per key", overhead)},
        {"fuse-rate", static_cast<double>(hits) / asked * 256,
         fmt::format("{} of {} absent keys, {:.4f} %; 2^-8 is 0.3906 %", hits, asked,
                     100 * static_cast<double>(hits) / asked)},
        {"ribbon-overhead", band,
         fmt::format("a million keys take {:.3f} times 8 bits per key with 64 coefficients", band)},
        {"fuse-smaller-than-export", gain.counted(),
         fmt::format("{}; bits per key of fuse and copy: {}, for {} keys", gain.words(), pairs, members)}};
    found.artefacts = {std::move(figure)};
    return found;
}

} // namespace everbloom::lab::today
