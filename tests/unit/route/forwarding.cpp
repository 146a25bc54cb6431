// The forwarding decision against the filters whose bits it reads: a node must answer what the filter would.
#include "support/dice.hpp"
#include "support/must.hpp"
#include "support/rounds.hpp"

#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/route/forwarding.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace everbloom::support {
namespace {

using route::header_shape;

template <header_shape Shape>
struct shaped {
    static constexpr header_shape shape = Shape;
};

template <class Shaped>
class forwarding : public ::testing::Test {};

// The paper's; one without no-filters; some whose fields begin and end in the middle of words; one of many small no-filters.
using shapes = ::testing::Types<shaped<route::yes_no_256>, shaped<route::bloom_256>, shaped<header_shape{200, 3, 40}>,
                                shaped<header_shape{65, 1, 7}>, shaped<header_shape{40, 5, 13}>,
                                shaped<header_shape{128, 1, 130}>, shaped<header_shape{100, 20, 9}>>;
TYPED_TEST_SUITE(forwarding, shapes);

yes_no_spec spec_of(const header_shape& shape) {
    yes_no_spec spec;
    spec.yes_bits = shape.yes_bits;
    spec.yes_hashes = 4;
    spec.no_filters = shape.no_filters;
    spec.no_bits = shape.no_filters == 0 ? 1 : shape.no_bits;
    spec.no_hashes = 3;
    spec.seeds = 4;
    return spec;
}

std::vector<digest> random_links(dice& random, std::uint64_t count) {
    std::vector<digest> made;
    for (std::uint64_t i = 0; i < count; ++i) made.push_back({random.word(), random.word()});
    return made;
}

template <header_shape Shape>
route::link_mask<Shape> mask_of(const yes_no_spec& spec, digest link, std::uint64_t seed) {
    const yes_no_places places(spec);
    route::link_mask<Shape> made;
    const position_list yes = places.yes(link, seed);
    for (const std::uint64_t at : yes.get()) made.mark_yes(static_cast<unsigned>(at));
    if constexpr (Shape.no_filters > 0) {
        const position_list no = places.no(link, seed);
        for (const std::uint64_t at : no.get()) made.mark_no(static_cast<unsigned>(at));
    }
    return made;
}

template <header_shape Shape>
route::packet_header<Shape> header_of(const yes_no_filter& filter) {
    route::packet_header<Shape> made;
    const auto set = [&](unsigned bit) { made.words[bit / 64] |= std::uint64_t{1} << bit % 64; };
    for (unsigned i = 0; i < Shape.yes_bits; ++i) {
        if (filter.yes_bit(0, i)) set(i);
    }
    for (unsigned j = 0; j < Shape.no_filters; ++j) {
        for (unsigned i = 0; i < Shape.no_bits; ++i) {
            if (filter.no_bit(0, j, i)) set(Shape.yes_bits + j * Shape.no_bits + i);
        }
    }
    return made;
}

TYPED_TEST(forwarding, a_node_answers_what_the_filter_answers) {
    constexpr header_shape shape = TypeParam::shape;
    dice random(20160402);
    std::uint64_t vetoes = 0; // links that only a no-filter keeps from being taken
    for (std::uint64_t round = 0; round < rounds(400); ++round) {
        const yes_no_spec spec = spec_of(shape);
        const auto members = random_links(random, 1 + random.below(shape.yes_bits / 5));
        const auto negatives = random_links(random, random.below(200));
        const auto built = must(build_yes_no(spec, members, negatives));
        const auto header = header_of<shape>(built.filter);
        const std::uint64_t seed = built.filter.seed(0);
        for (const digest& link : members) EXPECT_TRUE(forwards(header, mask_of<shape>(spec, link, seed)));
        auto asked = random_links(random, 200);
        asked.insert(asked.end(), negatives.begin(), negatives.end());
        for (const digest& link : asked) {
            const auto mask = mask_of<shape>(spec, link, seed);
            EXPECT_EQ(forwards(header, mask), built.filter.may_contain(link));
            EXPECT_EQ(route::forwards(header.words, mask.words, shape), built.filter.may_contain(link));
        }
        vetoes += built.report.false_positives_before - built.report.false_positives_after;
    }
    EXPECT_EQ(vetoes > 0, shape.no_filters > 0); // else the no-filters were never asked
}

TEST(forwarding_decision, a_bloom_header_answers_what_the_bloom_filter_answers) {
    constexpr header_shape shape = route::bloom_256;
    dice random(1970);
    std::uint64_t foreign = 0;
    for (std::uint64_t round = 0; round < rounds(60); ++round) {
        const bloom_spec spec{shape.yes_bits, 6, static_cast<std::uint64_t>(probe_scheme::independent)};
        auto filter = must(make<bloom_filter>(spec));
        for (const digest& link : random_links(random, 40)) filter.insert(link);
        route::packet_header<shape> header;
        for (unsigned i = 0; i < shape.words(); ++i) header.words[i] = filter.sections()[0][i];
        for (const digest& link : random_links(random, 300)) {
            route::link_mask<shape> mask;
            for_each_position(link, {shape.yes_bits, 6, probe_scheme::independent},
                              [&](std::uint64_t at) { mask.mark_yes(static_cast<unsigned>(at)); });
            EXPECT_EQ(forwards(header, mask), filter.may_contain(link));
            foreign += filter.may_contain(link) ? 1 : 0;
        }
    }
    EXPECT_GT(foreign, 0U); // both answers have been seen
}

TYPED_TEST(forwarding, a_header_survives_its_bytes) {
    constexpr header_shape shape = TypeParam::shape;
    dice random(7);
    std::array<std::uint8_t, shape.bytes()> bytes{};
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    const auto header = route::packet_header<shape>::from_bytes(bytes);
    EXPECT_EQ(header.to_bytes(), bytes);
    for (unsigned i = 0; i < shape.bits(); ++i) {
        EXPECT_EQ(header.words[i / 64] >> i % 64 & 1, bytes[i / 8] >> i % 8 & 1U) << "bit " << i;
    }
}

TEST(forwarding_decision, fields_are_cut_out_of_words_at_any_place) {
    for (unsigned first = 0; first < 200; first += 3) {
        for (unsigned count = 0; count < 200; count += 7) {
            for (unsigned bit = 0; bit < 448; ++bit) {
                const bool inside = bit >= first && bit < first + count;
                EXPECT_EQ((route::field_in_word(first, count, bit / 64) >> bit % 64 & 1) != 0, inside);
            }
        }
    }
}

// The decision can be made by the compiler: a path of one link, and a foreign link with the same bits in the yes-filter.
constexpr auto small_shape = header_shape{8, 1, 4};
constexpr auto only_link = [] {
    route::link_mask<small_shape> made;
    made.mark_yes(1);
    made.mark_yes(6);
    made.mark_no(0);
    return made;
}();
constexpr auto foreign_link = [] {
    route::link_mask<small_shape> made;
    made.mark_yes(1);
    made.mark_yes(6);
    made.mark_no(3);
    return made;
}();
constexpr auto bytes_without_veto = std::array<std::uint8_t, 2>{0b0100'0010, 0};
constexpr auto bytes_with_veto = std::array<std::uint8_t, 2>{0b0100'0010, 0b1000};

TEST(forwarding_decision, a_no_filter_stops_the_foreign_link_and_no_other) {
    constexpr auto open = route::packet_header<small_shape>::from_bytes(bytes_without_veto);
    constexpr auto guarded = route::packet_header<small_shape>::from_bytes(bytes_with_veto);
    static_assert(forwards(open, only_link) && forwards(open, foreign_link));
    static_assert(forwards(guarded, only_link));
    EXPECT_FALSE(forwards(guarded, foreign_link));
}

} // namespace
} // namespace everbloom::support
