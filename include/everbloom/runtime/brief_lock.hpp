// Locks that are held for a microsecond, nearly always: to try again is quicker than to sleep and be woken.
#pragma once

#include <mutex>

namespace everbloom {

/// For a while in which the other thread gets the cache line of the lock.
inline void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Takes a lock that is held briefly: tries again for about 10 microseconds before it sleeps.
[[nodiscard]] inline std::unique_lock<std::mutex> lock_brief(std::mutex& mutex) {
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
        std::unique_lock taken(mutex, std::try_to_lock);
        if (taken) return taken;
        pause_briefly();
    }
    return std::unique_lock(mutex);
}

} // namespace everbloom
