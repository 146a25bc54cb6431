// `everbloom show`: what it says of a filter, and its picture.
#include "support/run_program.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace everbloom::support {
namespace {

using nlohmann::json;

std::string numbered_keys(int count) {
    std::string keys;
    for (int i = 0; i < count; ++i) keys += "key " + std::to_string(i) + "\n";
    return keys;
}

/// A filter for 1000 keys at 1 %, with so many in it.
std::string make_filter(const temporary_directory& here, std::string_view kind, int keys,
                        const std::string& name = "x.eb") {
    const auto made = run_program(
        {"create", here / name, "--kind", std::string(kind), "--capacity", "1000", "--fpr", "1%", "--seed", "77"},
        {.input = numbered_keys(keys)});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return here / name;
}

json show(const std::string& path) {
    const auto ran = run_program({"show", path, "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return json::parse(ran.out);
}

/// Throws if the picture is not XML.
boost::property_tree::ptree parse_picture(const std::string& svg) {
    EXPECT_NO_THROW((void)json(svg).dump()) << "not UTF-8";
    for (const char c : svg) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    std::istringstream in(svg);
    boost::property_tree::ptree tree;
    boost::property_tree::read_xml(in, tree);
    return tree;
}

TEST(show_command, tells_every_kind_by_its_cells) {
    for (const kind_info& kind : known_kinds()) {
        SCOPED_TRACE(kind.name);
        const temporary_directory here;
        const json seen = show(make_filter(here, kind.name, 1000));
        EXPECT_EQ(seen["kind"], kind.name);
        EXPECT_EQ(seen["format_version"], v1::version);
        EXPECT_EQ(seen["bytes"], here.read("x.eb").size());
        EXPECT_NEAR(seen["items"].get<double>(), 1000, 50);
        // The rate that was asked for, or a better one where the plan does better: fingerprints have whole bits.
        const double planned = *build({std::string(kind.name), 1000, 0.01, {}})->predict({.items = 1000}).fpr;
        EXPECT_NEAR(seen["fpr_current"].get<double>(), planned, planned / 2);
        EXPECT_LT(planned, 0.0101);
        EXPECT_EQ(seen["hash"], "siphash");
        EXPECT_EQ(seen["key_type"], "text");
        EXPECT_EQ(seen["agreed"]["items"], 1000);
        EXPECT_EQ(seen["agreed"]["fpr"], 0.01);
        EXPECT_GT(seen["cells"], 0);
        EXPECT_GT(seen["occupied_share"], 0);
        for (const parameter_info& parameter : kind.parameters) {
            EXPECT_TRUE(seen["geometry"].contains(std::string(parameter.name))) << parameter.name;
        }
    }
}

TEST(show_command, lists_what_the_kind_can_do_although_the_file_is_only_read) {
    for (const kind_info& kind : known_kinds()) {
        SCOPED_TRACE(kind.name);
        const temporary_directory here;
        const json seen = show(make_filter(here, kind.name, 10));
        std::vector<std::string> expected;
        for (const named_capability& one : named_capabilities) {
            if (kind.capabilities.has(one.bit)) expected.emplace_back(one.name);
        }
        EXPECT_EQ(seen["capabilities"], json(expected));
        const bool erases = kind.capabilities.has(capability::erase);
        EXPECT_EQ(seen["deletable_share"].is_number(), erases);
        EXPECT_EQ(seen["deletable_share_at_twice_the_items"].is_number(), erases);
    }
}

/// The share of these keys that `remove` can take out, each of them from the filter as it is.
double share_that_can_leave(const std::string& path, const temporary_directory& here, int keys, int step) {
    int tried = 0;
    int left = 0;
    for (int i = 0; i < keys; i += step, ++tried) {
        std::filesystem::copy_file(path, here / "copy.eb", std::filesystem::copy_options::overwrite_existing);
        const auto ran = run_program({"remove", here / "copy.eb", "-q"}, {.input = "key " + std::to_string(i) + "\n"});
        left += ran.exit_code == 0 ? 1 : 0;
    }
    return static_cast<double>(left) / tried;
}

TEST(show_command, says_which_share_can_be_removed) {
    // In small regions of a small filter, so that there is something to see.
    const temporary_directory here;
    const auto made = run_program({"create", here / "x.eb", "--kind", "deletable", "--bits", "9000", "--hashes", "4",
                                   "--seed", "77", "--capacity", "1000", "--fpr", "20%"},
                                  {.input = numbered_keys(1000)});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const double share = show(here / "x.eb")["deletable_share"];
    EXPECT_GT(share, 0.2);
    EXPECT_LT(share, 0.8);
    EXPECT_NEAR(share_that_can_leave(here / "x.eb", here, 1000, 5), share, 0.12); // four standard deviations
}

TEST(show_command, foresees_which_share_can_be_removed_when_more_keys_come) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        SCOPED_TRACE(kind.name);
        const temporary_directory here;
        const std::string path = make_filter(here, kind.name, 500);
        const double foreseen = show(path)["deletable_share_at_twice_the_items"];
        const auto added = run_program({"add", path}, {.input = numbered_keys(1000).substr(numbered_keys(500).size())});
        ASSERT_EQ(added.exit_code, 0) << added.err;
        EXPECT_NEAR(show(path)["deletable_share"].get<double>(), foreseen, 0.05);
    }
}

TEST(show_command, does_not_forget_the_keys_that_left) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        SCOPED_TRACE(kind.name);
        const temporary_directory here;
        const std::string path = make_filter(here, kind.name, 1000);
        const double before = show(path)["deletable_share"];
        ASSERT_EQ(run_program({"remove", path}, {.input = numbered_keys(500)}).exit_code, 0);
        const json seen = show(path);
        // The keys that stay are no freer than before, and newcomers make it worse.
        EXPECT_NEAR(seen["deletable_share"].get<double>(), before, 0.05);
        EXPECT_LE(seen["deletable_share_at_twice_the_items"].get<double>(),
                  seen["deletable_share"].get<double>() + 1e-6);
    }
}

