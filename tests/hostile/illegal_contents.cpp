// Cells and numbers that no sequence of operations and no program of ours can write, under perfect checksums.
#include "hostile/operate.hpp"
#include "support/rounds.hpp"

namespace everbloom::hostile {
namespace {

using support::rounds;

class illegal_contents : public for_every_kind {
protected:
    /// The small file with one number changed and sealed again.
    static result<filter_file> load_with(std::size_t offset, std::uint32_t value) {
        file_bytes bytes = small_file(kind().name);
        put(bytes, offset, value);
        seal(bytes);
        return read_filter(bytes);
    }
};
INSTANTIATE_TEST_SUITE_P(kinds, illegal_contents, ::testing::ValuesIn(kinds_that_can(capability::query)), kind_name);

TEST_P(illegal_contents, numbers_that_version_1_does_not_know_are_refused) {
    const std::vector<std::pair<std::size_t, std::uint32_t>> unknown{
        {at_version, 0}, {at_version, 2}, {at_version, ~0u}, {at_kind, 0},     {at_kind, 0xffff},    {at_kind, ~0u},
        {at_flags, 1},   {at_flags, 2},   {at_flags, 3},     {at_flags, 4},    {at_flags, 1u << 31}, {at_flags, ~0u},
        {at_hash, 0},    {at_hash, 6},    {at_hash, ~0u},    {at_key_type, 6}, {at_key_type, ~0u}};
    for (const auto& [offset, value] : unknown) {
        const auto loaded = load_with(offset, value);
        ASSERT_FALSE(loaded) << value << " at byte " << offset;
        EXPECT_EQ(loaded.error().reason, failure_reason::damaged);
    }
}

TEST_P(illegal_contents, another_kinds_number_is_refused_or_makes_a_filter_that_works) {
    for (const kind_info& other : known_kinds()) {
        auto loaded = load_with(at_kind, other.id);
        if (!loaded) {
            EXPECT_EQ(loaded.error().reason, failure_reason::damaged) << loaded.error().sentence;
        } else {
            operate(*loaded, other.id);
        }
    }
}

TEST_P(illegal_contents, padding_of_the_header_must_be_zero) {
    file_bytes bytes = small_file(kind().name);
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

TEST_P(illegal_contents, any_flipped_cell_bit_is_refused_or_leaves_a_filter_that_works) {
    const file_bytes& original = small_file(kind().name);
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
        if (HasFatalFailure()) FAIL() << "bit " << bit << " of the sections";
    }
}

/// How many bits behind the last cell a kind's file can hide; each one set must be refused. Kinds whose cells are all of their one
/// section and end where `bits` says.
std::uint64_t expect_tail_is_refused(const kind_info& kind, std::uint64_t items) {
    filter_file made = empty_filter(kind.name, items);
    insert_keys(made, 0, items);
    const file_bytes original = write_filter(made);
    if (get<std::uint32_t>(original, at_section_count) != 1) return 0;
    const std::size_t header = get<std::uint32_t>(original, at_header_bytes);
    std::uint64_t tail = 0;
    for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
        if (kind.parameters[i].name != "bits") continue;
        const auto used = get<std::uint64_t>(original, at_parameters + 8 * i);
        for (std::uint64_t bit = used; bit < (original.size() - header) * 8; ++bit, ++tail) {
            file_bytes forged = original;
            forged[header + bit / 8] |= std::byte{static_cast<unsigned char>(1u << (bit % 8))};
            seal(forged);
            const auto loaded = read_filter(forged);
            EXPECT_FALSE(loaded) << kind.name << ": bit " << bit << " behind " << used;
        }
    }
    return tail;
}

TEST(hidden_bits, a_bit_behind_the_last_cell_is_refused) {
    std::uint64_t kinds_with_a_tail = 0;
    for (const kind_info& kind : known_kinds()) {
        std::uint64_t tail = 0;
        for (std::uint64_t items = 1; items <= 60; items += 10) tail += expect_tail_is_refused(kind, items);
        kinds_with_a_tail += tail != 0 ? 1 : 0;
    }
    EXPECT_GE(kinds_with_a_tail, 2u);
}

} // namespace
} // namespace everbloom::hostile
