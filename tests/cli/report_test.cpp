// `everbloom report`: one page of every kind of input, which needs no other file, and in which nothing that somebody sent comes to life.
#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <filesystem>
#include <sstream>

namespace everbloom::support {
namespace {

using words_list = std::vector<std::string>;

/// No event handlers, no references but to the page itself, no addresses but the name of SVG.
void expect_sound_attributes(const boost::property_tree::ptree& node) {
    for (const auto& [name, child] : node) {
        if (name != "<xmlattr>") {
            expect_sound_attributes(child);
            continue;
        }
        for (const auto& [attribute, value] : child) {
            EXPECT_FALSE(attribute.starts_with("on") || attribute == "src") << attribute;
            if (attribute == "href") {
                EXPECT_TRUE(value.data().starts_with('#')) << value.data();
            }
            if (attribute != "xmlns") {
                EXPECT_EQ(value.data().find("//"), std::string::npos) << value.data();
            }
        }
    }
}

/// Well-formed, no script, nothing from elsewhere: what every page must be.
void expect_sound_page(const std::string& page) {
    ASSERT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
    std::istringstream in(page);
    boost::property_tree::ptree tree;
    ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree));
    for (const char* foreign : {"<script", "<iframe", "<foreignObject", "<image", "<link", "@import"}) {
        EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
    }
    expect_sound_attributes(tree);
}

/// The page about these files, which must be made.
std::string page_about(const workbench& here, words_list what) {
    what.insert(what.begin(), "report");
    const auto ran = here.run(what);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    expect_sound_page(ran.out);
    return ran.out;
}

void expect_words(const std::string& page, const words_list& wanted) {
    for (const std::string& one : wanted) EXPECT_NE(page.find(one), std::string::npos) << one;
}

TEST(report_command, a_directory_of_filters_of_every_kind_is_one_page) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        const std::string name(kind.name);
        here.make(name + ".eb", numbered_lines("key ", 300), {"--kind", name, "--capacity", "400"});
    }
    const std::string page = page_about(here, {"."});
    for (const kind_info& kind : known_kinds()) {
        const std::string name(kind.name);
        expect_words(page, {"<h2>" + name + ".eb</h2>", name + " filter</p>"});
    }
    expect_words(page, {"now: ", "class=\"curve\"", "Parameters", "current FPR", "capacity", "siphash"});
}

TEST(report_command, an_empty_filter_has_a_page_too) {
    const workbench here;
    here.make("x.eb", "");
    expect_words(page_about(here, {"x.eb", "--title", "A & B"}), {"<h1>A &amp; B</h1>", "about 0"});
}

TEST(report_command, a_simulation_has_its_prediction_beside_the_measurement) {
    const workbench here;
    const auto made =
        here.shell("everbloom simulate dleft --items 500 --trials 2 --queries 1000 --seed 3 --json > s.json");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    expect_words(page_about(here, {"s.json"}),
                 {"dleft, simulated", "<th>predicted</th>", "<td>FPR</td>", "at least 1"});
}

TEST(report_command, a_plan_names_its_candidates_and_the_command) {
    const workbench here;
    const auto made = here.shell("everbloom plan --items 1000 --fpr 1% --json > p.json");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    expect_words(page_about(here, {"p.json"}), {"<pre>everbloom create", "bits per key", "Unsuitable kinds"});
}

TEST(report_command, a_gate_run_is_compared_with_exact_sets) {
    const workbench here;
    here.write("g.json", R"({"mode": "compare", "packets": 10, "accepted": 8, "bad": 1, "rejected": 1, "seconds": 0.5,
        "bad_ips": {"kind": "dleft", "items": 3, "bytes": 4096, "fpr_model": 0.001},
        "false_rejections": {"rate": 0.02, "model": 0.01}, "offenders": [{"ip": "10.0.0.1", "bad": 1, "rejected": 1}]})");
    expect_words(page_about(here, {"g.json"}), {"10 packets", "+1e+02 %", "4.0 KiB", "10.0.0.1"});
}

TEST(report_command, benchmarks_have_bars_and_ratios) {
    const workbench here;
    // Google Benchmark's file: repetitions of one name, of which the best counts, aggregates, and the manner of measuring in names.
    here.write("google.json", R"({"context": {"num_cpus": 2, "mhz_per_cpu": 2000}, "benchmarks": [
        {"name": "insert/single/peer", "run_type": "iteration", "family_index": 2, "items_per_second": 5e6},
        {"name": "insert/single/counting/real_time", "run_type": "iteration", "family_index": 1, "items_per_second": 1e7, "bits_per_key": 40},
        {"name": "insert/single/counting/real_time", "run_type": "iteration", "family_index": 1, "items_per_second": 2e7},
        {"name": "insert/single/counting_mean", "run_type": "aggregate", "family_index": 1, "items_per_second": 9e9},
        {"name": "insert/single/dfp", "run_type": "iteration", "family_index": 3, "error_occurred": true, "error_message": "lost a key"},
        {"name": "space/1%/dfp/iterations:1/repeats:1", "run_type": "iteration", "family_index": 9, "bits_per_key": 11.5, "measured_fpr": 0.01}
    ]})");
    expect_words(page_about(here, {"google.json"}),
                 {"× peer", "<td>counting</td><td>40</td><td>20</td><td>–</td><td>4.00</td>", "class=\"bar peer\"",
                  "lost a key", "bits per key, planned for 1%", "11.5"});
    here.write("ours.json", R"({"items": 1000, "machine": "an abacus", "measurements": [
        {"question": "erase", "variant": "batch", "contestant": "counting", "best_per_second": 3e6, "bits_per_key": 40}]})");
    expect_words(page_about(here, {"ours.json"}),
                 {"an abacus", "erase, batch, million operations per second", "<td>3</td>"});
}

