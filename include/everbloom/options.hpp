// filter_options: what a new filter is made for. Only the capacity must be given.
//
//     everbloom::filter<std::string> seen({.capacity = 1'000'000, .fpr = 0.01});
#pragma once

#include <everbloom/hash/hash_key.hpp>
#include <everbloom/runtime/expected_lifetime.hpp>
#include <everbloom/runtime/parameter_text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace everbloom {

/// What a new filter is made for.
struct filter_options {
    /// Different keys that it must hold. Kinds that grow take more and keep their FPR; others refuse keys beyond it.
    std::uint64_t capacity = 0;
    /// Target FPR: the share of absent keys that may be answered "maybe".
    double fpr = 0.001;
    /// A kind by name, "blocked" or any other; empty: the planner chooses. Not used where the kind is a template argument.
    std::string kind = {};
    /// SipHash with a secret key withstands an attacker who chooses the keys. `integer` (whole numbers) and `xxh3` are faster.
    hash_id hash = hash_id::siphash;
    /// Random if not given. Filters that are to be merged or compared need the same one.
    std::optional<everbloom::hash_key> key = {};
    /// What will happen to it: removals, churn, growth. The planner chooses a kind for it, and any kind is sized for it; one that cannot do
    /// it is refused. By default everything may happen.
    expected_lifetime lifetime = any_lifetime;
    /// Known negatives that `protect` will get, for kinds made for them.
    std::uint64_t negatives = 0;
    /// Accept keys beyond the capacity; the FPR then rises above its target.
    bool overfill = false;
    /// Geometry by name and value, as on the command line, instead of what is planned: {{"hashes", "8"}}.
    std::vector<parameter_text> geometry = {};
};

} // namespace everbloom
