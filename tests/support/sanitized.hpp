// Whether this build is sanitized. A sanitizer wants the allocator and terabytes of addresses for itself, so that programs can neither be
// given another allocator nor a limit of addresses.
#pragma once

namespace everbloom::support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

} // namespace everbloom::support
