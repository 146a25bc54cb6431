// Memory of the server for the cells of filters, and what it really costs: an allocator rounds up, by as much as a quarter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom::redis {

/// Null where the server refuses. A server without TryAlloc would rather stop than refuse.
[[nodiscard]] void* allocate_from_server(std::size_t bytes) noexcept;

/// From now on, cells are the server's.
void use_server_memory() noexcept;

/// Bytes that the allocator added to the block in which this address lies; 0 if it is none of ours.
[[nodiscard]] std::uint64_t rounding_of_block_at(const void* address) noexcept;

} // namespace everbloom::redis
