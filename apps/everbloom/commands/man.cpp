// man: prints the manual page for man(1).
#include "commands/commands.hpp"
#include "frame/command_description.hpp"
#include "frame/manual/manual_page.hpp"

#include <fmt/format.h>

namespace everbloom::cli {

void declare_man(command_line& line) {
    line.add("man", "Print the manual page of everbloom",
             "everbloom man > everbloom.1\neverbloom man | gzip -n > everbloom.1.gz", [&line]() -> result<int> {
                 fmt::print("{}", manual_page(line.describe()));
                 return exit_done;
             });
}

} // namespace everbloom::cli
