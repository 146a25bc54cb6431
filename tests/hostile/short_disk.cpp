// A disk that is too small, at every size that it can be too small by: the largest allowed file (RLIMIT_FSIZE) stands for it, and a
// write that reaches it is cut short first and refused then, as on a full disk.
#include "hostile/child_process.hpp"
#include "hostile/driver_process.hpp"

#include <csignal>

namespace everbloom::hostile {
namespace {

/// 0: saved; 1: refused as it should be; others: not so.
int save_with_limit(const filter_file& file, const std::string& path, std::uint64_t bytes) {
    return exit_code_in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, bytes};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
        const auto saved = save_filter(file, path);
        if (saved) return 0;
        return saved.error().reason == failure_reason::input_output && !saved.error().sentence.empty() ? 1 : 3;
    });
}

class short_disk : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, short_disk, ::testing::ValuesIn(kinds_that_can(capability::insert)), kind_name);

TEST_P(short_disk, the_old_file_stays_until_the_new_one_fits) {
    const support::temporary_directory here;
    filter_file file = empty_filter(kind().name, small_items);
    ASSERT_TRUE(save_filter(file, here / "x.eb"));
    const std::string before = here.read("x.eb");
    insert_keys(file, 0, small_items);
    const std::uint64_t stride = std::max<std::uint64_t>(1, before.size() / support::rounds(60));
    for (std::uint64_t bytes = 0; bytes < before.size(); bytes += stride) {
        ASSERT_EQ(save_with_limit(file, here / "x.eb", bytes), 1) << bytes;
        ASSERT_EQ(here.read("x.eb"), before) << bytes;
        ASSERT_EQ(here.listing(), "x.eb") << bytes;
    }
    ASSERT_EQ(save_with_limit(file, here / "x.eb", before.size() - 1), 1);
    ASSERT_EQ(save_with_limit(file, here / "x.eb", before.size()), 0);
    const auto saved = open_filter(here / "x.eb");
    ASSERT_TRUE(saved) << saved.error().sentence;
    EXPECT_TRUE(holds_keys(*saved, 0, small_items));
}

} // namespace
} // namespace everbloom::hostile
