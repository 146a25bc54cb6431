// A file that comes in pieces meets the same judge as a whole one: what is read is accepted, with the same bytes afterwards, and what is
// refused is refused with the same words, whatever the kind and however the pieces are cut.
#include "hostile/operate.hpp"
#include "support/rounds.hpp"

#include <everbloom/runtime/filter_arrival.hpp>

#include <random>

namespace everbloom::hostile {
namespace {

using support::must;
using support::rounds;

struct kept_bytes final : byte_sink {
    file_bytes bytes;
    result<void> write(std::span<const std::byte> piece) override {
        bytes.insert(bytes.end(), piece.begin(), piece.end());
        return {};
    }
};

/// Pieces of `size` bytes, or of random sizes if that is 0.
result<filter_file> arrive(const file_bytes& bytes, std::size_t size, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    filter_arrival arrival = must(filter_arrival::of(bytes.size()));
    std::span<const std::byte> rest(bytes);
    while (!rest.empty()) {
        const std::size_t wanted = size != 0 ? size : static_cast<std::size_t>(1 + random() % 3000);
        const auto piece = rest.first(std::min(rest.size(), wanted));
        if (auto taken = arrival.take(piece); !taken) return fail(std::move(taken.error()));
        rest = rest.subspan(piece.size());
    }
    EXPECT_TRUE(arrival.is_complete());
    return arrival.finish();
}

void expect_the_same(const file_bytes& bytes, const std::string& what, std::uint64_t seed) {
    const auto whole = read_filter(bytes);
    for (const std::size_t size : {std::size_t{0}, bytes.size()}) {
        const auto made = arrive(bytes, size, seed);
        ASSERT_EQ(made.has_value(), whole.has_value()) << what << ": " << (made ? whole : made).error().sentence;
        if (made) {
            EXPECT_EQ(write_filter(*made), bytes) << what;
        } else {
            EXPECT_EQ(made.error().reason, whole.error().reason) << what;
            EXPECT_EQ(made.error().sentence, whole.error().sentence) << what;
        }
    }
}

class arriving_pieces : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, arriving_pieces, ::testing::ValuesIn(kinds_that_can(capability::query)), kind_name);

TEST_P(arriving_pieces, of_any_size_make_the_filter) {
    const file_bytes& bytes = small_file(kind().name);
    for (const std::size_t size : {1, 7, 8, 64, 71, 72, 73, 4096, 1 << 20, 0}) {
        auto made = arrive(bytes, size);
        ASSERT_TRUE(made) << "pieces of " << size << ": " << made.error().sentence;
        EXPECT_EQ(write_filter(*made), bytes);
        operate(*made, size);
    }
}

TEST_P(arriving_pieces, damaged_ones_are_refused_as_the_whole_is) {
    const file_bytes& original = small_file(kind().name);
    const std::uint64_t flips = rounds(400);
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; i < flips; ++i) {
        const std::size_t bit = static_cast<std::size_t>(random() % (original.size() * 8));
        file_bytes bytes = original;
        bytes[bit / 8] ^= std::byte{static_cast<unsigned char>(1u << (bit % 8))};
        expect_the_same(bytes, "bit " + std::to_string(bit), i);
        seal(bytes); // somebody who knows how
        expect_the_same(bytes, "sealed bit " + std::to_string(bit), i);
        if (HasFatalFailure()) return;
    }
}

TEST_P(arriving_pieces, too_few_and_too_many_are_refused) {
    const file_bytes& original = small_file(kind().name);
    for (const std::size_t missing : {std::size_t{1}, std::size_t{64}, original.size() - 71, original.size() - 8}) {
        file_bytes bytes(original.begin(), original.end() - static_cast<std::ptrdiff_t>(missing));
        expect_the_same(bytes, std::to_string(missing) + " bytes less", missing);
        filter_arrival arrival = must(filter_arrival::of(original.size()));
        must(arrival.take(bytes));
        EXPECT_FALSE(arrival.is_complete());
        EXPECT_FALSE(arrival.finish());
    }
    filter_arrival arrival = must(filter_arrival::of(original.size()));
    must(arrival.take(original));
    const auto more = arrival.take(std::span(original).first(1));
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().reason, failure_reason::damaged);
}

TEST_P(arriving_pieces, are_saved_and_copied_half_way) {
    const file_bytes& bytes = small_file(kind().name);
    for (std::size_t arrived = 0; arrived <= bytes.size(); arrived += 1 + bytes.size() / 97) {
        const auto first = std::span(bytes).first(arrived);
        filter_arrival arrival = must(filter_arrival::of(bytes.size()));
        must(arrival.take(first));
        EXPECT_EQ(arrival.arrived_bytes(), arrived);
        kept_bytes kept;
        must(arrival.write(kept));
        ASSERT_EQ(kept.bytes, file_bytes(first.begin(), first.end()));
        filter_arrival copy = must(arrival.copy());
        must(copy.take(std::span(bytes).subspan(arrived)));
        EXPECT_EQ(write_filter(must(copy.finish())), bytes);
    }
}

// Several pages of 1 MiB, and an exclusion list and an attachment behind them.
TEST(large_arrival, is_checked_page_by_page) {
    filter_file filled = empty_filter("quotient", 2'000'000);
    insert_keys(filled, 0, 1000);
    filled.attached.assign(1000, std::byte{7});
    const file_bytes bytes = write_filter(filled);
    const std::size_t header = get<std::uint32_t>(bytes, at_header_bytes);
    ASSERT_GT(bytes.size(), header + 2 * page);
    EXPECT_EQ(write_filter(must(arrive(bytes, 100'000))), bytes);

    // Damage in the second page is found before the third is there; an announcement alone takes no memory.
    file_bytes damaged = bytes;
    damaged[header + page + 5] ^= std::byte{1};
    filter_arrival arrival = must(filter_arrival::of(damaged.size()));
    must(arrival.take(std::span(damaged).first(header)));
    EXPECT_LT(arrival.memory_bytes(), page);
    must(arrival.take(std::span(damaged).subspan(header, page)));
    const auto second = arrival.take(std::span(damaged).subspan(header + page, page));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().sentence, read_filter(damaged).error().sentence);
}

TEST(large_arrival, lines_that_no_operation_makes_are_refused_with_their_page) {
    filter_file filled = empty_filter("quotient", 2'000'000);
    insert_keys(filled, 0, 1000);
    const file_bytes original = write_filter(filled);
    const std::size_t header = get<std::uint32_t>(original, at_header_bytes);
    std::mt19937_64 random(3);
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < rounds(40); ++i) {
        file_bytes bytes = original;
        const std::size_t at = header + static_cast<std::size_t>(random() % page);
        bytes[at] ^= std::byte{static_cast<unsigned char>(1u << (random() % 8))};
        seal(bytes);
        const auto whole = read_filter(bytes);
        filter_arrival arrival = must(filter_arrival::of(bytes.size()));
        const auto first_page = arrival.take(std::span(bytes).first(header + page));
        ASSERT_EQ(first_page.has_value(), whole.has_value()) << "byte " << at;
        if (!first_page) {
            EXPECT_EQ(first_page.error().sentence, whole.error().sentence);
            ++refused;
        }
    }
    EXPECT_GT(refused, 0u);
}

} // namespace
} // namespace everbloom::hostile
