#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <nlohmann/json.hpp>

#include <array>

namespace everbloom::support {
namespace {

void make_dleft(const workbench& here, const std::string& rate = "0.1%") {
    here.make("x.eb", numbered_lines("key", 1000), {"--kind", "dleft", "--capacity", "1000", "--fpr", rate});
}

TEST(resize, a_grown_filter_holds_twice_the_keys_and_none_is_lost) {
    const workbench here;
    make_dleft(here);
    const auto ran = here.run({"resize", "x.eb", "--capacity", "2000", "--fpr", "1%"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("->"), std::string::npos) << ran.out;
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 1000)).out, "1000\n");
    EXPECT_EQ(here.run({"add", "x.eb"}, numbered_lines("more", 1000)).exit_code, 0);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("more", 1000)).out, "1000\n");
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
}

TEST(resize, after_removals_fit_gives_memory_back) {
    const workbench here;
    make_dleft(here, "0.01%");
    EXPECT_EQ(here.run({"remove", "x.eb"}, numbered_lines("key", 900)).exit_code, 0);
    const std::size_t before = here.read("x.eb").size();
    const auto ran = here.run({"resize", "x.eb", "--fit"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_LT(here.read("x.eb").size(), before);
    std::string staying;
    for (int i = 900; i < 1000; ++i) staying += "key" + std::to_string(i) + "\n";
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, staying).out, "100\n");
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
}

// A filter that has grown far has other sizes than a new one of its geometry, for which a size is planned.
TEST(resize, every_kind_that_grew_by_itself_takes_a_new_size) {
    const std::string keys = numbered_lines("key", 20'000);
    std::uint64_t tried = 0;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.grows_by_itself || !kind.capabilities.has(capability::grow)) continue;
        SCOPED_TRACE(std::string(kind.name));
        const workbench here;
        here.make("x.eb", "", {"--kind", std::string(kind.name), "--capacity", "1000", "--fpr", "1%"});
        if (here.run({"add", "x.eb"}, keys).exit_code != 0) continue; // its FPR would not hold
        const auto size_after = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin(), {"resize", "x.eb"});
            const auto ran = here.run(arguments);
            EXPECT_EQ(ran.exit_code, 0) << ran.err;
            EXPECT_EQ(here.run({"check", "-c", "x.eb"}, keys).out, "20000\n");
            EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
            return here.read("x.eb").size();
        };
        const std::size_t larger = size_after({"--capacity", "50000"});
        EXPECT_LE(size_after({"--fit"}), larger);
        EXPECT_LE(size_after({"--bytes", std::to_string(larger)}), larger);
        const std::string before = here.read("x.eb");
        expect_trouble(here.run({"resize", "x.eb", "--bytes", "2000"}), "cannot be resized");
        EXPECT_EQ(here.read("x.eb"), before);
        ++tried;
    }
    EXPECT_GE(tried, 4U);
}

