// A set grows to 1024 times the size that its filter was made for: FPR, cache lines per query, and bits per key on the way.
#include "lab/papers/comparison.hpp"
#include "lab/papers/today/contender.hpp"
#include "lab/papers/today/today.hpp"
#include "lab/rivals/cuckoo.hpp"
#include "lab/rivals/infini.hpp"
#include "lab/rivals/quotient_filter.hpp"
#include "lab/rivals/taffy_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace everbloom::lab::today {
namespace {

constexpr double first_target = 0.01;
constexpr unsigned doublings = 10;

/// What a filter was like at one moment.
struct moment_sight {
    std::uint64_t keys = 0;
    trial_tally hits;
    double bits = 0;
    double lines = 0;
};

/// A filter through all moments, or until it refused a key.
struct growth_sight {
    std::vector<moment_sight> moments;
    std::optional<std::uint64_t> refused_at; // number of keys it held then
    std::string refusal;
};

/// Cache lines of a query for an absent key, for filters that do not log them.
using line_model = std::function<double(our_filter& filter)>;

struct growing_contender {
    std::string label;
    look drawn;
    maker make;
    std::optional<line_model> lines = {};
    std::uint64_t most_queries = std::numeric_limits<std::uint64_t>::max();
};

std::uint64_t first_keys(const laboratory& lab) {
    const double slots = lab.thoroughness().places == 0 ? 4096 : lab.thoroughness().name == "glance" ? 128 : 1024;
    return static_cast<std::uint64_t>(rivals::quotient_filter::largest_load * slots); // fills the first table
}

growth_sight grow(const laboratory& lab, const growing_contender& contender, std::uint64_t trial,
                  std::span<const std::uint64_t> moments, std::uint64_t queries) {
    growth_sight seen;
    auto made = contender.make();
    if (!made) {
        seen.refused_at = 0;
        seen.refusal = made.error().sentence;
        return seen;
    }
    growing_rival& filter = **made;
    const trial_randomness random(lab.seed(), trial);
    std::uint64_t inside = 0;
    for (const std::uint64_t moment : moments) {
        for (; inside < moment; ++inside) {
            const insert_outcome outcome = filter.insert(random(random_stream::members, inside));
            if (succeeded(outcome)) continue;
            seen.refused_at = inside;
            seen.refusal = name_of(outcome);
            return seen;
        }
        moment_sight now;
        now.keys = moment;
        now.bits = static_cast<double>(filter.bits());
        now.hits.of = std::min(queries, contender.most_queries);
        for (std::uint64_t i = 0; i < now.hits.of; ++i) {
            now.hits.hits += filter.contains(random(random_stream::absent, i)) ? 1 : 0;
        }
        if (contender.lines) {
            now.lines = (*contender.lines)(static_cast<our_filter&>(filter));
        } else {
            constexpr std::uint64_t logged = 2000;
            rivals::line_log log;
            for (std::uint64_t i = 0; i < logged; ++i) {
                log.clear();
                (void)filter.contains(random(random_stream::absent, i), &log);
                now.lines += static_cast<double>(log.lines()) / logged;
            }
        }
        seen.moments.push_back(now);
    }
    return seen;
}

/// Every sub-filter of a chain is a Bloom filter with half of its bits set: two lines on average before a 0 is met.
double lines_of_chain(our_filter& filter) {
    const auto growth = filter.filter().growth();
    return 2 * static_cast<double>(growth ? growth->filters : 1);
}

std::vector<growing_contender> contenders(std::uint64_t first) {
    const auto log_first = static_cast<unsigned>(std::ceil(std::log2(static_cast<double>(first) / 0.9)));
    const auto fixed = [](double lines) { return line_model([=](our_filter&) { return lines; }); };
    return {
        {"quotient, --growth 1024 (ours)",
         {"#1368aa", 7, 0.7, 2.2},
         ours("quotient", first, first_target, 1024),
         fixed(2)},
        {"quotient, default (ours)", {"#72b7b2", 6, 0.7, 1.6}, ours("quotient", first, first_target, 0), fixed(2)},
        {"elastic_blocked (ours)", {"#2a9d74", 9, 0.7, 1.8}, ours("elastic_blocked", first, first_target), fixed(1)},
        {"scalable (ours)",
         {"#54a24b", 11, 0.7, 1.6},
         ours("scalable", first, first_target),
         line_model(lines_of_chain)},
        {"dynamic (ours)",
         {"#9aa0a6", 4, 0.7, 1.4},
         ours("dynamic", first, first_target),
         line_model(lines_of_chain),
         20'000},
        {"expandable, F = 9",
         {"#edae49", 13, 0.8, 1.8},
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::expandable_filter>(log_first, 9U);
         }},
        {"quotient filter (2012), r = 7",
         {"#8d5a97", 5, 0.7, 1.8},
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::quotient_filter>(log_first, 7U,
                                                              rivals::quotient_filter::resizing::doubles);
         }},
        {"Taffy block filter",
         {"#d1495b", 15, 0.7, 1.6},
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::taffy_block_filter>(first, first_target);
         }},
        {"cuckoo filter, 10 bits",
         {"#6b4c3b", 2, 0.9, 1.6},
         [=]() -> result<std::unique_ptr<growing_rival>> {
             return std::make_unique<rivals::cuckoo_filter>(log_first - 2, 10U);
         }},
    };
}

