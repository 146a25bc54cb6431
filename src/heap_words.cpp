#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/bits/zeroing_hook.hpp>
#include <everbloom/core/checked.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

// Linux moves mappings without a copy and has huge pages. Other systems, and a build with EVERBLOOM_PORTABLE, take blocks from malloc.
#if defined(__linux__) && !defined(EVERBLOOM_PORTABLE)
#define EVERBLOOM_HAVE_MREMAP
#include <sys/mman.h>
#endif

namespace everbloom {
namespace {

constexpr std::uint64_t huge_page_bytes = heap_words::huge_page_lines * line_bytes;

std::string describe(std::uint64_t lines) {
    constexpr std::uint64_t mebibyte_lines = (std::uint64_t{1} << 20) / line_bytes;
    if (lines < mebibyte_lines) return std::to_string(lines * line_bytes) + " bytes";
    return std::to_string(lines / mebibyte_lines) + " MiB";
}

// Both functions of a hook belong together, so one lock guards them; it is taken only where there is a hook.
std::atomic<bool> has_hook = false;
std::mutex hook_lock;
memory_hook hook_in_use;

memory_hook current_hook() noexcept {
    if (!has_hook.load(std::memory_order_acquire)) return {};
    const std::lock_guard reading(hook_lock);
    return hook_in_use;
}

std::atomic<void* (*)(std::size_t)> zeroing_hook_in_use = nullptr;

/// A block of a host, and where the first line in it begins.
struct hosted_block {
    void* block = nullptr;
    std::uint64_t* lines = nullptr;
};

hosted_block take_block(void* (*allocate)(std::size_t), void (*release)(void*), std::uint64_t bytes) noexcept {
    // An allocator with size classes rounds up what is just above one, by a quarter; most of what it gives is aligned anyway. Only if it is
    // not, a line more is asked for.
    void* block = allocate(static_cast<std::size_t>(bytes));
    if (block != nullptr && reinterpret_cast<std::uintptr_t>(block) % line_bytes != 0) {
        release(block);
        block = allocate(static_cast<std::size_t>(bytes + line_bytes));
    }
    if (block == nullptr) return {};
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t lead = (line_bytes - address % line_bytes) % line_bytes;
    return {block, reinterpret_cast<std::uint64_t*>(static_cast<char*>(block) + lead)};
}

} // namespace

void set_memory_hook(const memory_hook& hook) noexcept {
    const std::lock_guard writing(hook_lock);
    hook_in_use = hook;
    has_hook.store(hook.allocate != nullptr && hook.release != nullptr, std::memory_order_release);
}

void set_zeroing_hook(void* (*allocate_zeros)(std::size_t bytes)) noexcept {
    zeroing_hook_in_use.store(allocate_zeros, std::memory_order_release);
}

result<heap_words> heap_words::make(std::uint64_t lines) {
    const auto allocate_zeros = zeroing_hook_in_use.load(std::memory_order_acquire);
    const memory_hook hook = current_hook();
    if (allocate_zeros != nullptr && hook.release != nullptr && lines != 0 &&
        lines <= physical_memory_bytes() / line_bytes) {
        const hosted_block zeros = take_block(allocate_zeros, hook.release, lines * line_bytes);
        heap_words made;
        if (zeros.block != nullptr) {
            made.data_ = zeros.lines;
            made.words_ = lines * line_words;
            made.block_ = zeros.block;
            made.release_ = hook.release;
            return made;
        }
    }
    auto made = make_unset(lines); // or a failure
    if (made) made->set_to_zero();
    return made;
}

result<heap_words> heap_words::make_unset(std::uint64_t lines) {
    const auto bytes = checked_multiply(lines, line_bytes);
    if (!bytes || *bytes > physical_memory_bytes()) {
        return fail(failure_reason::out_of_memory,
                    "the filter would need " + describe(lines) + ", but this machine has " +
                        std::to_string(physical_memory_bytes() >> 20) + " MiB of memory; ask for fewer bits");
    }
    heap_words made;
    if (lines == 0) return made;
    if (!made.allocate(*bytes)) {
        return fail(failure_reason::out_of_memory,
                    "the system cannot provide " + describe(lines) + " of memory for the filter; ask for fewer bits");
    }
    return made;
}

result<heap_words> heap_words::make_mapped(std::uint64_t lines, std::uint64_t room) {
    heap_words made;
    const bool can_be = lines != 0 && lines <= physical_memory_bytes() / line_bytes;
    const std::uint64_t room_bytes = std::min(room, max_structure_bits / line_bits) * line_bytes;
    if (!can_be || (!made.allocate_huge(lines * line_bytes, room_bytes) && !made.allocate_huge(lines * line_bytes))) {
        return fail(failure_reason::out_of_memory,
                    "the system cannot provide " + describe(lines) + " of memory for the filter; ask for fewer bits");
    }
    return made;
}

result<heap_words> heap_words::copy() const {
    auto made = make_unset(words_ / line_words);
    if (made && words_ != 0) std::memcpy(made->data_, data_, words_ * sizeof(std::uint64_t));
    return made;
}

result<void> heap_words::extend(std::uint64_t lines) {
    const std::uint64_t before = words_;
    if (auto extended = extend_unset(lines); !extended) return extended;
    if (mapped_bytes_ == 0 && words_ != before) {
        std::memset(data_ + before, 0, static_cast<std::size_t>((words_ - before) * sizeof(std::uint64_t)));
    }
    return {};
}

result<void> heap_words::extend_unset(std::uint64_t lines) {
    if (is_plain_mapping() && lines <= max_structure_bits / line_bits && extend_mapping(lines * line_bytes)) return {};
    auto made = make_unset(lines);
    if (!made) return fail(std::move(made.error()));
    if (words_ != 0) std::memcpy(made->data_, data_, words_ * sizeof(std::uint64_t));
    *this = std::move(*made);
    return {};
}

void heap_words::set_to_zero() noexcept {
    if (mapped_bytes_ == 0 && words_ != 0) {
        std::memset(data_, 0, static_cast<std::size_t>(words_ * sizeof(std::uint64_t)));
    }
}

void heap_words::shrink(std::uint64_t lines) noexcept {
    const std::uint64_t words = lines * line_words;
    if (words >= words_) return;
    if (is_plain_mapping()) return shrink_mapping(words);
    // A smaller block, and a copy: what malloc has is less than a huge page. Without memory for it, everything stays.
    heap_words made;
    if (!made.allocate(lines * line_bytes)) return;
    std::memcpy(made.data_, data_, words * sizeof(std::uint64_t));
    *this = std::move(made);
}

std::uint64_t heap_words::physical_memory_bytes() noexcept {
#if defined(__EMSCRIPTEN__)
    return (std::uint64_t{1} << 31) -
           65536; // to which the memory of a module may grow (cmake/wasm.cmake); sysconf tells what it is now
#endif
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 31;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

bool heap_words::allocate(std::uint64_t bytes) noexcept {
    if (bytes > std::size_t(-1) - line_bytes) return false; // more than an address of this machine can tell
    if (has_hook.load(std::memory_order_acquire)) return allocate_from_hook(bytes);
    if (bytes >= huge_page_bytes && allocate_huge(bytes)) {
        prefer_huge_pages();
        return true;
    }
#if defined(EVERBLOOM_HAVE_MREMAP)
    if (bytes >= huge_page_bytes) return false;
#endif
    data_ = static_cast<std::uint64_t*>(std::aligned_alloc(line_bytes, static_cast<std::size_t>(bytes)));
    if (data_ == nullptr) return false;
    words_ = bytes / sizeof(std::uint64_t);
    return true;
}

bool heap_words::allocate_from_hook(std::uint64_t bytes) noexcept {
    const memory_hook hook = current_hook();
    if (hook.allocate == nullptr) return false;
    const hosted_block taken = take_block(hook.allocate, hook.release, bytes);
    if (taken.block == nullptr) return false;
    data_ = taken.lines;
    words_ = bytes / sizeof(std::uint64_t);
    block_ = taken.block;
    release_ = hook.release;
    return true;
}

#if defined(EVERBLOOM_HAVE_MREMAP)

namespace {

/// A multiple of the system's own, whatever that is on the processors of today.
constexpr std::uint64_t small_page_bytes = std::uint64_t{64} << 10;

/// EVERBLOOM_HUGE_PAGES=off in the environment: pages of the usual size, also where the system gives huge ones unasked.
int wanted_pages() noexcept {
    static const int advice = [] {
        const char* const said = std::getenv("EVERBLOOM_HUGE_PAGES");
        return said != nullptr && std::strcmp(said, "off") == 0 ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
    }();
    return advice;
}

/// Where the page of an address begins, and where the next one does, if it does not begin there itself.
char* page_begin(void* address, std::uint64_t page_bytes = small_page_bytes) noexcept {
    return static_cast<char*>(address) - reinterpret_cast<std::uintptr_t>(address) % page_bytes;
}
char* page_end(void* address, std::uint64_t page_bytes = small_page_bytes) noexcept {
    return page_begin(static_cast<char*>(address) + (page_bytes - 1), page_bytes);
}

} // namespace

bool heap_words::has_huge_pages() noexcept { return !has_hook.load(std::memory_order_acquire); }

// A huge page only backs an aligned range: reserve one page more than needed and release both ends. Room before the words is address space that
// cannot be used yet, which the system does not count as memory.
bool heap_words::allocate_huge(std::uint64_t bytes, std::uint64_t room) noexcept {
    const std::uint64_t kept = ceil_divide(bytes, huge_page_bytes) * huge_page_bytes;
    const std::uint64_t before = ceil_divide(room, huge_page_bytes) * huge_page_bytes;
    const std::uint64_t all = before + kept + huge_page_bytes;
    const int access = before == 0 ? PROT_READ | PROT_WRITE : PROT_NONE;
    if (all > std::size_t(-1)) return false;
    void* reserved = mmap(nullptr, static_cast<std::size_t>(all), access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserved == MAP_FAILED) return false;
    char* const base = static_cast<char*>(reserved);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    const std::uint64_t lead = (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
    if (lead != 0) munmap(base, lead);
    munmap(base + lead + before + kept, huge_page_bytes - lead);
    if (before != 0 && mprotect(base + lead + before, kept, PROT_READ | PROT_WRITE) != 0) {
        munmap(base + lead, before + kept);
        return false;
    }
    data_ = reinterpret_cast<std::uint64_t*>(base + lead + before);
    words_ = bytes / sizeof(std::uint64_t);
    mapped_bytes_ = kept;
    room_bytes_ = before;
    return true;
}

bool heap_words::open_before(std::uint64_t words) noexcept {
    const std::uint64_t bytes = words * sizeof(std::uint64_t);
    if (mapped_bytes_ == 0 || words > room_bytes_ / sizeof(std::uint64_t)) return false;
    char* const to = page_begin(data_);
    char* const from = page_begin(reinterpret_cast<char*>(data_) - bytes);
    return from == to || mprotect(from, static_cast<std::size_t>(to - from), PROT_READ | PROT_WRITE) == 0;
}

heap_words heap_words::take_over(std::uint64_t before, std::uint64_t words) noexcept {
    const std::uint64_t bytes = before * sizeof(std::uint64_t);
    heap_words made;
    made.data_ = data_ - before;
    made.words_ = words;
    made.mapped_bytes_ = mapped_bytes_ + bytes;
    made.room_bytes_ = room_bytes_ - bytes;
    made.spent_bytes_ = spent_bytes_ + bytes + (words_ - words) * sizeof(std::uint64_t);
    mapped_bytes_ = 0;
    room_bytes_ = 0;
    release_ = [](void*) {}; // what is left is a view
    return made;
}

void heap_words::prefer_huge_pages() noexcept {
    if (is_plain_mapping()) madvise(data_, mapped_bytes_, wanted_pages());
}

void heap_words::provide(std::uint64_t first, std::uint64_t end, std::uint64_t used_end) noexcept {
    if (mapped_bytes_ == 0) return;
    char* const from = page_begin(data_ + first);
    char* const to = std::min(page_end(data_ + end), reinterpret_cast<char*>(data_) + mapped_bytes_);
    if (from >= to) return;
#if defined(MADV_POPULATE_WRITE)
    // An older system refuses, and provides every page when it is touched.
    madvise(from, static_cast<std::size_t>(to - from), MADV_POPULATE_WRITE);
#endif
    // A huge page that begins before the words is left to those that come before them.
    char* const huge_from = std::max(page_begin(from, huge_page_bytes), page_end(data_, huge_page_bytes));
    char* const huge_to = page_begin(std::max(to, page_begin(data_ + used_end)), huge_page_bytes);
    if (huge_from < huge_to) madvise(huge_from, static_cast<std::size_t>(huge_to - huge_from), wanted_pages());
}

bool heap_words::extend_mapping(std::uint64_t bytes) noexcept {
    const std::uint64_t kept = ceil_divide(bytes, huge_page_bytes) * huge_page_bytes;
    if (bytes > physical_memory_bytes()) return false;
    if (kept > mapped_bytes_) {
        void* const moved = mremap(data_, mapped_bytes_, kept, MREMAP_MAYMOVE);
        if (moved == MAP_FAILED) return false; // and if not, what was said about huge pages still holds
        data_ = static_cast<std::uint64_t*>(moved);
        mapped_bytes_ = kept;
    }
    words_ = bytes / sizeof(std::uint64_t);
    return true;
}

void heap_words::shrink_mapping(std::uint64_t words) noexcept {
    const std::uint64_t before = words_ * sizeof(std::uint64_t);
    const std::uint64_t used = words * sizeof(std::uint64_t);
    const std::uint64_t kept = std::max<std::uint64_t>(1, ceil_divide(used, huge_page_bytes)) * huge_page_bytes;
    char* const base = reinterpret_cast<char*>(data_);
    if (kept < mapped_bytes_) munmap(base + kept, mapped_bytes_ - kept);
    mapped_bytes_ = std::min(kept, mapped_bytes_);
    // `extend` gives zeros, and what was never in use is zero; so is what the system gives for a page that went back to it.
    const std::uint64_t end = std::min(before, mapped_bytes_);
    const std::uint64_t whole_pages = std::min(ceil_divide(used, small_page_bytes) * small_page_bytes, end);
    std::memset(base + used, 0, static_cast<std::size_t>(whole_pages - used));
    if (whole_pages < end && madvise(base + whole_pages, end - whole_pages, MADV_DONTNEED) != 0) {
        std::memset(base + whole_pages, 0, static_cast<std::size_t>(end - whole_pages));
    }
    words_ = words;
}

void heap_words::forget_before(std::uint64_t first) noexcept {
    if (mapped_bytes_ == 0) return;
    // A little at a time: 2 MiB in pages of the usual size take the system a quarter of a millisecond. A huge page is split for it.
    char* const base = reinterpret_cast<char*>(data_);
    char* const from = page_end(base + forgotten_bytes_);
    char* const to = page_begin(data_ + first);
    if (from >= to) return;
    madvise(from, static_cast<std::size_t>(to - from), MADV_DONTNEED);
    forgotten_bytes_ = static_cast<std::uint64_t>(to - base);
}

void heap_words::release() noexcept {
    if (mapped_bytes_ != 0) {
        munmap(reinterpret_cast<char*>(data_) - room_bytes_, room_bytes_ + mapped_bytes_);
    } else if (release_ != nullptr) {
        release_(block_);
    } else {
        std::free(data_);
    }
}

#else

bool heap_words::has_huge_pages() noexcept { return false; }
bool heap_words::allocate_huge(std::uint64_t, std::uint64_t) noexcept { return false; }
bool heap_words::open_before(std::uint64_t) noexcept { return false; }
heap_words heap_words::take_over(std::uint64_t, std::uint64_t) noexcept { return {}; }
void heap_words::prefer_huge_pages() noexcept {}
void heap_words::provide(std::uint64_t, std::uint64_t, std::uint64_t) noexcept {}
bool heap_words::extend_mapping(std::uint64_t) noexcept { return false; }
void heap_words::shrink_mapping(std::uint64_t) noexcept {}
void heap_words::forget_before(std::uint64_t) noexcept {}

void heap_words::release() noexcept {
    if (release_ != nullptr) {
        release_(block_);
    } else {
        std::free(data_);
    }
}

#endif

} // namespace everbloom
