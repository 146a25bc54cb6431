// heap_words: owned, zeroed, line-aligned memory.
//
// Large stores come from the system in whole huge pages and ask for them (random access to a 15 MB array is 1.3 to
// 1.5 times as fast with 2 MiB pages: fewer address translations miss). A request beyond the machine's memory is a failure
// at once: the system would promise it and kill the process later, when the pages are touched.
#pragma once

#include <everbloom/bits/word_store.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/result.hpp>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace everbloom {

class heap_words {
public:
    heap_words() noexcept = default;

    /// Zeroed words for `lines` cache lines.
    [[nodiscard]] static result<heap_words> make(std::uint64_t lines) {
        const auto bytes = checked_multiply(lines, line_bytes);
        if (!bytes || *bytes > physical_memory_bytes()) {
            return fail(failure_reason::out_of_memory,
                        "the filter would need " + describe(lines) + ", but this machine has " +
                            std::to_string(physical_memory_bytes() >> 20) + " MiB of memory; ask for fewer bits");
        }
        heap_words made;
        if (lines == 0) return made;
        if (!made.allocate(*bytes)) {
            return fail(failure_reason::out_of_memory, "the system cannot provide " + describe(lines) +
                                                           " of memory for the filter; ask for fewer bits");
        }
        return made;
    }

    /// A deep copy, which may fail; there is no copy constructor that could only throw.
    [[nodiscard]] result<heap_words> copy() const {
        auto made = make(words_ / line_words);
        if (made && words_ != 0) std::memcpy(made->data_, data_, words_ * sizeof(std::uint64_t));
        return made;
    }

    /// Grows to `lines` cache lines, at least the present size; existing words are kept, new ones are zero. A failure changes nothing.
    /// Large stores are moved by the system without being copied.
    [[nodiscard]] result<void> extend(std::uint64_t lines) {
#if defined(__linux__)
        if (mapped_bytes_ != 0 && lines <= max_structure_bits / line_bits && extend_mapping(lines * line_bytes)) {
            return {};
        }
#endif
        auto made = make(lines);
        if (!made) return fail(std::move(made.error()));
        if (words_ != 0) std::memcpy(made->data_, data_, words_ * sizeof(std::uint64_t));
        *this = std::move(*made);
        return {};
    }

    /// Returns the memory of the words before `first` to the system where possible; they must not be read any more.
    void forget_before(std::uint64_t first) noexcept {
#if defined(__linux__)
        if (mapped_bytes_ == 0) return;
        const std::uint64_t unneeded = first * sizeof(std::uint64_t) / huge_page_bytes * huge_page_bytes;
        if (unneeded <= forgotten_bytes_) return;
        madvise(reinterpret_cast<char*>(data_) + forgotten_bytes_, unneeded - forgotten_bytes_, MADV_DONTNEED);
        forgotten_bytes_ = unneeded;
#else
        (void)first;
#endif
    }

    heap_words(heap_words&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), words_(std::exchange(other.words_, 0)),
          mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
          forgotten_bytes_(std::exchange(other.forgotten_bytes_, 0)) {}

    heap_words& operator=(heap_words&& other) noexcept {
        if (this != &other) {
            release();
            data_ = std::exchange(other.data_, nullptr);
            words_ = std::exchange(other.words_, 0);
            mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
            forgotten_bytes_ = std::exchange(other.forgotten_bytes_, 0);
        }
        return *this;
    }

    heap_words(const heap_words&) = delete;
    heap_words& operator=(const heap_words&) = delete;
    ~heap_words() { release(); }

    [[nodiscard]] std::uint64_t* data() noexcept { return data_; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return data_; }
    [[nodiscard]] std::uint64_t words() const noexcept { return words_; }

    [[nodiscard]] static std::uint64_t physical_memory_bytes() noexcept {
        const long pages = sysconf(_SC_PHYS_PAGES);
        const long page_bytes = sysconf(_SC_PAGESIZE);
        if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 31;
        return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
    }

private:
    static constexpr std::uint64_t huge_page_bytes = std::uint64_t{2} << 20;

    static std::string describe(std::uint64_t lines) {
        constexpr std::uint64_t mebibyte_lines = (std::uint64_t{1} << 20) / line_bytes;
        if (lines < mebibyte_lines) return std::to_string(lines * line_bytes) + " bytes";
        return std::to_string(lines / mebibyte_lines) + " MiB";
    }

    bool allocate(std::uint64_t bytes) noexcept {
#if defined(__linux__)
        if (bytes >= huge_page_bytes) return allocate_huge(bytes);
#endif
        data_ = static_cast<std::uint64_t*>(std::aligned_alloc(line_bytes, bytes));
        if (data_ == nullptr) return false;
        std::memset(data_, 0, bytes);
        words_ = bytes / sizeof(std::uint64_t);
        return true;
    }

#if defined(__linux__)
    // A huge page only backs an aligned range: reserve one page more than needed and release both ends.
    bool allocate_huge(std::uint64_t bytes) noexcept {
        const std::uint64_t kept = ceil_divide(bytes, huge_page_bytes) * huge_page_bytes;
        void* reserved =
            mmap(nullptr, kept + huge_page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (reserved == MAP_FAILED) return false;
        char* const base = static_cast<char*>(reserved);
        const auto address = reinterpret_cast<std::uintptr_t>(base);
        const std::uint64_t lead = (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
        if (lead != 0) munmap(base, lead);
        munmap(base + lead + kept, huge_page_bytes - lead);
        madvise(base + lead, kept, MADV_HUGEPAGE);
        data_ = reinterpret_cast<std::uint64_t*>(base + lead);
        words_ = bytes / sizeof(std::uint64_t);
        mapped_bytes_ = kept;
        return true;
    }

    bool extend_mapping(std::uint64_t bytes) noexcept {
        const std::uint64_t kept = ceil_divide(bytes, huge_page_bytes) * huge_page_bytes;
        if (bytes > physical_memory_bytes()) return false;
        if (kept > mapped_bytes_) {
            void* const moved = mremap(data_, mapped_bytes_, kept, MREMAP_MAYMOVE);
            if (moved == MAP_FAILED) return false;
            madvise(moved, kept, MADV_HUGEPAGE);
            data_ = static_cast<std::uint64_t*>(moved);
            mapped_bytes_ = kept;
        }
        words_ = bytes / sizeof(std::uint64_t);
        return true;
    }
#endif

    void release() noexcept {
#if defined(__linux__)
        if (mapped_bytes_ != 0) {
            munmap(data_, mapped_bytes_);
            return;
        }
#endif
        std::free(data_);
    }

    std::uint64_t* data_ = nullptr;
    std::uint64_t words_ = 0;
    std::uint64_t mapped_bytes_ = 0; // 0: from malloc
    std::uint64_t forgotten_bytes_ = 0;
};

static_assert(WritableWordStore<heap_words>);

} // namespace everbloom