/// The three curves of a contender.
struct drawn_growth {
    series fpr;
    series lines;
    series bits;
    std::optional<double> refused_times; // its first size, when it refused
};

drawn_growth draw(const growing_contender& one, const std::vector<growth_sight>& trials, std::uint64_t first) {
    series empty{one.label, one.drawn};
    empty.joined = true;
    drawn_growth made{empty, empty, empty, {}};
    std::size_t reached = std::numeric_limits<std::size_t>::max();
    for (const growth_sight& trial : trials) {
        reached = std::min(reached, trial.moments.size());
        if (trial.refused_at) {
            const double times = static_cast<double>(*trial.refused_at) / static_cast<double>(first);
            made.refused_times = std::min(made.refused_times.value_or(times), times);
        }
    }
    for (std::size_t i = 0; i < reached; ++i) {
        const std::uint64_t keys = trials.front().moments[i].keys;
        const double x = static_cast<double>(keys) / static_cast<double>(first);
        std::vector<trial_tally> tallies;
        double lines = 0;
        double bits = 0;
        for (const growth_sight& trial : trials) {
            tallies.push_back(trial.moments[i].hits);
            lines += trial.moments[i].lines / static_cast<double>(trials.size());
            bits += trial.moments[i].bits / static_cast<double>(keys) / static_cast<double>(trials.size());
        }
        const std::vector<std::pair<std::string, double>> setting{{"items", static_cast<double>(keys)}};
        made.fpr.points.push_back({x, std::nullopt, std::nullopt, estimate_share(tallies), setting});
        if (one.lines) {
            made.lines.points.push_back({x, std::nullopt, lines, std::nullopt, setting});
        } else {
            made.lines.points.push_back({x, std::nullopt, std::nullopt, estimate{lines, lines, lines}, setting});
        }
        made.bits.points.push_back({x, std::nullopt, std::nullopt, estimate{bits, bits, bits}, setting});
    }
    return made;
}

/// A cross where a filter refused the next key, at the height of its last point.
void add_crosses(artefact& figure, const std::vector<drawn_growth>& all, series drawn_growth::*which) {
    series crosses{"refuses further keys", {"#000000", 2, 1.1, 1.2}};
    for (const drawn_growth& one : all) {
        const std::vector<point>& points = (one.*which).points;
        if (!one.refused_times || points.empty()) continue;
        const point& last = points.back();
        const double y = last.measured ? last.measured->mean : last.model.value_or(0);
        crosses.points.push_back({*one.refused_times, std::nullopt, std::nullopt, estimate{y, y, y}});
    }
    if (!crosses.points.empty()) figure.curves.push_back(std::move(crosses));
}

