// How an elastic filter changes its lines: alone, or while others read them.
//
// Alone it uses vectors and gives memory back at once. With readers about, every word is read and written as a whole, a bit that a
// member needs is never missing in between, and old lines stay untouched in memory until somebody who knows the readers lets them go
// (runtime/shared_elastic.hpp).
#pragma once

#include <everbloom/filter/kernel/line_batch.hpp>

#include <cstdint>
#include <cstring>

namespace everbloom {

struct exclusive_access {
    static constexpr bool has_readers = false;

    [[nodiscard]] static bool contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
        return kernel::contains(line, hash, hashes);
    }
    static void set(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
        kernel::insert(line, hash, hashes);
    }
    static void replace(std::uint64_t* line, const kernel::line_mask& by) noexcept {
        std::memcpy(line, by.data(), sizeof by);
    }
};

struct shared_access {
    static constexpr bool has_readers = true;

    [[nodiscard]] static bool contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
        const kernel::line_mask pattern = kernel::line_pattern(hash, hashes);
        std::uint64_t missing = 0;
        for (unsigned i = 0; i < line_words; ++i) missing |= pattern[i] & ~__atomic_load_n(line + i, __ATOMIC_RELAXED);
        return missing == 0;
    }
    static void set(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
        const kernel::line_mask pattern = kernel::line_pattern(hash, hashes);
        for (unsigned i = 0; i < line_words; ++i) {
            // Only one writes, so loading and storing apart loses nothing.
            if (pattern[i] != 0) __atomic_store_n(line + i, line[i] | pattern[i], __ATOMIC_RELAXED);
        }
    }
    static void replace(std::uint64_t* line, const kernel::line_mask& by) noexcept {
        for (unsigned i = 0; i < line_words; ++i) __atomic_store_n(line + i, by[i], __ATOMIC_RELAXED);
    }
};

} // namespace everbloom
