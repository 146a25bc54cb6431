// gate_patterns: all patterns of a gate, those of words and those of bytes.
#pragma once

#include "gate/lists.hpp"
#include "gate/patterns/byte_pattern_list.hpp"

#include <string>
#include <utility>

namespace everbloom::cli {

struct gate_patterns {
    pattern_list words = {};
    byte_pattern_list bytes = {};

    [[nodiscard]] std::size_t count() const noexcept { return words.count() + bytes.count(); }
    /// One pattern per line, as read_patterns reads them.
    [[nodiscard]] std::string text() const { return words.text() + bytes.text(); }
};

/// Of a file with lines as in pattern_line.hpp; "-" is standard input.
[[nodiscard]] result<gate_patterns> read_patterns(const std::string& file, const cancellation& cancel);

} // namespace everbloom::cli
