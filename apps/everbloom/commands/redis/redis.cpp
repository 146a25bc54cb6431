// redis: filters on Redis servers. By itself it says what there is.
#include "commands/redis/redis_commands.hpp"

#include <fmt/format.h>

namespace everbloom::cli {

void declare_redis(command_line& line) {
    (void)line.add(
        "redis", "Filters on Redis servers and clusters: push, check, sync, pull, split",
        "everbloom redis\n"
        "everbloom redis push --help",
        []() -> result<int> {
            fmt::print("everbloom redis push LIST... URL --shards N   add the keys of a list\n"
                       "everbloom redis check URL [LOG...]            print the lines whose keys may be there\n"
                       "everbloom redis sync LIST... URL              follow a list: add new keys, remove old ones\n"
                       "everbloom redis pull URL FILE                 the filter as a file\n"
                       "everbloom redis split LIST... --out NAME      the parts as files, without a server\n"
                       "\n"
                       "URL is redis://host:port/name; a cluster may have several host:port, with commas.\n"
                       "docs/cluster.md explains how a filter is spread over a cluster.\n");
            return exit_done;
        });
}

} // namespace everbloom::cli
