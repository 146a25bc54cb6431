// What the statistical tests run over: every kind, planned for a workload, with every word of every choice it has.
//
// The list comes from the catalogue. A kind that is new there is tested here without a line being written.
#pragma once

#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace everbloom::statistical {

/// A filter to plan: a kind, a workload and at most one choice that is not the default.
struct planned {
    build_request wanted;

    /// Nothing was chosen but the workload.
    [[nodiscard]] bool is_default() const noexcept { return wanted.parameters.empty(); }

    [[nodiscard]] any_filter make() const { return support::must(build(wanted)); }

    /// counting_at_0010_with_probe_independent (the rate in units of 1e-4)
    [[nodiscard]] std::string name() const {
        std::string rate = std::to_string(static_cast<int>(*wanted.fpr * 10000 + 0.5));
        rate.insert(0, 4 - std::min<std::size_t>(4, rate.size()), '0');
        std::string text = wanted.kind + "_at_" + rate;
        for (const parameter_text& one : wanted.parameters) text += "_with_" + one.name + "_" + one.value;
        std::replace(text.begin(), text.end(), '-', '_'); // GoogleTest wants names, not words
        return text;
    }

    friend std::ostream& operator<<(std::ostream& out, const planned& one) { return out << one.name(); }
};

inline constexpr std::uint64_t planned_items = 20'000;

inline std::vector<planned> plans_of(const kind_info& kind) {
    const build_request common{std::string(kind.name), planned_items, 0.01, {}};
    std::vector<planned> made{{common}, {common}};
    made.back().wanted.fpr = 0.001;
    for (const parameter_info& parameter : kind.parameters) {
        for (std::size_t word = 0; word < parameter.words.size(); ++word) {
            if (word == parameter.default_value) continue;
            made.push_back({common});
            made.back().wanted.parameters = {{std::string(parameter.name), std::string(parameter.words[word])}};
        }
    }
    return made;
}

/// The plans of all kinds that have the capability.
inline std::vector<planned> plans_of_kinds_that_can(capability needed) {
    std::vector<planned> made;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(needed)) continue;
        for (planned& one : plans_of(kind)) made.push_back(std::move(one));
    }
    return made;
}

inline std::string name_of_plan(const ::testing::TestParamInfo<planned>& info) { return info.param.name(); }

/// Calls `deed(batch)` with keys number `from` to `to` - 1 of a family, a batch at a time.
template <class Deed>
void in_batches(const support::key_family& keys, std::uint64_t from, std::uint64_t to, Deed deed) {
    std::array<digest, batch_items> batch;
    for (std::uint64_t at = from; at < to; at += batch_items) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(batch_items, to - at));
        for (std::size_t i = 0; i < count; ++i) batch[i] = keys[at + i];
        deed(std::span<const digest>(batch.data(), count));
    }
}

/// Every one of them must go in: the filter was planned for them.
inline void insert_keys(any_filter& filter, const support::key_family& keys, std::uint64_t from, std::uint64_t to) {
    std::array<insert_outcome, batch_items> outcomes;
    std::uint64_t refused = 0;
    in_batches(keys, from, to, [&](std::span<const digest> batch) {
        support::must(filter.insert(batch, std::span(outcomes.data(), batch.size())));
        for (std::size_t i = 0; i < batch.size(); ++i) refused += succeeded(outcomes[i]) ? 0 : 1;
    });
    EXPECT_EQ(refused, 0u) << "inserts refused within the planned number of items";
}

} // namespace everbloom::statistical
