// prefetch_line: prefetches a cache line before it is needed.
//
// __builtin_prefetch has no effect that the compiler can see, so g++ 12 takes a function that does nothing else for one without any,
// and drops calls of it that it has not inlined by then (seen here: batches without a single prefetch in them). A volatile
// instruction stays.
#pragma once

namespace everbloom {

[[gnu::always_inline]] inline void prefetch_line(const void* address) noexcept {
#if defined(__x86_64__)
    asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
#else
    __builtin_prefetch(address);
#endif
}

/// The same for an address that may be null or lie outside every object, as that of an empty key.
[[gnu::always_inline]] inline void prefetch_anywhere(const void* address) noexcept {
#if defined(__x86_64__)
    asm volatile("prefetcht0 (%0)" : : "r"(address));
#else
    __builtin_prefetch(address);
#endif
}

} // namespace everbloom
