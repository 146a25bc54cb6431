// What kinds that grow, confirm and take on any geometry add to the commands. None is named where the catalogue can say it.
#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <nlohmann/json.hpp>

namespace everbloom::support {
namespace {

std::vector<std::string> kinds_that_can(capability wanted) {
    std::vector<std::string> names;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(wanted)) names.emplace_back(kind.name);
    }
    return names;
}

std::string lines_between(int from, int to) {
    std::string lines;
    for (int i = from; i < to; ++i) lines += "key" + std::to_string(i) + "\n";
    return lines;
}

TEST(elastic_kinds, intersect_keeps_what_all_have) {
    const workbench here;
    ASSERT_FALSE(kinds_that_can(capability::intersect).empty());
    for (const std::string& kind : kinds_that_can(capability::intersect)) {
        SCOPED_TRACE(kind);
        here.make("a.eb", lines_between(0, 300), {"--kind", kind, "--force"});
        here.make("b.eb", lines_between(200, 3000), {"--kind", kind, "--force"});
        const auto ran = here.run({"intersect", "--force", "both.eb", "a.eb", "b.eb"});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_NE(ran.out.find("2 filters intersected; about 100 keys"), std::string::npos) << ran.out;
        EXPECT_EQ(here.run({"check", "-c", "both.eb"}, lines_between(200, 300)).out, "100\n");
        EXPECT_EQ(here.run({"check", "--confirm", "-c", "both.eb"}, lines_between(0, 200)).out, "0\n");
    }
    here.make("c.eb", "anna\n");
    expect_trouble(here.run({"intersect", "out.eb", "c.eb", "c.eb"}), "cannot be intersected; kinds that can: ");
}

TEST(elastic_kinds, merge_takes_filters_of_any_size) {
    const workbench here;
    for (const std::string& kind : kinds_that_can(capability::resize)) {
        SCOPED_TRACE(kind);
        here.make("a.eb", lines_between(0, 50), {"--kind", kind, "--force", "--capacity", "50"});
        here.make("b.eb", lines_between(50, 2000), {"--kind", kind, "--force", "--capacity", "50"});
        EXPECT_EQ(here.run({"merge", "--force", "both.eb", "a.eb", "b.eb"}).exit_code, 0);
        EXPECT_EQ(here.run({"check", "-c", "both.eb"}, lines_between(0, 2000)).out, "2000\n");
        EXPECT_EQ(here.run({"verify", "both.eb"}).exit_code, 0);
        here.make("c.eb", "anna\n", {"--kind", kind, "--force", "--seed", "2"});
        expect_trouble(here.run({"merge", "out.eb", "a.eb", "c.eb"}), "the hash keys of a.eb and c.eb differ");
    }
}

