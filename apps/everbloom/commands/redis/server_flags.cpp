#include "commands/redis/server_flags.hpp"

#include "frame/flag_values.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

namespace everbloom::cli {

void server_flags::declare(command_flags& command, const std::string& files_meaning) {
    command
        .add_option("FILE", arguments,
                    files_meaning + "; and the filter: redis://host[:port][,host[:port]...]/name, several hosts "
                                    "for a cluster whose first node may be down")
        ->required()
        ->type_name("");
    command.add_option("--shards", shards, "parts that the filter is spread over (known from the server where it is)")
        ->type_name("N");
    command.add_option("--timeout", timeout, "seconds without any answer after which the command gives up")
        ->type_name("SECONDS")
        ->capture_default_str();
}

result<std::uint32_t> shards_of_flag(const std::string& text) {
    const auto given = size_of_flag("--shards", text, 1, spread_filter::most_shards);
    if (!given) return fail(given.error());
    return static_cast<std::uint32_t>(*given);
}

result<server_request> server_flags::parse() const {
    server_request made;
    bool has_url = false;
    for (const std::string& one : arguments) {
        if (!looks_like_url(one)) {
            made.files.push_back(one);
            continue;
        }
        if (has_url) return fail(failure_reason::bad_parameter, "two URLs are given; a command is about one filter");
        auto url = parse_filter_url(one);
        if (!url) return fail(std::move(url.error()));
        made.url = std::move(*url);
        has_url = true;
    }
    if (!has_url) {
        return fail(failure_reason::bad_parameter, "no server given; name the filter as redis://host:port/name");
    }
    if (shards) {
        const auto given = shards_of_flag(*shards);
        if (!given) return fail(given.error());
        made.shards = *given;
    }
    const auto seconds = number_of_flag("--timeout", timeout);
    if (!seconds) return fail(seconds.error());
    if (!(*seconds >= 0.1) || *seconds > 86400) {
        return fail(failure_reason::bad_parameter,
                    "--timeout: '" + timeout + "' must be between 0.1 and 86400 seconds");
    }
    made.patience = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
    return made;
}

result<key_format> text_format(const key_flags& flags) {
    auto format = flags.format();
    if (!format) return format;
    if (format->type == key_type::text) return format;
    return fail(failure_reason::unsupported,
                fmt::format("keys of type {} cannot be spread over a server; text keys can", name_of(format->type)));
}

result<spread_filter> find_spread(server_group& servers, std::optional<std::uint32_t> shards) {
    auto found = spread_filter::find(servers, shards);
    if (!found) return fail(std::move(found.error()));
    if (!*found) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: there is no such filter; 'everbloom redis push LIST URL --shards N' makes one",
                                servers.url().shown()));
    }
    return std::move(**found);
}

} // namespace everbloom::cli
