// Fig. 9 of [Wu21 §5.5]: load rate of the bucket tree at its first overflow: fingerprints divided by the slots of both levels. With eight
// hash functions each item has eight fingerprints at independent places, so only fingerprints are simulated. With the keys of a trace
// the trees are only as large as it can surely fill; a key that repeats fills the same buckets again.
//
// The model: the number of fingerprints in a bucket is Poisson, groups of buckets with a shared one are independent, and the mean number
// inserted is the integral of the probability that no group has overflowed yet.
#include "lab/papers/comparison.hpp"
#include "lab/papers/elastic/bucket_filling.hpp"
#include "lab/papers/elastic/elastic.hpp"

#include <everbloom/model/elastic/elastic_load.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace everbloom::lab::elastic {
namespace {

constexpr std::uint64_t most_branches = 8;
constexpr unsigned smallest_power = 12; // of the number of buckets
constexpr std::array<std::uint64_t, 8> slot_counts{2, 4, 6, 8, 10, 12, 14, 16};
constexpr std::array<std::string_view, most_branches> colours{"#08306b", "#08519c", "#2171b5", "#4292c6",
                                                              "#6baed6", "#9e9ac8", "#e08a1e", "#a4520a"};

double predicted(const bucket_tree& tree) {
    const auto groups = static_cast<double>(tree.shared_buckets());
    const auto survives = [&](double load) {
        return std::exp(-groups * tree_overflow(load, tree.slots, tree.branches));
    };
    double end = 1;
    while (survives(end) > 1e-9) end *= 1.25;
    constexpr int steps = 200;
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += survives(end * (i + 0.5) / steps);
    return sum * end / steps * static_cast<double>(tree.buckets) / static_cast<double>(tree.all_slots());
}

/// Fingerprints per bucket before the first overflow of buckets without a second level.
estimate fill_one_level(const laboratory& lab, std::uint64_t buckets, std::uint64_t slots) {
    const std::uint64_t runs = lab.thoroughness().places == 0 ? 200 : 24;
    std::vector<trial_tally> tallies(runs);
    lab.in_parallel(runs, [&](std::uint64_t run) {
        const auto fill = [&](auto places) {
            std::vector<std::uint8_t> own(buckets, 0);
            std::uint64_t inside = 0;
            for (std::uint64_t place = places.next(); own[place] < slots; place = places.next(), ++inside) ++own[place];
            return inside;
        };
        tallies[run] = {with_places(lab, run * 1'000'003, buckets, fill), buckets * slots};
    });
    return estimate_share(tallies) * static_cast<double>(slots);
}

struct filled_tree {
    bucket_tree tree;
    estimate load_rate;
    double model = 0;
    estimate fingerprints; // per bucket of level 1
};

filled_tree fill(const laboratory& lab, const bucket_tree& tree) {
    // Large trees vary less and are slower.
    const bool glance = lab.thoroughness().name == "glance";
    const std::uint64_t effort =
        lab.thoroughness().places == 0 ? std::uint64_t{1} << 24 : std::uint64_t{1} << (glance ? 17 : 20);
    const std::uint64_t runs = std::clamp<std::uint64_t>(effort / tree.buckets, 8, 1000);
    std::vector<trial_tally> tallies(runs);
    lab.in_parallel(runs, [&](std::uint64_t run) {
        const auto fill = [&](auto places) { return tree.fill(std::move(places)); };
        tallies[run] = {with_places(lab, run * 1'000'003 + tree.branches, tree.buckets, fill), tree.all_slots()};
    });
    for (const trial_tally& one : tallies) lab.report(one.hits);
    const estimate rate = estimate_share(tallies);
    const double slots_each = static_cast<double>(tree.all_slots()) / static_cast<double>(tree.buckets);
    return {tree, rate, predicted(tree), {rate.mean * slots_each, rate.low * slots_each, rate.high * slots_each}};
}

/// The largest power of two, at most 2^`wanted`, of buckets that overflow before the trace ends: it has more fingerprints than a tree of
/// one branch, the largest, has slots.
unsigned largest_power(const laboratory& lab, unsigned wanted, std::uint64_t slots) {
    if (lab.trace().empty()) return wanted;
    const std::uint64_t fingerprints = lab.trace().size() * trace_places::hashes;
    unsigned power = smallest_power;
    while (power < wanted && bucket_tree{std::uint64_t{2} << power, slots, 1}.all_slots() < fingerprints) ++power;
    return power;
}

/// [branches - 1][place on the axis]
using grid = std::vector<std::vector<filled_tree>>;

series drawn(const std::vector<filled_tree>& trees, double (*x)(const bucket_tree&)) {
    const std::uint64_t branches = trees.front().tree.branches;
    series made{fmt::format("{} branch{}", branches, branches == 1 ? "" : "es"),
                {std::string(colours[branches - 1]), 7, 0.5, 1.5}};
    for (const filled_tree& one : trees) {
        made.points.push_back({x(one.tree),
                               std::nullopt,
                               one.model,
                               one.load_rate,
                               {{"fingerprints_per_bucket", one.fingerprints.mean},
                                {"shared_buckets", static_cast<double>(one.tree.shared_buckets())}}});
    }
    return made;
}

/// Along the axis, for each number of branches.
place_count rises_along(const grid& trees) {
    place_count places;
    for (const auto& line : trees) {
        for (std::size_t i = 1; i < line.size(); ++i) places.note_less(line[i - 1].load_rate, line[i].load_rate);
    }
    return places;
}

/// From one number of branches to the next, at each point of the axis.
place_count rises_with_branches(const grid& trees) {
    place_count places;
    for (std::size_t b = 1; b < trees.size(); ++b) {
        for (std::size_t i = 0; i < trees[b].size(); ++i)
            places.note_less(trees[b - 1][i].load_rate, trees[b][i].load_rate);
    }
    return places;
}

std::string one_against_eight(const filled_tree& one, const filled_tree& eight) {
    return fmt::format(
        "2^{:.0f} buckets of {}: from 1 branch to 8 the load rate goes from {:.3f} to {:.3f}, the fingerprints per "
        "bucket from {:.2f} to {:.2f}",
        std::log2(one.tree.buckets), one.tree.slots, one.load_rate.mean, eight.load_rate.mean, one.fingerprints.mean,
        eight.fingerprints.mean);
}

} // namespace

