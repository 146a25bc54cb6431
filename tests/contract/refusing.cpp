// What every filter promises when it says no: nothing has changed, to the bit, and what is left is a filter that loads.
//
// The refusals are real ones. Each parameter of each kind is turned down to values at which keys no longer fit: limits of growth, short
// hashes, few and small buckets, small counters. Nothing here knows a kind by name.
#include "support/dice.hpp"
#include "support/key_family.hpp"
#include "support/rounds.hpp"
#include "support/small_specs.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace everbloom {
namespace {

using namespace support;

/// Keys offered to a filter planned for far fewer.
constexpr std::uint64_t offered = 3000;
/// A filter that has grown beyond this has no limit that these keys reach; long chains of tiny sub-filters are slow, too.
constexpr std::uint64_t most_words = 1024;

/// The filter as it is, and the same put together again from its words, as a file is: it loads, and nobody is missing.
void expect_sound(const subject& filter, const std::vector<digest>& members) {
    std::unique_ptr<subject> loaded;
    ASSERT_NO_THROW(loaded = filter.reassembled());
    for (const digest& member : members) {
        ASSERT_TRUE(filter.may_contain(member));
        ASSERT_TRUE(loaded->may_contain(member));
    }
}

/// A geometry that refuses one of the offered keys, and how many go in before that.
struct refusing_spec {
    geometry spec;
    std::uint64_t taken = 0;
};

const std::vector<refusing_spec>& refusing_specs(const subject_kind& kind, const key_family& keys) {
    static std::map<std::string_view, std::vector<refusing_spec>> known;
    const auto [found, is_new] = known.try_emplace(kind.name);
    if (!is_new) return found->second;
    for (const geometry& spec : tight_specs(kind)) {
        const auto filter = must(kind.make(spec));
        std::uint64_t taken = 0;
        bool refused = false;
        while (taken < offered && words_of(*filter) < most_words && !refused) {
            refused = !succeeded(filter->insert(keys[taken]));
            if (!refused) ++taken;
        }
        if (refused) found->second.push_back({spec, taken});
    }
    return found->second;
}

class refusing : public ::testing::TestWithParam<kind_pointer> {
protected:
    /// Calls `act(spec, taken)` for tight geometries that refuse a key, and says how many there are.
    template <class Act>
    std::uint64_t for_each_refusal(Act act) const {
        const auto& specs = refusing_specs(*GetParam(), keys);
        for (const auto& [spec, taken] : specs) {
            act(spec, taken);
            if (!::testing::Test::HasFailure()) continue;
            ADD_FAILURE() << "after " << taken << " keys in " << ::testing::PrintToString(spec);
            break;
        }
        return specs.size();
    }

    const key_family keys{51};
};
INSTANTIATE_TEST_SUITE_P(kinds, refusing, ::testing::ValuesIn(subjects_that_can(capability::insert)), subject_name);

TEST_P(refusing, a_refused_key_changes_nothing_and_the_filter_still_loads) {
    const subject_kind& kind = *GetParam();
    const bool can_leave = kind.can(capability::erase) && kind.keeps_members;
    const std::uint64_t found = for_each_refusal([&](const geometry& spec, std::uint64_t taken) {
        const auto filter = must(kind.make(spec));
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < taken; ++i) {
            ASSERT_TRUE(succeeded(filter->insert(keys[i])));
            members.push_back(keys[i]);
        }
        dice random(taken);
        std::uint64_t refused = 0;
        for (std::uint64_t i = 0; i < 40 + rounds(100); ++i) {
            const bool again = !members.empty() && random.one_in(4);
            const digest key = again ? members[random.below(members.size())] : keys[taken + i];
            const auto before = filter->snapshot();
            if (succeeded(filter->insert(key))) {
                members.push_back(key);
            } else {
                ASSERT_EQ(filter->snapshot(), before) << "refusal " << refused;
                if (refused++ % 32 == 0) expect_sound(*filter, members);
                if (HasFatalFailure()) return;
            }
            if (can_leave && !members.empty() && random.one_in(8)) {
                const std::size_t leaving = random.below(members.size());
                const auto intact = filter->snapshot();
                if (succeeded(filter->erase(members[leaving]))) {
                    members[leaving] = members.back();
                    members.pop_back();
                } else {
                    ASSERT_EQ(filter->snapshot(), intact);
                }
            }
        }
        expect_sound(*filter, members);
    });
    const bool has_limits = grows_by_itself(kind) || find_kind(kind.name)->may_refuse_keys;
    EXPECT_EQ(found > 0, has_limits) << "a kind that refuses keys says so";
}

