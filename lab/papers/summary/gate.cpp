// Programming challenge: share of runs without an error. A gate with filters is compared with exact sets, in runs of growing size; a run is
// wrong with one wrong verdict about a packet or one wrong answer about an address.
#include "gate/gate.hpp"

#include "gate/report.hpp"
#include "gate/traffic.hpp"
#include "lab/papers/summary/summary.hpp"

#include <fmt/format.h>

#include <cmath>

namespace everbloom::lab::summary {
namespace {

constexpr std::array<std::uint64_t, 5> sizes{10, 50, 200, 1000, 5000}; // senders
constexpr std::uint64_t small_size = 10;
constexpr std::uint64_t large_size = 1000;
constexpr std::uint64_t packets_per_sender = 10;
constexpr double challenge_rate = 0.001; // the summary's default, for all three filters

struct judged_run {
    bool right = false;
    double expected_errors = 0; // by the models
    std::string error = {};
};

/// Filters as in the text, with capacity for the addresses.
cli::gate_plan challenge(const cli::traffic_plan& plan) {
    cli::gate_plan made;
    made.mode = cli::gate_mode::compare;
    made.filters.bad_kind = "bloom";
    made.filters.good_kind = "collision";
    made.filters.senders = plan.senders;
    made.filters.bad_addresses =
        std::max<std::uint64_t>(plan.senders / 8, 2); // 5 % twice, and those with three strikes
    made.filters.fpr = challenge_rate;
    made.filters.pattern_fpr = challenge_rate;
    return made;
}

result<judged_run> run_once(std::uint64_t senders, std::uint64_t seed) {
    const cli::traffic_plan plan{.packets = senders * packets_per_sender,
                                 .senders = senders,
                                 .bad_share = 0.05,
                                 .patterns = 100,
                                 .longest = 3,
                                 .seed = seed};
    cli::traffic made(plan);
    const any_hasher hash(hash_id::siphash, hash_key::from_seed(seed));
    auto gate = cli::gate::make(challenge(plan), hash, {.words = made.patterns()});
    if (!gate) return fail(std::move(gate.error()));
    for (const std::uint32_t one : made.blacklist()) {
        if (auto banned = gate->ban(cli::ip_address::v4(one)); !banned) return fail(std::move(banned.error()));
    }
    cli::verdict said{};
    cli::verdict truth{};
    for (std::uint64_t i = 0; i < plan.packets; ++i) {
        const cli::made_packet one = made.next();
        std::array<std::uint8_t, 4> data{};
        for (int byte = 0; byte < 4; ++byte)
            data[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(one.data >> (24 - 8 * byte));
        const cli::packet packet{cli::ip_address::v4(one.sender), data};
        if (auto judged = gate->judge(std::span(&packet, 1), std::span(&said, 1), std::span(&truth, 1)); !judged) {
            return fail(std::move(judged.error()));
        }
    }
    cli::gate_report report{.judged = *gate};
    for (const std::uint32_t one : made.queries()) {
        const auto address = cli::ip_address::v4(one);
        report.answers.push_back({address, gate->ask(address), gate->truth(address)});
    }
    const cli::wrong_answers answers = cli::judge_answers(report);
    const cli::comparison_counts& counts = gate->compared().counts();
    const std::uint64_t mistakes = counts.false_rejections + counts.false_strikes + counts.aftermath + answers.wrong;
    const double expected =
        gate->model_of_bad_ips() * static_cast<double>(senders) + gate->expected_strikes() + answers.expected;
    return judged_run{mistakes == 0, expected};
}

} // namespace

result<outcome> gate(laboratory& lab) {
    const std::uint64_t runs = lab.thoroughness().places == 0 ? 200 : lab.thoroughness().least_trials * 4;
    artefact figure{
        "gate",
        fmt::format("The challenge with filters at P = {}: {} packets per sender", challenge_rate, packets_per_sender),
        {"senders", axis_scale::logarithmic},
        share_axis("share of runs without an error")};
    figure.reading = "Each packet and each query can be wrong. The model is exp(-expected errors), as if errors were "
                     "independent.";
    series curve{"filters compared with exact sets", {}};
    std::string evidence;
    double small = 0;
    double large = 0;
    for (const std::uint64_t senders : sizes) {
        std::vector<judged_run> seen(runs);
        lab.in_parallel(runs, [&](std::uint64_t run) {
            auto done = run_once(senders, trial_randomness(lab.seed(), run)(random_stream::members, senders).low);
            seen[run] = done ? std::move(*done) : judged_run{.error = done.error().sentence};
        });
        lab.report(runs * senders * packets_per_sender);
        std::uint64_t right = 0;
        double expected = 0;
        for (const judged_run& one : seen) {
            if (!one.error.empty()) return fail(failure_reason::out_of_memory, one.error);
            right += one.right ? 1 : 0;
            expected += std::exp(-one.expected_errors);
        }
        const trial_tally all{right, runs};
        const estimate share = estimate_share(std::span(&all, 1));
        if (senders == small_size) small = share.mean;
        if (senders == large_size) large = share.mean;
        evidence +=
            fmt::format("{}{} senders: {} of {} runs correct", evidence.empty() ? "" : "; ", senders, right, runs);
        curve.points.push_back({.x = static_cast<double>(senders),
                                .paper = {},
                                .model = expected / static_cast<double>(runs),
                                .measured = share});
    }
    figure.curves.push_back(std::move(curve));
    outcome found;
    found.findings.push_back({"gate-small", small > 0.5 ? 1.0 : 0.0, evidence});
    found.findings.push_back({"gate-large", large < 0.5 ? 1.0 : 0.0, evidence});
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::summary
