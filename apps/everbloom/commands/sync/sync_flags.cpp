#include "commands/sync/sync_flags.hpp"

#include "commands/sync/sync_start.hpp"
#include "filters/kind_names.hpp"

namespace everbloom::cli {

void sync_flags::declare(command_flags& command) {
    command.add_option("FILE", path, "the filter; made if it is not there")->required()->type_name("");
    command
        .add_option(
            "LIST", lists,
            "files with one key per line, plain or compressed (gzip, zstd, xz, bzip2), that together are the new "
            "list; '-': standard input. A key may stand there more than once")
        ->type_name("");
    command.add_option("--trace", trace, "instead of a LIST: a file of lines '+key', '-key' and '# comment' to replay")
        ->type_name("FILE")
        ->excludes("LIST");
    command.add_flag("--each", each, "say how the filter is after every revision of the trace");
    command
        .add_option("--kind", kind,
                    "kind of filter, when it is made (default: " + std::string(default_followed_kind) + ")")
        ->type_name("KIND")
        ->suggests(list_of_kinds());
    command.add_option("--fpr", fpr, "share of strangers it may take for members, when it is made (default: 0.1%)")
        ->type_name("RATE");
    hashing.declare(command);
    command.add_flag("--rebuild", rebuild, "make FILE anew from LIST, whatever is in it");
    command.add_flag("--allow-empty", allow_empty, "accept a LIST without keys (default: an error)");
    command.add_flag("--dry-run", dry_run, "say what would happen, change nothing");
    keys.declare(command);
    output.declare(command);
}

} // namespace everbloom::cli
