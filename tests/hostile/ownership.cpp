// Whose a file is after a save, and who may read it: nobody gains access by a save, nobody loses his file, and a file that is read-only
// on purpose is refused. Those that need other users run as root only; the rest runs for everybody.
#include "hostile/child_process.hpp"
#include "hostile/small_file.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <grp.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <cstring>

namespace everbloom::hostile {
namespace {

using support::temporary_directory;

constexpr uid_t some_user = 54321;
constexpr gid_t some_group = 54322;
constexpr gid_t other_group = 54323;

struct stat stat_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found;
}

result<void> replace(const std::string& path, std::string_view text) {
    auto update = file_update::begin(path);
    if (!update) return fail(std::move(update.error()));
    const auto bytes = std::as_bytes(std::span(text));
    return update->commit(std::span(&bytes, 1));
}

bool is_root() { return ::geteuid() == 0; }

/// 0 if `work` succeeds as an ordinary user: the caller, or some user in these groups if the caller is root.
template <class Work>
int as_user(std::vector<gid_t> groups, Work work) {
    return exit_code_in_child([&] {
        if (is_root() &&
            (::setgroups(groups.size(), groups.data()) != 0 || ::setresgid(some_group, some_group, some_group) != 0 ||
             ::setresuid(some_user, some_user, some_user) != 0)) {
            return 98;
        }
        return work() ? 0 : 1;
    });
}

/// A file in a directory that everybody may write.
struct shared_file {
    explicit shared_file(mode_t mode, uid_t owner = ::geteuid(), gid_t group = ::getegid()) {
        EXPECT_EQ(::chmod(here.path().c_str(), 0777), 0);
        here.write("x.eb", "old");
        EXPECT_EQ(::chown(path.c_str(), owner, group), 0);
        EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    }
    temporary_directory here;
    const std::string path = here / "x.eb";
};

constexpr const char* needs_root = "only root can give files to others";

TEST(ownership, root_does_not_take_a_users_file_away) {
    if (!is_root()) GTEST_SKIP() << needs_root;
    for (const mode_t mode : {0600, 0640, 0660, 0644}) {
        const shared_file file(mode, some_user, other_group);
        support::must(replace(file.path, "new"));
        EXPECT_EQ(file.here.read("x.eb"), "new");
        const struct stat found = stat_of(file.path);
        EXPECT_EQ(found.st_uid, some_user);
        EXPECT_EQ(found.st_gid, other_group);
        EXPECT_EQ(found.st_mode & 07777, mode);
    }
}

TEST(ownership, a_group_keeps_its_file_whoever_of_it_writes) {
    if (!is_root()) GTEST_SKIP() << needs_root;
    const shared_file file(0660, some_user + 1, other_group);
    EXPECT_EQ(as_user({other_group}, [&] { return replace(file.path, "new").has_value(); }), 0);
    const struct stat found = stat_of(file.path);
    EXPECT_EQ(found.st_uid, some_user); // who may not give files away owns what he makes
    EXPECT_EQ(found.st_gid, other_group);
    EXPECT_EQ(found.st_mode & 07777, 0660u);
}

TEST(ownership, another_group_gets_no_rights) {
    if (!is_root()) GTEST_SKIP() << needs_root;
    const shared_file file(0666, some_user + 1, other_group);
    EXPECT_EQ(as_user({}, [&] { return replace(file.path, "new").has_value(); }), 0);
    const struct stat found = stat_of(file.path);
    EXPECT_EQ(found.st_gid, some_group);
    EXPECT_EQ(found.st_mode & 07777, 0606u) << "the rights of the old group must not go to a new one";
}

TEST(ownership, set_id_bits_are_not_kept) {
    const shared_file file(06755);
    support::must(replace(file.path, "new"));
    EXPECT_EQ(stat_of(file.path).st_mode & 07777, 0755u);
}

TEST(ownership, a_read_only_file_is_refused_before_any_work) {
    for (const mode_t mode : {0400, 0444, 0440}) {
        const shared_file file(mode);
        const auto refused = file_update::begin(file.path);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().reason, failure_reason::input_output);
        EXPECT_NE(refused.error().sentence.find("x.eb: is read-only"), std::string::npos) << refused.error().sentence;
        EXPECT_EQ(file.here.listing(), "x.eb");
        EXPECT_EQ(file.here.read("x.eb"), "old");
    }
}

