// The exported symbols of the shared object are those of symbols.txt: nothing of C++ leaks, and nothing that programs use disappears.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace everbloom::capi_tests {
namespace {

std::string output_of(const std::string& command) {
    std::string text;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return text;
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) text += static_cast<char>(letter);
    return ::pclose(pipe) == 0 ? text : "the command failed: " + command;
}

TEST(shared_object, exports_exactly_the_listed_symbols) {
    std::ifstream file(EVERBLOOM_SOURCE_DIR "/tests/capi/symbols.txt");
    const std::string listed{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    ASSERT_NE(listed, "");
    const std::string found =
        output_of("nm -D --defined-only --format=posix '" EVERBLOOM_C_LIBRARY "' | cut -d' ' -f1 | LC_ALL=C sort");
    EXPECT_EQ(found, listed)
        << "a new function gets a line in tests/capi/symbols.txt; one that is gone breaks programs: "
           "that needs a new number of the interface (SOVERSION in cmake/capi.cmake)";
}

TEST(shared_object, has_a_name_with_the_number_of_its_interface) {
    const std::string facts = output_of("readelf -d '" EVERBLOOM_C_LIBRARY "'");
    EXPECT_NE(facts.find("soname: [libeverbloom.so.0]"), std::string::npos) << facts;
}

} // namespace
} // namespace everbloom::capi_tests
