// check_keys: queries filters with several threads and writes the answers in the order of the input.
#pragma once

#include "keys/hash_keys.hpp"

#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace everbloom::cli {

struct named_filter {
    std::string name; // as the user wrote it
    filter_file file;
};

/// A query of the cells, or one that is also verified by stored hashes.
/// Whether matches are looked up among the stored hashes, which only some kinds have.
enum class certainty { usual, confirmed_where_possible, confirmed };

enum class wanted_keys { in_any_filter, in_no_filter };

enum class answer_style {
    lines,      // the key
    tagged,     // the filter's name, a tab, the key; a line for each filter
    json_lines, // {"key":..., "filters":[...]}
    count,      // nothing: only the numbers are used
    first_only, // nothing, and stop at the first
};

struct check_request {
    std::vector<named_filter> filters; // of one key type
    wanted_keys wanted = wanted_keys::in_any_filter;
    answer_style style = answer_style::lines;
    certainty sure = certainty::confirmed_where_possible; // confirmed: every filter supports it
};

struct check_result {
    std::uint64_t keys = 0;
    std::uint64_t found = 0;             // keys that matched
    std::vector<std::uint64_t> found_in; // keys that may be in each filter
};

/// `sum` is valid up to the point of a failure.
[[nodiscard]] result<void> check_keys(const check_request& request, const key_stream& stream, cancellation& cancel,
                                      check_result& sum);

} // namespace everbloom::cli