TEST(ownership, a_file_that_others_may_write_but_not_the_caller_is_refused) {
    if (!is_root()) GTEST_SKIP() << needs_root;
    const shared_file file(0644, 0, 0); // in a directory where he might replace it
    EXPECT_EQ(as_user({},
                      [&] {
                          const auto refused = file_update::begin(file.path);
                          return !refused && refused.error().sentence.find("is not writable: Permission denied") !=
                                                 std::string::npos;
                      }),
              0);
    EXPECT_EQ(file.here.listing(), "x.eb");
}

TEST(ownership, a_directory_that_cannot_be_read_is_no_obstacle) {
    const temporary_directory here;
    here.write("x.eb", "old");
    const uid_t owner = is_root() ? some_user : ::geteuid();
    if (is_root()) {
        ASSERT_EQ(::chown((here / "x.eb").c_str(), owner, some_group), 0);
        ASSERT_EQ(::chown(here.path().c_str(), owner, some_group), 0);
    }
    ASSERT_EQ(::chmod(here.path().c_str(), 0300), 0);
    EXPECT_EQ(as_user({}, [&] { return replace(here / "x.eb", "new").has_value(); }), 0);
    ASSERT_EQ(::chmod(here.path().c_str(), 0700), 0);
    EXPECT_EQ(here.read("x.eb"), "new");
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(ownership, what_another_users_writer_left_is_not_written_into) {
    if (!is_root()) GTEST_SKIP() << needs_root;
    const shared_file file(0600);
    const std::string left = file.here.write(".x.eb.eb-new", "left");
    ASSERT_EQ(::chown(left.c_str(), some_user, some_group), 0);
    const int still_open = ::open(left.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(still_open, 0);
    support::must(replace(file.path, "secret"));
    std::array<char, 16> bytes{};
    EXPECT_EQ(::pread(still_open, bytes.data(), bytes.size(), 0), 4) << "its owner would read the new file through it";
    ::close(still_open);
    EXPECT_EQ(stat_of(file.path).st_uid, 0u);
    EXPECT_EQ(file.here.read("x.eb"), "secret");
    EXPECT_EQ(file.here.listing(), "x.eb");
}

/// owner rw, a named user rw, group nothing, mask rw, others nothing: as the kernel keeps it.
std::string acl_with_named_user() {
    std::string acl("\2\0\0\0", 4);
    const auto entry = [&](std::uint16_t tag, std::uint16_t rights, std::uint32_t id) {
        acl.append(reinterpret_cast<const char*>(&tag), 2);
        acl.append(reinterpret_cast<const char*>(&rights), 2);
        acl.append(reinterpret_cast<const char*>(&id), 4);
    };
    constexpr std::uint32_t nobody = 0xffffffff;
    entry(0x01, 6, nobody);
    entry(0x02, 6, some_user);
    entry(0x04, 0, nobody);
    entry(0x10, 6, nobody);
    entry(0x20, 0, nobody);
    return acl;
}

constexpr const char* acl_name = "system.posix_acl_access";

TEST(ownership, an_access_control_list_stays) {
    const shared_file file(0600);
    const std::string acl = acl_with_named_user();
    if (::setxattr(file.path.c_str(), acl_name, acl.data(), acl.size(), 0) != 0) {
        GTEST_SKIP() << "no access control lists on this file system";
    }
    // The group bits are the mask of the list now: as mode bits alone they would let the group in.
    ASSERT_EQ(stat_of(file.path).st_mode & 07777, 0660u);
    support::must(replace(file.path, "new"));
    std::string kept(256, '\0');
    const ssize_t bytes = ::getxattr(file.path.c_str(), acl_name, kept.data(), kept.size());
    ASSERT_GT(bytes, 0);
    kept.resize(static_cast<std::size_t>(bytes));
    EXPECT_EQ(kept, acl);
}

TEST(ownership, a_list_inherited_from_the_directory_lets_nobody_in) {
    const shared_file file(0640); // made before the directory got its default
    const std::string acl = acl_with_named_user();
    if (::setxattr(file.here.path().c_str(), "system.posix_acl_default", acl.data(), acl.size(), 0) != 0) {
        GTEST_SKIP() << "no access control lists on this file system";
    }
    support::must(replace(file.path, "new"));
    EXPECT_EQ(stat_of(file.path).st_mode & 07777, 0640u);
    EXPECT_LT(::getxattr(file.path.c_str(), acl_name, nullptr, 0), 0) << "the old file had none";
}

} // namespace
} // namespace everbloom::hostile
