// What a gate remembers of its senders, as bytes of a file: from the one seen longest ago to the one seen last,
//
//     address 16 | strikes 1 | words held 1 | bytes that wait 1 | 0 | bytes that wait, padded to 4 | words held, 4 each, as they came
//
// Words are little-endian. Nothing is believed on reading: a record that the gate could not have written is refused.
#pragma once

#include "gate/sender_table.hpp"

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] std::vector<std::byte> write_senders(const sender_table& senders);

/// Into a table that is empty. It may keep fewer words than were saved; then the oldest words are dropped.
[[nodiscard]] result<void> read_senders(std::span<const std::byte> bytes, sender_table& into, const any_hasher& hash);

} // namespace everbloom::cli
