// How far a filter grows is said by create and show before anybody meets it, and by add when it happens; and a file whose filter has
// refused keys opens like any other.
#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

bool contains(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(growth_limit, is_told_by_show_for_every_kind_that_grows_by_itself) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        SCOPED_TRACE(kind.name);
        here.make("x.eb", "", {"--kind", std::string(kind.name), "--capacity", "100", "--force"});
        const auto told = shown(here, "x.eb").at("most_keys");
        const std::string text = here.run({"show", "x.eb"}).out;
        EXPECT_EQ(told.is_number(), kind.grows_by_itself);
        EXPECT_EQ(contains(text, "grows to about"), kind.grows_by_itself) << text;
        if (!kind.grows_by_itself) continue;
        EXPECT_GT(told.get<double>(), 100'000);
    }
}

TEST(growth_limit, is_named_by_create_where_it_is_near_and_by_add_when_it_is_met) {
    const workbench here;
    const std::vector<std::pair<std::string, std::string>> limits{
        {"most_filters", "2"}, {"most_bits", "8192"}, {"most_lines", "16"}, {"word_bits", "27"}, {"word_bits", "10"}};
    for (const kind_info& kind : known_kinds()) {
        if (!kind.grows_by_itself) continue;
        std::uint64_t met = 0;
        for (const auto& [name, value] : limits) {
            const auto has = [&, wanted = std::string_view(name)](const parameter_info& one) {
                return one.name == wanted;
            };
            if (std::none_of(kind.parameters.begin(), kind.parameters.end(), has)) continue;
            SCOPED_TRACE(std::string(kind.name) + ", " + name + " " + value);
            std::string flag = "--" + name;
            std::replace(flag.begin(), flag.end(), '_', '-');
            const auto made = here.run({"create", "x.eb", "--force", "--seed", "1", "--capacity", "50", "--kind",
                                        std::string(kind.name), flag, value},
                                       "anna\n");
            if (made.exit_code != 0) continue; // not a value for this kind
            EXPECT_TRUE(contains(made.out, "grows to about")) << made.out;
            if (shown(here, "x.eb").at("most_keys").get<double>() > 4000) continue; // more than come below
            ++met;
            const auto added = here.run({"add", "--overfill", "x.eb"}, numbered_lines("key ", 5000));
            EXPECT_EQ(added.exit_code, 1) << added.err;
            EXPECT_TRUE(contains(added.err, "the filter has reached the limit of its growth, about"))
                << added.err.substr(0, 300);
            EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
            EXPECT_EQ(here.run({"check", "x.eb"}, "anna\n").out, "anna\n");
        }
        EXPECT_GT(met, 0u) << kind.name;
    }
}

TEST(growth_limit, is_not_named_by_create_where_nobody_meets_it) {
    const workbench here;
    const auto made = here.run({"create", "x.eb", "--seed", "1", "--capacity", "100"}, "anna\n");
    EXPECT_EQ(made.exit_code, 0);
    EXPECT_FALSE(contains(made.out, "grows to")) << made.out;
    EXPECT_GE(shown(here, "x.eb").at("most_keys").get<double>(), 1e9);
}

TEST(growth_limit, a_file_whose_filter_has_refused_keys_opens_again) {
    const workbench here;
    for (int seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(seed);
        // In such filters the growth that brings the last keys is still under way when the limit is met.
        here.make("x.eb", "",
                  {"--seed", std::to_string(seed), "--capacity", "100", "--kind", "elastic_blocked", "--word-bits",
                   "32", "--force"});
        const std::string keys = numbered_lines("", 16'500);
        EXPECT_EQ(here.run({"add", "--overfill", "x.eb"}, keys).exit_code, 1);
        const auto seen = here.run({"show", "x.eb"});
        EXPECT_EQ(seen.exit_code, 0) << seen.err;
        EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
        EXPECT_EQ(line_count(here.run({"check", "x.eb"}, numbered_lines("", 16'000)).out), 16'000u);
    }
}

TEST(growth_limit, a_filter_made_for_a_hundred_keys_takes_three_hundred_thousand) {
    const workbench here;
    here.make("x.eb", "", {"--capacity", "100", "--kind", "elastic_blocked"});
    const auto added = here.run({"add", "x.eb"}, numbered_lines("", 300'000));
    EXPECT_EQ(added.exit_code, 0) << added.err.substr(0, 300);
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
}

} // namespace
} // namespace everbloom::support
