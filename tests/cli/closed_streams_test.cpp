// Every command with standard input, output and error closed, in all combinations: it does not die by a signal, and what it says does not
// get into a file that happens to have their numbers.
#include "cli/every_command.hpp"

namespace everbloom::support {
namespace {

std::vector<int> streams_of(unsigned combination) {
    std::vector<int> closed;
    for (int stream = 0; stream < 3; ++stream) {
        if ((combination >> stream & 1) != 0) closed.push_back(stream);
    }
    return closed;
}

/// A picture or a report says when it was made; its beginning is enough to see that no message went into it.
bool same_file(const std::string& name, const std::string& a, const std::string& b) {
    constexpr std::size_t beginning = 64;
    return name.ends_with(".html") ? a.substr(0, beginning) == b.substr(0, beginning) : a == b;
}

TEST(closed_streams, kill_no_command_and_get_no_message_into_a_file) {
    const workbench here;
    make_inputs(here);
    EXPECT_EQ(commands_without_a_run(here), std::set<std::string>{});
    const folder_contents before = contents_of(here);
    for (const command_run& one : every_command()) {
        SCOPED_TRACE(one.text());
        const auto good = here.run(one.arguments);
        EXPECT_LE(good.exit_code, 1) << good.err;
        const folder_contents after = contents_of(here);
        restore(here, before, after);
        for (unsigned combination = 1; combination < 8; ++combination) {
            SCOPED_TRACE("closed: " + std::string(combination & 1 ? "<&- " : "") + (combination & 2 ? ">&- " : "") +
                         (combination & 4 ? "2>&-" : ""));
            const auto ran =
                run_program(one.arguments, {.directory = here.path().string(), .closed = streams_of(combination)});
            EXPECT_LT(ran.exit_code, 128);
            // All of them print something, which is lost.
            if ((combination & 2) == 0) {
                EXPECT_EQ(ran.exit_code, good.exit_code) << ran.err;
            }
            for (const auto& [name, bytes] : contents_of(here)) {
                const auto old = before.find(name);
                const auto changed = after.find(name);
                EXPECT_TRUE((old != before.end() && old->second == bytes) ||
                            (changed != after.end() && same_file(name, changed->second, bytes)))
                    << name;
            }
            restore(here, before, contents_of(here));
        }
    }
}

TEST(closed_streams, do_not_change_the_exit_code_of_an_error) {
    const workbench here;
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"nonsense"}, {"show", "missing.eb"}, {"create"}, {"check", "--nonsense"}}) {
        EXPECT_EQ(run_program(wrong, {.directory = here.path().string(), .closed = {2}}).exit_code, 2);
        EXPECT_EQ(run_program(wrong, {.directory = here.path().string(), .closed = {0, 1, 2}}).exit_code, 2);
    }
}

TEST(closed_streams, a_result_that_nobody_can_read_is_an_error) {
    const workbench here;
    here.make("x.eb", "anna\n");
    for (const std::vector<std::string>& printing :
         {std::vector<std::string>{"show", "x.eb"}, {"--help"}, {"--version"}, {"man"}, {"create", "--help"}}) {
        const auto ran = run_program(printing, {.directory = here.path().string(), .closed = {1}});
        EXPECT_EQ(ran.exit_code, 2) << printing.front();
        EXPECT_NE(ran.err.find("standard output"), std::string::npos) << ran.err;
    }
}

} // namespace
} // namespace everbloom::support
