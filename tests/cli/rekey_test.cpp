// rekey: another hash key for the same keys, and never another set than the list's and the filter's at once.
#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

namespace everbloom::support {
namespace {

hash_key key_of(const workbench& here, const std::string& file) {
    const auto opened = open_filter((here.path() / file).string());
    EXPECT_TRUE(opened) << file;
    return opened ? opened->hasher().key() : hash_key{};
}

TEST(rekey, changes_the_key_and_keeps_the_members_of_every_kind) {
    const std::string keys = numbered_lines("key", 300);
    for (const kind_info& kind : known_kinds()) {
        const workbench here;
        here.write("keys.txt", keys);
        here.make("x.eb", keys, {"--kind", std::string(kind.name), "--capacity", "500", "--fpr", "1%"});
        const std::string before = here.read("x.eb");
        const auto ran = here.run({"rekey", "x.eb", "keys.txt", "--seed", "77"});
        if (kind.capabilities.has(capability::protect) || kind.capabilities.has(capability::build)) {
            expect_trouble(ran, kind.capabilities.has(capability::build) ? "is built once, from all of its keys"
                                                                         : "is built once, with its known negatives");
            EXPECT_EQ(here.read("x.eb"), before);
            continue;
        }
        ASSERT_EQ(ran.exit_code, 0) << kind.name << ": " << ran.err;
        EXPECT_EQ(key_of(here, "x.eb"), hash_key::from_seed(77)) << kind.name;
        EXPECT_EQ(here.run({"check", "x.eb", "keys.txt"}).out, keys) << kind.name;
        EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0) << kind.name;
        // And back: the same filter as at first, where its contents do not depend on the order of growth.
        ASSERT_EQ(here.run({"rekey", "x.eb", "keys.txt", "--seed", "1"}).exit_code, 0) << kind.name;
        EXPECT_EQ(here.run({"check", "x.eb", "keys.txt"}).out, keys) << kind.name;
    }
}

TEST(rekey, draws_a_random_key) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    const hash_key first = key_of(here, "x.eb");
    ASSERT_EQ(here.run({"rekey", "x.eb"}, "anna\nbert\n").exit_code, 0);
    const hash_key second = key_of(here, "x.eb");
    ASSERT_EQ(here.run({"rekey", "x.eb"}, "bert\nanna\n").exit_code, 0);
    EXPECT_NE(first, second);
    EXPECT_NE(second, key_of(here, "x.eb"));
}

TEST(rekey, refuses_a_list_that_is_not_that_of_the_filter) {
    for (const std::string kind : {"quotient", "bloom", "counting", "dleft", "elastic_blocked", "blocked"}) {
        const workbench here;
        here.make("x.eb", numbered_lines("key", 300), {"--kind", kind, "--capacity", "500", "--fpr", "0.1%"});
        const std::string before = here.read("x.eb");
        here.write("fewer.txt", numbered_lines("key", 290));
        here.write("others.txt", numbered_lines("key", 299) + "zoe\n");
        expect_trouble(here.run({"rekey", "x.eb", "fewer.txt"}), "with this list it would hold another set");
        expect_trouble(here.run({"rekey", "x.eb", "others.txt"}),
                       "1 of the 300 keys of the list is not in the filter, the first is 'zoe'");
        EXPECT_EQ(here.read("x.eb"), before) << kind;
        EXPECT_EQ(here.run({"rekey", "x.eb", "others.txt", "--trust-list"}).exit_code, 0) << kind;
        EXPECT_EQ(here.run({"check", "x.eb", "others.txt"}).out, here.read("others.txt")) << kind;
    }
}

TEST(rekey, counts_repetitions_as_the_filter_does) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n", {"--kind", "counting"});
    expect_trouble(here.run({"rekey", "x.eb"}, "anna\nanna\nbert\n"), "--unique counts repetitions once");
    EXPECT_EQ(here.run({"rekey", "x.eb", "--unique"}, "anna\nanna\nbert\n").exit_code, 0);
}

TEST(rekey, keeps_key_type_capacity_and_hash_function) {
    const workbench here;
    here.write("ips.txt", "10.0.0.1\n::1\n");
    ASSERT_EQ(
        here.run({"create", "x.eb", "ips.txt", "--key-type", "ip", "--hash", "murmur3", "--capacity", "700"}).exit_code,
        0);
    ASSERT_EQ(here.run({"rekey", "x.eb"}, "0:0:0:0:0:0:0:1\n10.0.0.1\n").exit_code, 0);
    const auto opened = open_filter((here.path() / "x.eb").string());
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->keys, key_type::ip);
    EXPECT_EQ(opened->target.items, 700U);
    EXPECT_EQ(opened->hasher().id(), hash_id::murmur3);
}

TEST(rekey, refuses_what_it_would_break) {
    const workbench here;
    const std::string keys = numbered_lines("key", 50);
    here.write("keys.txt", keys);
    here.write("good.txt", numbered_lines("good", 2000));
    here.make("x.eb", keys, {"--kind", "bloom", "--fpr", "5%"});
    expect_trouble(here.run({"rekey", "x.eb", "keys.txt", "--seed", "1"}), "has this hash key already");
    expect_trouble(here.run({"rekey", "keys.txt", "x.eb"}), "everbloom rekey x.eb keys.txt");
    ASSERT_EQ(here.run({"protect", "x.eb", "good.txt"}).exit_code, 0);
    expect_trouble(here.run({"rekey", "x.eb", "keys.txt"}), "everbloom protect --drop x.eb");
    ASSERT_EQ(here.run({"create", "slow.ebs", "keys.txt", "--slow"}).exit_code, 0);
    expect_trouble(here.run({"rekey", "slow.ebs", "keys.txt"}), "is a slow filter");
    ASSERT_EQ(here.run({"create", "old.eb", "keys.txt", "--kind", "bloom", "--hash", "dcso"}).exit_code, 0);
    expect_trouble(here.run({"rekey", "old.eb", "keys.txt"}), "the hash dcso has no key");
}

TEST(rekey, of_a_followed_filter_is_done_by_sync) {
    const workbench here;
    const std::string keys = numbered_lines("key", 50);
    here.write("keys.txt", keys);
    ASSERT_EQ(here.run({"sync", "x.eb", "keys.txt"}).exit_code, 0);
    expect_trouble(here.run({"rekey", "x.eb", "keys.txt"}), "'everbloom sync --rekey x.eb LIST'");
    const hash_key before = key_of(here, "x.eb");
    const auto ran = here.run({"sync", "--rekey", "x.eb", "keys.txt"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(key_of(here, "x.eb"), before);
    EXPECT_NE(ran.out.find("requested by --rekey"), std::string::npos) << ran.out;
    EXPECT_EQ(here.run({"check", "x.eb", "keys.txt"}).out, keys);
    EXPECT_EQ(here.run({"sync", "x.eb", "keys.txt"}).exit_code, 0) << "list and filter belong together";
}

} // namespace
} // namespace everbloom::support
