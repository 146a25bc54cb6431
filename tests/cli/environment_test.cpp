// An environment that lacks what programs like to take for granted: a directory for temporary files.
#include "cli/every_command.hpp"

namespace everbloom::support {
namespace {

TEST(environment, commands_need_no_directory_for_temporary_files) {
    const workbench here;
    make_inputs(here);
    const folder_contents before = contents_of(here);
    for (const command_run& one : every_command()) {
        SCOPED_TRACE(one.text());
        const auto ran =
            run_program(one.arguments, {.directory = here.path().string(), .extra = {{"TMPDIR", here / "missing"}}});
        EXPECT_LE(ran.exit_code, 1) << ran.err;
        restore(here, before, contents_of(here));
    }
}

TEST(environment, the_demo_says_which_directory_it_misses) {
    const workbench here;
    const std::string missing = here / "missing";
    const auto ran = run_program({}, {.extra = {{"TMPDIR", missing}}});
    expect_trouble(ran, "TMPDIR");
    EXPECT_NE(ran.err.find(missing), std::string::npos) << ran.err;
    here.write("file", "no directory\n");
    expect_trouble(run_program({}, {.extra = {{"TMPDIR", here / "file"}}}), "TMPDIR");
    EXPECT_EQ(run_program({}, {.extra = {{"TMPDIR", here.path().string()}}}).exit_code, 0);
    EXPECT_EQ(here.listing(), "file");
}

} // namespace
} // namespace everbloom::support
