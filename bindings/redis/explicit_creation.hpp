// EB.CREATE with every decision spelled out: the form in which a new filter goes to replicas and to the append-only file, so that they do not
// depend on their own defaults, random numbers or planner.
#pragma once

#include "call.hpp"

namespace everbloom::redis {

void replicate_creation(const call& now, module_string* name, const stored_filter& value);

/// EB.CREATE key KIND kind [CAPACITY n] [ERROR rate] [KEYS type] [HASH name] [HASHKEY hex] [SET parameter value]... [TARGET n rate]
/// [FACTS hex]
int eb_create(const call& now);

/// Hexadecimal digits, two per byte.
[[nodiscard]] std::string hex_of(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<std::vector<std::byte>> bytes_of_hex(std::string_view digits);
[[nodiscard]] std::optional<hash_key> key_of_hex(std::string_view digits);

} // namespace everbloom::redis
