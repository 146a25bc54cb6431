// filter_url: where a filter is on servers: redis://[user:password@]host[:port][,host[:port]...]/name
//
// Several hosts are several ways into one cluster; each node of it knows the others. Percent signs encode bytes, as in every URL. The
// password may also be in REDISCLI_AUTH, as for redis-cli, where lists of processes do not show it.
#pragma once

#include <everbloom/core/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct server_address {
    std::string host;
    int port = 6379;

    /// host:port
    [[nodiscard]] std::string text() const;

    friend bool operator==(const server_address&, const server_address&) = default;
};

struct filter_url {
    std::vector<server_address> nodes; // at least one
    std::string user;
    std::string password;
    std::string name; // of the filter

    /// For messages: without the password.
    [[nodiscard]] std::string shown() const;
};

[[nodiscard]] bool looks_like_url(std::string_view text) noexcept;
[[nodiscard]] result<filter_url> parse_filter_url(std::string_view text);
/// host:port, [host]:port or host.
[[nodiscard]] result<server_address> parse_address(std::string_view text);

} // namespace everbloom::cli
