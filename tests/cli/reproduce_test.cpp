// `everbloom reproduce`: the document that programs rely on, the files it writes, checkpoints, and what it refuses.
#include "cli/reproduced_documents.hpp"

#include <filesystem>

namespace everbloom::support {
namespace {

TEST(reproduce_command, the_same_seed_gives_the_same_document_whatever_the_threads) {
    const json one = reproduce({"dfp", "--only", "fig3", "--seed", "7", "--threads", "1"});
    const json three = reproduce({"dfp", "--only", "fig3", "--seed", "7", "--threads", "3"});
    const json other = reproduce({"dfp", "--only", "fig3", "--seed", "8", "--threads", "3"});
    EXPECT_EQ(one, three);
    EXPECT_NE(one["artefacts"], other["artefacts"]);
}

TEST(reproduce_command, prints_a_table_with_reasons) {
    const auto ran = run_program({"reproduce", "dfp", "--only", "fig4", "--scale", "glance"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.out.find("contradicted    less-deletable-than-tbf-two-bit"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("can delete the same number of members"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("4 reproduced, 1 deviating, 1 contradicted"), std::string::npos) << ran.out;
}

TEST(reproduce_command, writes_a_page_tables_and_pictures) {
    const workbench here;
    const auto ran = here.run({"reproduce", "dfp", "--only", "fig3", "--scale", "glance", "--out", "a/report"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(here.read("a/report/dfp/fig3.csv").starts_with("series,x,paper,model,measured,low,high,setting\n"));
    const std::string picture = here.read("a/report/dfp/fig3.svg");
    EXPECT_NE(picture.find("<svg"), std::string::npos);
    EXPECT_NE(picture.find("original model"), std::string::npos);
    const std::string page = here.read("a/report/dfp.html");
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_NE(page.find("<svg"), std::string::npos);
    EXPECT_NE(page.find("tends to overestimate"), std::string::npos);
    // Claims and figures lead to each other, and the contents to both.
    EXPECT_NE(page.find("<nav"), std::string::npos);
    for (const char* link :
         {"href=\"#fig3\"", "href=\"#claim-corrected-model\"", "href=\"#claims\"", "id=\"figures\""}) {
        EXPECT_NE(page.find(link), std::string::npos) << link;
    }
    EXPECT_NE(page.find("The same command gives the same numbers.<"), std::string::npos) << "nothing was timed";
    // It needs no other file, here or elsewhere.
    for (const char* elsewhere : {"<script", "<img", "<link", "@import", "src="}) {
        EXPECT_EQ(page.find(elsewhere), std::string::npos) << elsewhere;
    }
    EXPECT_EQ(json::parse(here.read("a/report/dfp.json"))["claims"].size(), 3U);
}

TEST(reproduce_command, without_gnuplot_it_says_so_and_writes_the_rest) {
    const workbench here;
    const auto ran = run_program({"reproduce", "dfp", "--only", "fig3", "--scale", "glance", "--out", "report"},
                                 {.directory = here.path().string(), .extra = {{"PATH", here.path().string()}}});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find("no gnuplot"), std::string::npos) << ran.err;
    EXPECT_EQ(line_count(ran.err), 1U);
    const std::string page = here.read("report/dfp.html");
    EXPECT_EQ(page.find("<svg"), std::string::npos);
    EXPECT_NE(page.find("<table>"), std::string::npos);
}

TEST(reproduce_command, an_interrupted_run_goes_on_from_its_checkpoints) {
    const workbench here;
    const std::vector<std::string> command{"reproduce", "dfp",    "--only", "fig3",  "crossings",   "--scale",
                                           "glance",    "--seed", "5",      "--out", "interrupted", "--progress"};
    // A directory in the place of the document: the run ends after its experiments, as if it had been interrupted.
    std::filesystem::create_directories(here.path() / "interrupted/dfp.json");
    const auto broken = here.run(command);
    EXPECT_NE(broken.exit_code, 0);
    EXPECT_NE(broken.err.find("dfp fig3: 1 artefact, "), std::string::npos) << broken.err;
    EXPECT_EQ(broken.err.find("from its checkpoint"), std::string::npos) << broken.err;
    const std::string kept = here.read("interrupted/dfp/checkpoints/fig3.json");
    ASSERT_FALSE(kept.empty());
    std::filesystem::remove(here.path() / "interrupted/dfp.json");
    // A damaged checkpoint is not used, nor is one of another seed.
    here.write("interrupted/dfp/checkpoints/crossings.json", kept.substr(0, kept.size() / 2));
    auto other_seed = command;
    other_seed[8] = "6";
    other_seed[10] = "other";
    std::filesystem::create_directories(here.path() / "other/dfp/checkpoints");
    here.write("other/dfp/checkpoints/fig3.json", kept);
    const auto other = here.run(other_seed);
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_EQ(other.err.find("from its checkpoint"), std::string::npos) << other.err;

    const auto resumed = here.run(command);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_NE(resumed.err.find("dfp fig3: 1 artefact, from its checkpoint (1 of 2)"), std::string::npos) << resumed.err;
    EXPECT_EQ(resumed.err.find("crossings: 2 artefacts, from"), std::string::npos) << resumed.err;
    EXPECT_FALSE(std::filesystem::exists(here.path() / "interrupted/dfp/checkpoints"))
        << "they are not needed any more";
    auto whole = command;
    whole[10] = "whole";
    const auto ran = here.run(whole);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    for (const char* file : {"dfp.json", "dfp.html", "dfp/fig3.csv", "dfp/fig3.gp", "dfp/crossings.csv"}) {
        EXPECT_EQ(here.read(std::string("interrupted/") + file), here.read(std::string("whole/") + file)) << file;
    }
}

TEST(reproduce_command, an_archive_says_how_it_was_made) {
    const workbench here;
    const auto ran =
        here.run({"reproduce", "dfp", "--only", "fig3", "--scale", "glance", "--seed", "9", "--out", "made"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const json run = json::parse(here.read("made/run.json"));
    EXPECT_EQ(run["command"], "everbloom reproduce dfp --scale glance --seed 9 --only fig3 --out DIR");
    EXPECT_EQ(run["seed"], 9);
    EXPECT_FALSE(run["build"].empty());
    EXPECT_TRUE(here.read("made/CITATION.cff").starts_with("cff-version: 1.2.0\n"));
    EXPECT_NE(here.read("made/redraw.sh").find("gnuplot"), std::string::npos);
    const std::string sums = here.read("made/checksums");
    for (const char* name : {"  dfp.html\n", "  dfp.json\n", "  dfp/fig3.csv\n", "  dfp/fig3.gp\n", "  run.json\n"}) {
        EXPECT_NE(sums.find(name), std::string::npos) << name << sums;
    }
    // 32 hexadecimal digits, two blanks, a name.
    EXPECT_EQ(sums.find("  "), 32U) << sums;
}

TEST(reproduce_command, several_papers_are_an_array_of_documents) {
    const json seen = reproduce({"--only", "crossings", "shared_bit"});
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0]["paper"], "dfp");
    EXPECT_EQ(seen[1]["paper"], "summary");
}

TEST(reproduce_command, refuses_what_it_does_not_know) {
    const workbench here;
    expect_trouble(here.run({"reproduce", "hamlet"}), "unknown paper 'hamlet'; available: dfp");
    expect_trouble(here.run({"reproduce", "dfp", "--only", "sizing"}), "unknown experiment 'sizing'; available: dfp");
    expect_trouble(here.run({"reproduce", "dfp", "--scale", "huge"}), "--scale");
    expect_trouble(here.run({"reproduce", "dfp", "--threads", "0"}), "--threads");
    expect_trouble(here.run({"reproduce", "dfp", "--seed", "x"}), "--seed");
    here.write("file", "");
    expect_trouble(here.run({"reproduce", "dfp", "--only", "fig3", "--out", "file/report"}), "file/report");
}

} // namespace
} // namespace everbloom::support
