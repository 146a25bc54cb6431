// Cells and numbers that no sequence of operations and no program of ours can write, under perfect checksums.
#include "hostile/operate.hpp"
#include "support/rounds.hpp"

namespace everbloom::hostile {
namespace {

using support::rounds;

template <class Kind>
class illegal_contents : public ::testing::Test {
protected:
    /// The small file with one number changed and sealed again.
    static result<filter_file> load_with(std::size_t offset, std::uint32_t value) {
        file_bytes bytes = small_file<Kind>();
        put(bytes, offset, value);
        seal(bytes);
        return read_filter(bytes);
    }
};
TYPED_TEST_SUITE(illegal_contents, every_kind, kind_names);

TYPED_TEST(illegal_contents, numbers_that_version_1_does_not_know_are_refused) {
    const std::vector<std::pair<std::size_t, std::uint32_t>> unknown{
        {at_version, 0}, {at_version, 2}, {at_version, ~0u},    {at_kind, 0},      {at_kind, 0xffff},
        {at_kind, ~0u},  {at_flags, 1},   {at_flags, 1u << 31}, {at_flags, ~0u},   {at_hash, 0},
        {at_hash, 5},    {at_hash, ~0u},  {at_key_type, 4},     {at_key_type, ~0u}};
    for (const auto& [offset, value] : unknown) {
        const auto loaded = this->load_with(offset, value);
        ASSERT_FALSE(loaded) << value << " at byte " << offset;
        EXPECT_EQ(loaded.error().reason, failure_reason::damaged);
    }
}

TYPED_TEST(illegal_contents, another_kinds_number_is_refused_or_makes_a_filter_that_works) {
    all_kinds::for_each([&]<class Other>() {
        auto loaded = this->load_with(at_kind, Other::id);
        if (!loaded) {
            EXPECT_EQ(loaded.error().reason, failure_reason::damaged) << loaded.error().sentence;
        } else {
            operate(*loaded, Other::id);
        }
    });
}

TYPED_TEST(illegal_contents, padding_of_the_header_must_be_zero) {
    file_bytes bytes = small_file<TypeParam>();
    const std::size_t header = get<std::uint32_t>(bytes, at_header_bytes);
    const auto fields = fields_of(bytes);
    std::size_t pages = 0;
    for (std::size_t i = 0; i < get<std::uint32_t>(bytes, at_section_count); ++i) {
        pages += (fields[fields.size() - 1 - i].read(bytes) * line + page - 1) / page;
    }
    for (std::size_t at = fields.back().offset + 8 + 8 * pages; at < header - 8; ++at) {
        bytes[at] = std::byte{1};
        seal(bytes);
        ASSERT_FALSE(read_filter(bytes)) << "byte " << at;
        bytes[at] = std::byte{0};
    }
}

TYPED_TEST(illegal_contents, any_flipped_cell_bit_is_refused_or_leaves_a_filter_that_works) {
    const file_bytes& original = small_file<TypeParam>();
    const std::size_t header = get<std::uint32_t>(original, at_header_bytes);
    const std::size_t bits = (original.size() - header) * 8;
    const std::size_t stride = std::max<std::size_t>(1, bits / rounds(4000));
    for (std::size_t bit = 0; bit < bits; bit += stride) {
        file_bytes forged = original;
        forged[header + bit / 8] ^= std::byte{static_cast<unsigned char>(1u << (bit % 8))};
        seal(forged);
        auto loaded = read_filter(forged);
        if (!loaded) {
            ASSERT_EQ(loaded.error().reason, failure_reason::damaged) << loaded.error().sentence;
            continue;
        }
        ASSERT_EQ(write_filter(*loaded), forged);
        operate(*loaded, bit);
        if (this->HasFatalFailure()) FAIL() << "bit " << bit << " of the sections";
    }
}

/// How many bits behind the last cell a kind's file can hide; each one set must be refused. Kinds whose cells are all of their one
/// section and end where `bits` says.
template <class Kind>
std::uint64_t expect_tail_is_refused(std::uint64_t items) {
    using filter = typename Kind::filter;
    const file_bytes original = [&] {
        filter_file made = empty_filter(Kind::name, items);
        insert_keys(made, 0, items);
        return write_filter(made);
    }();
    const std::size_t header = get<std::uint32_t>(original, at_header_bytes);
    std::uint64_t tail = 0;
    if constexpr (requires(typename filter::spec_type spec) { spec.bits; } && filter::section_names.size() == 1) {
        for (std::size_t i = 0; i < filter::spec_type::fields().size(); ++i) {
            if (filter::spec_type::fields()[i].name != "bits") continue;
            const auto used = get<std::uint64_t>(original, at_parameters + 8 * i);
            for (std::uint64_t bit = used; bit < (original.size() - header) * 8; ++bit, ++tail) {
                file_bytes forged = original;
                forged[header + bit / 8] |= std::byte{static_cast<unsigned char>(1u << (bit % 8))};
                seal(forged);
                const auto loaded = read_filter(forged);
                EXPECT_FALSE(loaded) << Kind::name << ": bit " << bit << " behind " << used;
            }
        }
    }
    return tail;
}

TEST(hidden_bits, a_bit_behind_the_last_cell_is_refused) {
    std::uint64_t kinds_with_a_tail = 0;
    all_kinds::for_each([&]<class Kind>() {
        std::uint64_t tail = 0;
        for (std::uint64_t items = 1; items <= 60; items += 10) tail += expect_tail_is_refused<Kind>(items);
        kinds_with_a_tail += tail != 0 ? 1 : 0;
    });
    EXPECT_GE(kinds_with_a_tail, 2u);
}

} // namespace
} // namespace everbloom::hostile
