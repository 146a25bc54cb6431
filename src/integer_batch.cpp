// Eight numbers at a time with AVX-512.
//
// The hash is three products, and a processor multiplies 64 bits once per cycle. A product of 64 bits is four of 32 bits, and there are
// two vectors of eight of those per cycle:
//
//   a * b = a1 b1 << 64  +  (a1 b0 + a0 b1) << 32  +  a0 b0
#include "integer_batch.hpp"

#include "wide_cells.hpp"

namespace everbloom::kernel {

#if defined(EVERBLOOM_WIDE_CELLS)
namespace {

/// The high half of the product xor the low half.
EVERBLOOM_WIDE [[nodiscard, gnu::always_inline]] inline eight_words fold(eight_words a, std::uint64_t factor) noexcept {
    constexpr std::uint64_t half = 0xffffffff;
    const eight_words b0 = eight_words{} + (factor & half);
    const eight_words b1 = eight_words{} + (factor >> 32);
    const eight_words a1 = a >> 32;
    const eight_words low = product(a, b0);
    const eight_words middle = product(a1, b0) + (low >> 32);
    const eight_words other_middle = product(a, b1) + (middle & half);
    return (product(a1, b1) + (middle >> 32) + (other_middle >> 32)) ^ (other_middle << 32) ^ (low & half);
}

EVERBLOOM_WIDE void hash_eights(std::span<const std::uint64_t> numbers, std::uint64_t whitening,
                                digest* digests) noexcept {
    for (std::size_t from = 0; from < numbers.size(); from += 8) {
        const std::size_t here = std::min<std::size_t>(8, numbers.size() - from);
        const auto read = static_cast<__mmask8>((1u << here) - 1);
        const auto written = (1u << (2 * here)) - 1;
        prefetch_anywhere(numbers.data() + from + 256);
        const auto keys = reinterpret_cast<eight_words>(_mm512_maskz_loadu_epi64(read, numbers.data() + from));
        const eight_words low =
            fold(fold(keys ^ whitening, integer_hasher::first_multiplier), integer_hasher::second_multiplier);
        const eight_words high = low * integer_hasher::third_multiplier;
        const eight_words front = __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
        const eight_words back = __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
        _mm512_mask_storeu_epi64(digests + from, static_cast<__mmask8>(written & 0xff),
                                 reinterpret_cast<__m512i>(front));
        if (here > 4)
            _mm512_mask_storeu_epi64(digests + from + 4, static_cast<__mmask8>(written >> 8),
                                     reinterpret_cast<__m512i>(back));
    }
}

} // namespace

bool hash_integers(std::span<const std::uint64_t> numbers, std::uint64_t whitening,
                   std::span<digest> digests) noexcept {
    if (!has_wide_vectors()) return false;
    hash_eights(numbers, whitening, digests.data());
    return true;
}
#else
bool hash_integers(std::span<const std::uint64_t>, std::uint64_t, std::span<digest>) noexcept { return false; }
#endif

} // namespace everbloom::kernel
