// Fig. 6 of [Wu21 §5.3]: speed of mixed workloads of insertions, queries for members and queries for random keys.
//
// A workload is timed in blocks: insertions, then queries of both kinds. The time of a mix 1 : q : q is computed from the three times. Only
// every fourth block is followed by queries, and their time is extrapolated: a chain of 358 filters answers slowly.
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/handling.hpp"
#include "lab/papers/elastic/stopwatch.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::lab::elastic {
namespace {

constexpr std::uint64_t block = 1024;
constexpr std::array<std::uint64_t, 3> query_ratios{2, 4, 8};
constexpr double slightly = 0.5; // slower, but at least half as fast

/// Seconds up to a number of keys: for all insertions, and for one query of each kind per insertion.
struct times_at {
    double insertions = 0;
    double queries = 0;

    [[nodiscard]] double mix(std::uint64_t ratio) const noexcept {
        return insertions + static_cast<double>(ratio) * queries;
    }
};

constexpr std::uint64_t blocks_per_query_block = 4;

result<std::vector<times_at>> live(const laboratory& lab, const structure& contender,
                                   const std::vector<std::uint64_t>& peaks) {
    auto filter = build_contender(contender, papers_bits);
    if (!filter) return fail(std::move(filter.error()));
    const workload_keys keys(lab, 0);
    std::vector<times_at> made;
    times_at now;
    std::uint64_t inside = 0;
    std::uint64_t asked = 0;
    for (const std::uint64_t peak : peaks) {
        for (; inside < peak * papers_items; inside += block) {
            const auto arriving = keys.members(inside, block);
            result<void> filled;
            now.insertions += cpu_seconds_of([&] { filled = insert_all(*filter, arriving); });
            if (!filled) return fail(std::move(filled.error()));
            if (inside / block % blocks_per_query_block != 0) continue;
            const auto members = keys.some_members(inside + block, asked, block);
            const auto absent_keys = keys.absent_keys(asked, block);
            asked += block;
            std::uint64_t found = 0;
            const double seconds = cpu_seconds_of([&] {
                found = count_positives(*filter, members);
                found += count_positives(*filter, absent_keys);
            });
            if (found < block) return fail(failure_reason::damaged, contender.kind + ": false negative");
            now.queries += seconds * static_cast<double>(blocks_per_query_block);
        }
        made.push_back(now);
    }
    lab.report(inside + 2 * asked);
    return made;
}

struct contest {
    std::vector<structure> contenders{dynamic_contender(), scalable_contender(), blocked_contender(),
                                      elastic_contender()};
    std::vector<std::uint64_t> peaks;
    std::vector<std::vector<std::vector<round_values>>> rates; // [contender][ratio][peak]
};
constexpr std::size_t dynamic_one = 0;
constexpr std::size_t scalable_one = 1;
constexpr std::size_t elastic_one = 3;

result<contest> hold(const laboratory& lab) {
    contest made;
    const std::uint64_t most = insertions_available(lab, largest_peak(lab) * papers_items) / papers_items;
    made.peaks = peaks_up_to(most, 2);
    made.rates.assign(made.contenders.size(),
                      std::vector(query_ratios.size(), std::vector<round_values>(made.peaks.size())));
    for (int round = 0; round < timed_rounds; ++round) {
        for (std::size_t one = 0; one < made.contenders.size(); ++one) {
            const auto times = live(lab, made.contenders[one], made.peaks);
            if (!times) return fail(times.error());
            for (std::size_t ratio = 0; ratio < query_ratios.size(); ++ratio) {
                for (std::size_t peak = 0; peak < made.peaks.size(); ++peak) {
                    const std::uint64_t operations = made.peaks[peak] * papers_items * (1 + 2 * query_ratios[ratio]);
                    made.rates[one][ratio][peak].note_speed(operations, (*times)[peak].mix(query_ratios[ratio]));
                }
            }
        }
    }
    return made;
}

artefact drawn(const contest& seen, std::size_t ratio) {
    const std::uint64_t queries = query_ratios[ratio];
    artefact figure{fmt::format("fig6_{}", queries),
                    fmt::format("Speed of a workload with {} queries for members and {} for random keys per insertion",
                                queries, queries),
                    {"relative peak data size (1: 2^14 items)", axis_scale::logarithmic},
                    {"million operations per second", axis_scale::logarithmic}};
    figure.reading = fmt::format("From the first key on, including growth; CPU time, {} rounds.", timed_rounds);
    for (std::size_t one = 0; one < seen.contenders.size(); ++one) {
        series line{seen.contenders[one].label, seen.contenders[one].drawn};
        for (std::size_t peak = 0; peak < seen.peaks.size(); ++peak) {
            line.points.push_back({static_cast<double>(seen.peaks[peak]), std::nullopt, std::nullopt,
                                   seen.rates[one][ratio][peak].mean()});
        }
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

/// Speed of `elastic` relative to the faster of the two chains, in each round.
round_values lead(const contest& seen, std::size_t ratio, std::size_t peak) {
    const round_values against_dynamic = seen.rates[elastic_one][ratio][peak] / seen.rates[dynamic_one][ratio][peak];
    const round_values against_scalable = seen.rates[elastic_one][ratio][peak] / seen.rates[scalable_one][ratio][peak];
    round_values made;
    for (std::size_t round = 0; round < against_dynamic.rounds(); ++round) {
        made.note(std::min(against_dynamic.in_round(round), against_scalable.in_round(round)));
    }
    return made;
}

/// At the smallest and at the largest size, for every mix.
std::string leads(const contest& seen) {
    std::string text;
    const std::size_t last = seen.peaks.size() - 1;
    for (std::size_t ratio = 0; ratio < query_ratios.size(); ++ratio) {
        text += fmt::format("{}1:{}:{} {:.2g} at 1 and {:.2g} at {}", text.empty() ? "" : ", ", query_ratios[ratio],
                            query_ratios[ratio], lead(seen, ratio, 0).value(), lead(seen, ratio, last).value(),
                            seen.peaks[last]);
    }
    return text;
}

} // namespace

result<outcome> speed_of_mixes(laboratory& lab) {
    if (auto checked = check_trace(lab, papers_items); !checked) return fail(std::move(checked.error()));
    const auto seen = hold(lab);
    if (!seen) return fail(seen.error());
    place_count slightly_slower;
    place_count better_with_queries;
    place_count fastest;
    for (std::size_t peak = 0; peak < seen->peaks.size(); ++peak) {
        if (seen->peaks[peak] < 64) {
            for (const std::size_t chain : {dynamic_one, scalable_one}) {
                const double ratio = (seen->rates[elastic_one][0][peak] / seen->rates[chain][0][peak]).value();
                slightly_slower.note(ratio >= slightly && ratio < 1);
            }
        }
        note_more(better_with_queries, lead(*seen, 2, peak), lead(*seen, 0, peak));
        const estimate with_most_queries = lead(*seen, 2, peak).mean();
        fastest.note_less({1, 1, 1}, with_most_queries);
    }
    const std::string ends = fmt::format("speed relative to the faster chain: {}", leads(*seen));
    outcome found;
    found.is_timed = true;
    found.findings = {
        {"mix-slower-at-1-2-2", slightly_slower.counted(), slightly_slower.words() + "; " + ends},
        {"mix-gains-with-queries", better_with_queries.counted(), better_with_queries.words() + "; " + ends},
        {"mix-fastest-at-1-8-8", fastest.counted(), fastest.words() + "; " + ends}};
    for (std::size_t ratio = 0; ratio < query_ratios.size(); ++ratio) found.artefacts.push_back(drawn(*seen, ratio));
    return found;
}

} // namespace everbloom::lab::elastic