TEST(elastic_kinds, create_grows_past_its_items_and_keeps_the_rate) {
    const workbench here;
    for (const std::string& kind : kinds_that_can(capability::resize)) {
        SCOPED_TRACE(kind);
        here.make("x.eb", lines_between(0, 20'000), {"--kind", kind, "--force", "--capacity", "500", "--fpr", "1%"});
        EXPECT_EQ(here.run({"check", "-c", "x.eb"}, lines_between(0, 20'000)).out, "20000\n");
        EXPECT_LT(shown(here, "x.eb")["fpr_current"], 0.0115);
        EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
    }
}

TEST(elastic_kinds, a_strangers_removal_is_refused) {
    const workbench here;
    for (const std::string& kind : kinds_that_can(capability::confirm)) {
        SCOPED_TRACE(kind);
        here.make("x.eb", lines_between(0, 1000), {"--kind", kind, "--force", "--fpr", "10%"});
        const std::string before = here.read("x.eb");
        const auto ran = here.run({"remove", "x.eb"}, numbered_lines("stranger", 5000));
        EXPECT_EQ(ran.exit_code, 1);
        EXPECT_EQ(here.read("x.eb"), before);
        EXPECT_EQ(ran.out, "x.eb: 0 keys removed, 5,000 not present\n");
        const auto members = here.run({"remove", "x.eb"}, lines_between(0, 10));
        EXPECT_EQ(members.out, "x.eb: 10 keys removed\n");
    }
}

TEST(elastic_kinds, check_confirms_where_the_kind_can) {
    const workbench here;
    for (const std::string& kind : kinds_that_can(capability::confirm)) {
        SCOPED_TRACE(kind);
        here.make("x.eb", lines_between(0, 1000), {"--kind", kind, "--force", "--fpr", "10%"});
        const std::string asked = lines_between(0, 1000) + numbered_lines("stranger", 5000);
        EXPECT_NE(here.run({"check", "--no-confirm", "-c", "x.eb"}, asked).out, "1000\n") << "a rate of 10 % shows";
        EXPECT_EQ(here.run({"check", "-c", "x.eb"}, asked).out, "1000\n");
        EXPECT_EQ(here.run({"check", "--confirm", "-c", "x.eb"}, asked).out, "1000\n");
        EXPECT_LT(shown(here, "x.eb")["fpr_verified"], 1e-6);
    }
    here.make("y.eb", "anna\n");
    expect_trouble(here.run({"check", "--confirm", "y.eb"}, "anna\n"),
                   "keeps no hashes to verify its answers with; kinds that do: ");
}

TEST(elastic_kinds, resize_takes_every_kind_that_reshapes_up_and_down) {
    const workbench here;
    for (const std::string& kind : kinds_that_can(capability::resize)) {
        SCOPED_TRACE(kind);
        here.make("x.eb", lines_between(0, 1000), {"--kind", kind, "--force", "--fpr", "1%"});
        for (const char* items : {"20000", "3000"}) {
            const auto ran = here.run({"resize", "x.eb", "--capacity", items, "--fpr", "0.5%"});
            EXPECT_EQ(ran.exit_code, 0) << ran.err;
            EXPECT_EQ(here.run({"check", "-c", "x.eb"}, lines_between(0, 1000)).out, "1000\n");
        }
        const auto fit = here.run({"resize", "x.eb", "--fit"});
        EXPECT_EQ(fit.exit_code, 0) << fit.err;
        EXPECT_EQ(here.run({"check", "-c", "x.eb"}, lines_between(0, 1000)).out, "1000\n");
        EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
    }
}

TEST(elastic_kinds, resize_finds_a_geometry_for_rate_items_bytes_or_fit) {
    const workbench here;
    const std::string kind = "elastic_blocked";
    here.make("x.eb", lines_between(0, 5000), {"--kind", kind, "--capacity", "5000", "--fpr", "1%"});
    const auto lower = here.run({"resize", "x.eb", "--fpr", "0.01%", "--json"});
    EXPECT_EQ(lower.exit_code, 0) << lower.err;
    const auto told = nlohmann::json::parse(lower.out);
    EXPECT_GT(told["bytes"], told["bytes_before"]);
    EXPECT_LE(shown(here, "x.eb")["fpr_current"], 0.00012);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, lines_between(0, 5000)).out, "5000\n");

    const auto limit = here.read("x.eb").size() - 3000;
    EXPECT_EQ(here.run({"resize", "x.eb", "--bytes", std::to_string(limit)}).exit_code, 0);
    EXPECT_LE(here.read("x.eb").size(), limit + 512) << "the header is extra";
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, lines_between(0, 5000)).out, "5000\n");
    expect_trouble(here.run({"resize", "x.eb", "--bytes", "1000"}), "not even at an FPR of 50 %");

    EXPECT_EQ(here.run({"remove", "x.eb"}, lines_between(100, 5000)).exit_code, 0);
    const std::string before = here.read("x.eb");
    EXPECT_EQ(here.run({"resize", "x.eb", "--fit", "--dry-run"}).exit_code, 0);
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.run({"resize", "x.eb", "--fit"}).exit_code, 0);
    EXPECT_LT(here.read("x.eb").size(), before.size() / 10);
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, lines_between(0, 100)).out, "100\n");
    EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
}

TEST(elastic_kinds, simulate_tells_how_far_it_grew) {
    const workbench here;
    for (const char* kind : {"elastic", "dynamic", "scalable"}) {
        SCOPED_TRACE(kind);
        const auto ran = here.run({"simulate", kind, "--initial-bits", "16384", "--hashes", "5", "--threshold", "0.2",
                                   "--items", "8192", "--queries", "1M", "--trials", "4", "--json"});
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        const auto told = nlohmann::json::parse(ran.out);
        EXPECT_EQ(told["false_negatives"], 0);
        EXPECT_GT(told["expansions"], 1);
        EXPECT_GE(told["filters"], 1);
        EXPECT_GT(told["fast_bits"], 16384);
        EXPECT_TRUE(told.contains("slow_bits"));
        const double low = told["fpr"]["low"];
        const double high = told["fpr"]["high"];
        const double model = told["fpr_model"];
        EXPECT_GT(model, 0.95 * low);
        EXPECT_LT(model, 1.05 * high);
    }
}

} // namespace
} // namespace everbloom::support
