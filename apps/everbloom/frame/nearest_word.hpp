// nearest_word: a suggestion for a misspelled word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// The word at the smallest edit distance (a letter inserted, deleted, replaced, or two swapped); empty if the distance is a third of
/// the letters or more.
[[nodiscard]] std::string nearest_word(std::string_view written, const std::vector<std::string>& words);

} // namespace everbloom::cli
