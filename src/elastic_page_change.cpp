// Changes of one page of stored hashes: a slot is found, put in and taken out with vectors.
#include "elastic_page_slots.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel {

EVERBLOOM_MODERN bool insert_into_page(page_to_change where, const hash_geometry& geometry, unsigned bin,
                                       std::uint64_t remainder) noexcept {
    std::uint64_t* const page = where.words;
    const std::uint64_t counts = page[0];
    const bin_slots here(counts, bin);
    const unsigned width = geometry.slot_bits();
    if (is_unusual(page[1], bin) || here.used >= geometry.slots()) [[unlikely]]
        return false;
    const packed_slots slots(page, width);
    const unsigned at = first_not_below(slots, here, remainder);
    if (at < here.end && slots.get(at) == remainder) [[unlikely]]
        return false;
    insert_bits(page, header_bits + at * width, (header_bits + (here.used + 1) * width - 1) / 64, width, remainder);
    page[0] = counts + (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_MODERN bool erase_from_page(page_to_change where, const hash_geometry& geometry, unsigned bin,
                                      std::uint64_t remainder) noexcept {
    std::uint64_t* const page = where.words;
    const std::uint64_t counts = page[0];
    const bin_slots here(counts, bin);
    const unsigned width = geometry.slot_bits();
    if (is_unusual(page[1], bin)) [[unlikely]]
        return false;
    const packed_slots slots(page, width);
    const unsigned at = first_not_below(slots, here, remainder);
    if (at >= here.end || slots.get(at) != remainder) [[unlikely]]
        return false;
    erase_bits(page, header_bits + at * width, (header_bits + here.used * width - 1) / 64, width,
               static_cast<unsigned>(geometry.page_words()));
    page[0] = counts - (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_MODERN page_answer find_in_page(const std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                          std::uint64_t remainder) noexcept {
    const bin_slots here(page[0], bin);
    if (is_unusual(page[1], bin)) [[unlikely]]
        return page_answer::unknown;
    const packed_slots slots(page, geometry.slot_bits());
    const unsigned at = first_not_below(slots, here, remainder);
    return at < here.end && slots.get(at) == remainder ? page_answer::present : page_answer::absent;
}

EVERBLOOM_MODERN std::size_t append_to_page(std::uint64_t* page, const hash_geometry& geometry, std::uint64_t index,
                                            std::span<const std::uint64_t> hashes) noexcept {
    using one_page = hash_page<const std::uint64_t>;
    if (one_page::link(page) != 0) [[unlikely]]
        return 0;
    const unsigned width = geometry.slot_bits();
    const std::uint64_t bins = geometry.bins();
    std::uint64_t counts = page[0];
    const unsigned used = bin_slots(counts, 0).used;
    const std::size_t most = std::min<std::size_t>(hashes.size(), geometry.slots() - used);
    auto* at = reinterpret_cast<std::uint8_t*>(page + hash_geometry::header_words) + used * width / 8;
    unsigned lead = used * width % 8;
    std::uint64_t pending = _bzhi_u64(*at, lead);
    std::size_t done = 0;
    for (; done < most; ++done) {
        const wide_product product = multiply_wide(hashes[done], bins);
        if (product.high / hash_geometry::page_bins != index) break;
        counts += std::uint64_t{1} << (8 * (product.high % hash_geometry::page_bins));
        pending |= product.low >> (64 - width) << lead;
        std::memcpy(at, &pending, sizeof pending);
        lead += width;
        at += lead / 8;
        pending >>= lead / 8 * 8;
        lead %= 8;
    }
    page[0] = counts;
    return done;
}

} // namespace everbloom::kernel
#endif
