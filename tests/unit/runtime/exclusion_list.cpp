// Guards: every kind can be protected from known negatives, without its members, and stays what it was otherwise.
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace everbloom {
namespace {

using namespace support;

class guarded : public ::testing::TestWithParam<std::string_view> {
protected:
    static constexpr std::uint64_t count = 2000;
    const std::vector<digest> members = key_family(1).first(count);
    const std::vector<digest> negatives = key_family(2).first(10 * count);

    [[nodiscard]] any_filter filled() const {
        // A kind that plans its growth has its target FPR at the end of the plan: here, now.
        std::vector<parameter_text> plan;
        for (const parameter_info& one : find_kind(GetParam())->parameters) {
            if (one.name == "planned_keys") plan.push_back({"planned_keys", std::to_string(count)});
        }
        any_filter filter = must(build({std::string(GetParam()), count, 0.02, plan}));
        if (filter.can(capability::build)) {
            must(filter.build(members));
            return filter;
        }
        for (const digest key : members) EXPECT_TRUE(succeeded(must(filter.insert(key))));
        return filter;
    }
    [[nodiscard]] static std::uint64_t positives(const any_filter& filter, std::span<const digest> keys) {
        std::vector<std::uint8_t> answers(keys.size());
        filter.may_contain(keys, answers);
        std::uint64_t single = 0;
        for (const digest key : keys) single += filter.may_contain(key) ? 1 : 0;
        const auto batch = static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1));
        EXPECT_EQ(single, batch);
        return batch;
    }
    /// The negatives that the filter alone would take for members.
    [[nodiscard]] std::vector<digest> false_positives() const {
        const any_filter filter = filled();
        std::vector<digest> found;
        for (const digest key : negatives) {
            if (filter.may_contain(key)) found.push_back(key);
        }
        return found;
    }
};

TEST_P(guarded, says_no_to_every_negative_and_yes_to_every_member) {
    any_filter filter = filled();
    const std::uint64_t before = positives(filter, negatives);
    const protection done = must(filter.exclude(negatives));
    EXPECT_EQ(done.negatives, negatives.size());
    EXPECT_EQ(done.false_positives_before, before);
    EXPECT_GT(before, 50u);
    EXPECT_EQ(positives(filter, negatives), 0u);
    EXPECT_EQ(positives(filter, members), members.size());
}

TEST_P(guarded, other_strangers_are_treated_as_before) {
    any_filter filter = filled();
    const auto strangers = key_family(3).first(20'000);
    const std::uint64_t before = positives(filter, strangers);
    must(filter.exclude(negatives));
    EXPECT_EQ(positives(filter, strangers), before) << "a guard is too sparse to know anybody else";
}

TEST_P(guarded, survives_its_file) {
    const temporary_directory here;
    filter_file file;
    file.handle = keyed(filled(), any_hasher(hash_id::xxh3, hash_key::from_seed(1)));
    must(file.filter().exclude(negatives));
    const std::string path = here / "guarded.eb";
    must(save_filter(file, path));
    std::vector<filter_file> loaded;
    loaded.push_back(must(open_filter(path)));
    loaded.push_back(must(map_filter(path)));
    loaded.push_back(must(read_filter(write_filter(file))));
    for (const filter_file& again : loaded) {
        ASSERT_TRUE(again.filter().exclusions());
        EXPECT_EQ(again.filter().exclusions()->size().bits, file.filter().exclusions()->size().bits);
        EXPECT_EQ(positives(again.filter(), negatives), 0u);
        EXPECT_EQ(positives(again.filter(), members), members.size());
        EXPECT_EQ(write_filter(again), write_filter(file));
    }
}

class guarded_insertions : public guarded {};

TEST_P(guarded_insertions, a_negative_that_is_added_after_all_is_in) {
    any_filter filter = filled();
    must(filter.exclude(negatives));
    for (const digest key : false_positives()) {
        const insert_outcome outcome = must(filter.insert(key));
        // Some come back before their turn: letting one pass may let another pass.
        ASSERT_TRUE(filter.may_contain(key) || !succeeded(outcome));
    }
    EXPECT_EQ(positives(filter, members), members.size());
}

class guarded_removals : public guarded {};

TEST_P(guarded_removals, a_known_negative_cannot_be_removed) {
    any_filter filter = filled();
    must(filter.exclude(negatives));
    for (const digest key : false_positives()) {
        ASSERT_EQ(must(filter.can_erase(key)), erase_outcome::not_present);
        ASSERT_EQ(must(filter.erase(key)), erase_outcome::not_present);
    }
    EXPECT_EQ(positives(filter, members), members.size());
}

class guarded_merges : public guarded {};

TEST_P(guarded_merges, are_refused_until_the_guard_is_dropped) {
    any_filter filter = filled();
    any_filter other = filled();
    must(filter.exclude(negatives));
    EXPECT_FALSE(filter.merge(other));
    EXPECT_FALSE(other.merge(filter));
    EXPECT_EQ(positives(filter, negatives), 0u);
    filter.drop_exclusions();
    EXPECT_FALSE(filter.exclusions());
    EXPECT_GT(positives(filter, negatives), 50u);
}

TEST_P(guarded_insertions, clearing_forgets_the_negatives) {
    any_filter filter = filled();
    must(filter.exclude(negatives));
    must(filter.clear());
    for (const digest key : members) {
        ASSERT_TRUE(succeeded(must(filter.insert(key))));
        ASSERT_TRUE(filter.may_contain(key));
    }
}

std::vector<std::string_view> kinds_that_can(capability wanted) {
    std::vector<std::string_view> names;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(wanted)) names.push_back(kind.name);
    }
    return names;
}

