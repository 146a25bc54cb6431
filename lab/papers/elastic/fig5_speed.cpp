// Fig. 5 of [Wu21 §5.3]: speed of each operation over the relative peak data size. Keys are hashed beforehand.
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/handling.hpp"
#include "lab/papers/elastic/stopwatch.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::lab::elastic {
namespace {

struct operation {
    std::string_view id;
    std::string_view name;
};
enum operation_number : std::size_t { inserting, present, absent, removing };
constexpr std::array<operation, 4> operations{{{"fig5_insertion", "insertion"},
                                               {"fig5_present", "query for a member"},
                                               {"fig5_random", "query for a random key"},
                                               {"fig5_deletion", "deletion"}}};
constexpr std::uint64_t queries = 1 << 17;
constexpr std::uint64_t most_removals = 1 << 15;

/// Speeds of all operations of one filter at one size.
struct speeds {
    std::array<round_values, operations.size()> of;
    double removable = 1; // deletable share
};

/// The keys of all rounds and filters at one size.
struct work_load {
    std::vector<digest> members;
    std::vector<digest> asked;
    std::vector<digest> absent_keys;
    std::vector<digest> leaving;
};

work_load work_of(const laboratory& lab, std::uint64_t items) {
    const workload_keys keys(lab, 0);
    work_load made;
    made.members = keys.members(0, items);
    made.asked = keys.some_members(items, 0, queries);
    made.absent_keys = keys.absent_keys(0, queries);
    const std::uint64_t leaving = std::min(items, most_removals);
    for (std::uint64_t i = 0; i < leaving; ++i) made.leaving.push_back(made.members[i * (items / leaving)]);
    return made;
}

/// Times one workload. The answers are summed up, so that no query is optimised away.
result<void> time_one(const structure& contender, const work_load& work, speeds& into) {
    auto filter = build_contender(contender, papers_bits);
    if (!filter) return fail(std::move(filter.error()));
    result<void> filled;
    into.of[inserting].note_speed(work.members.size(),
                                  cpu_seconds_of([&] { filled = insert_all(*filter, work.members); }));
    if (!filled) return filled;
    std::uint64_t found = 0;
    into.of[present].note_speed(work.asked.size(),
                                cpu_seconds_of([&] { found = count_positives(*filter, work.asked); }));
    if (found != work.asked.size()) return fail(failure_reason::damaged, contender.kind + ": false negative");
    into.of[absent].note_speed(work.absent_keys.size(),
                               cpu_seconds_of([&] { found = count_positives(*filter, work.absent_keys); }));
    if (found == work.absent_keys.size())
        return fail(failure_reason::damaged, contender.kind + ": positive for all keys");
    if (!filter->can(capability::erase)) return {};
    result<std::uint64_t> removed;
    into.of[removing].note_speed(work.leaving.size(),
                                 cpu_seconds_of([&] { removed = erase_all(*filter, work.leaving); }));
    if (!removed) return fail(std::move(removed.error()));
    into.removable = static_cast<double>(*removed) / static_cast<double>(work.leaving.size());
    return {};
}

struct contest {
    std::vector<structure> contenders{dynamic_contender(), scalable_contender(), blocked_contender(),
                                      elastic_contender()};
    std::vector<std::uint64_t> peaks;
    std::vector<std::vector<speeds>> at; // [peak][contender]

