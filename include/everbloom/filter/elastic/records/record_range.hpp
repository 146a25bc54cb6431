// How many different records lie in a range: what buckets are, once records are sorted.
#pragma once

#include <everbloom/filter/elastic/records/moving_records.hpp>

#include <algorithm>
#include <cstdint>

namespace everbloom {

/// A part of all records; both ends belong to it.
struct record_range {
    std::uint64_t lowest = 0;
    std::uint64_t highest = ~std::uint64_t{0};
};

/// `enough` different records end the counting.
template <WordStore Store>
[[nodiscard]] unsigned count_within(const record_pages<Store>& pages, const record_range& range,
                                    unsigned enough) noexcept {
    const record_place from = pages.geometry().place_of(range.lowest);
    const record_place to = pages.geometry().place_of(range.highest);
    unsigned counted = 0;
    for (std::uint64_t bin = from.bin; bin <= to.bin && counted < enough; ++bin) {
        counted += pages.page(bin / record_geometry::page_bins)
                       .count_within(static_cast<unsigned>(bin % record_geometry::page_bins),
                                     bin == from.bin ? from.stored : 0, bin == to.bin ? to.stored : ~std::uint64_t{0},
                                     enough - counted);
    }
    return counted;
}

/// Of old and new pages together.
template <WordStore Store>
[[nodiscard]] unsigned count_within(const moving_records<Store>& records, const record_range& range,
                                    unsigned enough) noexcept {
    const std::uint64_t frontier = records.frontier();
    unsigned counted = 0;
    if (range.lowest < frontier) {
        counted = count_within(records.next(), {range.lowest, std::min(range.highest, frontier - 1)}, enough);
    }
    if (range.highest < frontier || counted >= enough) return counted;
    return counted + count_within(records.now(), {std::max(range.lowest, frontier), range.highest}, enough - counted);
}

} // namespace everbloom
