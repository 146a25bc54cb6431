// A filter that grows meets the end of the memory in the middle of an insertion: the key is refused, in words of the outcome, and all
// who are in stay in. In a process of its own, which limits its memory; the driver needs no sanitizer, so the limit is real.
#include "hostile/driver_process.hpp"

namespace everbloom::hostile {
namespace {

class growth_without_memory : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, growth_without_memory, ::testing::ValuesIn(kinds_that_can(capability::grow)),
                         kind_name);

TEST_P(growth_without_memory, refuses_a_key_and_loses_nobody) {
    const auto ran = run_driver({"overflow", "-", std::string(kind().name), "400000"});
    EXPECT_EQ(ran.exit_code, 0) << ran.sentence;
}

} // namespace
} // namespace everbloom::hostile