    [[nodiscard]] const round_values& speed(std::size_t peak, std::size_t contender, operation_number what) const {
        return at[peak][contender].of[what];
    }
    /// How many times as fast one is as the other.
    [[nodiscard]] double ratio(std::size_t peak, std::size_t one, std::size_t other, operation_number what) const {
        return (speed(peak, one, what) / speed(peak, other, what)).value();
    }
};
enum contender_number : std::size_t { dynamic_one, scalable_one, blocked_one, elastic_one };

result<contest> hold(const laboratory& lab) {
    contest made;
    made.peaks = peaks_up_to(insertions_available(lab, largest_peak(lab) * papers_items) / papers_items, 2);
    for (const std::uint64_t peak : made.peaks) {
        const work_load work = work_of(lab, peak * papers_items);
        std::vector<speeds> seen(made.contenders.size());
        for (int round = 0; round < timed_rounds; ++round) {
            for (std::size_t i = 0; i < seen.size(); ++i) {
                if (auto done = time_one(made.contenders[i], work, seen[i]); !done)
                    return fail(std::move(done.error()));
                lab.report(work.members.size() + work.asked.size() + work.absent_keys.size() + work.leaving.size());
            }
        }
        made.at.push_back(std::move(seen));
    }
    return made;
}

artefact drawn(const contest& seen, operation_number what) {
    artefact figure{
        std::string(operations[what].id),
        fmt::format("Speed of {}: initially 2^18 bits, CPU time, {} rounds", operations[what].name, timed_rounds),
        {"relative peak data size (1: 2^14 items)", axis_scale::logarithmic},
        {"million keys per second", axis_scale::logarithmic}};
    figure.reading = what == inserting ? "From the first to the last key, including growth."
                     : what == removing
                         ? "In a full filter, for deletable and undeletable keys; the scalable filter cannot delete."
                         : "Queries in batches of 256. Means of all rounds with their 95 % intervals.";
    for (std::size_t i = 0; i < seen.contenders.size(); ++i) {
        series line{seen.contenders[i].label, seen.contenders[i].drawn};
        for (std::size_t peak = 0; peak < seen.peaks.size(); ++peak) {
            const round_values& speed = seen.speed(peak, i, what);
            if (speed.empty()) continue;
            line.points.push_back({static_cast<double>(seen.peaks[peak]), std::nullopt, std::nullopt, speed.mean()});
        }
        if (!line.points.empty()) figure.curves.push_back(std::move(line));
    }
    return figure;
}

/// Speed ratios of `elastic` at the largest size, for evidence.
std::string ratios_at_the_end(const contest& seen, operation_number what) {
    const std::size_t last = seen.peaks.size() - 1;
    return fmt::format(
        "at {} times the items {:.2g} times as fast as dynamic, {:.2g} as scalable; elastic_blocked {:.2g} "
        "times as fast as elastic",
        seen.peaks.back(), seen.ratio(last, elastic_one, dynamic_one, what),
        seen.ratio(last, elastic_one, scalable_one, what), seen.ratio(last, blocked_one, elastic_one, what));
}

finding insertion_finding(const contest& seen) {
    place_count slower;
    for (std::size_t peak = 0; peak < seen.peaks.size(); ++peak) {
        for (const contender_number other : {dynamic_one, scalable_one}) {
            note_more(slower, seen.speed(peak, other, inserting), seen.speed(peak, elastic_one, inserting));
        }
    }
    return {"insertion-slower", slower.counted(), slower.words() + "; " + ratios_at_the_end(seen, inserting)};
}

finding query_finding(const contest& seen) {
    place_count faster;
    mean_ratio against_dynamic;
    mean_ratio against_scalable;
    for (std::size_t peak = 0; peak < seen.peaks.size(); ++peak) {
        for (const operation_number what : {present, absent}) {
            for (const contender_number other : {dynamic_one, scalable_one}) {
                note_more(faster, seen.speed(peak, elastic_one, what), seen.speed(peak, other, what));
            }
            against_dynamic.note(seen.ratio(peak, elastic_one, dynamic_one, what), 1);
            against_scalable.note(seen.ratio(peak, elastic_one, scalable_one, what), 1);
        }
    }
    return {
        "query-faster", faster.counted(),
        fmt::format("{}; on average {:.2g} times as fast as dynamic and {:.2g} as scalable; random keys {}; members {}",
                    faster.words(), against_dynamic.value(), against_scalable.value(), ratios_at_the_end(seen, absent),
                    ratios_at_the_end(seen, present))};
}

finding deletion_finding(const contest& seen) {
    place_count faster;
    std::string ratios;
    for (std::size_t peak = 0; peak < seen.peaks.size(); ++peak) {
        if (seen.peaks[peak] > 16) {
            note_more(faster, seen.speed(peak, elastic_one, removing), seen.speed(peak, dynamic_one, removing));
        }
        ratios += fmt::format("{}{:.2g} at {}", ratios.empty() ? "" : ", ",
                              seen.ratio(peak, elastic_one, dynamic_one, removing), seen.peaks[peak]);
    }
    return {"deletion-faster", faster.counted(),
            fmt::format(
                "times as fast as dynamic: {}; at the end dynamic can delete {:.0f} % of the keys, elastic all of them",
                ratios, 100 * seen.at.back()[dynamic_one].removable)};
}

} // namespace

result<outcome> speed_of_operations(laboratory& lab) {
    if (auto checked = check_trace(lab, papers_items); !checked) return fail(std::move(checked.error()));
    const auto seen = hold(lab);
    if (!seen) return fail(seen.error());
    outcome found;
    found.is_timed = true;
    for (const operation_number what : {inserting, present, absent, removing}) {
        found.artefacts.push_back(drawn(*seen, what));
    }
    found.findings = {insertion_finding(*seen), query_finding(*seen), deletion_finding(*seen)};
    return found;
}

} // namespace everbloom::lab::elastic
