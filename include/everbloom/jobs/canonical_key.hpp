// canonical_key: the canonical spelling of a key, so that lists can be stored as text and compared line by line.
//
// 0x2a and 42 are one key of type u64, ::1 and 0:0:0:0:0:0:0:1 one address. The canonical spelling is 42, and ::1; keys of type text
// are what they are. Reading a canonical spelling gives the same bytes again.
#pragma once

#include <everbloom/runtime/filter_file.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace everbloom {

/// The canonical spelling of the bytes of a key; nothing if a key of this type has another length.
[[nodiscard]] std::optional<std::string> spell_key(key_type type, std::string_view bytes);

class canonical_key {
public:
    explicit canonical_key(key_type type) : type_(type) {}

    /// The canonical spelling, valid until the next call; nothing if the text is not a key of this type.
    [[nodiscard]] std::optional<std::string_view> operator()(std::string_view text);

private:
    key_type type_;
    std::string bytes_;
    std::string spelling_;
};

} // namespace everbloom
