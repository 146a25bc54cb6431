// RapidCheck draws the same cases on every run unless somebody asks for others: RC_PARAMS="seed=5 max_success=1000".
#include "support/rounds.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace everbloom {
namespace {

class fixed_cases : public ::testing::Environment {
public:
    void SetUp() override {
        const std::string wish = "seed=20160901 max_size=200 max_success=" + std::to_string(support::rounds(300));
        constexpr int leave_what_is_there = 0;
        ::setenv("RC_PARAMS", wish.c_str(), leave_what_is_there);
    }
};

// RapidCheck reads its parameters at the first property, which is after this.
const auto* const registered = ::testing::AddGlobalTestEnvironment(new fixed_cases);

} // namespace
} // namespace everbloom
