// Batches of queries with AVX-512 (src/elastic_wide_query.cpp): which views it can answer.
#pragma once

#include <everbloom/filter/elastic/elastic_blocks.hpp>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom::kernel::wide {

inline constexpr std::size_t wide_query_keys = 8;      // at once
inline constexpr unsigned wide_query_unused_bits = 12; // of a hash: multiplications are of 52 bits

/// Eight bits per key, stored hashes of at most 52 bits, and a number of blocks that has room above them.
[[nodiscard]] inline bool suits_wide_query(const elastic_block_view<const std::uint64_t>& view) noexcept {
    return view.hashes == lanes && view.unused_bits >= wide_query_unused_bits &&
           view.lines >> (64 - view.unused_bits) == 0 && has_wide_pages();
}
/// Answers a batch of some times wide_query_keys.
void contains(const elastic_block_view<const std::uint64_t>& view, std::span<const digest> items,
              std::uint8_t* answers) noexcept;

} // namespace everbloom::kernel::wide
#endif
