// operator new of this module: everything that it allocates, strings and lists included, is the server's memory and counted there.
//
// The module has the C++ library in it and exports one function, so nothing outside of it sees these operators. What is needed before the
// server has told where its functions are (by initialisers of static objects) comes from a small array and stays. A build for
// AddressSanitizer keeps that tool's operators, which find errors of ours.
#include "module_api.hpp"
#include "server_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // as g++ says it
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__)

namespace {

alignas(std::max_align_t) std::byte early_bytes[16 << 10];
std::size_t early_used = 0;

bool is_early(const void* block) noexcept {
    const auto* const at = static_cast<const std::byte*>(block);
    return at >= early_bytes && at < early_bytes + sizeof early_bytes;
}

void* allocate_early(std::size_t bytes) noexcept {
    constexpr std::size_t unit = alignof(std::max_align_t);
    if (bytes > sizeof early_bytes - early_used) return nullptr;
    void* const block = early_bytes + early_used;
    early_used += (bytes + unit - 1) / unit * unit;
    return block;
}

// Asking for the size of a block takes as long as making it, so it is done only while somebody counts.
thread_local unsigned counters = 0;
thread_local std::int64_t counted_bytes = 0;

void* allocate(std::size_t bytes) {
    using namespace everbloom::redis;
    void* const block = api.Free != nullptr ? allocate_from_server(bytes != 0 ? bytes : 1) : allocate_early(bytes);
    if (block == nullptr) throw std::bad_alloc();
    if (counters != 0) counted_bytes += static_cast<std::int64_t>(api.MallocSize(block));
    return block;
}

void release(void* block) noexcept {
    using everbloom::redis::api;
    if (block == nullptr || is_early(block)) return;
    if (counters != 0) counted_bytes -= static_cast<std::int64_t>(api.MallocSize(block));
    api.Free(block);
}

} // namespace

namespace everbloom::redis {

counted_objects::counted_objects() noexcept : before_(counted_bytes) { ++counters; }
counted_objects::~counted_objects() { --counters; }
std::uint64_t counted_objects::bytes() const noexcept {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(counted_bytes - before_, 0));
}

} // namespace everbloom::redis

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }

#else

namespace everbloom::redis {

counted_objects::counted_objects() noexcept : before_(0) {}
counted_objects::~counted_objects() = default;
std::uint64_t counted_objects::bytes() const noexcept { return static_cast<std::uint64_t>(before_); }

} // namespace everbloom::redis

#endif