constexpr const char* paper_json =
    R"({"paper": "dfp", "scale": "quick", "seed": 1, "title": "T <script>alert(1)</script>",
    "artefacts": [{"id": "fig1", "title": "A figure", "where": "Fig. 1", "x": "k", "points": [{"series": "<b>s</b>", "x": 1, "paper": 0.5, "model": null, "measured": 0.4, "low": 0.3, "high": 0.5}]},
                  {"id": "../../secret", "title": "Outside", "points": []}],
    "claims": [{"id": "c", "verdict": "deviates\" onclick=\"x", "statement": "\"><img src=x onerror=alert(1)>", "paper": 1e999}]})";

TEST(report_command, a_paper_comes_with_its_figures_and_without_their_scripts) {
    const workbench here;
    std::filesystem::create_directories(here / "run/dfp");
    std::string paper = paper_json;
    paper.replace(paper.find("1e999"), 5, "1e300");
    here.write("run/dfp.json", paper);
    here.write("run/dfp/fig1.svg",
               "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 10' onload='alert(1)'><script>alert(2)</script>"
               "<rect x='0' y='0' width='10' height='10' fill='#ffffff'/><g onclick='alert(3)' "
               "style='background:url(//e.org)'>"
               "<path id='a' d='M0 0h5' stroke='black' fill='url(http://e.org/#x)'/><use xlink:href='#a'/>"
               "<use href='http://e.org/b.svg#c'/><image href='http://e.org/c.png'/><text x='1'>5 &lt; 6</text></g>"
               "<foreignObject><p>hello</p></foreignObject></svg>");
    here.write("secret.svg", "<svg viewBox='0 0 1 1'><text>secret</text></svg>");
    const std::string page = page_about(here, {"run"});
    expect_words(page, {"T &lt;script&gt;alert(1)", "&lt;b&gt;s&lt;/b&gt;", "&lt;img", "5 &lt; 6", "d=\"M0 0h5\"",
                        "stroke=\"currentColor\"", "badge unknown", "The numbers"});
    EXPECT_EQ(page.find("secret"), std::string::npos) << "looked outside of its folder";
    EXPECT_EQ(page.find("alert(2)"), std::string::npos);
    EXPECT_EQ(page.find("hello"), std::string::npos);
}

TEST(report_command, names_of_files_are_only_words) {
    const workbench here;
    const std::string name = "<script>'\"&\x01\xff.eb";
    here.make(name, "anna\n");
    expect_words(page_about(here, {name, name}), {"&lt;script&gt;&apos;&quot;&amp;"});
}

TEST(report_command, damaged_and_foreign_input_is_refused) {
    const workbench here;
    here.make("x.eb", "anna\n");
    here.write("cut.eb", here.read("x.eb").substr(0, 300));
    here.write("text.eb", "anna\n");
    here.write("cut.json", "{\"paper\": ");
    here.write("number.json", paper_json);
    here.write("foreign.json", "{\"name\": \"package\"}");
    here.write("deep.json", std::string(100'000, '[') + std::string(100'000, ']'));
    std::string many = "[0";
    for (int i = 0; i < 300'000; ++i) many += ",0";
    here.write("many.json", many + "]");
    std::filesystem::create_directories(here / "empty");
    const std::string before = here.listing();
    const std::vector<std::pair<std::string, std::string>> refused{{"cut.eb", "cut.eb: "},
                                                                   {"text.eb", "text.eb: "},
                                                                   {"cut.json", "not valid JSON"},
                                                                   {"number.json", "not valid JSON"},
                                                                   {"foreign.json", "JSON, but not the output of"},
                                                                   {"deep.json", "nested more than 32 levels deep"},
                                                                   {"many.json", "more than 200,000 values"},
                                                                   {"empty", "contains no input for a report"},
                                                                   {"absent.json", "cannot read it"},
                                                                   {"absent.eb", "absent.eb"}};
    for (const auto& [name, why] : refused) {
        SCOPED_TRACE(name);
        expect_trouble(here.run({"report", "x.eb", name, "--out", "page.html"}), why);
    }
    EXPECT_EQ(here.listing(), before);
}

TEST(report_command, replaces_a_page_only_by_force_and_nothing_else) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string filter = here.read("x.eb");
    EXPECT_EQ(here.run({"report", "x.eb", "--out", "x.html", "-q"}).out, "");
    expect_sound_page(here.read("x.html"));
    here.write("x.html", "mine");
    expect_trouble(here.run({"report", "x.eb", "--out", "x.html"}), "--force");
    EXPECT_EQ(here.read("x.html"), "mine");
    EXPECT_EQ(here.run({"report", "x.eb", "--out", "x.html", "--force"}).exit_code, 0);
    expect_sound_page(here.read("x.html"));
    expect_trouble(here.run({"report", "x.eb", "--out", "x.eb", "--force"}), "must end in .html");
    here.write("filter.html", filter);
    expect_trouble(here.run({"report", "filter.html", "--out", "filter.html", "--force"}), "is an input of the report");
    EXPECT_EQ(here.read("x.eb"), filter);
    EXPECT_EQ(here.read("filter.html"), filter);
}

} // namespace
} // namespace everbloom::support
