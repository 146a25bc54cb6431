// with_article: the name of a kind in a sentence, "a bloom filter", "an elastic filter".
#pragma once

#include <string>
#include <string_view>

namespace everbloom {

/// "a bloom", "an elastic": a name with its indefinite article.
[[nodiscard]] inline std::string with_article(std::string_view name) {
    const bool begins_with_vowel =
        !name.empty() && std::string_view("aeiou").find(name.front()) != std::string_view::npos;
    return (begins_with_vowel ? "an " : "a ") + std::string(name);
}

} // namespace everbloom
