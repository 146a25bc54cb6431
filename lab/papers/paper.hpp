// Papers that can be reproduced, each with its experiments. A new paper is a folder lab/papers/<key> with a claims.json, one
// file per artefact, and a line in paper.cpp.
#pragma once

#include "lab/papers/artefact.hpp"
#include "lab/papers/claim.hpp"
#include "lab/papers/laboratory.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace everbloom::lab {

/// Result of an experiment.
struct outcome {
    std::vector<artefact> artefacts;
    std::vector<finding> findings;
    bool is_timed = false; // has speeds: the same command does not give the same numbers
};

/// Where the keys of an experiment come from.
enum class key_source { random, random_or_trace };

/// Where its networks come from, if it uses any.
enum class network_source { none, own_or_given };

struct experiment {
    std::string_view id;
    std::string_view summary;
    result<outcome> (*run)(laboratory& lab);
    key_source keys = key_source::random;
    network_source networks = network_source::none;
};

struct paper {
    std::string_view key;
    std::string_view claims_json;
    std::vector<experiment> experiments;
};

[[nodiscard]] const std::vector<paper>& known_papers();

} // namespace everbloom::lab
