// Batch operations for experiments, which stop at the first failure.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace everbloom::lab::elastic {

/// Calls `operation(batch)` for all items until one fails.
template <class Operation>
[[nodiscard]] result<void> in_batches(std::span<const digest> items, Operation operation) {
    for (std::size_t first = 0; first < items.size(); first += batch_items) {
        auto done = operation(items.subspan(first, std::min(batch_items, items.size() - first)));
        if (!done) return fail(std::move(done.error()));
    }
    return {};
}

/// A refused key is a failure: no experiment of this paper expects any.
[[nodiscard]] inline result<void> insert_all(any_filter& filter, std::span<const digest> items) {
    std::array<insert_outcome, batch_items> outcomes;
    return in_batches(items, [&](std::span<const digest> batch) -> result<void> {
        if (auto done = filter.insert(batch, std::span(outcomes).first(batch.size())); !done) return done;
        for (const insert_outcome one : std::span(outcomes).first(batch.size())) {
            if (succeeded(one)) continue;
            return fail(failure_reason::unsupported, "a key was refused: " + std::string(name_of(one)));
        }
        return {};
    });
}

/// Number of positive answers.
[[nodiscard]] inline std::uint64_t count_positives(const any_filter& filter, std::span<const digest> items) {
    std::array<std::uint8_t, batch_items> answers;
    std::uint64_t sum = 0;
    for (std::size_t first = 0; first < items.size(); first += batch_items) {
        const auto batch = items.subspan(first, std::min(batch_items, items.size() - first));
        filter.may_contain(batch, std::span(answers).first(batch.size()));
        for (std::size_t i = 0; i < batch.size(); ++i) sum += answers[i];
    }
    return sum;
}

/// Number of deleted keys.
[[nodiscard]] inline result<std::uint64_t> erase_all(any_filter& filter, std::span<const digest> items) {
    std::array<erase_outcome, batch_items> outcomes;
    std::uint64_t sum = 0;
    auto done = in_batches(items, [&](std::span<const digest> batch) -> result<void> {
        auto erased = filter.erase(batch, std::span(outcomes).first(batch.size()));
        for (std::size_t i = 0; erased && i < batch.size(); ++i) sum += succeeded(outcomes[i]) ? 1 : 0;
        return erased;
    });
    if (!done) return fail(std::move(done.error()));
    return sum;
}

} // namespace everbloom::lab::elastic
