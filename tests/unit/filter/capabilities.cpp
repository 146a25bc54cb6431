// Names and numbers of kinds, capabilities and outcomes.
#include <everbloom/runtime/capabilities.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace everbloom {
namespace {

TEST(kinds, have_numbers_and_names_of_their_own) {
    std::set<std::uint32_t> numbers;
    std::set<std::string_view> names;
    for (const kind_info& kind : known_kinds()) {
        EXPECT_TRUE(numbers.insert(kind.id).second) << kind.id;
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    }
    EXPECT_FALSE(numbers.empty());
}

// Concepts find out what a kind can do; a member function with a slightly wrong signature would make it lose a capability without a word.
TEST(kinds, can_do_what_they_are_known_for) {
    const std::map<std::string_view, std::string> known_for{
        {"bloom", "query insert merge"},
        {"blocked", "query insert merge"},
        {"counting", "query insert erase count merge"},
        {"collision", "query insert erase merge"},
        {"tombstone", "query insert erase merge"},
        {"deletable", "query insert erase merge"},
        {"ternary", "query insert erase merge"},
        {"quaternary", "query insert erase count merge"},
        {"dfp", "query insert erase merge"},
        {"fingerprint_counting", "query insert erase count merge"},
        {"dleft", "query insert erase count merge grow shrink"},
        {"elastic", "query insert erase count merge grow shrink resize intersect confirm"},
        {"elastic_blocked", "query insert erase count merge grow shrink resize intersect confirm query_copy"},
        {"dynamic", "query insert erase count merge grow shrink"},
        {"scalable", "query insert merge grow"},
        {"partitioned", "query insert erase count merge grow shrink"},
        {"yes_no", "query insert merge protect"},
        {"quotient", "query insert erase count merge grow shrink query_copy"},
        {"fuse", "query build"},
    };
    for (const kind_info& kind : known_kinds()) {
        std::string can;
        for (const named_capability& one : named_capabilities) {
            if (kind.capabilities.has(one.bit)) can += (can.empty() ? "" : " ") + std::string(one.name);
        }
        ASSERT_EQ(known_for.count(kind.name), 1u) << kind.name << " is new: add what it can do";
        EXPECT_EQ(can, known_for.at(kind.name)) << kind.name;
    }
}

TEST(capability_names, are_different_and_their_bits_too) {
    std::set<std::string_view> names;
    std::uint32_t bits = 0;
    for (const named_capability& one : named_capabilities) {
        EXPECT_TRUE(names.insert(one.name).second);
        EXPECT_EQ(bits & static_cast<std::uint32_t>(one.bit), 0u);
        bits |= static_cast<std::uint32_t>(one.bit);
    }
}

TEST(outcome_names, are_different_and_success_means_what_it_says) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < insert_outcome_names.size(); ++i) {
        const auto outcome = static_cast<insert_outcome>(i);
        EXPECT_TRUE(names.insert(name_of(outcome)).second);
        EXPECT_EQ(succeeded(outcome), name_of(outcome).starts_with("inserted"));
    }
    for (std::size_t i = 0; i < erase_outcome_names.size(); ++i) {
        const auto outcome = static_cast<erase_outcome>(i);
        EXPECT_TRUE(names.insert(name_of(outcome)).second);
        EXPECT_EQ(succeeded(outcome), name_of(outcome).starts_with("removed"));
    }
}

} // namespace
} // namespace everbloom
