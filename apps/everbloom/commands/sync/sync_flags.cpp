#include "commands/sync/sync_flags.hpp"

#include "commands/sync/sync_start.hpp"
#include "filters/kind_names.hpp"

namespace everbloom::cli {

void sync_flags::declare_lists(command_flags& command, std::string_view lists_meaning) {
    command.add_option("FILE", path, "the filter; created if it does not exist")->required()->type_name("");
    command.add_option("LIST", lists, lists_meaning)->type_name("");
}

void sync_flags::declare_trace(command_flags& command) {
    command.add_option("--trace", trace, "instead of a LIST: a file of lines '+key', '-key' and '# comment' to replay")
        ->type_name("FILE")
        ->excludes("LIST");
    command.add_flag("--each", each, "print the state of the filter after every revision of the trace");
}

void sync_flags::declare_filter(command_flags& command) {
    command
        .add_option("--protect", negatives,
                    "a list of known negatives: the filter answers no for each of them; saved together with the keys")
        ->type_name("GOOD")
        ->one_value_at_a_time();
    auto members =
        command.add_flag("--members-win", members_win, "a key of both lists stays in the filter (default: an error)");
    command.add_flag("--protect-wins", negatives_win, "a key of both lists is left out of the filter")
        ->excludes(members);
    command.add_option("--kind", kind, "kind of a new filter (default: " + std::string(default_followed_kind) + ")")
        ->type_name("KIND")
        ->suggests(list_of_kinds());
    command.add_option("--fpr", fpr, "target FPR of a new filter (default: 0.1%)")->type_name("RATE");
    hashing.declare(command);
    command.add_flag("--rebuild", rebuild, "rebuild FILE from LIST, whatever its contents");
    command.add_flag("--rekey", rekey, "rebuild it with a new secret hash key");
    command.add_flag("--allow-empty", allow_empty, "accept a LIST without keys (default: an error)");
    command.add_flag("--dry-run", dry_run, "print what would be done, change nothing");
    keys.declare(command);
    output.declare(command);
}

} // namespace everbloom::cli
