// The files that are compiled as C, as cases.
#include "capi/c_program.h"

#include <gtest/gtest.h>

#include <array>

namespace everbloom::capi_tests {
namespace {

TEST(c_language, every_step_of_a_c_program_works) {
    const char* const wrong = use_the_header_from_c();
    EXPECT_EQ(wrong, nullptr) << wrong;
}

TEST(c_language, agrees_with_the_vector_file) {
    std::array<char, 2000> wrong{};
    EXPECT_GT(check_vectors_from_c(EVERBLOOM_SOURCE_DIR "/tests/vectors/answers.txt", wrong.data(), wrong.size()), 200)
        << wrong.data();
}

} // namespace
} // namespace everbloom::capi_tests
