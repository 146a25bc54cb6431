// A filter takes the keys that it was planned for. A kind that never runs out of room takes every one of them, whatever the size: also
// where a table is between two doublings, and its fullest lines decide.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/planner.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

std::uint64_t refused_or_lost_of(const build_request& wanted, std::uint64_t seed) {
    any_filter filter = must(build(wanted));
    const std::uint64_t keys = *wanted.items;
    const key_family family(seed);
    std::vector<digest> items;
    std::vector<insert_outcome> outcomes(batch_items);
    std::uint64_t refused = 0;
    for (std::uint64_t from = 0; from < keys; from += items.size()) {
        items.clear();
        for (std::uint64_t i = from; i < std::min(keys, from + batch_items); ++i) items.push_back(family[i]);
        const auto some = std::span(outcomes).first(items.size());
        must(filter.insert(items, some));
        for (const insert_outcome one : some) refused += succeeded(one) ? 0 : 1;
    }
    // However far items were moved to make room, each is found.
    std::uint64_t lost = 0;
    for (std::uint64_t i = 0; i < keys && refused == 0; ++i) lost += filter.may_contain(family[i]) ? 0 : 1;
    return refused + lost;
}

std::uint64_t refused_or_lost_of(std::string_view kind, std::uint64_t keys, double fpr, std::uint64_t seed) {
    return refused_or_lost_of({std::string(kind), keys, fpr, {}}, seed);
}

TEST(planned_keys, are_all_taken_by_every_kind_that_does_not_say_otherwise) {
    for (const kind_info& kind : known_kinds()) {
        if (kind.may_refuse_keys || !kind.capabilities.has(capability::insert)) continue;
        for (const std::uint64_t keys : {700, 5300, 30'000}) {
            EXPECT_EQ(refused_or_lost_of(kind.name, keys, 0.01, keys), 0u) << kind.name << " " << keys;
        }
    }
}

TEST(planned_keys, are_all_taken_by_large_tables_between_two_doublings) {
    // Filled to 98.5 % instead of 96.5 %, each of these refuses some.
    for (const std::uint64_t keys : {1'801'163, 2'530'842, 2'834'670}) {
        EXPECT_EQ(refused_or_lost_of("quotient", keys, 0.05, keys), 0u) << keys;
    }
}

TEST(planned_keys, are_all_taken_at_every_fpr_that_a_kind_can_be_planned_for) {
    for (const kind_info& kind : known_kinds()) {
        if (kind.may_refuse_keys || !kind.capabilities.has(capability::insert)) continue;
        for (const double fpr : {0.3, 1e-4, 1e-6, 1e-8, 1e-9}) {
            if (!build({std::string(kind.name), 30'000, fpr, {}})) continue;
            EXPECT_EQ(refused_or_lost_of(kind.name, 30'000, fpr, 1), 0u) << kind.name << " " << fpr;
        }
    }
}

TEST(planned_keys, are_all_taken_by_large_tables_of_long_fingerprints) {
    // Lines of 15 and 17 slots, of which hundreds that could help each other are full by chance.
    for (const double fpr : {1e-8, 1e-9}) {
        build_request exactly{"quotient", 6'000'000, fpr, {}};
        must(plan_growth(exactly, 1));
        EXPECT_EQ(refused_or_lost_of(exactly, 1), 0u) << fpr;
    }
}

} // namespace
} // namespace everbloom
