// Names and numbers of kinds, capabilities and outcomes.
#include <everbloom/runtime/capabilities.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <set>

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
