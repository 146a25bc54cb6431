#include "server_memory.hpp"

#include "module_api.hpp"

#include <everbloom/bits/memory_hook.hpp>

#include <map>
#include <mutex>

namespace everbloom::redis {
namespace {

struct block {
    std::size_t asked = 0;
    std::size_t got = 0;
};

// By address. Filters are freed by a thread of the server, too.
std::mutex blocks_lock;
std::map<std::uintptr_t, block> blocks;

void* allocate_cells(std::size_t bytes) noexcept {
    void* const made = allocate_from_server(bytes);
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

void use_server_memory() noexcept { set_memory_hook({allocate_cells, release_cells}); }

std::uint64_t rounding_of_block_at(const void* address) noexcept {
    const std::lock_guard locked(blocks_lock);
    auto after = blocks.upper_bound(reinterpret_cast<std::uintptr_t>(address));
    if (after == blocks.begin()) return 0;
    const auto& [begin, found] = *--after;
    const bool is_inside = reinterpret_cast<std::uintptr_t>(address) < begin + found.asked;
    return is_inside && found.got > found.asked ? found.got - found.asked : 0;
}

} // namespace everbloom::redis
