#include "keys/list_format.hpp"

#include <everbloom/jobs/network.hpp>

#include <algorithm>
#include <cctype>

namespace everbloom::cli {
namespace {

constexpr bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\r'; }

std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Cuts a comment off that begins with one of these, at the start of the line or after a blank.
std::string_view before(std::string_view line, std::string_view marks) noexcept {
    for (std::size_t at = line.find_first_of(marks); at != std::string_view::npos;
         at = line.find_first_of(marks, at + 1)) {
        if (at == 0 || is_blank(line[at - 1])) return line.substr(0, at);
    }
    return line;
}

std::string_view first_word(std::string_view line) noexcept { return line.substr(0, line.find_first_of(" \t")); }

} // namespace

bool is_address(std::string_view text) noexcept { return parse_network(text).has_value(); }

std::string_view without_comment(std::string_view line, list_format format) noexcept {
    line = trimmed(line);
    switch (format) {
    case list_format::raw: return line;
    case list_format::adblock:
        return line.starts_with('!') || line.starts_with('[') || line.starts_with("# ") || line == "#"
                   ? std::string_view{}
                   : line;
    case list_format::csv: return line.starts_with('#') ? std::string_view{} : line;
    case list_format::cidr: return trimmed(before(line, "#;"));
    case list_format::lines:
    case list_format::hosts:
    case list_format::automatic: break;
    }
    return trimmed(before(line, "#"));
}

bool is_own_name(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 10> own{
        "localhost",    "localhost.localdomain", "local",           "broadcasthost", "ip6-localhost",
        "ip6-loopback", "ip6-localnet",          "ip6-mcastprefix", "ip6-allnodes",  "ip6-allrouters"};
    return std::find(own.begin(), own.end(), name) != own.end() || name == "ip6-allhosts" || is_address(name);
}

std::string_view domain_of_rule(std::string_view rule) noexcept {
    if (!rule.starts_with("||")) return {};
    rule.remove_prefix(2);
    const std::string_view name = rule.substr(0, rule.find_first_of("^/*$|"));
    std::string_view rest = rule.substr(name.size());
    if (rest.starts_with('^')) rest.remove_prefix(1);
    if (rest.starts_with('|')) rest.remove_prefix(1);
    // Options that restrict a rule to some pages make it a rule that does not block the domain.
    const bool is_restricted = rest.find("domain=") != std::string_view::npos ||
                               rest.find("denyallow=") != std::string_view::npos ||
                               rest.find("badfilter") != std::string_view::npos;
    if (name.empty() || is_restricted || !(rest.empty() || rest.starts_with('$'))) return {};
    return name;
}

list_format detect_format(std::string_view start) {
    constexpr std::size_t enough_lines = 200;
    std::size_t lines = 0;
    std::size_t rules = 0;
    std::size_t hosts = 0;
    std::size_t networks = 0;
    std::size_t with_commas = 0;
    if (start.starts_with("[Adblock") || start.starts_with("[uBlock")) return list_format::adblock;
    for (; !start.empty() && lines < enough_lines;) {
        const std::size_t end = std::min(start.find('\n'), start.size());
        const std::string_view whole = trimmed(start.substr(0, end));
        start.remove_prefix(std::min(end + 1, start.size()));
        if (whole.starts_with('!') || whole.starts_with("||") || whole.starts_with("@@||")) {
            ++rules;
            ++lines;
            continue;
        }
        const std::string_view line = without_comment(whole, list_format::cidr);
        if (line.empty()) continue;
        ++lines;
        const std::string_view word = first_word(line);
        if (is_address(word)) word.size() == line.size() ? ++networks : ++hosts;
        if (line.find(',') != std::string_view::npos) ++with_commas;
    }
    const auto most = [&](std::size_t count) { return lines != 0 && 2 * count > lines; };
    if (most(rules)) return list_format::adblock;
    if (most(with_commas)) return list_format::csv;
    if (most(hosts)) return list_format::hosts;
    if (most(networks)) return list_format::cidr;
    return list_format::lines;
}

} // namespace everbloom::cli
