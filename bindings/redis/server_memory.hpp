// Memory of the server for the cells of filters, and what it really costs: an allocator rounds up, by as much as a quarter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace everbloom::redis {

/// Null where the server refuses. A server without TryAlloc would rather stop than refuse.
[[nodiscard]] void* allocate_from_server(std::size_t bytes) noexcept;

/// A block of cells has another address.
void note_moved_block(const void* from, const void* to) noexcept;

/// From now on, cells are the server's.
void use_server_memory() noexcept;

/// Counts the memory of objects that this thread makes (operator new) while it lives, less what it frees of it. Cells are not among them.
class counted_objects {
public:
    counted_objects() noexcept;
    ~counted_objects();
    counted_objects(const counted_objects&) = delete;
    counted_objects& operator=(const counted_objects&) = delete;
    [[nodiscard]] std::uint64_t bytes() const noexcept;

private:
    std::int64_t before_;
};

/// Bytes that the allocator added to the block in which this address lies; 0 if it is none of ours.
[[nodiscard]] std::uint64_t rounding_of_block_at(const void* address) noexcept;

} // namespace everbloom::redis
