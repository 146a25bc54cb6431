// Fig. 7 of [Wu21 §5.3]: several threads at once, against Par-BF.
//
// shared_elastic takes insertions and queries from all threads at the same time. Par-BF has one writer; its threads share the work of
// each large batch of queries. Both do the mix 1 : 2 : 2.
#include "experiments/elastic/contenders.hpp"
#include "experiments/elastic/elastic.hpp"
#include "experiments/elastic/life_keys.hpp"
#include "experiments/elastic/stopwatch.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/filter/partitioned.hpp>
#include <everbloom/runtime/shared_elastic.hpp>

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <system_error>
#include <thread>

namespace everbloom::experiments::elastic {
namespace {

constexpr std::array<unsigned, 3> thread_counts{1, 2, 4};
constexpr std::size_t block = 1 << 13;
constexpr std::uint64_t queries_per_key = 4; // two for keys that are in, two for random ones

/// Everything hashed beforehand. The queries of a block come after its keys.
struct work_load {
    std::vector<digest> members;
    std::vector<digest> queries;

    [[nodiscard]] std::size_t blocks() const noexcept { return members.size() / block; }
    [[nodiscard]] std::span<const digest> members_of(std::size_t one) const noexcept {
        return std::span(members).subspan(one * block, block);
    }
    [[nodiscard]] std::span<const digest> queries_of(std::size_t one) const noexcept {
        return std::span(queries).subspan(one * block * queries_per_key, block * queries_per_key);
    }
    [[nodiscard]] std::uint64_t operations() const noexcept { return members.size() + queries.size(); }
};

work_load work_of(const laboratory& lab) {
    const bool as_the_paper = lab.thoroughness().places == 0;
    const std::uint64_t peak = as_the_paper ? 64 : lab.thoroughness().name == "glance" ? 2 : 16;
    const life_keys keys(lab, 0);
    work_load made;
    made.members = keys.members(0, peak * papers_items);
    for (std::uint64_t inside = block; inside <= made.members.size(); inside += block) {
        const std::uint64_t half = block * queries_per_key / 2;
        const auto asked = keys.some_members(inside, inside, half);
        const auto strangers = keys.strangers(inside * queries_per_key, half);
        made.queries.insert(made.queries.end(), asked.begin(), asked.end());
        made.queries.insert(made.queries.end(), strangers.begin(), strangers.end());
    }
    return made;
}

/// Seconds until all blocks are done, by threads that take the next block that nobody has taken. A key that is asked about may
/// be another thread's, and not be in yet: the answers are not judged.
result<double> time_shared(const work_load& work, unsigned threads) {
    elastic_blocked_spec spec;
    spec.initial_bits = papers_bits;
    spec.line_keys = 23'000'000;
    auto filter = shared_elastic_filter::make(spec);
    if (!filter) return fail(std::move(filter.error()));
    std::atomic<std::size_t> next = 0;
    std::atomic<std::uint64_t> refused = 0;
    const auto hand = [&] {
        std::array<insert_outcome, batch_items> outcomes;
        std::array<std::uint8_t, batch_items> answers;
        std::uint64_t failed = 0; // of this thread: a counter that all share would slow them down
        for (std::size_t one = next++; one < work.blocks(); one = next++) {
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
    const double seconds = seconds_of([&] {
        std::vector<std::jthread> helpers;
        try {
            for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(hand);
        } catch (const std::system_error&) {
            // The system gives no more threads: those there are do the same work.
        }
        hand();
    });
    if (refused != 0) return fail(failure_reason::unsupported, "the shared filter refused keys");
    return seconds;
}

result<double> time_partitioned(const work_load& work, unsigned threads) {
    partitioned_spec spec;
    spec.initial_bits = papers_bits;
    spec.hashes = papers_hashes;
    spec.threshold = static_cast<std::uint64_t>(papers_threshold * threshold_one);
    auto filter = make<partitioned_filter>(spec);
    if (!filter) return fail(std::move(filter.error()));
    std::vector<insert_outcome> outcomes(block);
    std::vector<std::uint8_t> answers(block * queries_per_key);
    std::uint64_t refused = 0;
    const double seconds = seconds_of([&] {
        for (std::size_t one = 0; one < work.blocks(); ++one) {
            filter->insert(work.members_of(one), outcomes);
            for (const insert_outcome each : outcomes) refused += succeeded(each) ? 0 : 1;
            parallel_may_contain(*filter, work.queries_of(one), answers, threads);
        }
    });
    if (refused != 0) return fail(failure_reason::unsupported, "the partitioned filter refused keys");
    return seconds;
}

series line_of(std::string label, look drawn, const std::array<best_rate, thread_counts.size()>& rates) {
    series made{std::move(label), std::move(drawn)};
    for (std::size_t i = 0; i < thread_counts.size(); ++i) {
        made.points.push_back({static_cast<double>(thread_counts[i]), std::nullopt, std::nullopt, rates[i].shown()});
    }
    return made;
}

} // namespace

result<outcome> speed_of_threads(laboratory& lab) {
    const work_load work = work_of(lab);
    std::array<best_rate, thread_counts.size()> shared;
    std::array<best_rate, thread_counts.size()> partitioned;
    for (int round = 0; round < timed_rounds; ++round) {
        for (std::size_t i = 0; i < thread_counts.size(); ++i) {
            const auto ours = time_shared(work, thread_counts[i]);
            if (!ours) return fail(ours.error());
            const auto theirs = time_partitioned(work, thread_counts[i]);
            if (!theirs) return fail(theirs.error());
            shared[i].note(work.operations(), *ours);
            partitioned[i].note(work.operations(), *theirs);
            lab.tell(2 * work.operations());
        }
    }
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    artefact figure{"fig7",
                    fmt::format("Speed of the mix 1:2:2 by several threads; this machine has {} cores", cores),
                    {"threads", axis_scale::linear, 0.0, 5.0},
                    axis_from_zero("million operations per second")};
    figure.reading =
        fmt::format("{} items. The elastic filter for threads is elastic_blocked in 16 shards; more threads than the "
                    "{} cores of this machine cannot help.",
                    work.members.size(), cores);
    figure.curves = {line_of("partitioned (Par-BF)", {"#e08a1e", 5, 0.7, 1.6}, partitioned),
                     line_of("shared_elastic", {"#2b7bba", 7, 0.7, 1.8}, shared)};

    place_count faster;
    place_count helped;
    std::string ratios;
    for (std::size_t i = 0; i < thread_counts.size(); ++i) {
        note_faster(faster, shared[i].best(), partitioned[i].best());
        if (i > 0 && thread_counts[i] <= cores) note_faster(helped, shared[i].best(), shared[0].best());
        ratios += fmt::format("{}{:.1f} against {:.1f} with {}", i == 0 ? "" : ", ", shared[i].best(),
                              partitioned[i].best(), thread_counts[i]);
    }
    ratios += fmt::format(" threads (million operations per second); {} cores", cores);
    outcome found;
    found.findings = {{"threads-faster-than-parbf", faster.share(), ratios}, {"threads-help", helped.share(), ratios}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::experiments::elastic