const auto name_of_kind = [](const auto& info) { return std::string(info.param); };

INSTANTIATE_TEST_SUITE_P(kinds, guarded, ::testing::ValuesIn(kinds_that_can(capability::query)), name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, guarded_insertions, ::testing::ValuesIn(kinds_that_can(capability::insert)),
                         name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, guarded_removals, ::testing::ValuesIn(kinds_that_can(capability::erase)), name_of_kind);
INSTANTIATE_TEST_SUITE_P(kinds, guarded_merges, ::testing::ValuesIn(kinds_that_can(capability::merge)), name_of_kind);

TEST(guard_files, with_a_damaged_guard_are_refused) {
    filter_file file;
    file.handle = keyed(must(build({"bloom", 100, 0.1, {}})), any_hasher(hash_id::xxh3, hash_key::from_seed(1)));
    must(file.filter().exclude(key_family(2).first(100)));
    const auto whole = write_filter(file);
    must(read_filter(whole));

    const auto resealed = [&](std::size_t offset, auto value) {
        auto bytes = whole;
        v1::write_at(std::span(bytes), offset, value);
        const auto header = v1::read_at<std::uint32_t>(bytes, v1::at_header_bytes);
        v1::write_at(std::span(bytes), header - 8, checksum(bytes.data(), header - 8));
        return read_filter(bytes);
    };
    const std::size_t guard_bits = v1::fixed_bytes + 3 * 8; // behind the three parameters of a bloom filter
    EXPECT_FALSE(resealed(v1::at_flags, std::uint32_t{0})) << "a section too many";
    EXPECT_FALSE(resealed(v1::at_flags, std::uint32_t{3})) << "an unknown flag";
    EXPECT_FALSE(resealed(guard_bits, std::uint64_t{0}));
    EXPECT_FALSE(resealed(guard_bits, std::uint64_t{1} << 50));
    const std::uint64_t bits = file.filter().exclusions()->size().bits;
    EXPECT_FALSE(resealed(guard_bits, bits + 1)) << "a line more than there is";
    EXPECT_FALSE(resealed(guard_bits + 8, std::uint64_t{0}));
    EXPECT_FALSE(resealed(guard_bits + 8, std::uint64_t{33}));
    EXPECT_TRUE(resealed(guard_bits + 8, std::uint64_t{5}));
}

TEST(exclusion_list_size, makes_a_lost_member_unlikely) {
    for (const double members : {1e2, 1e6, 1e9}) {
        for (const std::uint64_t negatives : {1u, 100u, 100'000u}) {
            const exclusion_list_size size = exclusion_list_size::for_keys(negatives, members);
            const double throws = static_cast<double>(negatives * size.hashes);
            const double fill = 1 - std::exp(-throws / static_cast<double>(size.bits));
            EXPECT_LT(members * std::pow(fill, static_cast<double>(size.hashes)), 2e-9);
            EXPECT_LT(static_cast<double>(size.bits), 120.0 * static_cast<double>(negatives) + 512);
        }
    }
}

} // namespace
} // namespace everbloom
