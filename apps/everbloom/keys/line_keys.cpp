#include "keys/line_keys.hpp"

#include "keys/domain_name.hpp"

#include <everbloom/core/printable.hpp>

#include <algorithm>
#include <string>

namespace everbloom::cli {
namespace {

constexpr bool is_upper(char byte) noexcept { return byte >= 'A' && byte <= 'Z'; }

line_fault fault_of(field_fault fault) noexcept {
    if (fault == field_fault::none) return line_fault::none;
    return fault == field_fault::missing ? line_fault::missing_field : line_fault::unclosed_quote;
}

/// Enough of a long line to find it again.
std::string quoted_start(std::string_view line) {
    constexpr std::size_t most = 60;
    return "'" + printable(line.substr(0, most)) + (line.size() > most ? "...'" : "'");
}

} // namespace

line_fault line_keys::read(std::string_view line, std::vector<std::string_view>& keys) {
    keys.clear();
    const bool is_raw_key = format_ == list_format::raw && rules_.fields.empty() && !rules_.json && !rules_.regex;
    if (is_raw_key) return add(line, keys);
    if (rules_.separator != '\0' && line.find('\0') != std::string_view::npos) return line_fault::binary;
    return format_ == list_format::raw ? read_log(line, keys) : read_list(line, keys);
}

line_fault line_keys::read_log(std::string_view line, std::vector<std::string_view>& keys) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) return line_fault::none;
    if (rules_.json) {
        const json_value found = find_json_field(line, *rules_.json, arena_);
        if (found.fault == json_fault::not_json) return line_fault::not_json;
        if (found.fault == json_fault::no_value) return line_fault::no_value;
        return add(found.text, keys);
    }
    if (rules_.regex) {
        const auto found = rules_.regex->find(line);
        return found ? add(*found, keys) : line_fault::none;
    }
    const chosen_fields found = choose_fields(line, rules_.split, rules_.fields, arena_);
    if (found.fault != field_fault::none) return fault_of(found.fault);
    return add(found.text, keys);
}

line_fault line_keys::read_list(std::string_view line, std::vector<std::string_view>& keys) {
    line = without_comment(line, format_);
    if (line.empty()) return line_fault::none;
    switch (format_) {
    case list_format::hosts: {
        field_reader words(line, rules_.split);
        if (!words.next(arena_) || !is_address(words.field())) return line_fault::not_hosts;
        bool has_name = false;
        while (words.next(arena_)) {
            has_name = true;
            if (is_own_name(words.field())) continue;
            if (const line_fault fault = add(words.field(), keys); fault != line_fault::none) return fault;
        }
        return has_name ? line_fault::none : line_fault::not_hosts;
    }
    case list_format::adblock: {
        const std::string_view domain = domain_of_rule(line);
        if (!domain.empty()) return add(domain, keys);
        ++left_out_;
        return line_fault::none;
    }
    case list_format::csv: {
        constexpr delimiter comma{',', false, true};
        static const std::vector<std::size_t> first{1};
        const auto found = choose_fields(line, rules_.split.is_blanks ? comma : rules_.split,
                                         rules_.fields.empty() ? first : rules_.fields, arena_);
        if (found.fault != field_fault::none) return fault_of(found.fault);
        return add(found.text, keys);
    }
    case list_format::cidr: return add(line.substr(0, line.find_first_of(" \t")), keys);
    case list_format::raw:
    case list_format::lines:
    case list_format::automatic: break;
    }
    return add(line, keys);
}

line_fault line_keys::add(std::string_view key, std::vector<std::string_view>& keys) {
    if (rules_.type == key_type::domain) {
        if (format_ != list_format::raw) { // *.example.com and .example.com in lists mean the domain with all below it
            if (key.starts_with("*.")) key.remove_prefix(1);
            if (key.starts_with('.')) key.remove_prefix(1);
        }
        const auto name = ascii_domain(key, arena_);
        if (!name) return line_fault::not_domain;
        key = *name;
    } else if (rules_.lower && std::any_of(key.begin(), key.end(), is_upper)) {
        char* const made = arena_.room(key.size());
        std::transform(key.begin(), key.end(), made,
                       [](char byte) { return is_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte; });
        key = {made, key.size()};
    }
    keys.push_back(key);
    return line_fault::none;
}

failure describe(line_fault fault, std::string_view line, const line_rules& rules) {
    std::string what;
    switch (fault) {
    case line_fault::none: break;
    case line_fault::missing_field: {
        const std::size_t last = rules.fields.empty() ? 1 : *std::max_element(rules.fields.begin(), rules.fields.end());
        what = "has no field " + std::to_string(last) + "; is --delimiter right?";
        break;
    }
    case line_fault::unclosed_quote: what = "a quote is not closed on this line"; break;
    case line_fault::not_json: what = "is not JSON"; break;
    case line_fault::no_value: what = "has no text or number at " + (rules.json ? rules.json->text() : ""); break;
    case line_fault::not_hosts: what = "is not an address and a name, as in a hosts file"; break;
    case line_fault::not_domain: what = "is not a domain name"; break;
    case line_fault::binary: what = "contains a NUL byte; is this a binary file?"; break;
    }
    return {failure_reason::bad_parameter, quoted_start(line) + " " + what};
}

} // namespace everbloom::cli
