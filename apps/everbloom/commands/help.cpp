// help: explains a kind of filter. (For commands, "everbloom help check" is "everbloom check --help": main.cpp.)
#include "commands/commands.hpp"
#include "filters/kind_names.hpp"
#include "filters/kind_page.hpp"

#include <cstdio>
#include <memory>

namespace everbloom::cli {
namespace {

result<int> run_help(const std::string& topic) {
    const kind_info* kind = find_kind(topic);
    if (kind == nullptr) {
        return fail(failure_reason::bad_parameter,
                    "'" + topic + "' is neither a command nor a kind of filter; the kinds are " + names_of_kinds() +
                        ", and 'everbloom --help' lists the commands");
    }
    const std::string page = kind_page(*kind);
    std::fwrite(page.data(), 1, page.size(), stdout); // main looks at stdout's state at the end
    return exit_done;
}

} // namespace

void declare_help(command_line& line) {
    auto topic = std::make_shared<std::string>();
    command_flags command = line.add("help", "Explain a command or a kind of filter",
                                     "everbloom help check\n"
                                     "everbloom help scalable",
                                     [topic] { return run_help(*topic); });
    command.add_option("TOPIC", *topic, "a command, or a kind of filter: what it is for and its parameters")
        ->required()
        ->type_name("")
        ->suggests(list_of_kinds());
    if (command.selected().is_everything()) command.before_examples(kinds_section());
}

} // namespace everbloom::cli
