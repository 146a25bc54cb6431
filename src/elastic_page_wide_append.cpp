// Appending to a page of stored hashes with AVX-512: eight hashes become eight slots and are packed at once.
//
// A hash of at most 52 bits times the number of bins, with the multiplications of 52 bits of AVX-512 IFMA: the high half is the bin, the
// upper bits of the low half are the remainder. For packing, each remainder is shifted to where it begins within a byte. Two permutations of
// bytes, one for the slots with even numbers and one for the odd ones, bring their bytes to their places: slots of one kind share no byte. If the
// first free slot begins within a byte, all eight are shifted up to it together, and share that byte with the slot before.
#include "elastic_page_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {
namespace {

/// How eight words become a group of slots of one width: which byte goes where.
struct packing {
    alignas(64) std::array<std::uint8_t, 64> even_bytes{};
    alignas(64) std::array<std::uint8_t, 64> odd_bytes{};
    std::uint64_t even = 0; // the bytes of the group that even slots have a part in
    std::uint64_t odd = 0;
};
constexpr std::array<packing, widest_vector_slot + 1> packings = [] {
    std::array<packing, widest_vector_slot + 1> made{};
    for (unsigned width = hash_geometry::counter_bits; width <= widest_vector_slot; ++width) {
        packing& one = made[width];
        for (unsigned slot = 0; slot < group_slots; ++slot) {
            const unsigned first = slot * width / 8;
            const unsigned last = ((slot + 1) * width - 1) / 8;
            for (unsigned byte = first; byte <= last; ++byte) {
                (slot % 2 == 0 ? one.even_bytes : one.odd_bytes)[byte] =
                    static_cast<std::uint8_t>(8 * slot + byte - first);
                (slot % 2 == 0 ? one.even : one.odd) |= std::uint64_t{1} << byte;
            }
        }
    }
    return made;
}();

constexpr unsigned factor_bits = 52; // of the multiplications

} // namespace

EVERBLOOM_WIDE_PAGES std::size_t append_to_page(std::uint64_t* page, const hash_geometry& geometry, std::uint64_t index,
                                                std::span<const std::uint64_t> hashes) noexcept {
    if (geometry.unused_bits() < 64 - factor_bits) return kernel::append_to_page(page, geometry, index, hashes);
    if (hash_page<const std::uint64_t>::link(page) != 0) [[unlikely]]
        return 0;
    const unsigned width = geometry.slot_bits();
    const unsigned used = used_slots(page[0]);
    const std::size_t most = std::min<std::size_t>(hashes.size(), geometry.slots() - used);
    const packing& how = packings[width];
    const eight even = _mm512_load_si512(how.even_bytes.data());
    const eight odd = _mm512_load_si512(how.odd_bytes.data());
    const eight shifts = _mm512_load_si512(unpackings[width].shifts.data());
    const eight bins = all(geometry.bins());
    const eight here = all(index);
    const unsigned lead = used * width % 8;
    auto* at = reinterpret_cast<std::uint8_t*>(page) + header_bytes + used * width / 8;
    std::uint64_t begun = _bzhi_u64(*at, lead); // bits of the first byte that are taken
    eight counts = _mm512_setzero_si512();
    std::size_t done = 0;
    while (done < most) {
        const auto left = static_cast<unsigned>(std::min<std::size_t>(group_slots, most - done));
        const eight factors = _mm512_srli_epi64(
            load(static_cast<__mmask8>(_bzhi_u32(0xff, left)), hashes.data() + done), 64 - factor_bits);
        const eight high = _mm512_madd52hi_epu64(_mm512_setzero_si512(), factors, bins);
        const eight low = _mm512_madd52lo_epu64(_mm512_setzero_si512(), factors, bins);
        // In ascending order: the first ones, if any.
        const __mmask8 fits = _mm512_mask_cmpeq_epu64_mask(static_cast<__mmask8>(_bzhi_u32(0xff, left)),
                                                           _mm512_srli_epi64(high, 3), here);
        const auto count = static_cast<unsigned>(_mm_popcnt_u32(fits));
        const eight bin_in_page = _mm512_and_si512(high, all(hash_geometry::page_bins - 1));
        counts = _mm512_add_epi64(counts, _mm512_maskz_sllv_epi64(fits, all(1), _mm512_slli_epi64(bin_in_page, 3)));
        const eight remainders = _mm512_maskz_srl_epi64(fits, low, by(factor_bits - width));
        const eight shifted = _mm512_sllv_epi64(remainders, shifts);
        const eight packed = _mm512_or_si512(_mm512_maskz_permutexvar_epi8(how.even, even, shifted),
                                             _mm512_maskz_permutexvar_epi8(how.odd, odd, shifted));
        const eight moved =
            _mm512_shldv_epi64(packed, _mm512_alignr_epi64(packed, _mm512_setzero_si512(), 7), all(lead));
        const eight first = _mm512_zextsi128_si512(_mm_cvtsi64_si128(static_cast<long long>(begun)));
        const unsigned bytes = (lead + count * width + 7) / 8;
        _mm512_mask_storeu_epi8(at, _bzhi_u64(~std::uint64_t{0}, bytes), _mm512_or_si512(moved, first));
        if (count < group_slots) {
            done += count;
            break;
        }
        done += group_slots; // not `count`, for which the next round would wait
        at += width;
        const std::uint64_t last = hashes[done - 1] * geometry.bins() >> (64 - width);
        begun = last >> (width - lead);
    }
    page[0] += static_cast<std::uint64_t>(_mm512_reduce_add_epi64(counts));
    return done;
}

} // namespace everbloom::kernel::wide
#endif
