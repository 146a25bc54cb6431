// eb_simulate gives the document of `everbloom simulate --json`, for every kind.
#include "capi/handles.hpp"
#include "support/run_program.hpp"

namespace everbloom::capi_tests {
namespace {

TEST(simulation_document, is_that_of_the_command_line) {
    for (const std::string& kind : kind_names()) {
        SCOPED_TRACE(kind);
        const auto ran = support::run_program({"simulate", kind, "--items", "200", "--fpr", "2%", "--queries", "500",
                                               "--trials", "2", "--seed", "7", "--json"});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        std::string text(EB_SIMULATION_BYTES, '\0');
        eb_error error{};
        const std::string request =
            R"({"kind": ")" + kind + R"(", "items": 200, "fpr": "2%", "queries": 500, "trials": 2, "seed": 7})";
        ASSERT_GT(eb_simulate(request.c_str(), text.data(), text.size(), &error), 0) << error.sentence;
        EXPECT_EQ(nlohmann::ordered_json::parse(text.c_str()), nlohmann::ordered_json::parse(ran.out));
    }
}

} // namespace
} // namespace everbloom::capi_tests
