#include "frame/nearest_word.hpp"

#include <algorithm>
#include <cstddef>

namespace everbloom::cli {
namespace {

/// The edit distance of two words, by dynamic programming over their prefixes.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                distance[i][j] = i + j;
                continue;
            }
            const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
            distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + wrong});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
        }
    }
    return distance[a.size()][b.size()];
}

} // namespace

std::string nearest_word(std::string_view written, const std::vector<std::string>& words) {
    constexpr std::size_t longest = 64; // longer words are no misspelled flags
    if (written.size() > longest) return "";
    // The dashes of a flag do not count as letters.
    const std::size_t letters = written.size() - std::min(written.find_first_not_of('-'), written.size());
    std::string nearest;
    std::size_t fewest = letters / 3 + (letters < 3 ? 0 : 1);
    for (const std::string& word : words) {
        if (const std::size_t distance = edit_distance(written, word); distance < fewest) {
            fewest = distance;
            nearest = word;
        }
    }
    if (!nearest.empty() || letters < 3) return nearest;
    // No misspelling: an abbreviation, if there is one word that it stands for.
    const auto begins = [&](const std::string& word) { return word.starts_with(written); };
    if (std::count_if(words.begin(), words.end(), begins) == 1)
        nearest = *std::find_if(words.begin(), words.end(), begins);
    return nearest;
}

} // namespace everbloom::cli
