#include "keys/csv_record.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

constexpr bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\r'; }

/// The end of a quoted field.
struct quoted_end {
    enum class kind { found, missing, inside_a_field } what;
    std::size_t past = 0; // behind the quote, and blanks
};

/// Of the field that begins with a quote at `at`.
quoted_end find_end(std::string_view text, std::size_t at, char delimiter) noexcept {
    for (std::size_t close = at + 1;; close += 2) {
        close = text.find('"', close);
        if (close == std::string_view::npos) return {quoted_end::kind::missing};
        if (close + 1 < text.size() && text[close + 1] == '"') continue;
        std::size_t past = close + 1;
        while (past < text.size() && is_blank(text[past])) ++past;
        const bool ends = past == text.size() || text[past] == '\n' || text[past] == delimiter;
        return {ends ? quoted_end::kind::found : quoted_end::kind::inside_a_field, past};
    }
}

csv_record record_of(std::string_view bytes, bool is_whole) noexcept {
    return {bytes.size(), 1 + static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')), is_whole};
}

} // namespace

csv_record first_record(std::string_view text, char delimiter) noexcept {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    const csv_record alone{line.size(), 1, line.size() < text.size()};
    std::size_t at = 0;
    while (at < line.size() && is_blank(line[at])) ++at;
    // Nearly all lines have no quote.
    if (line.find('"') == std::string_view::npos || line[at] == '#') return alone;
    const std::string_view most = text.substr(0, most_record_bytes);
    const bool may_go_on = most.size() < most_record_bytes;
    for (;; ++at) {
        if (at < most.size() && most[at] == '"') {
            const quoted_end end = find_end(most, at, delimiter);
            if (end.what == quoted_end::kind::missing) return {alone.bytes, 1, alone.is_whole && !may_go_on};
            if (end.what == quoted_end::kind::inside_a_field) return alone;
            at = end.past;
        }
        while (at < most.size() && most[at] != '\n' && most[at] != delimiter) ++at;
        if (at == most.size()) return may_go_on ? record_of(most, false) : alone;
        if (most[at] == '\n') return record_of(most.substr(0, at), true);
    }
}

std::size_t whole_records(std::string_view text, char delimiter, std::size_t most_lines) noexcept {
    std::size_t past = 0;
    for (std::size_t lines = 0; past < text.size();) {
        const csv_record next = first_record(text.substr(past), delimiter);
        lines += next.lines;
        if (!next.is_whole || (lines > most_lines && past != 0)) break;
        past += next.bytes + 1;
    }
    return past;
}

} // namespace everbloom::cli
