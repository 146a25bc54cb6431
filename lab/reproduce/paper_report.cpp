#include "lab/reproduce/paper_report.hpp"

#include <algorithm>
#include <chrono>

namespace everbloom::cli {
namespace {

using namespace lab;

bool is_chosen(const experiment& one, const std::vector<std::string>& only) {
    return only.empty() || std::find(only.begin(), only.end(), one.id) != only.end();
}

/// A finding, and the figures and tables of its experiment.
struct shown_finding {
    finding found;
    std::vector<std::string> artefacts;
};

/// Judges the findings in the order of the claims. A finding without a claim, or in a run of the whole paper a claim without a finding,
/// is an error in the experiments.
result<std::vector<judged_claim>> judge_all(const paper_text& text, const std::vector<shown_finding>& findings,
                                            bool is_whole_paper) {
    std::vector<judged_claim> judged;
    for (const claim& said : text.claims) {
        const auto one = std::find_if(findings.begin(), findings.end(),
                                      [&](const shown_finding& each) { return each.found.claim == said.id; });
        if (one != findings.end()) {
            judged.push_back(judge(said, one->found));
            judged.back().artefacts = one->artefacts;
        } else if (is_whole_paper) {
            return fail(failure_reason::mismatch, "no experiment has a finding for the claim '" + said.id + "'");
        }
    }
    if (judged.size() != findings.size()) {
        return fail(failure_reason::mismatch, "an experiment has a finding for a claim that is not in claims.json");
    }
    return judged;
}

} // namespace

std::size_t paper_report::count(verdict given) const {
    return static_cast<std::size_t>(
        std::count_if(claims.begin(), claims.end(), [&](const judged_claim& one) { return one.given == given; }));
}

std::size_t experiments_chosen(const paper& wanted, const std::vector<std::string>& only) {
    return static_cast<std::size_t>(std::count_if(wanted.experiments.begin(), wanted.experiments.end(),
                                                  [&](const experiment& one) { return is_chosen(one, only); }));
}

result<paper_report> run_paper(const paper& wanted, const std::vector<std::string>& only, laboratory& lab,
                               const checkpoints& kept, const std::function<void(const experiment_done&)>& done) {
    auto text = parse_claims(wanted.claims_json);
    if (!text) return fail(std::move(text.error()));
    paper_report made{
        std::string(wanted.key), std::string(lab.thoroughness().name), lab.seed(), std::move(*text), {}, {}, {}};
    std::vector<shown_finding> findings;
    for (const experiment& one : wanted.experiments) {
        if (!is_chosen(one, only)) continue;
        const auto begun = std::chrono::steady_clock::now();
        auto earlier = kept.find(one.id);
        const bool from_checkpoint = earlier.has_value();
        auto found = from_checkpoint ? result<outcome>(std::move(*earlier)) : one.run(lab);
        if (!found) return fail(in(std::string(wanted.key) + ", " + std::string(one.id), std::move(found.error())));
        if (!from_checkpoint) {
            if (auto written = kept.keep(one.id, *found); !written) return fail(std::move(written.error()));
        }
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
        done({one.id, found->artefacts.size(), taken.count(), from_checkpoint});
        std::vector<std::string> ids;
        for (const artefact& each : found->artefacts) ids.push_back(each.id);
        for (finding& each : found->findings) findings.push_back({std::move(each), ids});
        std::move(found->artefacts.begin(), found->artefacts.end(), std::back_inserter(made.artefacts));
        if (found->is_timed) made.machine = machine_facts::of_now();
    }
    auto judged = judge_all(made.text, findings, only.empty());
    if (!judged) return fail(in(wanted.key, std::move(judged.error())));
    made.claims = std::move(*judged);
    return made;
}

} // namespace everbloom::cli
