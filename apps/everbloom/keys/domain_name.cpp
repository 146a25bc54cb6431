#include "keys/domain_name.hpp"

#include <idn2.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>

namespace everbloom::cli {

std::optional<std::string_view> ascii_domain(std::string_view name, text_arena& arena) {
    const bool is_ascii =
        std::all_of(name.begin(), name.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
    if (is_ascii) return name;
    constexpr std::size_t longest = 1024; // in UTF-8; a name has 253 bytes in ASCII
    if (name.size() > longest || name.find('\0') != std::string_view::npos) return std::nullopt;
    const std::string terminated(name);
    char* converted = nullptr;
    const int status = idn2_to_ascii_8z(terminated.c_str(), &converted, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT);
    const std::unique_ptr<char, decltype(&idn2_free)> owner(converted, &idn2_free);
    if (status == IDN2_MALLOC) throw std::bad_alloc();
    if (status != IDN2_OK) return std::nullopt;
    return arena.keep(converted);
}

} // namespace everbloom::cli
