// Batches of queries of elastic blocked filters with AVX-512: the blocks of eight keys at once.
//
// Where a key's block is takes more work than the test of its bits: the stored hash, its side of the frontier, the block in the array of that side,
// and the seed of the pattern. All of it is vector code here, without a branch and with one multiplication of 52 bits per eight keys for the
// blocks: a stored hash has at most 52 bits. A filter at rest has nothing below its frontier, which costs two instructions per eight keys.
#include <everbloom/filter/elastic/elastic_wide_query.hpp>

#if defined(EVERBLOOM_MODERN_X86)
#include "elastic_page_wide.hpp"

#include <everbloom/filter/kernel/line_batch.hpp>

#define EVERBLOOM_WIDE_QUERY EVERBLOOM_WIDE_PAGES [[gnu::always_inline]]

namespace everbloom::kernel::wide {
namespace {

constexpr std::size_t together = wide_query_keys;
/// Who asks for many keys has them one behind the other, and often in batches of this size, whose beginning no processor foresees: with the keys
/// themselves in the third-level cache, queries took half as long again. Prefetching what is not there does no harm.
constexpr std::size_t keys_ahead = 256;

/// The blocks of keys, and the seeds of their patterns.
struct places {
    alignas(64) std::array<std::uint64_t, line_lead> blocks; // addresses
    alignas(64) std::array<std::uint64_t, line_lead> seeds;
};

class block_finder {
public:
    EVERBLOOM_WIDE_QUERY explicit block_finder(const elastic_block_view<const std::uint64_t>& view) noexcept
        : unused_(by(view.unused_bits)),
          // Stored hashes are multiples of what the unused bits count: the first that is not below the frontier.
          frontier_(
              all((view.frontier >> view.unused_bits) + ((view.frontier & low_mask(view.unused_bits)) != 0 ? 1 : 0))),
          now_(all(reinterpret_cast<std::uintptr_t>(view.now))),
          next_(all(reinterpret_cast<std::uintptr_t>(view.next))), now_blocks_(all(scaled(view, view.now_blocks))),
          next_blocks_(all(scaled(view, view.next_blocks))) {}

    /// Of eight keys.
    EVERBLOOM_WIDE_QUERY void find(const digest* items, places& found, std::size_t at) const noexcept {
        const eight low_words = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const eight words =
            _mm512_permutex2var_epi64(_mm512_loadu_si512(items), low_words, _mm512_loadu_si512(items + together / 2));
        const eight stored = _mm512_srl_epi64(words, unused_);
        const __mmask8 moved = _mm512_cmplt_epu64_mask(stored, frontier_);
        const eight block = _mm512_madd52hi_epu64(_mm512_setzero_si512(), stored,
                                                  _mm512_mask_blend_epi64(moved, now_blocks_, next_blocks_));
        const eight address =
            _mm512_add_epi64(_mm512_mask_blend_epi64(moved, now_, next_), _mm512_slli_epi64(block, line_shift));
        _mm512_store_si512(found.blocks.data() + at, address);
        _mm512_store_si512(found.seeds.data() + at, _mm512_mullo_epi64(stored, all(block_hashing::seed_factor)));
    }

private:
    static constexpr unsigned line_shift = 6;
    static_assert(line_bytes == 1U << line_shift);

    /// The product with a stored hash has 52 bits behind the point.
    [[nodiscard]] static std::uint64_t scaled(const elastic_block_view<const std::uint64_t>& view,
                                              std::uint64_t blocks) noexcept {
        return blocks << (view.unused_bits - wide_query_unused_bits);
    }

    __m128i unused_;
    eight frontier_;
    eight now_;
    eight next_;
    eight now_blocks_;
    eight next_blocks_;
};

EVERBLOOM_WIDE_QUERY inline void send_for(std::uint64_t address) noexcept {
    prefetch_line(reinterpret_cast<const void*>(address)); // NOLINT(performance-no-int-to-ptr)
}

/// Whether a block has all bits of a pattern of eight.
EVERBLOOM_WIDE_QUERY inline std::uint8_t has_pattern(std::uint64_t address, const std::uint64_t& seed) noexcept {
    // Through a number, because it was made in a vector.
    const auto* const halves = reinterpret_cast<const __m256i*>(address); // NOLINT(performance-no-int-to-ptr)
    // The sign bit of each unit tells the half of its bit, the next five the bit.
    const __m256i sixes = _mm256_sllv_epi32(_mm256_set1_epi64x(static_cast<long long>(seed)),
                                            _mm256_setr_epi32(0, 0, 6, 6, 12, 12, 18, 18));
    const __m256 chosen =
        _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_load_si256(halves)),
                         _mm256_castsi256_ps(_mm256_load_si256(halves + 1)), _mm256_castsi256_ps(sixes));
    const __m256i bits = _mm256_rolv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(sixes, 26));
    return static_cast<std::uint8_t>(_mm256_testc_si256(_mm256_castps_si256(chosen), bits));
}

} // namespace

EVERBLOOM_WIDE_PAGES void contains(const elastic_block_view<const std::uint64_t>& view, std::span<const digest> items,
                                   std::uint8_t* answers) noexcept {
    const block_finder finder(view);
    const std::size_t count = items.size();
    const std::size_t lead = view.lines > near_lines ? line_lead : near_lead;
    std::array<places, 2> found;
    for (std::size_t at = 0; at < std::min(lead, count); at += together) {
        finder.find(items.data() + at, found[0], at);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < together; ++i) send_for(found[0].blocks[at + i]);
    }
    for (std::size_t first = 0; first < count; first += lead) {
        const places& now = found[first / lead % 2];
        places& next = found[first / lead % 2 ^ 1];
        const std::size_t end = std::min(lead, count - first);
        const std::size_t more = first + lead < count ? std::min(lead, count - first - lead) : 0;
        if (more != 0) finder.find(items.data() + first + lead, next, 0);
        std::size_t at = 0;
        for (; at < more; at += together) {

            const digest* const later = items.data() + (first + at) + keys_ahead;
            for (std::size_t i = 0; i < together; i += line_bytes / sizeof(digest)) prefetch_line(later + i);
            // Found one step before, so that the addresses have come through memory.
            if (at + together < more) finder.find(items.data() + first + lead + at + together, next, at + together);
#pragma GCC unroll 8
            for (std::size_t i = 0; i < together; ++i) {
                send_for(next.blocks[at + i]);
                answers[first + at + i] = has_pattern(now.blocks[at + i], now.seeds[at + i]);
            }
        }
        for (; at < end; ++at) answers[first + at] = has_pattern(now.blocks[at], now.seeds[at]);
    }
}

} // namespace everbloom::kernel::wide
#endif
