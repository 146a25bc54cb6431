// Newly banned addresses for those who enforce it: commands for nft (a set per family in a table of its own), for ipset, or a plain list.
#pragma once

#include "gate/ip_address.hpp"

#include <everbloom/core/result.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

enum class ban_syntax { nft, ipset, plain };

/// A name of a table and of the beginning of its sets; letters, digits and _, as nft and ipset want them.
[[nodiscard]] result<void> check_set_name(const std::string& name);

/// Every command works again when it is run again.
[[nodiscard]] std::string ban_commands(std::span<const ip_address> banned, ban_syntax syntax, const std::string& name);

} // namespace everbloom::cli
