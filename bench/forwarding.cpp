// How fast does a node decide whether a packet leaves on a link? Headers of 256 bits in registers, against the masks of the links of one
// node (16) and of many (4096, more than the first-level cache holds), and wider ones.
#include "keys.hpp"
#include "measurements.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>
#include <everbloom/route/forwarding.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

namespace everbloom::bench {
namespace {

using route::header_shape;

/// A mask with 4 bits in the yes-filter, or 6 if there are no no-filters, and 3 in each of these.
template <header_shape Shape>
route::link_mask<Shape> mask_of(std::uint64_t link) {
    route::link_mask<Shape> made;
    std::uint64_t state = key_at(link);
    const auto position = [&](unsigned below) {
        state = mix(state + golden_ratio_bits);
        return static_cast<unsigned>(reduce(state, below));
    };
    const int yes = Shape.no_filters == 0 ? 6 : 4;
    for (int i = 0; i < yes; ++i) made.mark_yes(position(Shape.yes_bits));
    if constexpr (Shape.no_filters > 0) {
        for (int i = 0; i < 3; ++i) made.mark_no(position(Shape.no_bits));
    }
    return made;
}

/// A header with a path of 28 links in it, as that of TataNld; its no-filters hold one foreign link each.
template <header_shape Shape>
route::packet_header<Shape> header_of_path() {
    route::packet_header<Shape> made;
    constexpr std::uint64_t links = 28;
    for (std::uint64_t link = 0; link < links; ++link) {
        const auto mask = mask_of<Shape>(link);
        for (unsigned i = 0; i < Shape.words(); ++i) {
            made.words[i] |= mask.words[i] & route::field_in_word(0, Shape.yes_bits, i);
        }
    }
    for (unsigned j = 0; j < Shape.no_filters; ++j) {
        const auto mask = mask_of<Shape>(links + j);
        for (unsigned i = 0; i < Shape.words(); ++i) {
            made.words[i] |= mask.words[i] & route::field_in_word(Shape.no_filter_at(j), Shape.no_bits, i);
        }
    }
    return made;
}

template <header_shape Shape>
void time_decisions(benchmark::State& state, std::size_t links) {
    std::vector<route::link_mask<Shape>> masks;
    for (std::size_t i = 0; i < links; ++i) masks.push_back(mask_of<Shape>(i));
    auto header = header_of_path<Shape>();
    for (auto _ : state) {
        benchmark::DoNotOptimize(header.words.data()); // a packet the compiler knows nothing about
        benchmark::ClobberMemory();
        std::uint64_t leaving = 0;
        for (const auto& mask : masks) leaving += route::forwards(header, mask) ? 1 : 0;
        benchmark::DoNotOptimize(leaving);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(links));
}

template <header_shape Shape>
void add_shape(std::string_view contestant) {
    for (const std::size_t links : {std::size_t{16}, std::size_t{4096}}) {
        add_measurement("forwarding", std::to_string(links) + "_links", contestant,
                        [links](benchmark::State& state) { time_decisions<Shape>(state, links); });
    }
}

} // namespace

void register_forwarding() {
    add_shape<route::bloom_256>("bloom_256");
    add_shape<route::yes_no_256>("yes_no_192_2x32");
    add_shape<header_shape{384, 4, 32}>("yes_no_384_4x32");
    add_shape<header_shape{200, 3, 40}>("yes_no_200_3x40");
}

} // namespace everbloom::bench