result<outcome> load_rate(laboratory& lab) {
    const bool as_the_paper = lab.thoroughness().places == 0;
    constexpr bucket_tree smallest{std::uint64_t{1} << smallest_power, slot_counts.back(), 1};
    const std::uint64_t least_keys = smallest.all_slots() / trace_places::hashes + 1;
    if (auto checked = check_trace(lab, least_keys); !checked) return fail(std::move(checked.error()));
    const unsigned largest = largest_power(lab, as_the_paper ? 20 : lab.thoroughness().name == "glance" ? 16 : 18, 8);
    const unsigned slot_power = largest_power(lab, 15, slot_counts.back());
    const bool keys_repeat = distinct_keys(lab, lab.trace().size()) < lab.trace().size();
    grid over_size;
    grid over_slots;
    for (std::uint64_t branches = 1; branches <= most_branches; ++branches) {
        std::vector<filled_tree> sizes;
        for (unsigned power = smallest_power; power <= largest; power += 2) {
            sizes.push_back(fill(lab, {std::uint64_t{1} << power, 8, branches}));
        }
        over_size.push_back(std::move(sizes));
        std::vector<filled_tree> slots;
        slots.reserve(slot_counts.size());
        for (const std::uint64_t count : slot_counts)
            slots.push_back(fill(lab, {std::uint64_t{1} << slot_power, count, branches}));
        over_slots.push_back(std::move(slots));
    }
    artefact size_figure{"fig9a",
                         "Load rate of the bucket tree over the size of the filter, buckets of 8",
                         {"log2 of the buckets of level 1"},
                         axis_from_zero("load rate")};
    size_figure.reading = "At the first overflow. More branches mean fewer buckets on level 2: fewer fingerprints fit, "
                          "but there are also "
                          "fewer slots.";
    artefact slot_figure{
        "fig9b",
        fmt::format("Load rate of the bucket tree over the size of its buckets, 2^{} buckets", slot_power),
        {"slots per bucket"},
        axis_from_zero("load rate")};
    slot_figure.reading = "Larger buckets fill more evenly.";
    fit agrees(fit::error::relative, 0.01);
    place_count fewer_go_in;
    for (const grid* trees : {&over_size, &over_slots}) {
        for (std::size_t b = 0; b < trees->size(); ++b) {
            for (std::size_t i = 0; i < (*trees)[b].size(); ++i) {
                const filled_tree& one = (*trees)[b][i];
                agrees.note(one.load_rate, one.model);
                if (b > 0) fewer_go_in.note_less(one.fingerprints, (*trees)[b - 1][i].fingerprints);
            }
        }
    }
    for (std::size_t b = 0; b < most_branches; ++b) {
        size_figure.curves.push_back(
            drawn(over_size[b], [](const bucket_tree& tree) { return std::log2(tree.buckets); }));
        slot_figure.curves.push_back(
            drawn(over_slots[b], [](const bucket_tree& tree) { return static_cast<double>(tree.slots); }));
    }
    // One level with as many slots as the tree of three branches has: 8 + 8/3 for each bucket.
    place_count tree_holds_more;
    double tree_load = 0;
    double flat_load = 0;
    for (const filled_tree& tree : over_size[2]) {
        estimate best{};
        for (const std::uint64_t slots : {10, 11}) {
            const estimate flat = fill_one_level(lab, tree.tree.buckets, slots);
            if (flat.mean > best.mean) best = flat;
        }
        tree_holds_more.note_less(best, tree.fingerprints);
        tree_load = tree.fingerprints.mean;
        flat_load = best.mean;
    }
    const place_count along_size = rises_along(over_size);
    const place_count with_branches = rises_with_branches(over_size);
    const place_count slots_with_branches = rises_with_branches(over_slots);
    const filled_tree& one = over_size.front().back();
    const filled_tree& eight = over_size.back().back();
    outcome found;
    found.findings = {
        {"load-falls-with-size", along_size.counted_misses(),
         fmt::format("rises {}; with 3 branches {:.3f} at 2^12, {:.3f} at 2^{:.0f}", along_size.words(),
                     over_size[2].front().load_rate.mean, over_size[2].back().load_rate.mean,
                     std::log2(over_size[2].back().tree.buckets))},
        {"load-rises-with-branches", together(with_branches.counted(), slots_with_branches.counted()),
         fmt::format("{} over the size, {} over the buckets; {}", with_branches.words(), slots_with_branches.words(),
                     one_against_eight(one, eight))},
        {"more-branches-more-buckets",
         static_cast<double>(eight.tree.shared_buckets()) / static_cast<double>(one.tree.shared_buckets()),
         fmt::format("{} buckets on level 2 with 1 branch, {} with 8; fewer fingerprints fit {}; {}",
                     one.tree.shared_buckets(), eight.tree.shared_buckets(), fewer_go_in.words(),
                     one_against_eight(one, eight))},
        {"load-rises-with-bucket", rises_along(over_slots).counted(),
         fmt::format("{}; with 3 branches {:.3f} with 2 slots, {:.3f} with 16", rises_along(over_slots).words(),
                     over_slots[2].front().load_rate.mean, over_slots[2].back().load_rate.mean)},
        {"load-model", keys_repeat ? measured_value(std::nan("")) : agrees.counted(),
         keys_repeat ? "not tested: keys of the trace repeat, the model is for distinct keys" : agrees.words()},
        {"one-level-overflows", tree_holds_more.counted(),
         fmt::format("more {}; {:.2f} fingerprints per bucket at the largest size against {:.2f} on one level",
                     tree_holds_more.words(), tree_load, flat_load)}};
    found.artefacts.push_back(std::move(size_figure));
    found.artefacts.push_back(std::move(slot_figure));
    return found;
}

} // namespace everbloom::lab::elastic
