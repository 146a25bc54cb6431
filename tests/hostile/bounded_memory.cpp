// Promise P5: before a file has been validated, loading it takes no more than 64 MiB plus four times the file, whatever it claims.
//
// The loader runs in a child that may not have more address space than that, so a larger request fails there and comes back as
// `out_of_memory`. AddressSanitizer and ThreadSanitizer need terabytes of address space for themselves; under them the peak of the
// address space is compared instead.
#include "hostile/child_process.hpp"
#include "hostile/small_file.hpp"
#include "support/dice.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/bits/heap_words.hpp>

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

using support::dice;
using support::rounds;
using support::temporary_directory;

/// 0 if `work` stayed within its allowance. `work` returns whether anything ran out of memory.
template <class Work>
int run_with_allowance(std::uint64_t input_bytes, Work work) {
    const std::uint64_t allowance = (std::uint64_t{64} << 20) + 4 * input_bytes;
    return exit_code_in_child([&] {
        const std::uint64_t before = of_this_process("status", "VmPeak:") << 10;
#if !defined(EVERBLOOM_LARGE_ADDRESS_SPACE)
        const rlimit limit{before + allowance, before + allowance};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) return 2;
#endif
        if (work()) return 3;
        return (of_this_process("status", "VmPeak:") << 10) - before <= allowance ? 0 : 4;
    });
}

bool ran_out(const result<filter_file>& loaded) {
    return !loaded && loaded.error().reason == failure_reason::out_of_memory;
}

/// Headers that claim much: every number large, alone and in pairs.
std::vector<file_bytes> greedy_files(const file_bytes& original) {
    dice random(10);
    std::vector<file_bytes> made;
    const auto fields = fields_of(original);
    const auto large = [&] { return ~std::uint64_t{0} >> random.below(34); };
    for (const header_field& field : fields) {
        for (std::uint64_t i = 0; i < rounds(60); ++i) {
            file_bytes forged = original;
            field.write(forged, large());
            if (i % 2 == 1) fields[random.below(fields.size())].write(forged, large());
            seal(forged);
            made.push_back(std::move(forged));
        }
    }
    return made;
}

class bounded_memory : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, bounded_memory, ::testing::ValuesIn(kinds_that_can(capability::query)), kind_name);

TEST_P(bounded_memory, no_claim_of_a_header_is_paid_for_in_advance) {
    const auto files = greedy_files(small_file(kind().name));
    EXPECT_EQ(run_with_allowance(small_file(kind().name).size(),
                                 [&] {
                                     for (const file_bytes& file : files) {
                                         if (ran_out(read_filter(file))) return true;
                                     }
                                     return false;
                                 }),
              0);
}

TEST_P(bounded_memory, nor_when_it_stands_in_a_file) {
    const temporary_directory here;
    auto files = greedy_files(small_file(kind().name));
    files.resize(files.size() / 4 + 1);
    EXPECT_EQ(run_with_allowance(small_file(kind().name).size(),
                                 [&] {
                                     for (const file_bytes& file : files) {
                                         const std::string path = here.write(
                                             "greedy.eb", {reinterpret_cast<const char*>(file.data()), file.size()});
                                         if (ran_out(open_filter(path)) || ran_out(map_filter(path))) return true;
                                         std::filesystem::remove(path);
                                     }
                                     return false;
                                 }),
              0);
}

TEST(bounded_memory_of_large_files, a_large_legal_file_fits_into_its_allowance) {
    auto built = build({"bloom", {}, {}, {{"bits", "128Mi"}, {"hashes", "2"}}});
    ASSERT_TRUE(built);
    filter_file made;
    made.handle = keyed(std::move(*built), any_hasher());
    const file_bytes bytes = write_filter(made);
    ASSERT_GT(bytes.size(), std::size_t{16} << 20);
    EXPECT_EQ(run_with_allowance(bytes.size(), [&] { return !read_filter(bytes); }), 0);
}

TEST(bounded_memory_of_large_files, the_measure_itself_notices_a_greedy_loader) {
    // What a loader that believes its header would do: the test above must be able to fail.
    EXPECT_NE(run_with_allowance(1000,
                                 [] {
                                     const auto believed = heap_words::make((std::uint64_t{80} << 20) / line);
                                     return !believed;
                                 }),
              0);
}

} // namespace
} // namespace everbloom::hostile
