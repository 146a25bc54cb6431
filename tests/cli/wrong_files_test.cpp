// Files that are no filters where a filter is expected: every command says what the file looks like, changes nothing, and the command
// that it advises works as printed. And no input of a command is ever its output, by whatever name.
#include "cli/changing_commands.hpp"
#include "support/rounds.hpp"

#include <unistd.h>

namespace everbloom::support {
namespace {

/// FILE stands for the file in question.
const std::vector<std::string> commands_with_a_filter{
    "add FILE keys.txt",
    "remove FILE keys.txt",
    "check FILE keys.txt",
    "show FILE",
    "show --json FILE",
    "verify FILE",
    "diff FILE x.eb",
    "diff x.eb FILE",
    "merge new.eb FILE x.eb",
    "merge new.eb x.eb FILE",
    "merge FILE x.eb y.eb",
    "merge --force FILE x.eb y.eb",
    "intersect new.eb FILE e.eb",
    "intersect --force FILE e.eb f.eb",
    "resize FILE --items 5000",
    "protect FILE more.txt",
    "protect --drop FILE",
    "sync FILE keys.txt",
    "sync --rebuild FILE keys.txt",
    "convert FILE new.bloom",
    "convert FILE new.eb",
    "convert --force d.bloom FILE --to eb",
    "convert --force d.eb FILE --to bloom",
    "create FILE keys.txt",
    "create --force FILE keys.txt",
    "report FILE --out page.html",
};

struct wrong_file {
    std::string name;
    std::string words; // what its message must say
};

std::string with_file(std::string command, const std::string& name) {
    command.replace(command.find("FILE"), 4, name);
    return "everbloom " + command;
}

void prepare_wrong_files(const workbench& here) {
    here.write("list.txt", numbered_lines("name", 20));
    EXPECT_EQ(here.shell("gzip -c list.txt > list.gz").exit_code, 0);
    here.write("list.xz", std::string("\xfd"
                                      "7zXZ\0",
                                      6) +
                              std::string(100, '\1'));
    here.write("archive.zip", "PK\x03\x04" + std::string(100, '\1'));
    here.write("noise", std::string(200, '\1'));
    here.write("wide.txt", std::string("\xff\xfe", 2) + std::string("a\0\n\0", 4));
    here.write("empty", "");
    here.write("page.htm", "<html><body>keys</body></html>\n");
    std::filesystem::create_directory(here.path() / "folder");
}

const std::vector<wrong_file> wrong_files{
    {"list.txt", "a text list"},  {"list.gz", "a gzip file"},
    {"list.xz", "an xz file"},    {"archive.zip", "a zip archive"},
    {"noise", "binary data"},     {"wide.txt", "UTF-16"},
    {"page.htm", "HTML"},         {"s.eb.list.zst", "a zstd file"},
    {"folder", "is a directory"},
};

TEST(wrong_files, every_command_says_what_it_found_and_changes_nothing) {
    const workbench here;
    prepare_files(here);
    prepare_wrong_files(here);
    const file_contents before = contents_of(here.path());
    std::size_t pair = 0;
    for (const std::string& command : commands_with_a_filter) {
        for (const wrong_file& one : wrong_files) {
            // Every day each command with the commonest mistake and with some of the others.
            if (&one != &wrong_files.front() && pair++ % 3 != 0 && rounds(1) == 1) continue;
            const std::string line = with_file(command, one.name);
            if (line.starts_with("everbloom report folder")) continue; // a report is made of what is in it
            const bool is_list = one.name.starts_with("list.t") || one.name == "list.gz" || one.name.ends_with(".zst");
            if (command == "convert FILE new.bloom" && is_list) continue; // a list becomes a .bloom file
            const auto ran = here.shell(line);
            EXPECT_EQ(ran.exit_code, 2) << line;
            EXPECT_NE(ran.err.find(one.words), std::string::npos) << line << ": " << ran.err;
            EXPECT_EQ(line_count(ran.err), 1U) << line << ": " << ran.err;
            EXPECT_EQ(differences(contents_of(here.path()), before), "") << line;
            if (HasFailure()) return;
        }
    }
}

/// 'everbloom ...' in a message, without the quotes; empty if there is none.
std::string advised_command(const std::string& message) {
    const std::string start = "did you mean 'everbloom ";
    const std::size_t from = message.find(start);
    if (from == std::string::npos) return "";
    const std::size_t command = from + start.size() - std::string("everbloom ").size();
    return message.substr(command, message.rfind('\'') - command);
}

TEST(wrong_files, the_advised_command_works) {
    const repeated_change files;
    for (const std::string command :
         {"add list.txt keys.txt", "create list.txt list.txt", "create --force list.txt list.txt", "check list.gz",
          "add d.bloom keys.txt", "add list.txt x.eb", "remove keys.txt x.eb", "check keys.txt x.eb",
          "create keys.txt x.eb", "create --force keys.txt x.eb", "protect more.txt x.eb", "sync more.txt s.eb",
          "merge new.eb list.txt x.eb", "verify 'my list.txt'", "verify -- \"it's a list.txt\""}) {
        files.restore();
        const workbench& here = files.here();
        prepare_wrong_files(here);
        std::filesystem::remove(here / "d.eb"); // so that d.bloom can become it
        here.write("my list.txt", "anna\n");
        here.write("it's a list.txt", "anna\n");
        const auto refused = here.shell("everbloom " + command);
        EXPECT_EQ(refused.exit_code, 2) << command;
        const std::string advised = advised_command(refused.err);
        ASSERT_NE(advised, "") << command << ": " << refused.err;
        const auto ran = here.shell(advised);
        EXPECT_EQ(ran.exit_code, 0) << command << " -> " << advised << ": " << ran.err;
    }
}

TEST(wrong_files, a_filter_of_that_name_is_advised_if_it_is_there) {
    const workbench here;
    prepare_files(here);
    here.write("x.txt", "anna\n");
    expect_trouble(here.run({"add", "x.txt", "keys.txt"}), "it looks like a text list: did you mean x.eb?");
    expect_trouble(here.run({"show", "s.eb.list.zst"}), "it looks like a zstd file: did you mean s.eb?");
}

TEST(wrong_files, an_empty_file_is_replaced_by_force_and_refused_otherwise) {
    const repeated_change files;
    for (const std::string& command : commands_with_a_filter) {
        files.restore();
        const workbench& here = files.here();
        prepare_wrong_files(here);
        const file_contents before = contents_of(here.path());
        const auto ran = here.shell(with_file(command, "empty"));
        if (command.find("--force") != std::string::npos) {
            EXPECT_EQ(ran.exit_code, 0) << command << ": " << ran.err;
            continue;
        }
        EXPECT_EQ(ran.exit_code, 2) << command;
        EXPECT_TRUE(ran.err.find("empty file") != std::string::npos ||
                    ran.err.find("already exists") != std::string::npos)
            << command << ": " << ran.err;
        EXPECT_EQ(differences(contents_of(here.path()), before), "") << command;
    }
}

/// Commands whose output would be one of their inputs; IN is the file, OUT another name of it.
struct overlap {
    std::string file;
    std::string command;
};

TEST(wrong_files, an_input_is_never_the_output_by_whatever_name) {
    const std::vector<overlap> overlaps{
        {"keys.txt", "create --force OUT IN"},
        {"keys.txt", "create --force OUT more.txt IN"},
        {"keys.txt", "create --force OUT < IN"},
        {"keys.txt", "sync OUT IN"},
        {"keys.txt", "sync --rebuild OUT IN"},
        {"s.eb.list.zst", "sync s.eb OUT"},
        {"s.eb.list.zst", "sync --rebuild s.eb OUT"},
        {"s.eb.list.zst", "sync s.eb --trace OUT"},
        {"d.eb", "convert --force IN OUT --to bloom"},
        {"d.bloom", "convert --force IN OUT --to eb"},
        {"x.eb", "show IN --picture OUT.svg"},
        {"x.eb", "report IN --force --out OUT.html"},
        {"net.graphml", "route IN --picture OUT.svg"},
        {"packets.txt", "gate --packets IN --format text --verdicts OUT"},
        {"packets.txt", "gate --packets IN --format text --export OUT"},
        {"packets.txt", "gate --packets - --format text --verdicts OUT < IN"},
        {"bad.txt", "gate --packets packets.txt --format text --blacklist IN --verdicts OUT"},
        {"bad.txt", "gate --packets packets.txt --format text --query IN --export OUT"},
    };
    const repeated_change files;
    for (const overlap& one : overlaps) {
        for (const std::string name : {"same", "dotted", "symbolic", "hard"}) {
            files.restore();
            const workbench& here = files.here();
            here.write("net.graphml", "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/>"
                                      "<edge source='a' target='b'/></graph></graphml>");
            std::string line = one.command;
            const std::size_t at = line.find("OUT");
            const std::string ending = line.substr(
                at + 3, line.find(' ', at) == std::string::npos ? std::string::npos : line.find(' ', at) - at - 3);
            std::string other = one.file + ending;
            if (!ending.empty() && (name == "same" || name == "dotted")) continue; // another file, by its ending
            if (name == "dotted") other = "./" + one.file;
            if (name == "symbolic") {
                other = "symbolic" + ending;
                ASSERT_EQ(::symlink(one.file.c_str(), (here / other).c_str()), 0);
            }
            if (name == "hard") {
                other = "hard" + ending;
                ASSERT_EQ(::link((here / one.file).c_str(), (here / other).c_str()), 0);
            }
            line.replace(at, 3 + ending.size(), other);
            if (const std::size_t in = line.find("IN"); in != std::string::npos) line.replace(in, 2, one.file);
            const file_contents before = contents_of(here.path());
            const auto ran = here.shell("everbloom " + line);
            EXPECT_EQ(ran.exit_code, 2) << line << ": " << ran.out;
            EXPECT_TRUE(ran.err.starts_with("everbloom: ")) << line << ": " << ran.err;
            EXPECT_EQ(differences(contents_of(here.path()), before), "") << line;
            if (HasFailure()) return;
        }
    }
}

TEST(wrong_files, a_list_that_is_standard_output_as_well_is_refused) {
    const workbench here;
    prepare_files(here);
    const file_contents before = contents_of(here.path());
    for (const std::string command : {"check x.eb keys.txt", "check -v x.eb keys.txt", "uniq keys.txt", "uniq",
                                      "add --new x.eb keys.txt", "remove --json x.eb keys.txt"}) {
        const auto ran = here.shell("everbloom " + command + " < keys.txt >> keys.txt");
        EXPECT_EQ(ran.exit_code, 2) << command;
        EXPECT_NE(ran.err.find("is also standard output"), std::string::npos) << command << ": " << ran.err;
        EXPECT_EQ(differences(contents_of(here.path()), before), "") << command;
    }
}

TEST(wrong_files, the_mode_of_a_directory_that_was_there_stays) {
    const workbench here;
    prepare_files(here);
    std::filesystem::create_directory(here.path() / "mine");
    std::filesystem::permissions(here.path() / "mine", std::filesystem::perms(0750));
    EXPECT_EQ(here.run({"gate", "--packets", "packets.txt", "--format", "text", "--state", "mine"}).exit_code, 0);
    struct stat mine {};
    struct stat made {};
    ASSERT_EQ(::stat((here / "mine").c_str(), &mine), 0);
    ASSERT_EQ(::stat((here / "state").c_str(), &made), 0);
    EXPECT_EQ(mine.st_mode & 07777, 0750u);
    EXPECT_EQ(made.st_mode & 07777, 0700u) << "a new one is for its owner only";
}

TEST(wrong_files, a_filter_that_is_changed_in_place_may_be_an_input) {
    const workbench here;
    prepare_files(here);
    ASSERT_EQ(::symlink("x.eb", (here / "link.eb").c_str()), 0);
    EXPECT_EQ(here.run({"merge", "link.eb", "x.eb", "y.eb"}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(here / "link.eb"));
    EXPECT_EQ(here.run({"check", "-c", "x.eb"}, numbered_lines("key", 70)).out, "70\n");
}

TEST(wrong_files, a_filter_is_replaced_by_filters_only) {
    const workbench here;
    prepare_files(here);
    std::filesystem::copy(here / "x.eb", here / "x.svg");
    std::filesystem::copy(here / "x.eb", here / "x.html");
    const file_contents before = contents_of(here.path());
    for (const std::string line :
         {"show y.eb --picture x.svg", "report y.eb --force --out x.html", "route ring --picture x.svg",
          "gate --packets packets.txt --format text --verdicts x.eb",
          "gate --packets packets.txt --format text --export x.eb"}) {
        const auto ran = here.shell("everbloom " + line);
        EXPECT_EQ(ran.exit_code, 2) << line;
        EXPECT_NE(ran.err.find("is a filter"), std::string::npos) << line << ": " << ran.err;
        EXPECT_EQ(differences(contents_of(here.path()), before), "") << line;
    }
}

TEST(wrong_files, what_happens_to_have_the_name_of_a_list_is_not_replaced) {
    const workbench here;
    prepare_files(here);
    here.write("x.eb.list.zst", "my own notes\n");
    expect_trouble(here.run({"sync", "--rebuild", "x.eb", "keys.txt"}), "x.eb.list.zst: ");
    EXPECT_EQ(here.read("x.eb.list.zst"), "my own notes\n");
}

TEST(wrong_files, other_files_in_the_directory_of_a_gate_stay) {
    const workbench here;
    prepare_files(here);
    here.write("state/blacklist.2024.txt", "10.0.0.9\n");
    here.write("state/bad_ips.old.eb", "mine");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(here.run({"gate", "--packets", "packets.txt", "--format", "text", "--state", "state"}).exit_code, 0);
    }
    EXPECT_EQ(here.read("state/blacklist.2024.txt"), "10.0.0.9\n");
    EXPECT_EQ(here.read("state/bad_ips.old.eb"), "mine");
    EXPECT_FALSE(std::filesystem::exists(here / "state/bad_ips.1.eb"));
    EXPECT_TRUE(std::filesystem::exists(here / "state/bad_ips.3.eb"));
}

} // namespace
} // namespace everbloom::support
