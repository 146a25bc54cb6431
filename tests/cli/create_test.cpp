#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

namespace everbloom::support {
namespace {

TEST(create, says_what_it_made) {
    const workbench here;
    const auto ran = here.run({"create", "x.eb", "--capacity", "1000", "--fpr", "1%"}, "anna\nbert\n");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_TRUE(ran.out.starts_with("x.eb: a quotient filter, 2 keys added; ")) << ran.out;
    EXPECT_TRUE(ran.out.ends_with(" bits per key at capacity), capacity: 1,000 keys at 1.00 % FPR\n")) << ran.out;
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(here.listing(), "x.eb");
}

TEST(create, a_filter_without_a_size_is_sized_for_its_keys) {
    const workbench here;
    const auto few = here.run({"create", "few.eb", "--json"}, "anna\nbert\n");
    EXPECT_NE(few.out.find(R"("items": 1000,)"), std::string::npos) << few.out;
    EXPECT_NE(few.out.find(R"("sized_from_keys": true)"), std::string::npos) << few.out;
    const auto many = here.run({"create", "many.eb"}, numbered_lines("key", 5000));
    EXPECT_EQ(many.exit_code, 0) << many.err;
    EXPECT_NE(many.out.find("5,000 keys added"), std::string::npos) << many.out;
    EXPECT_NE(many.out.find("capacity: 5,000 keys at"), std::string::npos) << many.out;
    EXPECT_NE(many.out.find("(no --capacity given: the number of keys read)"), std::string::npos) << many.out;
    EXPECT_EQ(here.run({"check", "-c", "many.eb"}, numbered_lines("key", 5000)).out, "5000\n");
}

TEST(create, a_part_of_the_geometry_is_enough_if_the_keys_say_the_rest) {
    const workbench here;
    const auto ran = here.run({"create", "x.eb", "--counter-bits", "8"}, numbered_lines("key", 2000));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("capacity: 2,000 keys at"), std::string::npos) << ran.out;
}

TEST(create, geometry_with_items_agrees_on_what_the_model_says) {
    const workbench here;
    const auto ran = here.run({"create", "x.eb", "--kind", "bloom", "--bits", "8000", "--capacity", "1000"}, "a\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("1.1 KiB (9.2 bits per key at capacity), capacity: 1,000 keys at 2.1"), std::string::npos)
        << ran.out; // 2.16 %
}

TEST(create, geometry_without_items_agrees_on_nothing) {
    const workbench here;
    const auto ran = here.run({"create", "x.eb", "--kind", "bloom", "--bits", "1k", "--hashes", "3"}, "a\n");
    EXPECT_EQ(ran.out, "x.eb: a bloom filter, 1 key added; 256 bytes, capacity: not set\n");
    EXPECT_EQ(here.run({"add", "x.eb"}, numbered_lines("key", 5000)).exit_code, 0);
}

TEST(create, a_rate_that_the_geometry_cannot_keep_is_refused) {
    const workbench here;
    const std::vector<std::string> wish{"create", "x.eb", "--bits", "4000", "--capacity", "1000", "--fpr", "1%"};
    expect_trouble(here.run(wish), "above the target FPR of 1.00 %");
    EXPECT_EQ(here.listing(), "");
}

TEST(create, small_filters_of_every_kind_can_be_made) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        for (const std::string items : {"1", "2", "3", "7", "10", "100", "10k"}) {
            for (const std::string fpr : {"50%", "10%", "1%", "0.1%", "1e-6"}) {
                const auto ran = here.run(
                    {"create", "x.eb", "--force", "--kind", std::string(kind.name), "--capacity", items, "--fpr", fpr},
                    "anna\n");
                EXPECT_EQ(ran.exit_code, 0) << kind.name << " " << items << " " << fpr << ": " << ran.err;
            }
        }
    }
}

