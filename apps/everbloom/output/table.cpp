#include "output/table.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

/// Characters on the screen; continuation bytes of UTF-8 take no room.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

} // namespace

std::string table::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        widths.push_back(width_of(columns_[c].name));
        for (const auto& row : rows_) widths[c] = std::max(widths[c], width_of(row[c]));
    }
    std::string made;
    const auto line = [&](const auto& cell_of) {
        std::string text;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::string& cell = cell_of(c);
            const std::string room(widths[c] - width_of(cell), ' ');
            text += (c == 0 ? "" : "  ");
            text += columns_[c].aligned == side::right ? room + cell : cell + room;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        made += text + "\n";
    };
    line([&](std::size_t c) -> const std::string& { return columns_[c].name; });
    for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
    return made;
}

} // namespace everbloom::cli
