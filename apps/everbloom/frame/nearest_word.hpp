// The word that somebody may have meant who wrote another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// Of the words there are, the one that the fewest slips of the finger (a letter too many, too few, wrong, or two in the wrong order)
/// turn into the one written; empty if none is near, that is, if a third of the letters would be slips.
[[nodiscard]] std::string nearest_word(std::string_view written, const std::vector<std::string>& words);

} // namespace everbloom::cli
