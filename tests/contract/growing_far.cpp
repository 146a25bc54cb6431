// "Grows by itself" has an end that nobody meets by chance: who planned for a hundred keys may bring a billion, or is told beforehand
// how many.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using namespace support;

std::vector<const kind_info*> kinds_that_grow_by_themselves() {
    std::vector<const kind_info*> chosen;
    for (const kind_info& kind : known_kinds()) {
        if (kind.grows_by_itself) chosen.push_back(&kind);
    }
    return chosen;
}

bool has_parameter(const kind_info& kind, std::string_view name) {
    return std::ranges::any_of(kind.parameters, [&](const parameter_info& one) { return one.name == name; });
}

/// A chain of equal sub-filters asks all of them for every key: a billion keys in the sub-filters of a hundred would be ten million
/// of them. There the end of growth is a mercy.
bool grows_by_equal_parts(const kind_info& kind) {
    return has_parameter(kind, "most_filters") && !has_parameter(kind, "growth");
}

any_filter planned_for(const kind_info& kind, std::uint64_t items, std::vector<parameter_text> parameters = {}) {
    return must(build({std::string(kind.name), items, 0.01, std::move(parameters)}));
}

double limit_of(const any_filter& filter) { return filter.growth().value().most_keys; }

/// Inserts the keys [from, to) and says how many were refused.
std::uint64_t insert_range(any_filter& filter, const key_family& keys, std::uint64_t from, std::uint64_t to) {
    std::array<digest, batch_items> items;
    std::array<insert_outcome, batch_items> outcomes;
    std::uint64_t refused = 0;
    for (; from < to; from += batch_items) {
        const std::size_t count = std::min<std::uint64_t>(batch_items, to - from);
        for (std::size_t i = 0; i < count; ++i) items[i] = keys[from + i];
        must(filter.insert(std::span(items).first(count), std::span(outcomes).first(count)));
        for (std::size_t i = 0; i < count; ++i) refused += succeeded(outcomes[i]) ? 0 : 1;
    }
    return refused;
}

class growing_far : public ::testing::TestWithParam<const kind_info*> {};
INSTANTIATE_TEST_SUITE_P(kinds, growing_far, ::testing::ValuesIn(kinds_that_grow_by_themselves()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(growing_far, a_billion_keys_may_come_however_few_were_planned) {
    for (const std::uint64_t items : {1, 100, 1000, 1'000'000}) {
        const any_filter filter = planned_for(*GetParam(), items);
        EXPECT_GE(limit_of(filter), static_cast<double>(items));
        if (grows_by_equal_parts(*GetParam())) continue;
        EXPECT_GE(limit_of(filter), 1e9) << "planned for " << items;
    }
}

TEST_P(growing_far, a_filter_that_is_given_its_size_grows_as_far) {
    if (grows_by_equal_parts(*GetParam())) return;
    const bool is_in_lines = has_parameter(*GetParam(), "initial_lines");
    const any_filter filter = planned_for(
        *GetParam(), 1, {is_in_lines ? parameter_text{"initial_lines", "1"} : parameter_text{"initial_bits", "512"}});
    EXPECT_GE(limit_of(filter), 1e9);
}

TEST_P(growing_far, a_filter_planned_for_a_hundred_takes_far_more) {
    any_filter filter = planned_for(*GetParam(), 100);
    const key_family keys(61);
    const auto most = static_cast<std::uint64_t>(0.9 * limit_of(filter));
    // A chain of equal parts has one for every hundred keys: what it costs to look for a key in all of them grows with the square.
    const std::uint64_t coming = std::min<std::uint64_t>(grows_by_equal_parts(*GetParam()) ? 60'000 : 600'000, most);
    EXPECT_EQ(insert_range(filter, keys, 0, coming), 0u);
    for (std::uint64_t i = 0; i < coming; i += 997) ASSERT_TRUE(filter.may_contain(keys[i])) << i;
}

TEST_P(growing_far, the_limit_it_names_is_the_one_it_has) {
    const std::vector<parameter_text> limits{
        {"most_filters", "3"}, {"most_bits", "16384"}, {"most_lines", "32"}, {"word_bits", "30"}, {"word_bits", "12"}};
    std::uint64_t met = 0;
    for (const parameter_text& limit : limits) {
        if (!has_parameter(*GetParam(), limit.name)) continue;
        auto built = build({std::string(GetParam()->name), 100, 0.01, {limit}});
        if (!built) continue;
        const double named = limit_of(*built);
        if (named > 100'000) continue; // this parameter does not limit this kind so soon
        ++met;
        const key_family keys(62);
        std::uint64_t taken = 0;
        while (insert_range(*built, keys, taken, taken + 1) == 0) ++taken;
        EXPECT_GT(static_cast<double>(taken), 0.85 * named) << limit.name << " " << limit.value;
        EXPECT_LT(static_cast<double>(taken), 1.15 * named) << limit.name << " " << limit.value;
    }
    EXPECT_GT(met, 0u);
}

} // namespace
} // namespace everbloom
