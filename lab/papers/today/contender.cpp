#include "lab/papers/today/contender.hpp"

#include <everbloom/runtime/planner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace everbloom::lab::today {
namespace {

constexpr std::uint64_t portion = 1 << 16; // keys at a time

} // namespace

std::uint64_t our_filter::bits() const noexcept {
    const std::uint64_t exclusions = filter_.exclusions() ? filter_.exclusions()->size().bits : 0;
    const auto growth = filter_.growth();
    return exclusions +
           (growth && growth->fast_bits > 0 ? growth->fast_bits + growth->slow_bits : filter_.structure_bits());
}

maker ours(const std::string& kind, std::uint64_t items, double fpr, double growth) {
    return [=]() -> result<std::unique_ptr<growing_rival>> {
        build_request request{kind, items, fpr, {}};
        if (growth > 0) {
            if (auto planned = plan_growth(request, growth); !planned) return fail(std::move(planned.error()));
        }
        auto made = build(request);
        if (!made) return fail(std::move(made.error()));
        return std::make_unique<our_filter>(std::move(*made));
    };
}

builder filled(maker make) {
    return [make = std::move(make)](std::span<const digest> members) -> rivals::built_rival {
        auto made = make();
        if (!made) return fail(std::move(made.error()));
        for (std::size_t i = 0; i < members.size(); ++i) {
            const insert_outcome outcome = (*made)->insert(members[i]);
            if (succeeded(outcome)) continue;
            return fail(failure_reason::bad_parameter,
                        fmt::format("refused key {} of {} ({})", i + 1, members.size(), name_of(outcome)));
        }
        return std::unique_ptr<rival>(std::move(*made));
    };
}

builder built_fuse(unsigned fingerprint_bits) {
    return [=](std::span<const digest> keys) -> rivals::built_rival {
        auto made = build({"fuse", keys.size(), {}, {{"fingerprint_bits", std::to_string(fingerprint_bits)}}});
        if (!made) return fail(std::move(made.error()));
        if (auto done = made->build(keys); !done) return fail(std::move(done.error()));
        return std::unique_ptr<rival>(std::make_unique<our_filter>(std::move(*made)));
    };
}

std::vector<digest> keys_of(const laboratory& lab, std::uint64_t trial, random_stream from, std::uint64_t count,
                            std::uint64_t first) {
    const trial_randomness random(lab.seed(), trial);
    std::vector<digest> made;
    made.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) made.push_back(random(from, first + i));
    return made;
}

seen_filter examine(const laboratory& lab, const builder& build, std::uint64_t members, double expected_fpr) {
    const std::uint64_t trials = std::max<std::uint64_t>(2, lab.thoroughness().least_trials / 2);
    const std::uint64_t queries = queries_for(lab.thoroughness(), expected_fpr) / trials + 1;
    struct trial_sight {
        std::optional<std::string> refusal;
        trial_tally hits;
        double bits = 0;
        double lines = 0;
        std::uint64_t false_negatives = 0;
    };
    std::vector<trial_sight> sights(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        trial_sight& seen = sights[trial];
        const std::vector<digest> inside = keys_of(lab, trial, random_stream::members, members);
        const auto made = build(inside);
        if (!made) {
            seen.refusal = made.error().sentence;
            return;
        }
        const rival& filter = **made;
        seen.bits = static_cast<double>(filter.bits());
        for (const digest& one : inside) seen.false_negatives += filter.contains(one) ? 0 : 1;
        for (std::uint64_t first = 0; first < queries; first += portion) {
            const std::uint64_t count = std::min(portion, queries - first);
            for (const digest& one : keys_of(lab, trial, random_stream::absent, count, first)) {
                seen.hits.hits += filter.contains(one) ? 1 : 0;
            }
            seen.hits.of += count;
        }
        constexpr std::uint64_t logged = 2000;
        rivals::line_log log;
        for (const digest& one : keys_of(lab, trial, random_stream::absent, logged)) {
            log.clear();
            (void)filter.contains(one, &log);
            seen.lines += static_cast<double>(log.lines()) / logged;
        }
    });
    lab.report(trials * (members + queries));
    seen_filter made;
    std::vector<trial_tally> tallies;
    for (const trial_sight& one : sights) {
        if (one.refusal) {
            if (!made.refusal) made.refusal = one.refusal;
            continue;
        }
        tallies.push_back(one.hits);
        made.bits_per_key += one.bits / static_cast<double>(std::max<std::uint64_t>(members, 1));
        made.lines += one.lines;
        made.false_negatives += one.false_negatives;
    }
    made.trials = tallies.size();
    if (made.trials == 0) return made;
    made.fpr = estimate_share(tallies);
    made.bits_per_key /= static_cast<double>(made.trials);
    made.lines /= static_cast<double>(made.trials);
    return made;
}

double least_bits(double fpr) { return std::log2(1 / fpr); }

series bound_curve(double factor, std::string label, look drawn, double from_fpr, double to_fpr) {
    series made{std::move(label), std::move(drawn)};
    constexpr int steps = 20;
    for (int i = 0; i <= steps; ++i) {
        const double fpr = from_fpr * std::pow(to_fpr / from_fpr, static_cast<double>(i) / steps);
        made.points.push_back({factor * least_bits(fpr), std::nullopt, fpr, std::nullopt});
    }
    made.drawn.mark_size = 0; // a line, not points
    return made;
}

} // namespace everbloom::lab::today
