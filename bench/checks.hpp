// Checks before the clock: a filter that loses a key, or says "maybe" too often, has no speed worth printing.
//
// A check gives back a complaint, which becomes the error of the benchmark, or nothing.
#pragma once

#include "keys.hpp"

#include <everbloom/filter/concepts.hpp>
#include <everbloom/hash/integer.hpp>
#include <everbloom/model/workload.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace everbloom::bench {

using complaint = std::optional<std::string>;

/// Room for the digests of one batch of keys; kept across batches, as a program that cares would.
class digest_batch {
public:
    /// Hashes at most one batch of keys. Valid until the next call.
    [[nodiscard]] std::span<const digest> of(std::span<const std::uint64_t> keys) noexcept {
        const integer_hasher hash;
        for (std::size_t i = 0; i < keys.size(); ++i) digests_[i] = hash(keys[i]);
        return {digests_.data(), keys.size()};
    }

private:
    std::array<digest, batch_keys> digests_;
};

/// How many of the keys a filter knows, asked batch by batch.
template <Filter F>
[[nodiscard]] std::uint64_t count_found(const F& filter, std::span<const std::uint64_t> keys) {
    std::uint64_t found = 0;
    digest_batch digests;
    std::array<std::uint8_t, batch_keys> answers;
    for_each_batch(keys, [&](std::span<const std::uint64_t> part) {
        filter.may_contain(digests.of(part), std::span(answers).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) found += answers[i];
    });
    return found;
}

/// The same, asked key by key.
template <Filter F>
[[nodiscard]] std::uint64_t count_found_singly(const F& filter, std::span<const std::uint64_t> keys) {
    const integer_hasher hash;
    std::uint64_t found = 0;
    for (const std::uint64_t key : keys) found += filter.may_contain(hash(key)) ? 1 : 0;
    return found;
}

/// Inserts the keys batch by batch; how many were refused.
template <Insertable F>
[[nodiscard]] std::uint64_t count_refused(F& filter, std::span<const std::uint64_t> keys) {
    std::uint64_t refused = 0;
    digest_batch digests;
    std::array<insert_outcome, batch_keys> outcomes;
    for_each_batch(keys, [&](std::span<const std::uint64_t> part) {
        filter.insert(digests.of(part), std::span(outcomes).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) refused += succeeded(outcomes[i]) ? 0 : 1;
    });
    return refused;
}

/// Whether a count is further above or below its expectation than 20 % and five standard deviations of chance.
[[nodiscard]] inline bool too_many(std::uint64_t seen, double expected) noexcept {
    return static_cast<double>(seen) > 1.2 * expected + 5 * std::sqrt(expected) + 1;
}
[[nodiscard]] inline bool too_few(std::uint64_t seen, double expected) noexcept {
    return static_cast<double>(seen) < 0.8 * expected - 5 * std::sqrt(expected) - 1;
}

/// Every member is found, both ways of asking agree, and absent keys are taken for members as often as the model says.
template <class Kind>
[[nodiscard]] complaint check_answers(const typename Kind::filter& filter, const key_set& keys) {
    if (const auto found = count_found(filter, keys.members()); found != keys.items()) {
        return fmt::format("a batch finds only {} of {} members", found, keys.items());
    }
    const auto wanted = keys.wanted_members();
    if (const auto found = count_found_singly(filter, wanted); found != wanted.size()) {
        return fmt::format("asked one by one, it finds only {} of {} members", found, wanted.size());
    }
    const auto absent_keys = keys.absent_keys();
    const std::uint64_t mistaken = count_found(filter, absent_keys);
    if (const auto singly = count_found_singly(filter, absent_keys); singly != mistaken) {
        return fmt::format("a batch takes {} absent keys for members, single queries {}", mistaken, singly);
    }
    const prediction model = Kind::model::predict(filter.spec(), lifetime{.items = keys.items()});
    if (!model.fpr) return std::nullopt;
    const double expected = *model.fpr * static_cast<double>(absent_keys.size());
    if (too_many(mistaken, expected) || too_few(mistaken, expected)) {
        return fmt::format("{} of {} absent keys are taken for members; the model says {:.0f}", mistaken,
                           absent_keys.size(), expected);
    }
    return std::nullopt;
}

/// A kind offered for study may lose members when others leave; it says so itself.
template <class F>
inline constexpr bool loses_members = requires { requires F::has_false_negatives; };

struct removal {
    complaint wrong;
    double removed_share = 0; // of the keys that were to be removed; some kinds keep a few for ever
};

/// Removes half of the members of a full filter: they are gone but for chance, the others are all there.
template <class Kind>
[[nodiscard]] removal check_removal(typename Kind::filter& filter, const key_set& keys) {
    const auto leaving = keys.members().first(keys.members().size() / 2);
    const auto staying = keys.members().subspan(leaving.size());
    std::vector<std::uint64_t> gone;
    std::uint64_t removed = 0;
    digest_batch digests;
    std::array<erase_outcome, batch_keys> outcomes;
    for_each_batch(leaving, [&](std::span<const std::uint64_t> part) {
        filter.erase(digests.of(part), std::span(outcomes).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) {
            removed += succeeded(outcomes[i]) ? 1 : 0;
            if (outcomes[i] == erase_outcome::removed) gone.push_back(part[i]);
        }
    });
    removal seen{std::nullopt, static_cast<double>(removed) / static_cast<double>(leaving.size())};
    const auto found = count_found(filter, staying);
    if (found != staying.size() && !loses_members<typename Kind::filter>) {
        seen.wrong = fmt::format("after removing others, only {} of {} members are found", found, staying.size());
        return seen;
    }
    // A filter that was full when they left mistakes removed keys for members no more often than absent keys.
    const prediction model = Kind::model::predict(filter.spec(), lifetime{.items = keys.items()});
    const double expected = model.fpr.value_or(1) * static_cast<double>(gone.size());
    if (const auto left = count_found(filter, gone); too_many(left, expected)) {
        seen.wrong = fmt::format("{} of {} removed keys are still found", left, gone.size());
    }
    return seen;
}

} // namespace everbloom::bench
