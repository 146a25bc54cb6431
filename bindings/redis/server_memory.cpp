#include "server_memory.hpp"

#include "module_api.hpp"

#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/bits/zeroing_hook.hpp>

#include <map>
#include <mutex>

namespace everbloom::redis {
namespace {

struct block {
    std::size_t asked = 0;
    std::size_t got = 0;
};

// By address. Filters are freed by threads, too, also while the server ends: never destroyed.
std::mutex& blocks_lock = *new std::mutex;
std::map<std::uintptr_t, block>& blocks = *new std::map<std::uintptr_t, block>;

/// A block of the server, or null, with its entry in the list.
void* listed(void* made, std::size_t bytes) noexcept {
    if (made == nullptr) return nullptr;
    try {
        const std::lock_guard locked(blocks_lock);
        blocks.emplace(reinterpret_cast<std::uintptr_t>(made), block{bytes, api.MallocSize(made)});
    } catch (const std::exception&) { // no memory for the entry
        api.Free(made);
        return nullptr;
    }
    return made;
}

void* allocate_cells(std::size_t bytes) noexcept { return listed(allocate_from_server(bytes), bytes); }

/// The server's allocator knows which of its memory the system has set to zero, page by page when they are first touched.
void* allocate_zeros(std::size_t bytes) noexcept {
    if (api.TryCalloc != nullptr) return listed(api.TryCalloc(1, bytes), bytes);
    // Redis 7.0 has only a function that ends the server where there is no memory: first look whether there is.
    void* const probe = allocate_from_server(bytes);
    if (probe == nullptr) return nullptr;
    api.Free(probe);
    return listed(api.Calloc(1, bytes), bytes);
}

void release_cells(void* made) {
    {
        const std::lock_guard locked(blocks_lock);
        blocks.erase(reinterpret_cast<std::uintptr_t>(made));
    }
    api.Free(made);
}

} // namespace

void* allocate_from_server(std::size_t bytes) noexcept {
    return api.TryAlloc != nullptr ? api.TryAlloc(bytes) : api.Alloc(bytes);
}

void note_moved_block(const void* from, const void* to) noexcept {
    const std::lock_guard locked(blocks_lock);
    auto node = blocks.extract(reinterpret_cast<std::uintptr_t>(from));
    if (node.empty()) return;
    node.key() = reinterpret_cast<std::uintptr_t>(to);
    blocks.insert(std::move(node)); // allocates nothing
}

void use_server_memory() noexcept {
    set_memory_hook({allocate_cells, release_cells});
    set_zeroing_hook(allocate_zeros);
}

std::uint64_t rounding_of_block_at(const void* address) noexcept {
    const std::lock_guard locked(blocks_lock);
    auto after = blocks.upper_bound(reinterpret_cast<std::uintptr_t>(address));
    if (after == blocks.begin()) return 0;
    const auto& [begin, found] = *--after;
    const bool is_inside = reinterpret_cast<std::uintptr_t>(address) < begin + found.asked;
    return is_inside && found.got > found.asked ? found.got - found.asked : 0;
}

} // namespace everbloom::redis
