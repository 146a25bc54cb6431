// The blocks of an elastic blocked filter whose writer has readers beside it.
#pragma once

#include <everbloom/filter/kernel/shared_line.hpp>

namespace everbloom {

/// Access for one writer beside readers: a bit that a member needs is never missing in between, and old blocks stay untouched in memory
/// until they are taken away (runtime/shared_elastic.hpp).
struct shared_access {
    static constexpr bool has_readers = true;

    [[nodiscard]] static bool contains(const std::uint64_t* block, std::uint64_t seed, unsigned hashes) noexcept {
        return kernel::shared_contains(block, seed, hashes);
    }
    static void set(std::uint64_t* block, std::uint64_t seed, unsigned hashes) noexcept {
        kernel::shared_insert(block, seed, hashes);
    }
    static void replace(std::uint64_t* block, const kernel::line_mask& by) noexcept {
        kernel::shared_replace(block, by);
    }
    static void keep(std::uint64_t* block, const kernel::line_mask& bits) noexcept {
        for (unsigned i = 0; i < line_words; ++i) __atomic_store_n(block + i, block[i] & bits[i], __ATOMIC_RELAXED);
    }
    static void unite(std::uint64_t* block, const kernel::line_mask& with) noexcept {
        kernel::shared_unite(block, with);
    }
};

} // namespace everbloom
