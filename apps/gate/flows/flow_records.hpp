// Serialised flow_table, from the least to the most recently seen connection:
//
//     sender 16 | receiver 16 | ports 2 + 2, big-endian | next 4 | hole 4 + 4 | struck 4 + 4 | history bytes 1 | 0 0 0 | history
//
// Numbers are little-endian. A record that the gate could not have written is refused.
#pragma once

#include "gate/flows/flow_table.hpp"

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace everbloom::cli {

[[nodiscard]] std::vector<std::byte> write_flows(const flow_table& flows);

/// Precondition: the table is empty. If it keeps fewer bytes than were saved, the oldest are dropped.
[[nodiscard]] result<void> read_flows(std::span<const std::byte> bytes, flow_table& into);

} // namespace everbloom::cli