TEST(create, a_fuse_filter_is_built_from_all_keys_at_once) {
    const workbench here;
    here.write("keys.txt", numbered_lines("key ", 5000) + numbered_lines("key ", 100));
    const auto ran = here.run({"create", "x.eb", "keys.txt", "--kind", "fuse", "--fpr", "1/256", "--json"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const auto said = nlohmann::json::parse(ran.out);
    EXPECT_EQ(said["kind"], "fuse");
    EXPECT_EQ(said["added"], 5000);
    EXPECT_EQ(said["repeated"], 100);
    EXPECT_EQ(said["agreed"]["items"], 5000);
    EXPECT_EQ(said["geometry"]["fingerprint_bits"], 8);
    EXPECT_LT(8 * here.read("x.eb").size(), 5000 * 12u);
    EXPECT_EQ(here.run({"check", "-c", "x.eb", "keys.txt"}).out, "5100\n");
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
    expect_trouble(here.run({"add", "x.eb"}, "anna\n"), "create it again from the whole list");
    expect_trouble(here.run({"create", "x.eb", "keys.txt", "--kind", "fuse"}), "already exists");
    expect_trouble(here.run({"create", "y.eb", "keys.txt", "--kind", "fuse", "--segments", "99"}), "--segments");
    expect_trouble(here.run({"create", "y.eb", "keys.txt", "--kind", "fuse", "--remove", "10%"}), "leave it out");
    expect_trouble(here.run({"create", "y.eb", "keys.txt", "--kind", "fuse", "--fpr", "1e-12"}), "FPR");
    expect_trouble(here.run({"create", "y.eb", "keys.txt", "--like", "x.eb"}), "say --kind fuse");
    EXPECT_EQ(here.run({"create", "y.eb", "keys.txt", "--like", "x.eb", "--kind", "fuse", "--fpr", "1/256"}).exit_code,
              0);
    EXPECT_EQ(here.read("y.eb"), here.read("x.eb")) << "the same keys, FPR and hash key";
    ASSERT_EQ(here.run({"create", "none.eb", "--kind", "fuse"}, "").exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "none.eb", "keys.txt"}).out, "0\n");
    ASSERT_EQ(here.run({"create", "wide.eb", "--kind", "fuse", "--fingerprint-bits", "20"}, "anna\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "wide.eb"}, "anna\nbert\n").out, "anna\n");
}

TEST(create, more_keys_than_agreed_are_refused_and_no_file_is_made) {
    const workbench here;
    expect_trouble(here.run({"create", "x.eb", "--kind", "counting", "--capacity", "100"}, numbered_lines("key", 5000)),
                   "--overfill");
    EXPECT_EQ(here.listing(), "");
    const auto kept = here.run({"create", "x.eb", "--kind", "counting", "--capacity", "100", "--overfill"},
                               numbered_lines("key", 5000));
    EXPECT_EQ(kept.exit_code, 0) << kept.err;
}

TEST(create, a_filter_whose_kind_nobody_named_grows_with_its_keys) {
    const workbench here;
    EXPECT_EQ(here.run({"create", "x.eb", "--capacity", "100"}, numbered_lines("key", 5000)).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 5000)).out, "5000\n");
    EXPECT_EQ(here.run({"remove", "x.eb"}, numbered_lines("key", 5000)).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 5000)).out, "0\n");
}

TEST(create, a_filter_is_made_to_last_for_the_life_that_is_said) {
    const workbench here;
    const auto bits = [&](const std::vector<std::string>& lifetime) {
        std::vector<std::string> flags{"create",     "x.eb", "--force", "--kind", "ternary",
                                       "--capacity", "5000", "--fpr",   "1%"};
        flags.insert(flags.end(), lifetime.begin(), lifetime.end());
        const auto ran = here.run(flags, "anna\n");
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_NE(ran.out.find("capacity: 5,000 keys at 1.00 % FPR"), std::string::npos) << ran.out;
        return std::filesystem::file_size(here / "x.eb");
    };
    EXPECT_LT(bits({}), bits({"--remove", "50%"}));
    EXPECT_LT(bits({"--remove", "50%"}), bits({"--churn", "2"}));
    EXPECT_EQ(bits({"--bits", "100k"}), bits({"--bits", "100k", "--churn", "2"})); // who gives the size has chosen
}

TEST(create, an_existing_file_is_replaced_only_by_force) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string before = here.read("x.eb");
    expect_trouble(here.run({"create", "x.eb", "--capacity", "1000"}, "bert\n"), "x.eb: already exists");
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.run({"create", "x.eb", "--capacity", "1000", "--force"}, "bert\n").exit_code, 0);
    EXPECT_EQ(here.run({"check", "x.eb"}, "anna\nbert\n").out, "bert\n");
}

TEST(create, the_same_seed_makes_the_same_bytes_and_no_seed_does_not) {
    const workbench here;
    for (const std::string name : {"a.eb", "b.eb"}) here.make(name, "anna\n");
    EXPECT_EQ(here.read("a.eb"), here.read("b.eb"));
    for (const std::string name : {"c.eb", "d.eb"}) {
        EXPECT_EQ(here.run({"create", name, "--capacity", "1000"}, "anna\n").exit_code, 0);
    }
    EXPECT_NE(here.read("c.eb"), here.read("d.eb"));
}

