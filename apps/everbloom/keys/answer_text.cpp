#include "keys/answer_text.hpp"

#include "keys/key_text.hpp"

#include <functional>

namespace everbloom::cli {

std::string_view answer_text::first(std::uint64_t matches, std::uint64_t first_line, std::string& into) const {
    const bool is_cut = matches < ends_.size();
    const std::size_t end = !is_cut ? text_.size() : matches == 0 ? 0 : ends_[matches - 1];
    if (numbers_.empty()) return std::string_view(text_).substr(0, end);
    into.clear();
    std::size_t from = 0;
    for (const number& one : numbers_) {
        if (one.at >= end) break;
        into.append(text_, from, one.at - from);
        into += std::to_string(first_line + one.line) + ":";
        from = one.at;
    }
    into.append(text_, from, end - from);
    return into;
}

void answer_writer::write(const matched_key& key, const filter_answers& filters, answer_text& output) const {
    switch (request_.style) {
    case answer_style::lines:
        if (!request_.layout.tag) {
            write_line(key, filters, {}, output);
        } else {
            for (std::size_t f = 0; f < request_.filters.size(); ++f) {
                if (filters.by(f, key.in_batch)) write_line(key, filters, request_.filters[f].name, output);
            }
        }
        break;
    case answer_style::json_lines: write_json(key, filters, output.text()); break;
    case answer_style::count:
    case answer_style::first_only: return;
    }
    if (request_.most_per_file) output.mark_end();
}

void answer_writer::write_line(const matched_key& key, const filter_answers& filters, std::string_view tag,
                               answer_text& output) const {
    const answer_layout& layout = request_.layout;
    std::string& text = output.text();
    if (layout.tag) {
        text.append(tag);
        text += '\t';
    }
    if (layout.match) {
        text += filters.match(key.in_batch);
        text += '\t';
    }
    if (layout.file_name) text.append(display_name(file_)) += ':';
    if (layout.line_number) output.mark_number(key.line_number);
    switch (layout.printed) {
    case answer_layout::part::line: layout.colour ? write_coloured(key, text) : void(text.append(key.line)); break;
    case answer_layout::part::key: text.append(key.text); break;
    case answer_layout::part::fields: {
        std::string_view line = key.line;
        if (line.ends_with('\r')) line.remove_suffix(1);
        // A line without all of them is printed as far as it goes.
        field_reader reader(line, layout.split);
        std::vector<std::string_view> fields;
        while (reader.next(arena_)) fields.push_back(reader.field());
        for (std::size_t i = 0; i < layout.fields.size(); ++i) {
            if (i != 0) text += layout.split.byte;
            if (layout.fields[i] <= fields.size()) text.append(fields[layout.fields[i] - 1]);
        }
        break;
    }
    }
    text += layout.separator;
}

void answer_writer::write_coloured(const matched_key& key, std::string& output) const {
    constexpr std::string_view bold_red = "\x1b[1;31m"; // as grep
    constexpr std::string_view plain = "\x1b[0m";
    const char* const from = key.text.data();
    const char* const to = from + key.text.size();
    const char* const line_end = key.line.data() + key.line.size();
    const std::less_equal<> before; // of pointers: a total order
    // A key that was unescaped, joined or converted is not a part of its line.
    if (key.text.empty() || !before(key.line.data(), from) || !before(to, line_end)) {
        output.append(key.line);
        return;
    }
    output.append(key.line.data(), from).append(bold_red).append(key.text).append(plain).append(to, line_end);
}

void answer_writer::write_json(const matched_key& key, const filter_answers& filters, std::string& output) const {
    json line = key_json(key.text);
    if (key.line.data() != key.text.data() || key.line.size() != key.text.size()) line.update(line_json(key.line));
    if (request_.layout.match) line["match"] = filters.match(key.in_batch);
    line["filters"] = json::array();
    for (std::size_t f = 0; f < request_.filters.size(); ++f) {
        if (filters.by(f, key.in_batch)) line["filters"].push_back(request_.filters[f].name);
    }
    if (request_.layout.file_name) line["file"] = display_name(file_);
    output += json_line(line);
}

} // namespace everbloom::cli
