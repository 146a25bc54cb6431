#include "cli/workbench.hpp"

namespace everbloom::support {
namespace {

TEST(check, prints_what_may_be_in_and_says_so_by_its_exit_code) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    const auto some = here.run({"check", "x.eb"}, "zoe\nbert\nyan\nanna\n");
    EXPECT_EQ(some.exit_code, 0);
    EXPECT_EQ(some.out, "bert\nanna\n");
    EXPECT_EQ(some.err, "");
    const auto none = here.run({"check", "x.eb"}, "zoe\n");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_EQ(none.out + none.err, "");
}

TEST(check, invert_prints_what_is_surely_not_in) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    EXPECT_EQ(here.run({"check", "-v", "x.eb"}, "zoe\nbert\nyan\n").out, "zoe\nyan\n");
    EXPECT_EQ(here.run({"check", "-v", "x.eb"}, "anna\n").exit_code, 1);
}

TEST(check, count_and_quiet) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, "zoe\nbert\nanna\n").out, "2\n");
    EXPECT_EQ(here.run({"check", "-vc", "x.eb"}, "zoe\nbert\nanna\n").out, "1\n");
    const auto none = here.run({"check", "-c", "x.eb"}, "zoe\n");
    EXPECT_EQ(none.out, "0\n");
    EXPECT_EQ(none.exit_code, 1);
    const auto quiet = here.run({"check", "-q", "x.eb"}, "zoe\nbert\n");
    EXPECT_EQ(quiet.exit_code, 0);
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_EQ(here.run({"check", "-q", "x.eb"}, "zoe\n").exit_code, 1);
}

TEST(check, quiet_ends_at_the_first_match_while_the_input_is_still_open) {
    const workbench here;
    here.make("x.eb", "anna\n");
    running_program program({"check", "-q", here / "x.eb"});
    program.send("zoe\nanna\n");
    EXPECT_EQ(program.wait().exit_code, 0); // nobody has closed its input
}

TEST(check, an_open_stream_is_answered_line_by_line) {
    const workbench here;
    here.make("x.eb", "anna\nbert\n");
    running_program program({"check", here / "x.eb"});
    program.send("anna\n");
    EXPECT_TRUE(program.says("anna\n"));
    program.send("zoe\nbert\n");
    EXPECT_TRUE(program.says("anna\nbert\n"));
    EXPECT_EQ(program.finish().exit_code, 0);
}

TEST(check, several_filters_and_key_files_are_told_apart) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.make("b.eb", "bert\n", {"--hash", "xxh3"});
    here.write("keys.txt", "zoe\nbert\nanna\n");
    here.write("more.txt", "anna\n");
    EXPECT_EQ(here.run({"check", "a.eb", "b.eb", "keys.txt", "more.txt"}).out, "bert\nanna\nanna\n");
    EXPECT_EQ(here.run({"check", "-v", "a.eb", "b.eb", "keys.txt"}).out, "zoe\n");
    EXPECT_EQ(here.run({"check", "--tag", "a.eb", "b.eb", "keys.txt"}).out, "b.eb\tbert\na.eb\tanna\n");
    EXPECT_EQ(here.run({"check", "--tag", "-c", "a.eb", "b.eb", "keys.txt", "more.txt"}).out, "a.eb\t2\nb.eb\t1\n");
}

TEST(check, a_key_in_two_filters_is_printed_once_or_once_per_tag) {
    const workbench here;
    for (const std::string name : {"a.eb", "b.eb", "c.eb"}) here.make(name, name == "c.eb" ? "carla\n" : "anna\n");
    EXPECT_EQ(here.run({"check", "a.eb", "b.eb", "c.eb"}, "anna\n").out, "anna\n");
    EXPECT_EQ(here.run({"check", "--tag", "a.eb", "b.eb", "c.eb"}, "anna\n").out, "a.eb\tanna\nb.eb\tanna\n");
}

TEST(check, behind_the_marker_a_filter_is_a_key_file) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.make("b.eb", "bert\n");
    here.write("--odd", "anna\n");
    EXPECT_EQ(here.run({"check", "a.eb", "--", "--odd"}).out, "anna\n");
    EXPECT_EQ(here.run({"check", "a.eb", "--", "--odd", "-"}, "anna\n").out, "anna\nanna\n");
    expect_trouble(here.run({"check", "-c", "a.eb", "--", "b.eb"}), "b.eb: is an everbloom filter, not a list of keys");
    EXPECT_EQ(here.run({"check", "-c", "--raw", "a.eb", "--", "b.eb"}).exit_code, 1); // its bytes as keys: none is anna
    EXPECT_EQ(here.run({"check", "-c", "a.eb", "b.eb"}, "bert\n").out, "1\n");
}

TEST(check, json_lines_name_the_filters) {
    const workbench here;
    here.make("a.eb", "anna\n\xff\xfe\n");
    here.make("b.eb", "anna\n");
    const auto ran = here.run({"check", "--json", "a.eb", "b.eb"}, "anna\nzoe\n\xff\xfe\n");
    EXPECT_EQ(ran.out, R"({"key":"anna","filters":["a.eb","b.eb"]})"
                       "\n"
                       R"({"key_hex":"fffe","filters":["a.eb"]})"
                       "\n");
}

TEST(check, filters_of_different_key_types_are_refused) {
    const workbench here;
    here.make("a.eb", "anna\n");
    here.make("b.eb", "10.0.0.1\n", {"--key-type", "ip"});
    expect_trouble(here.run({"check", "a.eb", "b.eb"}, "anna\n"), "b.eb of type ip");
}

TEST(check, many_threads_answer_in_the_order_of_the_input) {
    const workbench here;
    std::string even;
    std::string all;
    for (int i = 0; i < 400'000; ++i) {
        const std::string key = "a-key-of-some-length-" + std::to_string(i) + "\n";
        all += key;
        if (i % 2 == 0) even += key;
    }
    here.make("x.eb", even, {"--capacity", "200k", "--fpr", "1e-9"});
    for (const std::string threads : {"1", "2", "7"}) {
        const auto ran = here.run({"check", "--threads", threads, "x.eb"}, all);
        EXPECT_TRUE(ran.out == even) << threads;
    }
}

TEST(check, a_reader_that_has_enough_ends_it_quietly) {
    const workbench here;
    here.make("x.eb", "anna\n");
    std::string many;
    for (int i = 0; i < 200'000; ++i) many += "anna\n";
    here.write("many.txt", many);
    const auto ran = here.shell("{ everbloom check x.eb many.txt; echo $? >&2; } | head -n 1");
    EXPECT_EQ(ran.out, "anna\n");
    EXPECT_EQ(ran.err, "141\n"); // 128 + SIGPIPE, and not a word
}

} // namespace
} // namespace everbloom::support