TEST(create, a_new_filter_is_for_its_owner_only) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const auto mode = std::filesystem::status(here / "x.eb").permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(create, every_hash_finds_its_keys_again) {
    const workbench here;
    for (const std::string hash : {"siphash", "xxh3", "murmur3", "integer"}) {
        here.make(hash + ".eb", numbered_lines("key", 500), {"--hash", hash});
        EXPECT_EQ(here.run({"check", "-c", hash + ".eb"}, numbered_lines("key", 500)).out, "500\n") << hash;
    }
    expect_trouble(here.run({"create", "x.eb", "--hash", "md5"}), "--hash: unknown hash 'md5'");
}

TEST(create, quiet_says_nothing) {
    const workbench here;
    const auto ran = here.run({"create", "x.eb", "--quiet"}, "anna\n");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.out + ran.err, "");
}

TEST(create, a_filter_is_not_a_list_of_keys) {
    const workbench here;
    here.make("a.eb", "anna\n");
    expect_trouble(here.run({"create", "b.eb", "a.eb"}), "a.eb: is an everbloom filter, not a list of keys");
    expect_trouble(here.run({"add", "a.eb", "a.eb"}), "a.eb: is an everbloom filter, not a list of keys");
}

TEST(create, like_another_filter_makes_one_that_can_be_merged) {
    const workbench here;
    ASSERT_EQ(here.run({"create", "a.eb", "--capacity", "500", "--key-type", "ip"}, "10.0.0.1\n").exit_code, 0);
    ASSERT_EQ(here.run({"create", "b.eb", "--like", "a.eb"}, "10.0.0.2\n").exit_code, 0); // without a public seed
    ASSERT_EQ(here.run({"merge", "c.eb", "a.eb", "b.eb"}).exit_code, 0);
    EXPECT_EQ(here.run({"check", "c.eb"}, "10.0.0.1\n10.0.0.2\n10.0.0.3\n").out, "10.0.0.1\n10.0.0.2\n");
    ASSERT_EQ(
        here.run({"create", "d.eb", "--like", "a.eb", "--kind", "bloom", "--capacity", "9"}, "10.0.0.2\n").exit_code,
        0);
    EXPECT_EQ(shown(here, "d.eb")["kind"], "bloom");
    expect_trouble(here.run({"create", "e.eb", "--like", "a.eb", "--seed", "1"}, ""), "leave out --hash and --seed");
    expect_trouble(here.run({"create", "e.eb", "--like", "missing.eb"}, ""), "missing.eb");
    expect_trouble(here.run({"create", "e.eb", "--like", "a.eb", "--key-type", "text"}, ""),
                   "created with keys of type ip");
}

TEST(create, unique_drops_repetitions_before_they_cost_anything) {
    const workbench here;
    const std::string once = numbered_lines("key", 2000);
    const std::string often = once + once + once + once + once + once + once;
    for (const std::vector<std::string>& size : {std::vector<std::string>{}, {"--capacity", "2000"}}) {
        std::vector<std::string> arguments{"create",  "x.eb",   "--unique", "--kind", "quotient",
                                           "--force", "--json", "--seed",   "1"};
        arguments.insert(arguments.end(), size.begin(), size.end());
        const auto made = here.run(arguments, often);
        ASSERT_EQ(made.exit_code, 0) << made.err;
        const auto said = nlohmann::json::parse(made.out);
        EXPECT_EQ(said["added"], 2000);
        EXPECT_EQ(said["repeated"], 12'000);
        EXPECT_EQ(said["agreed"]["items"], 2000);
        ASSERT_EQ(
            here.run({"create", "once.eb", "--kind", "quotient", "--force", "--seed", "1", "--capacity", "2000"}, once)
                .exit_code,
            0);
        EXPECT_EQ(here.read("x.eb"), here.read("once.eb"));
    }
    ASSERT_EQ(here.run({"create", "a.eb", "--kind", "counting", "--capacity", "100"}, "").exit_code, 0);
    EXPECT_EQ(nlohmann::json::parse(here.run({"add", "a.eb", "--unique", "--json"}, "a\na\nb\na\n").out)["added"], 2);
}

} // namespace
} // namespace everbloom::support
