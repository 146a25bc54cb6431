// Numbers that the rivals' authors published, measured again with our small implementations in the same settings: tables of their
// benchmarks, of their programs and of a deployment. claims.json has the address of each.
#include "lab/papers/comparison.hpp"
#include "lab/papers/today/contender.hpp"
#include "lab/papers/today/today.hpp"
#include "lab/rivals/cuckoo.hpp"
#include "lab/rivals/layered.hpp"
#include "lab/rivals/quotient_filter.hpp"
#include "lab/rivals/ribbon.hpp"
#include "lab/rivals/taffy_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

namespace everbloom::lab::today {
namespace {

bool is_full(const laboratory& lab) { return lab.thoroughness().places == 0; }
bool is_glance(const laboratory& lab) { return lab.thoroughness().name == "glance"; }

constexpr double undecided = std::numeric_limits<double>::quiet_NaN();

// Fingerprint filters: results of fastfilter_cpp with ten million keys.

struct fingerprint_row {
    unsigned bits; // of a fingerprint
    double bits_per_key;
    double fpr;
};
constexpr std::array<fingerprint_row, 3> cuckoo_rows{
    {{8, 8.51, 0.029063}, {12, 12.77, 0.001841}, {16, 17.02, 0.000115}}};
/// A counting quotient filter in 2^24 slots.
constexpr fingerprint_row quotient_row{8, 17.03, 0.002315};
constexpr double quotient_load = 1e7 / (1 << 24);

struct fingerprint_findings {
    artefact figure;
    std::vector<finding> findings;
};

/// Bits of a slot beyond log2(1/FPR): what a key costs more than it must, free slots aside.
double bits_beyond_bound(double slot_bits, const seen_filter& seen) { return slot_bits - least_bits(seen.fpr.mean); }

fingerprint_findings compare_fingerprints(const laboratory& lab) {
    const unsigned log_slots = is_full(lab) ? 18 : is_glance(lab) ? 12 : 15;
    const double slots = std::exp2(log_slots);
    artefact figure{"published_rates",
                    "FPR of a cuckoo filter at the sizes of a published table",
                    {"bits per key", axis_scale::linear, 8, 18},
                    {"false positive rate", axis_scale::logarithmic, 3e-5, 0.1}};
    figure.paper_values = "published, ten million keys";
    series cuckoo{"cuckoo filter, fingerprints of 8, 12 and 16 bits", {"#d1495b", 5, 0.9, 1.8}};
    place_count in_range; // bits beyond the bound
    fit agrees(fit::error::relative, 0.03);
    std::string words;
    for (const fingerprint_row& row : cuckoo_rows) {
        const double load = row.bits / row.bits_per_key;
        const auto members = static_cast<std::uint64_t>(load * slots);
        const builder build = filled([=]() -> result<std::unique_ptr<growing_rival>> {
            return std::make_unique<rivals::cuckoo_filter>(log_slots - 2, row.bits);
        });
        const seen_filter seen = examine(lab, build, members, row.fpr);
        if (seen.refusal) figure.notes.push_back(fmt::format("cuckoo filter, {} bits: {}", row.bits, *seen.refusal));
        if (seen.trials == 0) continue;
        cuckoo.points.push_back(
            {seen.bits_per_key, row.fpr, std::nullopt, seen.fpr, {{"items", static_cast<double>(members)}}});
        agrees.note(seen.fpr, row.fpr);
        words += fmt::format("{}{:.4f} % at {:.2f} bits (published {:.4f} % at {:.2f})", words.empty() ? "" : ", ",
                             100 * seen.fpr.mean, seen.bits_per_key, 100 * row.fpr, row.bits_per_key);
        const double beyond = bits_beyond_bound(row.bits, seen);
        in_range.note(beyond >= 2 && beyond <= 3);
    }
    figure.curves.push_back(std::move(cuckoo));
    figure.reading = "The same fingerprints at the same load, in a smaller table: the FPR of a cuckoo filter does not "
                     "depend on the number of keys.";
    const builder build = filled([=]() -> result<std::unique_ptr<growing_rival>> {
        return std::make_unique<rivals::quotient_filter>(log_slots, quotient_row.bits,
                                                         rivals::quotient_filter::resizing::never);
    });
    // The published number has four digits: ten times as many false positives as elsewhere, for an interval of 0.7 %.
    const seen_filter quotient =
        examine(lab, build, static_cast<std::uint64_t>(quotient_load * slots), quotient_row.fpr / 10);
    const double beyond = bits_beyond_bound(quotient_row.bits + 3, quotient);
    in_range.note(beyond >= 2 && beyond <= 3);
    return {std::move(figure),
            {{"cuckoo-table", agrees.counted(), words},
             {"quotient-table", quotient.fpr.mean / quotient_row.fpr,
              fmt::format("{:.4f} % at a load of {:.3f} (published {:.4f} %); {:.2f} bits per key, of which the "
                          "published filter, with a later layout, needs {:.2f}",
                          100 * quotient.fpr.mean, quotient_load, 100 * quotient_row.fpr, quotient.bits_per_key,
                          quotient_row.bits_per_key)},
             {"fingerprint-overhead", in_range.counted(),
              fmt::format("between 2 and 3 bits {}; {:.2f} for the quotient filter", in_range.words(), beyond)}}};
}

// Ribbon filters: how many keys fit into a number of rows, from the tables by which RocksDB chooses its sizes.

struct ribbon_row {
    unsigned log_rows;
    double half;       // keys with which half of the seeds have a solution
    double most_seeds; // and 19 of 20
};
constexpr std::array<ribbon_row, 5> ribbon_rows{{{10, 1004.06, 976.373},
                                                 {12, 3997.89, 3875.85},
                                                 {14, 15778.4, 15312.4},
                                                 {16, 62115.3, 60321.8},
                                                 {17, 123284, 119813}}};

estimate solvable_share(const laboratory& lab, unsigned log_rows, double keys) {
    const std::uint64_t seeds = is_full(lab) ? 400 : is_glance(lab) ? 60 : 150;
    std::atomic<std::uint64_t> solved = 0;
    lab.in_parallel(seeds, [&](std::uint64_t seed) {
        const auto members = keys_of(lab, seed, random_stream::members, static_cast<std::uint64_t>(std::llround(keys)));
        solved += rivals::ribbon_filter::is_solvable(members, std::uint64_t{1} << log_rows, 8, seed + 1) ? 1 : 0;
    });
    lab.report(seeds * static_cast<std::uint64_t>(keys));
    const trial_tally all{solved, seeds};
    return estimate_share(std::span(&all, 1));
}

fingerprint_findings compare_ribbons(const laboratory& lab) {
    artefact figure{
        "published_ribbon",
        "Seeds with which a ribbon filter of 64 coefficients can be built, at the published numbers of keys",
        {"rows", axis_scale::logarithmic, 800, 170'000, {1024, 4096, 16384, 65536, 131072}},
        share_axis("share of the seeds with a solution")};
    figure.paper_values = "published";
    figure.reading = "For each number of rows the published table names the number of keys with which half of the "
                     "seeds, or 19 of 20, have a solution; the two differ by 3 % of the keys.";
    series half{"half of the seeds", {"#8d5a97", 9, 0.8, 1.8}};
    series most{"19 of 20 seeds", {"#1368aa", 7, 0.8, 1.8}};
    double unsolved_half = 0;
    double unsolved_most = 0;
    const std::size_t rows = is_full(lab) ? 5 : is_glance(lab) ? 3 : 4;
    for (const ribbon_row& row : std::span(ribbon_rows).first(rows)) {
        const double x = std::exp2(row.log_rows);
        const estimate with_half = solvable_share(lab, row.log_rows, row.half);
        const estimate with_most = solvable_share(lab, row.log_rows, row.most_seeds);
        half.points.push_back({x, 0.5, std::nullopt, with_half, {{"items", row.half}}});
        most.points.push_back({x, 0.95, std::nullopt, with_most, {{"items", row.most_seeds}}});
        unsolved_half += (1 - with_half.mean) / static_cast<double>(rows);
        unsolved_most += (1 - with_most.mean) / static_cast<double>(rows);
    }
    figure.curves = {std::move(half), std::move(most)};
    return {std::move(figure),
            {{"ribbon-table-half", unsolved_half,
              fmt::format("{:.1f} % of the seeds have no solution, mean over {} sizes", 100 * unsolved_half, rows)},
             {"ribbon-table-twentieth", unsolved_most,
              fmt::format("{:.1f} % of the seeds have no solution, mean over {} sizes", 100 * unsolved_most, rows)}}};
}

// Taffy block filters: sizes and FPRs at the moments before another filter is added, from the data of the paper's figures.

struct taffy_row {
    double keys; // the last moment before the size changes; moments are 5 % apart
    double bytes;
    double fpr;
};
constexpr std::array<taffy_row, 9> taffy_rows{{{2251, 4096, 0.001936},
                                               {6625, 14880, 0.002630},
                                               {15974, 40096, 0.003082},
                                               {33230, 96416, 0.003209},
                                               {69106, 219040, 0.003352},
                                               {143688, 481984, 0.003442},
                                               {284512, 1039744, 0.003486},
                                               {563335, 2213760, 0.003533},
                                               {1171156, 4670208, 0.003577}}};
constexpr double taffy_target = 0.004;

fingerprint_findings compare_taffy(const laboratory& lab) {
    artefact figure{"published_taffy",
                    "Bits per key of a full Taffy block filter with a target of 0.4 %",
                    {"keys", axis_scale::logarithmic, 1500, 2e6},
                    axis_from_zero("bits per key")};
    figure.paper_values = "published";
    figure.reading = "Each moment is the last one before the filter adds another one of twice the size. The published "
                     "filter starts with a page of 4 KiB, ours with as many keys as that page took.";
    series ours{"Taffy block filter", {"#d1495b", 15, 0.8, 1.8}};
    rivals::taffy_block_filter filter(static_cast<std::uint64_t>(taffy_rows.front().keys), taffy_target);
    const trial_randomness random(lab.seed(), 0);
    const std::size_t rows = is_full(lab) ? 9 : is_glance(lab) ? 5 : 7;
    const std::uint64_t queries = is_glance(lab) ? 200'000 : 1'000'000;
    std::uint64_t inside = 0;
    double bits_ratio = 0;
    double fpr_ratio = undecided;
    std::string words;
    for (std::size_t i = 0; i < rows; ++i) {
        const taffy_row& row = taffy_rows[i];
        const auto full = static_cast<std::uint64_t>(taffy_rows.front().keys) * ((std::uint64_t{2} << i) - 1);
        for (; inside < full; ++inside) (void)filter.insert(random(random_stream::members, inside));
        const double bits = static_cast<double>(filter.bits()) / static_cast<double>(inside);
        const double published = 8 * row.bytes / row.keys;
        ours.points.push_back({static_cast<double>(inside), published, std::nullopt, estimate{bits, bits, bits}});
        bits_ratio += bits / published / static_cast<double>(rows);
        if (i + 1 < rows) continue;
        trial_tally hits{0, queries};
        for (std::uint64_t one = 0; one < queries; ++one) {
            hits.hits += filter.contains(random(random_stream::absent, one)) ? 1 : 0;
        }
        const double fpr = estimate_share(std::span(&hits, 1)).mean;
        fpr_ratio = fpr / row.fpr;
        words = fmt::format("{:.4f} % with {} keys (published {:.4f} % with {:.0f}); {:.1f} bits per key (published "
                            "{:.1f})",
                            100 * fpr, inside, 100 * row.fpr, row.keys, bits, published);
    }
    lab.report(inside + queries);
    figure.curves = {std::move(ours)};
    return {std::move(figure),
            {{"taffy-table-space", bits_ratio,
              fmt::format("{:.3f} times the published bits per key, mean over {} moments", bits_ratio, rows)},
             {"taffy-table-rate", fpr_ratio, words}}};
}

// Binary fuse filters: cells per key that the authors' program takes.

double published_fuse_cells(double keys) { return std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(keys)); }

finding compare_fuse(const laboratory& lab) {
    double ratio = 0;
    std::string words;
    const std::vector<std::uint64_t> sizes = is_glance(lab) ? std::vector<std::uint64_t>{10'000, 100'000}
                                                            : std::vector<std::uint64_t>{10'000, 100'000, 1'000'000};
    for (const std::uint64_t keys : sizes) {
        const auto made = built_fuse(8)(keys_of(lab, 0, random_stream::members, keys));
        if (!made) return {"fuse-table", undecided, made.error().sentence};
        const double cells = static_cast<double>((*made)->bits()) / 8 / static_cast<double>(keys);
        ratio += cells / published_fuse_cells(static_cast<double>(keys)) / static_cast<double>(sizes.size());
        words += fmt::format("{}{:.3f} for {} keys (published {:.3f})", words.empty() ? "" : ", ", cells, keys,
                             published_fuse_cells(static_cast<double>(keys)));
    }
    return {"fuse-table", ratio, "cells per key: " + words};
}

// A Bloom cascade in use: the revoked ones of 816 million certificates, in the same proportion.

finding compare_cascade(const laboratory& lab) {
    const std::uint64_t share = is_glance(lab) ? 10'000 : 1'000; // of the published numbers
    const std::uint64_t revoked = 11'700'000 / share;
    const std::uint64_t valid = 804'300'000 / share;
    const auto members = keys_of(lab, 0, random_stream::members, revoked);
    const auto negatives = keys_of(lab, 0, random_stream::negatives, valid);
    lab.report(revoked + valid);
    // The least budget that works, in steps of 1 %.
    const auto n = static_cast<double>(revoked);
    const auto t = static_cast<double>(valid);
    const double least = rivals::layered_bloom::cascade_bits(n, t, n / (2 * t * std::numbers::ln2));
    for (double budget = least; budget < 1.2 * least; budget *= 1.01) {
        const auto made = rivals::layered_bloom::cascade(members, negatives, static_cast<std::uint64_t>(budget));
        if (!made) continue;
        const double bits = static_cast<double>((*made)->bits()) / n;
        return {"cascade-table", bits,
                fmt::format("{:.2f} bits per revoked certificate with {} revoked and {} others; by the formula {:.2f}",
                            bits, revoked, valid, least / n)};
    }
    return {"cascade-table", undecided, "no cascade within 20 % of the formula"};
}

} // namespace

result<outcome> published_numbers(laboratory& lab) {
    outcome found;
    for (auto& part : {compare_fingerprints(lab), compare_ribbons(lab), compare_taffy(lab)}) {
        found.artefacts.push_back(part.figure);
        found.findings.insert(found.findings.end(), part.findings.begin(), part.findings.end());
    }
    found.findings.push_back(compare_fuse(lab));
    found.findings.push_back(compare_cascade(lab));
    return found;
}

} // namespace everbloom::lab::today
