// Changing a file: one writer at a time, the old file or the new one, and nothing left lying about.
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

namespace everbloom {
namespace {

using support::must;
using support::temporary_directory;

result<void> commit(file_update& update, std::string_view first, std::string_view second = "") {
    const std::array<std::span<const std::byte>, 2> pieces{std::as_bytes(std::span(first)),
                                                           std::as_bytes(std::span(second))};
    return update.commit(pieces);
}

result<void> replace(const std::string& path, std::string_view text) {
    auto update = file_update::begin(path);
    if (!update) return fail(std::move(update.error()));
    return commit(*update, text);
}

mode_t mode_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0);
    return found.st_mode & 07777;
}

TEST(file_update, writes_all_pieces_into_a_new_file_for_its_owner_only) {
    const temporary_directory here;
    const mode_t old_mask = ::umask(0);
    auto update = must(file_update::begin(here / "new.eb"));
    must(commit(update, "hello ", "world"));
    ::umask(old_mask);
    EXPECT_EQ(here.read("new.eb"), "hello world");
    EXPECT_EQ(mode_of(here / "new.eb"), 0600u);
    EXPECT_EQ(here.listing(), "new.eb");
}

TEST(file_update, keeps_the_mode_of_the_file_that_was_there) {
    const temporary_directory here;
    const std::string path = here.write("x.eb", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    must(replace(path, "new"));
    EXPECT_EQ(here.read("x.eb"), "new");
    EXPECT_EQ(mode_of(path), 0640u);
}

TEST(file_update, a_second_writer_is_told_that_the_file_is_busy) {
    const temporary_directory here;
    const std::string path = here.write("x.eb", "old");
    {
        const auto first = must(file_update::begin(path));
        const auto second = file_update::begin(path);
        ASSERT_FALSE(second.has_value());
        EXPECT_EQ(second.error().reason, failure_reason::busy);
        EXPECT_NE(second.error().sentence.find("x.eb: is busy"), std::string::npos) << second.error().sentence;
    }
    EXPECT_TRUE(file_update::begin(path).has_value()) << "free again when the first has given up";
}

TEST(file_update, is_free_for_the_next_writer_after_a_commit) {
    const temporary_directory here;
    auto first = must(file_update::begin(here / "x.eb"));
    must(commit(first, "one"));
    must(replace(here / "x.eb", "two")); // while the first object is still there
    EXPECT_EQ(here.read("x.eb"), "two");
}

TEST(file_update, without_a_commit_nothing_has_happened) {
    const temporary_directory here;
    const std::string path = here.write("x.eb", "old");
    { const auto abandoned = must(file_update::begin(path)); }
    EXPECT_EQ(here.read("x.eb"), "old");
    EXPECT_EQ(here.listing(), "x.eb");
    { const auto abandoned = must(file_update::begin(here / "never.eb")); }
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(file_update, moving_it_keeps_the_lock) {
    const temporary_directory here;
    auto first = must(file_update::begin(here / "x.eb"));
    file_update moved(std::move(first));
    EXPECT_FALSE(file_update::begin(here / "x.eb").has_value());
    must(commit(moved, "moved"));
    EXPECT_EQ(here.read("x.eb"), "moved");
}

TEST(file_update, follows_a_symbolic_link_and_leaves_it_in_place) {
    const temporary_directory here;
    ASSERT_EQ(::mkdir((here / "real").c_str(), 0700), 0);
    here.write("real/x.eb", "old");
    const std::string link = here / "link.eb";
    ASSERT_EQ(::symlink("real/x.eb", link.c_str()), 0);
    auto update = must(file_update::begin(link));
    EXPECT_TRUE(update.target().ends_with("/real/x.eb")) << update.target();
    EXPECT_FALSE(file_update::begin(here / "real/x.eb").has_value()) << "the same file by another name is as busy";
    must(commit(update, "new"));
    EXPECT_EQ(here.read("real/x.eb"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(file_update, a_link_to_nothing_is_refused) {
    const temporary_directory here;
    ASSERT_EQ(::symlink("nowhere.eb", (here / "link.eb").c_str()), 0);
    const auto refused = file_update::begin(here / "link.eb");
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().reason, failure_reason::input_output);
    EXPECT_EQ(here.listing(), "link.eb");
}

TEST(file_update, what_is_no_regular_file_is_refused) {
    const temporary_directory here;
    ASSERT_EQ(::mkfifo((here / "pipe").c_str(), 0600), 0);
    for (const std::string& path :
         {here.path().string(), std::string("/dev/full"), std::string("/dev/null"), here / "pipe"}) {
        const auto refused = file_update::begin(path);
        ASSERT_FALSE(refused.has_value()) << path;
        EXPECT_EQ(refused.error().reason, failure_reason::input_output);
        EXPECT_NE(refused.error().sentence.find(path.substr(path.rfind('/') + 1)), std::string::npos)
            << refused.error().sentence;
    }
    EXPECT_EQ(here.listing(), "pipe");
}

TEST(file_update, a_missing_directory_and_an_empty_name_are_refused) {
    const temporary_directory here;
    EXPECT_FALSE(file_update::begin(here / "nowhere/x.eb").has_value());
    const auto nameless = file_update::begin("");
    ASSERT_FALSE(nameless.has_value());
    EXPECT_EQ(nameless.error().reason, failure_reason::bad_parameter);
}

TEST(file_update, takes_over_what_a_crashed_writer_left) {
    const temporary_directory here;
    here.write("x.eb", "old");
    here.write(".x.eb.eb-new", std::string(100000, 'g')); // longer than what comes: it must be cut
    must(replace(here / "x.eb", "new"));
    EXPECT_EQ(here.read("x.eb"), "new");
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(file_update, does_not_write_through_a_link_where_the_temporary_file_should_be) {
    const temporary_directory here;
    here.write("victim", "precious");
    ASSERT_EQ(::symlink("victim", (here / ".x.eb.eb-new").c_str()), 0);
    EXPECT_FALSE(replace(here / "x.eb", "new").has_value());
    EXPECT_EQ(here.read("victim"), "precious");
}

/// Files of this process may not become longer, as on a full disk, as long as the object lives.
class full_disk {
public:
    explicit full_disk(rlim_t bytes) : old_handler_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit tight{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &tight);
    }
    full_disk(const full_disk&) = delete;
    full_disk& operator=(const full_disk&) = delete;
    ~full_disk() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        ::signal(SIGXFSZ, old_handler_);
    }

private:
    rlimit old_{};
    void (*old_handler_)(int);
};

TEST(file_update, a_disk_that_becomes_full_leaves_the_old_file_and_no_other) {
    const temporary_directory here;
    const std::string path = here.write("x.eb", "old");
    {
        const full_disk limit(1000);
        const auto refused = replace(path, std::string(5000, 'n'));
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().reason, failure_reason::input_output);
        EXPECT_NE(refused.error().sentence.find("cannot write it"), std::string::npos) << refused.error().sentence;
    }
    EXPECT_EQ(here.read("x.eb"), "old");
    EXPECT_EQ(here.listing(), "x.eb");
    must(replace(path, "new"));
    EXPECT_EQ(here.read("x.eb"), "new");
}

TEST(file_update, a_target_that_turned_into_a_directory_is_a_failure_without_traces) {
    const temporary_directory here;
    {
        auto update = must(file_update::begin(here / "x.eb"));
        ASSERT_EQ(::mkdir((here / "x.eb").c_str(), 0700), 0);
        const auto refused = commit(update, "new");
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().reason, failure_reason::input_output);
    }
    EXPECT_EQ(here.listing(), "x.eb");
}

} // namespace
} // namespace everbloom
