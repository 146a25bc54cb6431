// nearest_word: a suggestion for a misspelled word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// The word at the smallest edit distance (a letter inserted, deleted, replaced, or two swapped), if that is less than a third of the
/// letters; otherwise the only word that begins with the written one; otherwise empty.
[[nodiscard]] std::string nearest_word(std::string_view written, const std::vector<std::string>& words);

} // namespace everbloom::cli
