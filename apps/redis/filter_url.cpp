#include "redis/filter_url.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>

namespace everbloom::cli {
namespace {

constexpr std::string_view scheme = "redis://";
constexpr std::string_view pattern = "redis://[user:password@]host[:port][,host[:port]...]/name";

std::optional<std::string> decoded(std::string_view text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            made += text[i];
            continue;
        }
        unsigned byte = 0;
        if (i + 2 >= text.size()) return std::nullopt;
        const char* const first = text.data() + i + 1;
        if (const auto read = std::from_chars(first, first + 2, byte, 16); read.ptr != first + 2) return std::nullopt;
        made += static_cast<char>(byte);
        i += 2;
    }
    return made;
}

} // namespace

std::string server_address::text() const {
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string filter_url::shown() const {
    std::string made(scheme);
    for (std::size_t i = 0; i < nodes.size(); ++i) made += (i == 0 ? "" : ",") + nodes[i].text();
    return made + "/" + printable(name);
}

bool looks_like_url(std::string_view text) noexcept { return text.find("://") != std::string_view::npos; }

result<server_address> parse_address(std::string_view text) {
    const auto bad = [&] {
        return fail(failure_reason::bad_parameter,
                    fmt::format("'{}' is not the address of a server; host:port is expected", printable(text)));
    };
    server_address made;
    std::string_view port;
    if (text.starts_with('[')) { // an IPv6 address
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return bad();
        made.host = text.substr(1, end - 1);
        port = text.substr(end + 1);
        if (!port.empty() && !port.starts_with(':')) return bad();
    } else {
        const std::size_t colon = text.find(':');
        made.host = text.substr(0, colon);
        port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
    }
    if (made.host.empty()) return bad();
    if (!port.empty()) {
        port.remove_prefix(1);
        const auto read = std::from_chars(port.data(), port.data() + port.size(), made.port);
        if (read.ec != std::errc() || read.ptr != port.data() + port.size() || made.port < 1 || made.port > 65535) {
            return bad();
        }
    }
    return made;
}

result<filter_url> parse_filter_url(std::string_view text) {
    const auto bad = [&](std::string_view why) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("'{}': {}; {} is expected",
                                printable(text.substr(0, text.find('@') == text.npos ? text.size() : 8)), why,
                                pattern));
    };
    if (text.starts_with("rediss://")) {
        return fail(
            failure_reason::unsupported,
            "rediss:// (TLS) is not supported; a tunnel such as stunnel gives an encrypted way to a redis:// address");
    }
    if (!text.starts_with(scheme)) return bad("is not the URL of a filter on a server");
    std::string_view rest = text.substr(scheme.size());
    const std::size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos || slash + 1 == rest.size()) return bad("has no name of a filter");
    filter_url made;
    const auto name = decoded(rest.substr(slash + 1));
    if (!name) return bad("has a percent sign without two hexadecimal digits");
    made.name = *name;
    if (made.name.find_first_of("{}") != std::string::npos) {
        return bad("the name must not contain braces, which say where the parts of the filter are in a cluster");
    }
    rest = rest.substr(0, slash);
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
        const std::string_view login = rest.substr(0, at);
        const std::size_t colon = login.find(':');
        const auto user = decoded(login.substr(0, colon));
        const auto password = decoded(colon == std::string_view::npos ? std::string_view{} : login.substr(colon + 1));
        if (!user || !password) return bad("has a percent sign without two hexadecimal digits");
        made.user = *user;
        made.password = *password;
        rest.remove_prefix(at + 1);
    }
    if (made.password.empty()) {
        if (const char* given = std::getenv("REDISCLI_AUTH"); given != nullptr) made.password = given;
    }
    for (;;) {
        const std::size_t comma = rest.find(',');
        auto node = parse_address(rest.substr(0, comma));
        if (!node) return fail(std::move(node.error()));
        made.nodes.push_back(std::move(*node));
        if (comma == std::string_view::npos) return made;
        rest.remove_prefix(comma + 1);
    }
}

} // namespace everbloom::cli
