// zeroing_hook: cells that are zero, from a host that knows which of its memory is zero already.
//
// Most filters begin as zeros. The system sets fresh memory to zero page by page, when it is first touched; a host's allocator that keeps
// count of it (calloc) makes a filter of a gigabyte without touching it.
#pragma once

#include <cstddef>

namespace everbloom {

/// Like calloc with one object; null where the host refuses. Used for cells that begin as zeros while there is a memory_hook, whose `release`
/// they go back to. An empty one: what the memory_hook gives is set to zero.
void set_zeroing_hook(void* (*allocate_zeros)(std::size_t bytes)) noexcept;

} // namespace everbloom
