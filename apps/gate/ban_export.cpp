#include "gate/ban_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace everbloom::cli {
namespace {

constexpr std::size_t longest_set_name = 24; // ipset takes 31, and a suffix is appended
constexpr std::size_t addresses_per_command = 1000;

struct families {
    std::vector<std::string> v4;
    std::vector<std::string> v6;
};

families by_family(std::span<const ip_address> banned) {
    families made;
    for (const ip_address& one : banned) (one.is_v4() ? made.v4 : made.v6).push_back(one.text());
    return made;
}

std::string nft_elements(const std::vector<std::string>& addresses, const std::string& name, std::string_view set) {
    std::string commands;
    for (std::size_t from = 0; from < addresses.size(); from += addresses_per_command) {
        const std::size_t to = std::min(from + addresses_per_command, addresses.size());
        const auto begin = addresses.begin();
        commands += fmt::format(
            "add element inet {} {} {{ {} }}\n", name, set,
            fmt::join(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to), ", "));
    }
    return commands;
}

std::string for_nft(const families& banned, const std::string& name) {
    return fmt::format("add table inet {0}\n"
                       "add set inet {0} banned4 {{ type ipv4_addr; }}\n"
                       "add set inet {0} banned6 {{ type ipv6_addr; }}\n",
                       name) +
           nft_elements(banned.v4, name, "banned4") + nft_elements(banned.v6, name, "banned6");
}

std::string for_ipset(const families& banned, const std::string& name) {
    std::string commands = fmt::format("create {0}_banned4 hash:ip family inet -exist\n"
                                       "create {0}_banned6 hash:ip family inet6 -exist\n",
                                       name);
    for (const auto& one : banned.v4) commands += fmt::format("add {}_banned4 {} -exist\n", name, one);
    for (const auto& one : banned.v6) commands += fmt::format("add {}_banned6 {} -exist\n", name, one);
    return commands;
}

} // namespace

result<void> check_set_name(const std::string& name) {
    const bool plain =
        std::all_of(name.begin(), name.end(), [](unsigned char one) { return std::isalnum(one) != 0 || one == '_'; });
    if (plain && !name.empty() && name.size() <= longest_set_name &&
        std::isalpha(static_cast<unsigned char>(name[0])) != 0) {
        return {};
    }
    return fail(
        failure_reason::bad_parameter,
        fmt::format("--export-name: '{}' is not a valid name; use a letter followed by up to {} letters, digits or _",
                    name, longest_set_name - 1));
}

std::string ban_commands(std::span<const ip_address> banned, ban_syntax syntax, const std::string& name) {
    if (syntax == ban_syntax::nft) return for_nft(by_family(banned), name);
    if (syntax == ban_syntax::ipset) return for_ipset(by_family(banned), name);
    std::string lines;
    for (const ip_address& one : banned) lines += one.text() + "\n";
    return lines;
}

} // namespace everbloom::cli
