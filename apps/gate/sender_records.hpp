// Serialised sender_table, from the least to the most recently seen sender:
//
//     address 16 | strikes 1 | words held 1 | pending bytes 1 | bytes held 1 | pending bytes, padded to 4 |
//     words held, 4 each, in order of arrival | bytes held
//
// Words are little-endian. Before byte patterns, no bytes were held: those files are read as well. Reading validates every field: a record that the gate could not have written is refused.
#pragma once

#include "gate/sender_table.hpp"

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] std::vector<std::byte> write_senders(const sender_table& senders);

/// Precondition: the table is empty. If it keeps fewer words or bytes than were saved, the oldest are dropped.
[[nodiscard]] result<void> read_senders(std::span<const std::byte> bytes, sender_table& into, const any_hasher& hash);

} // namespace everbloom::cli
