// server_bytes: bytes in memory that the server counts, and may refuse (std::bad_alloc).
#pragma once

#include "module_api.hpp"
#include "server_memory.hpp"

#include <cstddef>
#include <new>
#include <vector>

namespace everbloom::redis {

template <class T>
struct server_allocator {
    using value_type = T;
    server_allocator() = default;
    template <class Other>
    server_allocator(const server_allocator<Other>&) noexcept {} // NOLINT(*-explicit-*)

    [[nodiscard]] T* allocate(std::size_t count) {
        void* const block = allocate_from_server(count * sizeof(T));
        if (block == nullptr) throw std::bad_alloc();
        return static_cast<T*>(block);
    }
    void deallocate(T* block, std::size_t) noexcept { api.Free(block); }
    friend bool operator==(const server_allocator&, const server_allocator&) noexcept { return true; }
};

using server_bytes = std::vector<std::byte, server_allocator<std::byte>>;

} // namespace everbloom::redis
