// Results of a paper: artefacts with numbers, claims with verdicts.
#pragma once

#include "lab/papers/paper.hpp"
#include "lab/reproduce/checkpoint.hpp"
#include "lab/reproduce/machine.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

struct paper_report {
    std::string key;
    std::string scale;
    std::uint64_t seed = 0;
    lab::paper_text text;
    std::vector<lab::artefact> artefacts;
    std::vector<lab::judged_claim> claims; // in the order of claims.json; only of experiments that were run
    std::optional<machine_facts> machine;  // if speeds were measured

    [[nodiscard]] std::size_t count(lab::verdict given) const;
};

/// A finished experiment.
struct experiment_done {
    std::string_view id;
    std::size_t artefacts = 0;
    double seconds = 0;
    bool from_checkpoint = false;
};

/// Runs the experiments of a paper, or only those named in `only`; those with a checkpoint are not run again. `done` is called after each.
[[nodiscard]] result<paper_report> run_paper(const lab::paper& wanted, const std::vector<std::string>& only,
                                             lab::laboratory& lab, const checkpoints& kept,
                                             const std::function<void(const experiment_done&)>& done);

/// Number of experiments that will be run.
[[nodiscard]] std::size_t experiments_chosen(const lab::paper& wanted, const std::vector<std::string>& only);

} // namespace everbloom::cli
