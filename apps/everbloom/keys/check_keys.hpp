// check_keys: queries filters with several threads and writes the answers in the order of the input.
#pragma once

#include "keys/filter_answers.hpp"
#include "keys/hash_keys.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

enum class wanted_keys { in_any_filter, in_no_filter };

enum class answer_style {
    lines,      // the line of the key, or a part of it
    json_lines, // {"key":..., "filters":[...]}
    count,      // nothing: only the numbers are used
    first_only, // nothing, and stop at the first
};

/// What a line of output has in it.
struct answer_layout {
    enum class part { line, key, fields };

    part printed = part::line;
    std::vector<std::size_t> fields = {}; // if fields are printed
    delimiter split;
    bool file_name = false; // log.txt:17:...
    bool line_number = false;
    bool tag = false;    // the filter's name and a tab; a line for each filter
    bool match = false;  // the domain or network that is in the filter, and a tab
    bool colour = false; // of the key in its line
    bool line_buffered = false;
    char separator = '\n';
};

struct check_request {
    std::vector<named_filter> filters; // of one key type
    wanted_keys wanted = wanted_keys::in_any_filter;
    answer_style style = answer_style::lines;
    answer_layout layout = {};
    certainty sure = certainty::confirmed_where_possible; // confirmed: every filter supports it
    question asked = {};
    std::optional<std::uint64_t> most_per_file = {};
};

struct check_result {
    std::uint64_t keys = 0;
    std::uint64_t found = 0;             // keys that matched
    std::vector<std::uint64_t> found_in; // keys that may be in each filter
    std::uint64_t lines_looked_at = 0;   // of the first blocks, to see
    std::uint64_t lines_with_blanks = 0; // whether lines are more than keys
};

/// `sum` is valid up to the point of a failure.
[[nodiscard]] result<void> check_keys(const check_request& request, const key_stream& stream, cancellation& cancel,
                                      check_result& sum);

} // namespace everbloom::cli