const point* at_end(const series& one) { return one.points.empty() ? nullptr : &one.points.back(); }

double end_of(const drawn_growth& one, series drawn_growth::*which) {
    const point* last = at_end(one.*which);
    if (last == nullptr || one.refused_times) return std::numeric_limits<double>::quiet_NaN();
    return last->measured ? last->measured->mean : last->model.value_or(0);
}

} // namespace

result<outcome> growth(laboratory& lab) {
    const std::uint64_t first = first_keys(lab);
    std::vector<std::uint64_t> moments;
    for (unsigned i = 0; i <= doublings; ++i) {
        moments.push_back(first << i);
        if (i < doublings && lab.thoroughness().places == 0) moments.push_back((first << i) * 7 / 5);
    }
    const std::uint64_t trials = lab.thoroughness().places == 0 ? 4 : 2;
    const std::uint64_t queries = queries_for(lab.thoroughness(), first_target) / trials;
    artefact fpr{"growth_fpr",
                 "FPR while a set grows to 1024 times its size: first capacity at 1 %",
                 {"keys, as multiples of the first capacity", axis_scale::logarithmic, 0.9, 1200},
                 rate_axis("false positive rate")};
    artefact lines{"growth_lines",
                   "Cache lines read by a query for an absent key while the set grows",
                   {"keys, as multiples of the first capacity", axis_scale::logarithmic, 0.9, 1200},
                   {"cache lines per query", axis_scale::logarithmic, 0.8, 4000}};
    artefact bits{"growth_bits",
                  "Bits per key while the set grows",
                  {"keys, as multiples of the first capacity", axis_scale::logarithmic, 0.9, 1200},
                  axis_from_zero("bits per key")};
    std::vector<drawn_growth> all;
    for (const growing_contender& one : contenders(first)) {
        std::vector<growth_sight> sights(trials);
        lab.in_parallel(trials, [&](std::uint64_t trial) { sights[trial] = grow(lab, one, trial, moments, queries); });
        lab.report(trials * (moments.back() + moments.size() * std::min(queries, one.most_queries)));
        all.push_back(draw(one, sights, first));
        const drawn_growth& drawn = all.back();
        if (drawn.refused_times) {
            const std::string note = fmt::format("{}: refuses keys beyond {:.3g} times its first capacity ({})",
                                                 one.label, *drawn.refused_times, sights.front().refusal);
            for (artefact* figure : {&fpr, &lines, &bits}) figure->notes.push_back(note);
        }
        fpr.curves.push_back(drawn.fpr);
        lines.curves.push_back(drawn.lines);
        bits.curves.push_back(drawn.bits);
    }
    add_crosses(fpr, all, &drawn_growth::fpr);
    add_crosses(lines, all, &drawn_growth::lines);
    add_crosses(bits, all, &drawn_growth::bits);
    for (artefact* figure : {&fpr, &lines, &bits}) figure->x.ticks = {1, 4, 16, 64, 256, 1024};
    fpr.reference = first_target;
    fpr.zero_shown_at = 1e-6;
    fpr.reading =
        "All are made for the same first number of keys at 1 % (the horizontal line) and then get 1024 times as many. "
        "A "
        "quotient filter that gives a bit of its fingerprints to each doubling loses its FPR until it must stop; with "
        "fingerprints of different lengths it rises with the number of doublings only; chains add up their FPRs.";
    lines.reading =
        "Cache lines of 64 bytes that a query for a key that was never added reads on average: logged for the rivals, "
        "from "
        "the layout for our kinds (two for quotient, one for elastic_blocked, two in every sub-filter of a chain).";
    bits.reading = "All memory divided by the keys. Tables that double are half empty afterwards; elastic_blocked "
                   "counts its stored "
                   "hashes, which queries never touch.";

    const auto& [ours_quotient, by_default, elastic, scalable, dynamic, expandable, quotient, taffy, cuckoo] =
        std::tie(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8]);
    double taffy_highest = 0;
    for (const point& one : taffy.fpr.points) taffy_highest = std::max(taffy_highest, one.measured->low);
    // With x doublings of F bits: load (x + 2) / 2^(F + 1). The load is known from the bits.
    constexpr double slot_bits = 13; // with F = 9
    const double load = slot_bits / end_of(expandable, &drawn_growth::bits);
    const double expected = rivals::expandable_filter::model_fpr(9, doublings, load);
    const double measured = end_of(expandable, &drawn_growth::fpr);
    std::uint64_t rises = 0; // doublings at which the quotient filter of 2012 gets worse
    for (std::size_t i = 1; i < quotient.fpr.points.size(); ++i) {
        rises += quotient.fpr.points[i].measured->low > quotient.fpr.points[i - 1].measured->mean ? 1 : 0;
    }
    const double start = ours_quotient.fpr.points.front().measured->mean;
    // The first tables have a few lines only; from the middle of the way on the load is all that matters. Copies of void entries may
    // double the last table before its time: then the moment before it is the last one at the same load.
    const auto& one_place = expandable.lines.points;
    const auto load_at = [&bits_of = expandable.bits](std::size_t i) {
        return slot_bits / bits_of.points[i].measured->mean;
    };
    const std::size_t middle = one_place.size() / 2;
    std::size_t latest = one_place.size() - 1;
    while (latest > middle + 1 && std::abs(load_at(latest) - load_at(middle)) > 0.02) --latest;
    const double one_place_at_first = one_place[middle].measured->mean;
    const double one_place_at_end = one_place[latest].measured->mean;
    outcome found;
    found.findings = {
        {"expandable-rate", measured / expected,
         fmt::format("{:.3g} after 1024 times the keys at load {:.2f}; the formula says {:.3g}", measured, load,
                     expected)},
        {"expandable-one-place", one_place_at_end / one_place_at_first,
         fmt::format("{:.2f} cache lines per query at {:.0f} times, {:.2f} at {:.0f} times the keys, at loads of "
                     "{:.2f} and {:.2f}",
                     one_place_at_first, one_place[middle].x, one_place_at_end, one_place[latest].x, load_at(middle),
                     load_at(latest))},
        {"taffy-below-target", taffy_highest > first_target ? 1.0 : 0.0,
         fmt::format("{:.3g} at most (lower end of the interval); the target is {}", taffy_highest, first_target)},
        {"taffy-logarithmic", end_of(taffy, &drawn_growth::lines),
         fmt::format("{:.2f} cache lines per query at 1024 times the keys", end_of(taffy, &drawn_growth::lines))},
        {"quotient-filter-loses-bits", quotient.refused_times.value_or(std::numeric_limits<double>::quiet_NaN()),
         fmt::format("worse at {} of {} steps, then refuses keys at {:.3g} times its first capacity", rises,
                     quotient.fpr.points.size() - 1, quotient.refused_times.value_or(0))},
        {"cuckoo-does-not-grow", cuckoo.refused_times.value_or(std::numeric_limits<double>::quiet_NaN()),
         fmt::format("refuses keys at {:.3g} times its first capacity", cuckoo.refused_times.value_or(0))},
        {"quotient-keeps-rate", end_of(ours_quotient, &drawn_growth::fpr),
         fmt::format(
             "{:.3g} at first, {:.3g} at 1024 times the keys with {:.3g} bits per key; by default {:.3g} with {:.3g}; "
             "elastic_blocked {:.3g}, scalable {:.3g}, dynamic {:.3g}",
             start, end_of(ours_quotient, &drawn_growth::fpr), end_of(ours_quotient, &drawn_growth::bits),
             end_of(by_default, &drawn_growth::fpr), end_of(by_default, &drawn_growth::bits),
             end_of(elastic, &drawn_growth::fpr), end_of(scalable, &drawn_growth::fpr),
             end_of(dynamic, &drawn_growth::fpr))}};
    found.artefacts = {std::move(fpr), std::move(lines), std::move(bits)};
    return found;
}

} // namespace everbloom::lab::today