TEST(resize, a_quotient_filter_takes_any_size) {
    const workbench here;
    const std::string keys = numbered_lines("key", 20'000);
    here.make("x.eb", "", {"--kind", "quotient", "--capacity", "1000", "--fpr", "1%", "--seed", "1"});
    ASSERT_EQ(here.run({"add", "x.eb"}, keys).exit_code, 0);
    std::size_t before = here.read("x.eb").size();
    for (const std::string capacity : {"25000", "32000", "41000", "52000"}) {
        ASSERT_EQ(here.run({"resize", "x.eb", "--capacity", capacity}).exit_code, 0);
        const std::size_t now = here.read("x.eb").size();
        EXPECT_GT(now, before * 11 / 10) << capacity;
        EXPECT_LT(now, before * 3 / 2) << capacity;
        before = now;
    }
}

TEST(resize, a_dry_run_tells_and_changes_nothing) {
    const workbench here;
    make_dleft(here);
    const std::string before = here.read("x.eb");
    const auto ran = here.run({"resize", "x.eb", "--capacity", "4000", "--fpr", "2%", "--dry-run", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const auto told = nlohmann::json::parse(ran.out);
    EXPECT_GT(told["bytes"], told["bytes_before"]);
    EXPECT_EQ(told["dry_run"], true);
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(resize, a_rate_that_cannot_be_kept_is_refused_with_the_rate_that_would_be) {
    const workbench here;
    make_dleft(here, "0.001%");
    const std::string before = here.read("x.eb");
    expect_trouble(here.run({"resize", "x.eb", "--capacity", "1000000"}), "FPR");
    EXPECT_EQ(here.read("x.eb"), before);
}

TEST(resize, fewer_items_than_there_are_is_refused) {
    const workbench here;
    make_dleft(here);
    expect_trouble(here.run({"resize", "x.eb", "--capacity", "10"}), "too small");
}

TEST(resize, without_a_size_it_asks_for_one) {
    const workbench here;
    make_dleft(here);
    expect_trouble(here.run({"resize", "x.eb"}), "--fit");
}

TEST(resize, a_limit_of_bytes_is_kept) {
    const workbench here;
    make_dleft(here, "0.01%");
    const auto ran = here.run({"resize", "x.eb", "--bytes", "64KiB", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const auto told = nlohmann::json::parse(ran.out);
    EXPECT_LE(told["bytes"], 65536);
    EXPECT_GT(told["bytes"], 20000);
    expect_trouble(here.run({"resize", "x.eb", "--bytes", "100"}), "cannot be resized");
}

TEST(resize, a_limit_of_bytes_is_used_by_every_kind_that_can) {
    const workbench here;
    std::uint64_t tried = 0;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::grow) || !kind.capabilities.has(capability::shrink)) continue;
        SCOPED_TRACE(kind.name);
        // Of one density, so that all of these are sizes that a filter of this kind can have.
        const std::string keys = numbered_lines("key", 900);
        std::vector<std::uint64_t> sizes;
        for (const char* items : {"1000", "4000", "64000"}) {
            const std::string name = std::string(items) + ".eb";
            here.make(name, keys, {"--force", "--kind", std::string(kind.name), "--capacity", items, "--fpr", "1%"});
            const auto seen = here.run({"resize", name, "--fpr", "1%", "--dry-run", "--json"});
            sizes.push_back(nlohmann::json::parse(seen.out)["bytes_before"].get<std::uint64_t>());
        }
        // From each size to limits around the others: never more than the limit, and never half of it or less, for all
        // kinds can double. Only a limit below the present size may be too small for the kind.
        for (std::size_t from = 0; from < sizes.size(); ++from) {
            const char* const items = std::array{"1000", "4000", "64000"}[from];
            for (const std::uint64_t size : sizes) {
                for (const std::uint64_t limit : {size * 11 / 10, size * 3 / 2}) {
                    SCOPED_TRACE(std::string("planned for ") + items + ", limit " + std::to_string(limit));
                    const auto ran = here.run({"resize", std::string(items) + ".eb", "--bytes", std::to_string(limit),
                                               "--json", "--dry-run"});
                    if (ran.exit_code != 0 && limit < sizes[from]) {
                        expect_trouble(ran, "cannot be resized");
                        continue;
                    }
                    ASSERT_EQ(ran.exit_code, 0) << ran.err;
                    const auto told = nlohmann::json::parse(ran.out);
                    EXPECT_LE(told["bytes"].get<double>(), static_cast<double>(limit));
                    EXPECT_GT(told["bytes"].get<double>(), 0.5 * static_cast<double>(limit));
                    ++tried;
                }
            }
        }
    }
    EXPECT_GE(tried, 3 * 12U);
}

TEST(resize, a_limit_of_bytes_means_room_for_more_keys_and_none_is_lost) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::resize)) continue;
        SCOPED_TRACE(kind.name);
        here.make("x.eb", numbered_lines("key", 1000),
                  {"--force", "--kind", std::string(kind.name), "--capacity", "1000", "--fpr", "1%"});
        const auto ran = here.run({"resize", "x.eb", "--bytes", "1MiB", "--json"});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        const auto told = nlohmann::json::parse(ran.out);
        EXPECT_GT(told["items"].get<std::uint64_t>(), 20'000U);
        EXPECT_LE(told["fpr"].get<double>(), 0.01);
        EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 1000)).out, "1000\n");
        EXPECT_EQ(here.run({"add", "x.eb", "-q"}, numbered_lines("more", 15'000)).exit_code, 0);
        EXPECT_LE(here.read("x.eb").size(), 1'100'000U);
        expect_trouble(here.run({"resize", "x.eb", "--bytes", "20KiB", "--fpr", "1%"}), "cannot be resized");
    }
}

TEST(resize, kinds_that_cannot_say_which_can) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::grow) || !kind.capabilities.has(capability::insert)) continue;
        here.make("x.eb", "a\n", {"--kind", std::string(kind.name), "--capacity", "10", "--force"});
        expect_trouble(here.run({"resize", "x.eb", "--capacity", "20"}), "dleft");
    }
}

} // namespace
} // namespace everbloom::support
