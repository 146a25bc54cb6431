// Fig. 7 of [Wu21 §5.3]: multithreaded speed against Par-BF.
//
// shared_elastic takes insertions and queries from all threads concurrently. Par-BF has one writer; its threads share the work of each
// large batch of queries. Both run the mix 1 : 2 : 2.
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/stopwatch.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <everbloom/core/joined_threads.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/parallel_query.hpp>
#include <everbloom/runtime/shared_elastic.hpp>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <system_error>
#include <thread>

namespace everbloom::lab::elastic {
namespace {

constexpr std::array<unsigned, 4> thread_counts{1, 2, 4, 16};
constexpr std::size_t block = 1 << 13;
constexpr std::uint64_t queries_per_key = 4; // two for members, two for random keys

/// All keys, hashed beforehand. The queries of a block come after its keys.
struct work_load {
    std::vector<digest> members;
    std::vector<digest> queries;

    [[nodiscard]] std::span<const digest> members_of(std::size_t one) const noexcept {
        return std::span(members).subspan(one * block, block);
    }
    [[nodiscard]] std::span<const digest> queries_of(std::size_t one) const noexcept {
        return std::span(queries).subspan(one * block * queries_per_key, block * queries_per_key);
    }
};

work_load work_of(const laboratory& lab, std::uint64_t items) {
    const workload_keys keys(lab, 0);
    work_load made;
    made.members = keys.members(0, items);
    for (std::uint64_t inside = block; inside <= made.members.size(); inside += block) {
        const std::uint64_t half = block * queries_per_key / 2;
        const auto asked = keys.some_members(inside, inside, half);
        const auto absent_keys = keys.absent_keys(inside * queries_per_key, half);
        made.queries.insert(made.queries.end(), asked.begin(), asked.end());
        made.queries.insert(made.queries.end(), absent_keys.begin(), absent_keys.end());
    }
    return made;
}

/// Seconds at the end of each stage, which is a number of blocks. Each thread takes the next free block. A queried key may belong to another
/// thread and not be inserted yet, so the answers are not checked.
result<std::vector<double>> time_shared(const work_load& work, const std::vector<std::size_t>& stages,
                                        unsigned threads) {
    elastic_blocked_spec spec;
    spec.initial_bits = papers_bits;
    spec.line_keys = 23'000'000;
    auto filter = shared_elastic_filter::make(spec);
    if (!filter) return fail(std::move(filter.error()));
    std::atomic<std::size_t> next = 0;
    std::atomic<std::uint64_t> refused = 0;
    const auto hand = [&](std::size_t end) {
        std::array<insert_outcome, batch_items> outcomes;
        std::array<std::uint8_t, batch_items> answers;
        std::uint64_t failed = 0; // per thread: a shared counter would slow them down
        for (std::size_t one = next++; one < end; one = next++) {
            const auto members = work.members_of(one);
            for (std::size_t i = 0; i < members.size(); i += batch_items) {
                filter->insert(members.subspan(i, batch_items), outcomes);
                for (const insert_outcome each : outcomes) failed += succeeded(each) ? 0 : 1;
            }
            const auto queries = work.queries_of(one);
            for (std::size_t i = 0; i < queries.size(); i += batch_items) {
                filter->may_contain(queries.subspan(i, batch_items), answers);
            }
        }
        refused += failed;
    };
    std::vector<double> made;
    double seconds = 0;
    for (const std::size_t end : stages) {
        seconds += elapsed_seconds_of([&] {
            joined_threads helpers;
            try {
                for (unsigned i = 1; i < threads; ++i) helpers.start(hand, end);
            } catch (const std::system_error&) {
                // No more threads: the existing ones do the work.
            }
            hand(end);
        });
        made.push_back(seconds);
        next = end; // each thread has tried one block more
    }
    if (refused != 0) return fail(failure_reason::unsupported, "the shared filter refused keys");
    return made;
}

result<std::vector<double>> time_partitioned(const work_load& work, const std::vector<std::size_t>& stages,
                                             unsigned threads) {
    partitioned_spec spec;
    spec.initial_bits = papers_bits;
    spec.hashes = papers_hashes;
    spec.threshold = static_cast<std::uint64_t>(papers_threshold * field_million);
    auto filter = make<partitioned_filter>(spec);
    if (!filter) return fail(std::move(filter.error()));
    std::vector<insert_outcome> outcomes(block);
    std::vector<std::uint8_t> answers(block * queries_per_key);
    std::uint64_t refused = 0;
    std::vector<double> made;
    double seconds = 0;
    std::size_t one = 0;
    for (const std::size_t end : stages) {
        seconds += elapsed_seconds_of([&] {
            for (; one < end; ++one) {
                filter->insert(work.members_of(one), outcomes);
                for (const insert_outcome each : outcomes) refused += succeeded(each) ? 0 : 1;
                parallel_may_contain(*filter, work.queries_of(one), answers, threads);
            }
        });
        made.push_back(seconds);
    }
    if (refused != 0) return fail(failure_reason::unsupported, "the partitioned filter refused keys");
    return made;
}

/// [thread count][stage]
using thread_rates = std::array<std::vector<round_values>, thread_counts.size()>;

void note(std::vector<round_values>& rates, const std::vector<std::size_t>& stages,
          const std::vector<double>& seconds) {
    for (std::size_t i = 0; i < stages.size(); ++i)
        rates[i].note_speed(stages[i] * block * (1 + queries_per_key), seconds[i]);
}

series line_of(std::string_view name, unsigned threads, look drawn, const std::vector<std::uint64_t>& peaks,
               const std::vector<round_values>& rates) {
    series made{fmt::format("{}, {} thread{}", name, threads, threads == 1 ? "" : "s"), std::move(drawn)};
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        made.points.push_back({static_cast<double>(peaks[i]), std::nullopt, std::nullopt, rates[i].mean()});
    }
    return made;
}

constexpr std::array<std::string_view, thread_counts.size()> partitioned_colours{"#edbd6b", "#e08a1e", "#a4520a",
                                                                                 "#6b3406"};
constexpr std::array<std::string_view, thread_counts.size()> shared_colours{"#9ecae1", "#4292c6", "#08519c", "#041f4d"};

} // namespace

