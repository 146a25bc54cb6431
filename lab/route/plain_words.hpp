// Untrusted text made safe for a terminal: no line breaks, no control characters, no runs of spaces.
#pragma once

#include <string>
#include <string_view>

namespace everbloom::cli {

[[nodiscard]] inline std::string plain_words(std::string_view text) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        // U+0080 to U+009F are control characters too; in UTF-8 they take two bytes.
        const bool second_controls = byte == 0xc2 && i + 1 < text.size() &&
                                     static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                                     static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if (second_controls) {
            ++i;
        } else if (byte <= 0x20 || byte == 0x7f) {
            if (!made.empty() && made.back() != ' ') made += ' ';
        } else {
            made += text[i];
        }
    }
    if (!made.empty() && made.back() == ' ') made.pop_back();
    return made;
}

} // namespace everbloom::cli