TEST(show_command, knows_an_empty_filter) {
    const temporary_directory here;
    const json seen = show(make_filter(here, "bloom", 0));
    EXPECT_EQ(seen["items"], 0);
    EXPECT_EQ(seen["fpr_current"], 0.0);
    EXPECT_EQ(seen["occupied_share"], 0.0);
}

TEST(show_command, speaks_to_people) {
    const temporary_directory here;
    const auto ran = run_program({"show", make_filter(here, "counting", 1000)});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const std::string format = "format version " + std::to_string(v1::version);
    for (const char* words :
         {"a counting filter", format.c_str(), "counter_bits 4", "siphash", "about 1,000", "current FPR",
          "1,000 keys at 1.00 % FPR", "deletable", "twice as many", "query, insert, erase, count, merge"}) {
        EXPECT_NE(ran.out.find(words), std::string::npos) << words << " is not in\n" << ran.out;
    }
}

TEST(show_command, never_prints_the_key_of_the_hash) {
    const temporary_directory here;
    // The seed is the key of a reproducible run: its first bytes.
    const auto made =
        run_program({"create", here / "x.eb", "--kind", "bloom", "--capacity", "10", "--seed", "123456789"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const char* flag : {"--json", "--picture=x.svg"}) {
        const auto ran = run_program({"show", "x.eb", flag}, {.directory = here.path().string()});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(ran.out.find("123456789"), std::string::npos);
        EXPECT_EQ(ran.out.find("75bcd15"), std::string::npos);
        EXPECT_EQ(ran.out.find("15cd5b07"), std::string::npos);
    }
    EXPECT_EQ(here.read("x.svg").find("123456789"), std::string::npos);
}

TEST(show_command, refuses_what_is_no_filter) {
    const temporary_directory here;
    here.write("text.eb", "this is not a filter\n");
    for (const char* name : {"text.eb", "absent.eb", "."}) {
        const auto ran = run_program({"show", here / name, "--json"});
        EXPECT_EQ(ran.exit_code, 2);
        EXPECT_EQ(ran.out, "");
        EXPECT_NE(ran.err.find(here / name), std::string::npos) << ran.err;
    }
}

TEST(show_picture, is_a_valid_picture_of_every_kind) {
    for (const kind_info& kind : known_kinds()) {
        for (const int keys : {0, 1, 1000}) {
            SCOPED_TRACE(std::string(kind.name) + " with " + std::to_string(keys));
            const temporary_directory here;
            const std::string path = make_filter(here, kind.name, keys);
            const auto ran = run_program({"show", path, "--picture", here / "x.svg"});
            EXPECT_EQ(ran.exit_code, 0) << ran.err;
            const auto tree = parse_picture(here.read("x.svg"));
            EXPECT_EQ(tree.get<std::string>("svg.title"), std::string(kind.name) + " filter x.eb");
            EXPECT_EQ(tree.get<std::string>("svg.<xmlattr>.xmlns"), "http://www.w3.org/2000/svg");
            EXPECT_EQ(here.listing(), "x.eb x.svg") << "nothing else may be left behind";
        }
    }
}

TEST(show_picture, draws_every_square) {
    const temporary_directory here;
    const std::string path = here / "bits.eb";
    // 100 bits are 100 squares of one cell each, and a key with one hash fills one of them.
    ASSERT_EQ(
        run_program({"create", path, "--kind", "bloom", "--bits", "100", "--hashes", "1"}, {.input = "a\n"}).exit_code,
        0);
    ASSERT_EQ(run_program({"show", path, "--picture", here / "x.svg"}).exit_code, 0);
    const auto tree = parse_picture(here.read("x.svg"));
    std::vector<std::size_t> squares;
    for (const auto& [name, node] : tree.get_child("svg")) {
        if (name != "path") continue;
        const auto path_text = node.get<std::string>("<xmlattr>.d");
        squares.push_back(static_cast<std::size_t>(std::count(path_text.begin(), path_text.end(), 'z')));
    }
    ASSERT_GE(squares.size(), 2u);
    EXPECT_EQ(squares[0], 99u);
    EXPECT_EQ(squares[1], 1u);
}

std::string picture_after(const temporary_directory& here, const std::string& path) {
    const auto ran = run_program({"show", path, "--picture", here / "x.svg"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::string svg = here.read("x.svg");
    (void)parse_picture(svg);
    return svg;
}

TEST(show_picture, squares_of_buckets_are_whole_buckets) {
    int seen = 0;
    for (const kind_info& kind : known_kinds()) {
        const bool has_buckets = std::any_of(kind.parameters.begin(), kind.parameters.end(),
                                             [](const parameter_info& one) { return one.name == "bucket_cells"; });
        if (!has_buckets) continue;
        ++seen;
        const temporary_directory here;
        const std::string path = make_filter(here, kind.name, 500);
        const json geometry = show(path)["geometry"];
        const std::string words = "each square is " + geometry["bucket_cells"].dump() + " cells";
        EXPECT_NE(picture_after(here, path).find(words), std::string::npos) << kind.name;
    }
    EXPECT_GT(seen, 0);
}

TEST(show_picture, a_guard_and_what_lies_beside_the_cells_are_strips) {
    const temporary_directory here;
    const std::string path = make_filter(here, "bloom", 1000);
    EXPECT_EQ(picture_after(here, path).find("Other sections of the file"), std::string::npos);
    std::string strangers;
    for (int i = 0; i < 2000; ++i) strangers += "stranger " + std::to_string(i) + "\n";
    const auto ran = run_program({"protect", path}, {.input = strangers});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const std::string guarded = picture_after(here, path);
    EXPECT_NE(guarded.find("Other sections of the file"), std::string::npos);
    EXPECT_NE(guarded.find(">exclusion list: "), std::string::npos);
    const std::string elastic = picture_after(here, make_filter(here, "elastic", 1000, "elastic.eb"));
    EXPECT_NE(elastic.find(">section 3 of 6: "), std::string::npos);
}

TEST(show_picture, a_chain_says_how_many_filters_it_has) {
    const temporary_directory here;
    const std::string path = make_filter(here, "scalable", 3000);
    const std::string svg = picture_after(here, path);
    EXPECT_NE(svg.find("filters, in a chain"), std::string::npos);
    EXPECT_EQ(svg.find("if cells were independent<"), std::string::npos) << "they are not: one is fuller";
}

TEST(show_picture, escapes_the_name_of_the_file) {
    const temporary_directory here;
    const std::string name = "a<b>&\"c'\x01\xff\xc3\xa4\xed\xa0\x80.eb";
    const std::string path = make_filter(here, "bloom", 10, name);
    const auto ran = run_program({"show", path, "--picture", here / "x.svg"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const std::string unknown = "\xef\xbf\xbd";
    const auto tree = parse_picture(here.read("x.svg"));
    EXPECT_EQ(tree.get<std::string>("svg.title"),
              "bloom filter a<b>&\"c'" + unknown + unknown + "\xc3\xa4" + unknown + unknown + unknown + ".eb");
}

TEST(show_picture, replaces_nothing_but_pictures) {
    const temporary_directory here;
    const std::string path = make_filter(here, "bloom", 10);
    const std::string before = here.read("x.eb");
    here.write("list.txt", "anna\n");
    std::filesystem::copy_file(path, here / "filter.svg");
    for (const auto& [filter, picture] :
         {std::pair{"x.eb", "x.eb"}, std::pair{"x.eb", "list.txt"}, std::pair{"filter.svg", "filter.svg"}}) {
        const auto ran = run_program({"show", here / filter, "--picture", here / picture});
        EXPECT_EQ(ran.exit_code, 2);
        EXPECT_EQ(ran.out, "");
        EXPECT_NE(ran.err.find("--picture"), std::string::npos) << ran.err;
    }
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.read("filter.svg"), before);
    EXPECT_EQ(here.read("list.txt"), "anna\n");
    const auto ran = run_program({"show", path, "--picture", here / "no_such_directory/x.svg"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.out, "");
}

TEST(show_command, and_add_say_when_a_filter_is_nearly_full) {
    const workbench here;
    const auto lines = [](int from, int to) {
        std::string text;
        for (int i = from; i < to; ++i) text += "key " + std::to_string(i) + "\n";
        return text;
    };
    for (const char* kind : {"bloom", "blocked", "dfp"}) {
        SCOPED_TRACE(kind);
        here.make("x.eb", lines(0, 500), {"--kind", kind, "--capacity", "1000", "--force"});
        EXPECT_EQ(here.run({"show", "x.eb"}).out.find("% full"), std::string::npos);
        const auto added = here.run({"add", "x.eb"}, lines(500, 970));
        EXPECT_NE(added.out.find("% full: create a larger filter"), std::string::npos) << added.out;
        EXPECT_NE(here.run({"show", "x.eb"}).out.find("FPR; 9"), std::string::npos);
    }
    here.make("grows.eb", lines(0, 500), {"--kind", "elastic_blocked", "--capacity", "500"});
    EXPECT_EQ(here.run({"show", "grows.eb"}).out.find("% full"), std::string::npos) << "it grows by itself";
}

TEST(show, several_files_are_a_table) {
    const workbench here;
    here.make("a.eb", numbered_lines("a", 100));
    here.make("longer-name.eb", "10.0.0.1\n", {"--kind", "bloom", "--key-type", "ip"});
    const auto ran = here.run({"show", "a.eb", "longer-name.eb"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(line_count(ran.out), 3U) << ran.out;
    EXPECT_TRUE(ran.out.starts_with("file            kind      type")) << ran.out;
    const auto said = nlohmann::json::parse(here.run({"show", "--json", "a.eb", "longer-name.eb"}).out);
    EXPECT_EQ(said[1]["file"], "longer-name.eb");
    EXPECT_EQ(said[0]["bytes"], here.read("a.eb").size());
    EXPECT_NEAR(said[0]["bits_per_key"].get<double>(), 8.0 * said[0]["bytes"].get<double>() / 100, 20);
    expect_trouble(here.run({"show", "a.eb", "longer-name.eb", "--picture", "x.svg"}), "--picture draws one filter");
}

TEST(show, pictures_are_readable_as_the_umask_says_and_filters_by_their_owner) {
    const workbench here;
    const auto ran =
        here.shell("umask 022; everbloom create a.eb -q < /dev/null && everbloom show a.eb --picture a.svg -q && "
                   "everbloom report a.eb --out a.html -q && stat -c '%n %a' a.eb a.svg a.html");
    EXPECT_EQ(ran.out, "a.eb 600\na.svg 644\na.html 644\n") << ran.err;
}

} // namespace
} // namespace everbloom::support
