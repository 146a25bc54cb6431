// check_flags: the flags of `check`: grep's, where grep has one for the same.
#pragma once

#include "filters/foreign_file.hpp"
#include "keys/check_keys.hpp"
#include "keys/key_flags.hpp"

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

struct check_flags {
    std::vector<std::string> arguments; // filters, then key files
    std::vector<std::string> given;     // keys of the command line
    bool invert = false;
    bool count = false;
    bool quiet = false;
    bool tag = false;
    bool as_json = false;
    bool confirm = false;
    bool no_confirm = false;
    bool only_key = false;
    bool line_number = false;
    bool with_file = false;
    bool no_file = false;
    bool recursive = false;
    bool subdomains = false;
    bool longest = false;
    bool line_buffered = false;
    std::optional<std::string> print_fields;
    std::optional<std::string> most_matches;
    std::string colour = "auto";
    foreign_flags foreign;
    key_flags keys;

    void declare(command_flags& command);

    [[nodiscard]] answer_style style() const noexcept;
    /// Of -m.
    [[nodiscard]] result<std::optional<std::uint64_t>> most() const;
    /// `separator` ends lines of output as it ends those of the input.
    [[nodiscard]] result<answer_layout> layout(char separator) const;
};

} // namespace everbloom::cli
