// HTML elements of a page: tables, facts, paragraphs. They take plain text and escape it; HTML has its own type, so that the two cannot
// be confused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace everbloom::cli::html {

/// HTML that is also well-formed XML.
struct markup {
    std::string html;

    markup& operator+=(const markup& more) {
        html += more.html;
        return *this;
    }
    friend markup operator+(markup first, const markup& second) { return std::move(first += second); }
};

/// <element>words</element>, with a class if one is named.
[[nodiscard]] markup element(std::string_view name, std::string_view words, std::string_view css_class = {});
/// The same around HTML.
[[nodiscard]] markup around(std::string_view name, const markup& inside, std::string_view css_class = {});

/// A list of names and values.
using fact_list = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] markup facts(const fact_list& all);

struct page_table {
    std::vector<std::string> headings; // the first column is text, the others are numbers
    std::vector<std::vector<std::string>> rows;
};
/// Wide tables scroll; very long ones are truncated, with a note.
[[nodiscard]] markup table(const page_table& all);

/// A part that is collapsed at first.
[[nodiscard]] markup folded(std::string_view summary, const markup& inside);

/// A drawing with a caption.
[[nodiscard]] markup figure(const markup& drawing, std::string_view caption);

// Numbers from untrusted files: these accept any value.
[[nodiscard]] std::string any_number(std::optional<double> value);
[[nodiscard]] std::string any_rate(std::optional<double> value);
[[nodiscard]] std::string any_bytes(std::optional<double> value);
/// "+1.2 %": deviation of the measured number from the predicted one.
[[nodiscard]] std::string off_by(std::optional<double> measured, std::optional<double> predicted);

} // namespace everbloom::cli::html
