// A filter that grows by itself meets the end of the memory in the middle of an insertion: the key is refused, in words of the outcome, and
// all who are in stay in.
//
// The filter lives in a child that may not have much more address space than it has when the filter is made. AddressSanitizer and
// ThreadSanitizer need terabytes of address space for themselves; under them the child just takes many keys.
#include "hostile/child_process.hpp"
#include "hostile/small_file.hpp"

#include <everbloom/probe/mix.hpp>

#include <array>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EVERBLOOM_LARGE_ADDRESS_SPACE 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EVERBLOOM_LARGE_ADDRESS_SPACE 1
#endif

namespace everbloom::hostile {
namespace {

#if defined(EVERBLOOM_LARGE_ADDRESS_SPACE)
constexpr bool memory_ends = false;
constexpr std::uint64_t most_keys = 1'000'000;
#else
constexpr bool memory_ends = true;
constexpr std::uint64_t most_keys = 20'000'000;
#endif
constexpr std::uint64_t planned = 400'000;

digest nth_digest(std::uint64_t number) { return {mix(2 * number), mix(2 * number + 1)}; }

/// How many keys, one after the other, the filter takes before it refuses one.
std::uint64_t fill(any_filter& filter) {
    std::array<digest, batch_items> batch;
    std::array<insert_outcome, batch_items> outcomes;
    for (std::uint64_t from = 0; from < most_keys; from += batch_items) {
        for (std::size_t i = 0; i < batch.size(); ++i) batch[i] = nth_digest(from + i);
        support::must(filter.insert(batch, outcomes));
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!succeeded(outcomes[i])) return from + i;
        }
    }
    return most_keys;
}

class growth_without_memory : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, growth_without_memory, ::testing::ValuesIn(kinds_that_can(capability::grow)),
                         kind_name);

TEST_P(growth_without_memory, refuses_a_key_and_loses_nobody) {
    EXPECT_EQ(exit_code_in_child([&] {
                  any_filter filter = support::must(build({std::string(kind().name), planned, 0.01, {}}));
                  const std::uint64_t allowance =
                      (of_this_process("status", "VmSize:") << 10) + (std::uint64_t{8} << 20);
                  const rlimit limit{allowance, allowance};
                  if (memory_ends && ::setrlimit(RLIMIT_AS, &limit) != 0) return 2;
                  const std::uint64_t taken = fill(filter);
                  if (taken < planned) return 3;                   // it refused what it was planned for
                  if (memory_ends && taken == most_keys) return 4; // nothing ended
                  constexpr std::uint64_t stride = 7;
                  for (std::uint64_t i = 0; i < taken; i += stride) {
                      if (!filter.may_contain(nth_digest(i))) return 5; // it lost a member
                  }
                  return 0;
              }),
              0);
}

} // namespace
} // namespace everbloom::hostile
