// conversion_input: what the first file of `convert` is, and what can be made of it.
#pragma once

#include "commands/convert/output_format.hpp"

#include <everbloom/core/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct conversion_input {
    bool ours = false;                     // an everbloom filter
    std::optional<foreign_format> foreign; // a filter of another program
    bool keys = false;                     // a list of keys

    /// By the word of --from, or by its content; nothing of these if that is neither a filter nor text.
    [[nodiscard]] static result<conversion_input> find(const std::string& path, std::string_view from);
};

/// The words of --from.
[[nodiscard]] std::vector<std::string> names_of_inputs();

/// Is it text, also after decompression? Bytes of another format must not become keys by mistake.
[[nodiscard]] bool looks_like_list(const std::string& path);

/// Refuses a pair of formats between which there is no way without the keys.
[[nodiscard]] result<void> check_pair(const std::string& path, const conversion_input& from,
                                      const output_format& format, const std::string& out);

} // namespace everbloom::cli
