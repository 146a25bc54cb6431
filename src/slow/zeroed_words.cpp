#include <everbloom/runtime/slow/zeroed_words.hpp>

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace everbloom {
namespace {

constexpr std::uint64_t least_mapped_words = (std::uint64_t{64} << 10) / sizeof(std::uint64_t);

} // namespace

zeroed_words zeroed_words::make(std::uint64_t count) noexcept {
    zeroed_words made;
    if (count > std::size_t(-1) / 16) return made;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
    void* found = nullptr;
    if (count >= least_mapped_words) {
        found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED) return made;
    } else {
        found = ::operator new(bytes, std::align_val_t(line_bytes), std::nothrow);
        if (found == nullptr) return made;
        std::memset(found, 0, bytes);
    }
    made.data_ = static_cast<std::uint64_t*>(found);
    made.count_ = count;
    return made;
}

void zeroed_words::provide() noexcept {
#if defined(MADV_POPULATE_WRITE)
    // An older system refuses, and provides every page when it is touched.
    if (count_ >= least_mapped_words) {
        ::madvise(data_, static_cast<std::size_t>(count_) * sizeof(std::uint64_t), MADV_POPULATE_WRITE);
    }
#endif
}

void zeroed_words::release() noexcept {
    if (count_ >= least_mapped_words) {
        ::munmap(data_, static_cast<std::size_t>(count_) * sizeof(std::uint64_t));
    } else {
        ::operator delete(data_, std::align_val_t(line_bytes));
    }
}

} // namespace everbloom