result<outcome> speed_of_threads(laboratory& lab) {
    const std::vector<std::uint64_t> peaks = peaks_up_to(largest_peak(lab), 4, 4);
    std::vector<std::size_t> stages;
    stages.reserve(peaks.size());
    for (const std::uint64_t peak : peaks) stages.push_back(peak * papers_items / block);
    const work_load work = work_of(lab, peaks.back() * papers_items);
    thread_rates shared;
    thread_rates partitioned;
    shared.fill(std::vector<round_values>(peaks.size()));
    partitioned.fill(std::vector<round_values>(peaks.size()));
    // At the paper's sizes a round takes more than a minute, nearly all of it in the 358 sub-filters of Par-BF, and differs little from others.
    const int rounds = lab.thoroughness().places == 0 ? 3 : timed_rounds;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < thread_counts.size(); ++i) {
            const auto ours = time_shared(work, stages, thread_counts[i]);
            if (!ours) return fail(ours.error());
            const auto theirs = time_partitioned(work, stages, thread_counts[i]);
            if (!theirs) return fail(theirs.error());
            note(shared[i], stages, *ours);
            note(partitioned[i], stages, *theirs);
            lab.report(2 * (work.members.size() + work.queries.size()));
        }
    }
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    artefact figure{"fig7",
                    fmt::format("Speed of the mix 1:2:2 with several threads; this machine has {} cores", cores),
                    {"relative peak data size (1: 2^14 items)", axis_scale::logarithmic},
                    {"million operations per second", axis_scale::logarithmic}};
    figure.reading = fmt::format(
        "The multithreaded elastic filter is elastic_blocked in 16 shards. More threads than the {} cores of this "
        "machine do not help.",
        cores);
    place_count faster;
    place_count helped;
    place_count with_16;
    std::string rates;
    for (std::size_t i = 0; i < thread_counts.size(); ++i) {
        const unsigned threads = thread_counts[i];
        figure.curves.push_back(
            line_of("partitioned", threads, {std::string(partitioned_colours[i]), 5, 0.6, 1.6}, peaks, partitioned[i]));
        figure.curves.push_back(
            line_of("shared_elastic", threads, {std::string(shared_colours[i]), 7, 0.6, 1.6}, peaks, shared[i]));
        for (std::size_t peak = 0; peak < peaks.size(); ++peak) {
            if (threads <= 4) note_more(faster, shared[i][peak], partitioned[i][peak]);
            if (threads == 16 && cores >= 16) note_more(with_16, shared[i][peak], partitioned[i][peak]);
            if (i > 0 && threads <= cores) note_more(helped, shared[i][peak], shared[0][peak]);
            rates += fmt::format("{}{:.1f} against {:.1f} ({} threads, {} times the items)", rates.empty() ? "" : ", ",
                                 shared[i][peak].value(), partitioned[i][peak].value(), threads, peaks[peak]);
        }
    }
    rates += fmt::format("; million operations per second, {} cores", cores);
    outcome found;
    found.is_timed = true;
    found.findings = {
        {"threads-faster-than-parbf", faster.counted(), faster.words() + ": " + rates},
        {"threads-help", helped.counted(), helped.words() + ": " + rates},
        {"sixteen-threads", with_16.counted(),
         cores >= 16 ? with_16.words() + ": " + rates : fmt::format("not tested: this machine has {} cores", cores)}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::elastic
