// Two programs change the same file: one is told `busy`, and whoever waits and tries again loses nothing of the other's work.
#include "hostile/driver_process.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <thread>

namespace everbloom::hostile {
namespace {

class two_writers : public ::testing::Test {
protected:
    two_writers() {
        insert_keys(first, 0, 10);
        support::must(save_filter(first, path));
    }

    support::temporary_directory here;
    const std::string path = here / "x.eb";
    filter_file first = empty_filter(kinds_for_processes().front(), 1000);
};

TEST_F(two_writers, the_second_is_told_that_the_file_is_busy) {
    const std::string before = here.read("x.eb");
    {
        auto update = support::must(file_update::begin(path));
        const auto second = file_update::begin(path);
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().reason, failure_reason::busy) << second.error().sentence;
        const auto saved = save_filter(first, path);
        ASSERT_FALSE(saved);
        EXPECT_EQ(saved.error().reason, failure_reason::busy);
        const driver_result other = run_driver({"insert", path, "10", "20"});
        EXPECT_EQ(other.exit_code, 1);
        EXPECT_EQ(other.sentence.rfind("busy: ", 0), 0u) << other.sentence;
        EXPECT_TRUE(open_filter(path)); // readers are never busy
    }
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.listing(), "x.eb");
    EXPECT_TRUE(file_update::begin(path));
}

TEST_F(two_writers, another_way_to_the_same_file_is_the_same_file) {
    std::filesystem::create_symlink("x.eb", here / "link.eb");
    const auto update = file_update::begin(here / "link.eb");
    ASSERT_TRUE(update);
    const auto second = file_update::begin(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().reason, failure_reason::busy);
}

TEST_F(two_writers, nothing_is_lost_when_both_keep_trying) {
    const std::uint64_t keys = std::max<std::uint64_t>(5, support::rounds(60));
    std::vector<driver_result> ended(3);
    {
        std::vector<std::jthread> writers;
        for (std::uint64_t i = 0; i < ended.size(); ++i) {
            writers.emplace_back([&, i] {
                ended[i] =
                    run_driver({"share", path, std::to_string(100 + i * keys), std::to_string(100 + (i + 1) * keys)});
            });
        }
    }
    for (const driver_result& one : ended) EXPECT_EQ(one.exit_code, 0) << one.sentence;
    const auto file = open_filter(path);
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_TRUE(holds_keys(*file, 0, 10));
    EXPECT_TRUE(holds_keys(*file, 100, 100 + ended.size() * keys));
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST_F(two_writers, a_temporary_file_with_a_second_name_is_not_written_through) {
    here.write("treasure", "somebody else's");
    std::filesystem::create_hard_link(here / "treasure", here / ".x.eb.eb-new");
    const auto saved = save_filter(first, path);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().reason, failure_reason::input_output) << saved.error().sentence;
    EXPECT_EQ(here.read("treasure"), "somebody else's");
    EXPECT_TRUE(open_filter(path));
}

TEST_F(two_writers, a_temporary_file_that_is_a_link_is_not_followed) {
    here.write("treasure", "somebody else's");
    std::filesystem::create_symlink("treasure", here / ".x.eb.eb-new");
    EXPECT_FALSE(save_filter(first, path));
    EXPECT_EQ(here.read("treasure"), "somebody else's");
}

TEST_F(two_writers, a_temporary_file_replaced_meanwhile_belongs_to_the_other) {
    const std::string before = here.read("x.eb");
    {
        auto update = support::must(file_update::begin(path));
        std::filesystem::remove(here / ".x.eb.eb-new"); // somebody tidies up
        auto other = file_update::begin(path);          // and another writer comes
        ASSERT_TRUE(other);
        const auto saved = save_filter(first, update);
        ASSERT_FALSE(saved);
        EXPECT_EQ(here.read("x.eb"), before);
        insert_keys(first, 10, 20);
        EXPECT_TRUE(save_filter(first, *other));
    }
    EXPECT_TRUE(holds_keys(*open_filter(path), 0, 20));
    EXPECT_EQ(here.listing(), "x.eb");
}

} // namespace
} // namespace everbloom::hostile
