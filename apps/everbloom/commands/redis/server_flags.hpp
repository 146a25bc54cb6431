// server_flags: where a filter on servers is, over how many parts it is spread, and how long an answer may take.
#pragma once

#include "frame/command_flags.hpp"
#include "keys/key_flags.hpp"
#include "redis/spread_filter.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

/// What the flags say.
struct server_request {
    filter_url url;
    std::vector<std::string> files;
    std::optional<std::uint32_t> shards;
    std::chrono::milliseconds patience{};
};

struct server_flags {
    std::vector<std::string> arguments; // files, and one URL
    std::optional<std::string> shards;
    std::string timeout = "30";

    void declare(command_flags& command, const std::string& files_meaning);
    [[nodiscard]] result<server_request> parse() const;
};

/// --shards.
[[nodiscard]] result<std::uint32_t> shards_of_flag(const std::string& text);

/// The format of the keys. Filters on servers hold text: its bytes decide the part, so another spelling would be in another part.
[[nodiscard]] result<key_format> text_format(const key_flags& flags);

/// The filter of a command that needs one.
[[nodiscard]] result<spread_filter> find_spread(server_group& servers, std::optional<std::uint32_t> shards);

} // namespace everbloom::cli
