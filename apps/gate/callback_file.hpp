// callback_file: a FILE of stdio whose bytes come from, or go to, functions of ours. libpcap wants a FILE, and what it reads may be compressed.
//
// glibc has fopencookie for that, macOS and the BSDs funopen. Both take a function per operation and an address that it gets; they differ in
// the types. One that fails returns -1, or 0 bytes written.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>

namespace everbloom::cli {

/// `Source` has `ssize_t read(char*, std::size_t)`, and `bool position(long long& offset, int whence)`, which sets the offset to the present
/// position if that is what is asked for.
template <class Source>
[[nodiscard]] std::FILE* open_for_reading(Source& from) {
#if defined(__GLIBC__)
    return ::fopencookie(&from, "rb",
                         {.read = [](void* self, char* into, std::size_t most) -> ssize_t {
                              return static_cast<Source*>(self)->read(into, most);
                          },
                          .write = nullptr,
                          .seek = [](void* self, off64_t* offset, int whence) -> int {
                              long long at = *offset;
                              if (!static_cast<Source*>(self)->position(at, whence)) return -1;
                              *offset = at;
                              return 0;
                          },
                          .close = nullptr});
#else
    return ::funopen(
        &from,
        [](void* self, char* into, int most) -> int {
            return static_cast<int>(static_cast<Source*>(self)->read(into, static_cast<std::size_t>(most)));
        },
        nullptr,
        [](void* self, fpos_t offset, int whence) -> fpos_t {
            long long at = offset;
            return static_cast<Source*>(self)->position(at, whence) ? at : -1;
        },
        nullptr);
#endif
}

/// `Sink` has `ssize_t write(const char*, std::size_t)`.
template <class Sink>
[[nodiscard]] std::FILE* open_for_writing(Sink& into) {
#if defined(__GLIBC__)
    return ::fopencookie(&into, "wb",
                         {.read = nullptr,
                          .write = [](void* self, const char* bytes, std::size_t count) -> ssize_t {
                              return static_cast<Sink*>(self)->write(bytes, count);
                          },
                          .seek = nullptr,
                          .close = nullptr});
#else
    return ::funopen(
        &into, nullptr,
        [](void* self, const char* bytes, int count) -> int {
            return static_cast<int>(static_cast<Sink*>(self)->write(bytes, static_cast<std::size_t>(count)));
        },
        nullptr, nullptr);
#endif
}

} // namespace everbloom::cli
