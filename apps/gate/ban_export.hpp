// Export of newly banned addresses for a firewall: nft commands (one table, one set per address family), ipset commands, or a plain list.
#pragma once

#include "gate/ip_address.hpp"

#include <everbloom/core/result.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

enum class ban_syntax { nft, ipset, plain };

/// The name of an nft table, or the prefix of ipset sets: letters, digits and _, as both tools require.
[[nodiscard]] result<void> check_set_name(const std::string& name);

/// The commands are idempotent.
[[nodiscard]] std::string ban_commands(std::span<const ip_address> banned, ban_syntax syntax, const std::string& name);

} // namespace everbloom::cli
