// A save never commits what the loader would refuse. Words of a filter in memory are damaged, as a fault of a program or of the memory
// itself would do it: where the file could not be opened again it is not written, and the one that was there stays.
#include "hostile/small_file.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <limits>

namespace everbloom::hostile {
namespace {

using support::must;
using support::temporary_directory;

class unfit_for_saving : public for_every_kind {
protected:
    /// Saves what is in memory; it is committed if and only if it opens again.
    void expect_saved_if_it_opens() {
        const auto bytes = write_filter(file);
        const bool opens = read_filter(bytes).has_value();
        here.write("x.eb", "the file before");
        const auto saved = save_filter(file, here / "x.eb");
        ASSERT_EQ(saved.has_value(), opens) << (saved ? "" : saved.error().sentence);
        const std::string_view written(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        ASSERT_EQ(here.read("x.eb"), opens ? written : "the file before");
        ASSERT_EQ(here.listing(), "x.eb");
        if (opens) return;
        ++refused;
        ASSERT_EQ(saved.error().reason, failure_reason::damaged);
        ASSERT_NE(saved.error().sentence.find("was not saved"), std::string::npos) << saved.error().sentence;
    }

    temporary_directory here;
    filter_file file = empty_filter(kind().name, small_items);
    std::uint64_t refused = 0;
};
INSTANTIATE_TEST_SUITE_P(kinds, unfit_for_saving, ::testing::ValuesIn(kinds_that_can(capability::insert)), kind_name);

TEST_P(unfit_for_saving, a_damaged_filter_is_not_saved) {
    insert_keys(file, 0, small_items);
    expect_saved_if_it_opens();
    ASSERT_EQ(refused, 0u);
    for (const auto& section : file.filter().sections()) {
        if (section.empty()) continue;
        const std::uint64_t bits = section.size() * 64;
        const std::uint64_t stride = std::max<std::uint64_t>(1, bits / support::rounds(12));
        // The last bit of a section as well: behind the last cell most kinds have some that must be zero.
        for (std::uint64_t bit = bits - 1;; bit -= stride) {
            auto& word = const_cast<std::uint64_t&>(section[bit / 64]);
            word ^= std::uint64_t{1} << (bit % 64);
            expect_saved_if_it_opens();
            word ^= std::uint64_t{1} << (bit % 64);
            if (HasFatalFailure()) FAIL() << "bit " << bit;
            if (bit < stride) break;
        }
    }
    expect_saved_if_it_opens();
}

TEST_P(unfit_for_saving, nor_is_one_whose_header_would_be_refused) {
    file.target = {100, std::numeric_limits<double>::quiet_NaN()};
    expect_saved_if_it_opens();
    file.target = {100, -1};
    expect_saved_if_it_opens();
    file.target = {100, 0.01};
    file.keys = static_cast<key_type>(77);
    expect_saved_if_it_opens();
    file.keys = key_type::text;
    const std::uint64_t before = refused;
    EXPECT_GT(before, 0u);
    expect_saved_if_it_opens();
    EXPECT_EQ(refused, before);
}

TEST(unfit_for_saving, some_kinds_have_words_that_cannot_be) {
    // So that the test above is not true for want of anything to refuse.
    temporary_directory here;
    std::uint64_t refusing_kinds = 0;
    for (const kind_info* kind : kinds_that_can(capability::insert)) {
        filter_file file = empty_filter(kind->name, small_items);
        insert_keys(file, 0, small_items);
        std::uint64_t refused = 0;
        for (const auto& section : file.filter().sections()) {
            if (section.empty()) continue;
            auto& word = const_cast<std::uint64_t&>(section.back());
            word ^= std::uint64_t{1} << 63;
            refused += save_filter(file, here / "x.eb") ? 0 : 1;
            word ^= std::uint64_t{1} << 63;
        }
        refusing_kinds += refused != 0 ? 1 : 0;
    }
    EXPECT_GE(refusing_kinds, 5u);
}

} // namespace
} // namespace everbloom::hostile
