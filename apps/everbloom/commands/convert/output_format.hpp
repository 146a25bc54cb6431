// output_format: the formats that `convert` writes, by the word of --to or the ending of a name.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/foreign/foreign_filter.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct output_format {
    std::string_view name;
    std::string_view ending;               // of file names; empty: none means it
    std::optional<foreign_format> foreign; // none: ours
    bool gzip = false;
    guava_file::strategy strategy = guava_file::strategy::mitz_64;
};

/// By its name, or, if that is empty, by the ending of the path.
[[nodiscard]] result<output_format> output_format_for(std::string_view name, const std::string& path);

[[nodiscard]] std::vector<std::string> names_of_output_formats();

} // namespace everbloom::cli
