// What users get wrong, and what a machine can do to them: one clear sentence, exit code 2, nothing lost.
#include "cli/workbench.hpp"

#include <everbloom/runtime/catalogue.hpp>

#include <unistd.h>

namespace everbloom::support {
namespace {

TEST(bad_input, numbers_that_are_none_are_refused_by_the_name_of_their_flag) {
    const workbench here;
    const auto expect_refusal = [&](const std::string& flag, const std::string& value) {
        // Other flags make sure that the refusal is about this one.
        const auto ran = here.run({"create", "x.eb", flag, value}, "anna\n");
        expect_trouble(ran, flag + ": ");
        EXPECT_EQ(here.listing(), "") << flag << " " << value;
    };
    for (const std::string value : {"2", "0", "nan", "-0.1", "1", "100%", "inf", "", "x", "0.1.2", "1/0", "200%"}) {
        expect_refusal("--fpr", value);
    }
    for (const std::string value : {"0", "-1", "1.5", "nan", "", "ten", "1e30", "10kk", "18446744073709551616"}) {
        expect_refusal("--capacity", value);
    }
    for (const std::string value : {"0", "-1", "9223372036854775808", "18446744073709551616", "x", ""}) {
        expect_refusal("--bits", value);
    }
    for (const std::string value : {"0", "-1", "9223372036854775808", "x"}) expect_refusal("--hashes", value);
    for (const std::string value : {"0", "-1", "x", "9223372036854775808"}) expect_refusal("--threads", value);
    for (const std::string value : {"-1", "x"}) expect_refusal("--seed", value);
    expect_refusal("--probe", "sideways");
}

TEST(bad_input, a_rate_that_no_geometry_reaches_is_refused_by_every_kind) {
    const workbench here;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        const auto ran =
            here.run({"create", "x.eb", "--kind", std::string(kind.name), "--capacity", "1000", "--fpr", "1e-300"});
        EXPECT_EQ(ran.exit_code, 2) << kind.name;
        EXPECT_EQ(line_count(ran.err), 1U) << kind.name << ": " << ran.err;
        EXPECT_EQ(here.listing(), "") << kind.name;
    }
}

TEST(bad_input, a_filter_larger_than_the_machine_is_refused) {
    const workbench here;
    expect_trouble(here.run({"create", "x.eb", "--capacity", "1e12"}), "memory");
    expect_trouble(here.run({"create", "x.eb", "--capacity", "9223372036854775807"}), "ask for fewer items");
    EXPECT_EQ(here.listing(), "");
}

TEST(bad_input, flags_of_other_kinds_are_refused_with_those_that_fit) {
    const workbench here;
    expect_trouble(here.run({"create", "x.eb", "--kind", "bloom", "--counter-bits", "4"}),
                   "--counter-bits: a bloom filter has no such parameter");
    expect_trouble(here.run({"create", "x.eb", "--kind", "blom"}), "there is no kind 'blom'; the kinds are bloom");
}

TEST(bad_input, unknown_flags_commands_and_missing_arguments_point_to_help) {
    const workbench here;
    expect_trouble(here.run({"create", "x.eb", "--colour"}), "--colour; see 'everbloom create --help'");
    expect_trouble(here.run({"creat", "x.eb"}), "see 'everbloom --help'");
    for (const std::string command : {"create", "add", "check", "remove", "merge", "verify"}) {
        expect_trouble(here.run({command}), "see 'everbloom " + command + " --help'");
    }
    expect_trouble(here.run({"create", "x.eb", "--capacity"}), "--capacity needs a value; see 'everbloom create");
    expect_trouble(here.run({"reproduce", "--scale", "big"}), "--scale: 'big' is none of glance, quick, full; ");
    for (const std::string value : {"x", "0", "-1", "1025", "4294967297"}) {
        expect_trouble(here.run({"reproduce", "--threads=" + value}),
                       "--threads: '" + value + "' must be between 1 and 1024; ");
    }
    expect_trouble(here.run({"add", "--new", "--json", "x.eb"}), "--new cannot be used with --json");
    expect_trouble(here.run({"check", "--tag", "-v", "x.eb"}), "--invert cannot be used with --tag");
}

TEST(bad_input, a_slip_of_the_finger_gets_the_word_that_was_meant) {
    const workbench here;
    const auto expect_question = [&](const std::vector<std::string>& arguments, const std::string& words) {
        expect_trouble(here.run(arguments), words + "? see 'everbloom");
    };
    expect_question({"creat", "x.eb"}, "unknown command 'creat', did you mean create");
    expect_question({"hsow", "x.eb"}, "unknown command 'hsow', did you mean show");
    expect_question({"create", "x.eb", "--capcity", "3"}, "unknown flag --capcity, did you mean --capacity");
    expect_question({"create", "x.eb", "--knid=bloom"}, "unknown flag --knid, did you mean --kind");
    expect_question({"gate", "generat"}, "unknown command 'generat', did you mean generate");
    expect_question({"sync", "x.eb", "list", "--key", "ip"}, "unknown flag --key, did you mean --key-type");
    expect_trouble(here.run({"gate", "generate", "--pakets", "5"}), "see 'everbloom gate generate --help'");
    // What resembles nothing gets no guess.
    for (const std::string word : {"xyzzy", "q", "names.txt"}) {
        expect_trouble(here.run({word}), "unknown command '" + word + "'; see 'everbloom --help'");
    }
    expect_trouble(here.run({"resize", "a.eb", "b.eb"}), "unexpected argument 'b.eb'");
}

TEST(bad_input, missing_files_and_directories_are_named_before_anything_changes) {
    const workbench here;
    here.make("x.eb", "anna\n");
    here.write("good.txt", "anna\n");
    std::filesystem::create_directory(here.path() / "folder");
    const std::string before = here.read("x.eb");
    for (const std::string command : {"add", "remove", "check"}) {
        expect_trouble(here.run({command, "missing.eb", "good.txt"}), "missing.eb: cannot open it: No such file");
        expect_trouble(here.run({command, "folder", "good.txt"}), "folder: is a directory");
        expect_trouble(here.run({command, "good.txt", "good.txt"}),
                       "good.txt: is not an everbloom filter (bad magic number); it looks like a text list");
        expect_trouble(here.run({command, "x.eb", "good.txt", "missing.txt"}),
                       "missing.txt: cannot read it: No such file");
        expect_trouble(here.run({command, "x.eb", "good.txt", "folder"}),
                       "folder: is a directory; name a file of keys");
    }
    expect_trouble(here.run({"create", "folder", "good.txt"}), "is a directory");
    expect_trouble(here.run({"create", "nowhere/x.eb", "good.txt"}), "nowhere/x.eb: ");
    expect_trouble(here.run({"create", "", "good.txt"}), "the file name is empty");
    expect_trouble(here.run({"create", "/dev/null", "good.txt"}), "/dev/null: is not a regular file");
    expect_trouble(here.run({"merge", "m.eb", "x.eb", "missing.eb"}), "missing.eb: cannot open it: No such file");
    EXPECT_EQ(here.read("x.eb"), before);
    EXPECT_EQ(here.listing(), "folder good.txt x.eb");
}

TEST(bad_input, unreadable_files_are_named) {
    const workbench here;
    here.make("x.eb", "anna\n");
    here.write("secret.txt", "anna\n");
    std::filesystem::permissions(here / "secret.txt", std::filesystem::perms::none);
    std::filesystem::permissions(here / "x.eb", std::filesystem::perms::none);
    // Root may read everything: then the same files work.
    const bool is_root = ::geteuid() == 0;
    const auto filter = here.run({"check", "-q", "x.eb"}, "anna\n");
    std::filesystem::permissions(here / "x.eb", std::filesystem::perms::owner_all);
    const auto keys = here.run({"check", "-q", "x.eb", "secret.txt"});
    EXPECT_EQ(filter.exit_code, is_root ? 0 : 2);
    EXPECT_EQ(keys.exit_code, is_root ? 0 : 2);
    if (!is_root) {
        expect_trouble(filter, "x.eb: cannot open it: Permission denied");
        expect_trouble(keys, "secret.txt: cannot read it: Permission denied");
    }
}

TEST(bad_input, a_full_disk_under_standard_output_is_an_error) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::vector<std::vector<std::string>> commands{{"check", "x.eb"},
                                                         {"check", "-c", "x.eb"},
                                                         {"add", "--new", "x.eb"},
                                                         {"remove", "--json", "x.eb"},
                                                         {"verify", "x.eb"},
                                                         {"--help"},
                                                         {}};
    for (const auto& arguments : commands) {
        const auto ran = run_program(
            arguments, {.input = "anna\nbert\n", .directory = here.path().string(), .output_file = "/dev/full"});
        expect_trouble(ran, "cannot write to standard output: No space left on device");
    }
}

TEST(bad_input, new_keys_that_could_not_be_printed_are_not_added) {
    const workbench here;
    here.make("x.eb", "anna\n");
    const std::string before = here.read("x.eb");
    run_program({"add", "--new", "x.eb"},
                {.input = "bert\n", .directory = here.path().string(), .output_file = "/dev/full"});
    EXPECT_EQ(here.read("x.eb"), before);
}

} // namespace
} // namespace everbloom::support
