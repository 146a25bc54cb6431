// domain_name: the ASCII form of a domain name in any script, by IDNA 2008 (libidn2): München.DE becomes xn--mnchen-3ya.de
#pragma once

#include "keys/text_arena.hpp"

#include <optional>
#include <string_view>

namespace everbloom::cli {

/// The same name in ASCII; nothing if it is none. A name in ASCII is returned as it is: the key type checks it.
[[nodiscard]] std::optional<std::string_view> ascii_domain(std::string_view name, text_arena& arena);

} // namespace everbloom::cli