TEST_P(refusing, a_batch_goes_on_after_a_refusal_as_if_the_keys_came_one_by_one) {
    const subject_kind& kind = *GetParam();
    for_each_refusal([&](const geometry& spec, std::uint64_t taken) {
        const auto one_by_one = must(kind.make(spec));
        const auto in_batches = must(kind.make(spec));
        std::vector<digest> batch;
        for (std::uint64_t i = 0; i < taken + 100; ++i) batch.push_back(keys[i % 7 == 6 ? i / 2 : i]);
        std::vector<insert_outcome> outcomes(batch.size());
        in_batches->insert(batch, outcomes);
        std::vector<digest> members;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            ASSERT_EQ(one_by_one->insert(batch[i]), outcomes[i]) << i;
            if (succeeded(outcomes[i])) members.push_back(batch[i]);
        }
        ASSERT_EQ(in_batches->snapshot(), one_by_one->snapshot());
        expect_sound(*in_batches, members);
    });
}

TEST_P(refusing, one_key_again_and_again_is_refused_without_a_trace) {
    const subject_kind& kind = *GetParam();
    const auto filter = make_planned(kind, 100, 0.01);
    std::vector<digest> members;
    for (std::uint64_t i = 0; i < 100; ++i) {
        if (succeeded(filter->insert(keys[i]))) members.push_back(keys[i]);
    }
    constexpr std::uint64_t most_copies = 1'100'000; // a little more than any counter of a key holds
    std::uint64_t copies = 0;
    while (copies < most_copies && succeeded(filter->insert(keys[0]))) ++copies;
    for (int i = 0; copies < most_copies && i < 3; ++i) {
        const auto before = filter->snapshot();
        ASSERT_FALSE(succeeded(filter->insert(keys[0])));
        ASSERT_EQ(filter->snapshot(), before);
    }
    expect_sound(*filter, members);
}

TEST_P(refusing, operations_on_whole_filters_refuse_without_a_trace) {
    const subject_kind& kind = *GetParam();
    const auto specs = tight_specs(kind);
    dice random(54);
    for (std::uint64_t round = 0; round < rounds(60); ++round) {
        const geometry& spec = specs[random.below(specs.size())];
        const geometry& other_spec = random.one_in(2) ? spec : specs[random.below(specs.size())];
        const auto filter = must(kind.make(spec));
        const auto other = must(kind.make(other_spec));
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < 400; ++i) {
            if (succeeded(filter->insert(keys[i]))) members.push_back(keys[i]);
            (void)other->insert(keys[200 + i]);
        }
        const auto others = other->snapshot();
        const std::vector<std::pair<capability, std::function<result<void>()>>> deeds{
            {capability::merge, [&] { return filter->merge(*other); }},
            {capability::grow, [&] { return filter->grow(); }},
            {capability::shrink, [&] { return filter->shrink(); }},
            {capability::resize, [&] { return filter->resize(other_spec); }}};
        for (int i = 0; i < 8; ++i) {
            const auto& [wanted, deed] = deeds[random.below(deeds.size())];
            if (!kind.can(wanted)) continue;
            const auto before = filter->snapshot();
            const auto done = deed();
            if (done) continue;
            ASSERT_EQ(filter->snapshot(), before) << done.error().sentence;
            ASSERT_FALSE(done.error().sentence.empty());
        }
        ASSERT_EQ(other->snapshot(), others);
        expect_sound(*filter, members);
        if (HasFatalFailure()) FAIL() << ::testing::PrintToString(spec) << " " << ::testing::PrintToString(other_spec);
        if (!kind.can(capability::intersect)) continue;
        const auto before = filter->snapshot();
        if (!filter->intersect(*other)) {
            ASSERT_EQ(filter->snapshot(), before);
        }
        expect_sound(*filter, {});
    }
}

} // namespace
} // namespace everbloom
