// What any_filter promises for every kind: its capability bits are what its calls do, and what it cannot do it says in words.
#include "support/key_family.hpp"
#include "support/runtime_twin.hpp"
#include "support/small_specs.hpp"
#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace everbloom {
namespace {

using namespace support;

class runtime : public ::testing::TestWithParam<kind_pointer> {
protected:
    /// A call either works, exactly where the bit says so, or fails with `unsupported` and the name of the kind.
    template <class T>
    static void expect_as_said(const result<T>& called, bool said, std::string_view verb) {
        EXPECT_EQ(called.has_value(), said) << verb;
        if (called.has_value()) return;
        EXPECT_EQ(called.error().reason, failure_reason::unsupported) << called.error().sentence;
        EXPECT_NE(called.error().sentence.find(GetParam()->name), std::string::npos) << called.error().sentence;
        EXPECT_NE(called.error().sentence.find("cannot"), std::string::npos) << called.error().sentence;
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, runtime, ::testing::ValuesIn(all_subjects()), subject_name);

TEST_P(runtime, the_catalogue_and_the_handle_know_the_kind_alike) {
    const subject_kind& kind = *GetParam();
    const any_filter filter = runtime_twin(kind, must(kind.plan(workload{100, 0.01})));
    const kind_info* info = find_kind(kind.name);
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(info->id, kind.id);
    EXPECT_EQ(filter.kind(), kind.name);
    EXPECT_EQ(filter.kind_id(), kind.id);
    const auto geometry = filter.geometry();
    ASSERT_EQ(geometry.size(), info->parameters.size());
    for (std::size_t i = 0; i < geometry.size(); ++i) {
        EXPECT_EQ(geometry[i].name, info->parameters[i].name);
        EXPECT_EQ(filter.geometry(geometry[i].name), geometry[i].value);
    }
    for (const named_capability& one : named_capabilities) {
        EXPECT_EQ(info->capabilities.has(one.bit), filter.can(one.bit)) << one.name;
    }
}

TEST_P(runtime, building_by_workload_is_the_models_plan) {
    const subject_kind& kind = *GetParam();
    const any_filter built = must(build({std::string(kind.name), 1000, 0.01, {}}));
    const auto planned = must(kind.plan(workload{1000, 0.01}));
    geometry values;
    for (const geometry_value& one : built.geometry()) values.push_back(one.value);
    EXPECT_EQ(values, planned);
}

TEST_P(runtime, capability_bits_are_what_calls_do) {
    const subject_kind& kind = *GetParam();
    any_filter filter = runtime_twin(kind, must(kind.plan(workload{100, 0.01})));
    const digest key = key_family(1)[0];
    expect_as_said(filter.insert(key), filter.can(capability::insert), "insert");
    expect_as_said(filter.estimate_count(key), filter.can(capability::count), "count");
    expect_as_said(filter.can_erase(key), filter.can(capability::erase), "judge");
    const auto before = snapshot_of(filter);
    const auto erased = filter.erase(key);
    expect_as_said(erased, filter.can(capability::erase), "erase");
    if (!erased) {
        EXPECT_EQ(snapshot_of(filter), before);
    }
    expect_as_said(filter.merge(must(build_like(filter))), filter.can(capability::merge), "merge");
    expect_as_said(filter.clear(), filter.can(capability::insert), "clear");
}

TEST_P(runtime, a_mapped_filter_answers_and_refuses_every_change_in_words) {
    const subject_kind& kind = *GetParam();
    const temporary_directory here;
    filter_file file = file_twin(kind, must(kind.plan(workload{100, 0.01})));
    const digest key = key_family(1)[0];
    if (file.filter().can(capability::insert)) must(file.filter().insert(key));
    must(save_filter(file, here / "x.eb"));
    filter_file mapped = must(map_filter(here / "x.eb"));
    any_filter& filter = mapped.filter();
    EXPECT_EQ(filter.may_contain(key), file.filter().may_contain(key));
    for (const named_capability& one : named_capabilities) {
        const bool looks_only = one.bit == capability::query || one.bit == capability::count ||
                                one.bit == capability::confirm || one.bit == capability::query_copy;
        EXPECT_EQ(filter.can(one.bit), looks_only && file.filter().can(one.bit)) << one.name;
    }
    expect_as_said(filter.insert(key), false, "insert");
    expect_as_said(filter.erase(key), false, "erase");
    expect_as_said(filter.merge(file.filter()), false, "merge");
    expect_as_said(filter.clear(), false, "clear");
    expect_as_said(filter.can_erase(key), file.filter().can(capability::erase), "judge");
    expect_as_said(filter.estimate_count(key), file.filter().can(capability::count), "count");
    EXPECT_EQ(write_filter(mapped), write_filter(file));
    // The other way round: from a mapped filter nothing is merged half.
    const auto before = snapshot_of(file.filter());
    if (!file.filter().merge(filter)) {
        EXPECT_EQ(snapshot_of(file.filter()), before);
    }
}

TEST_P(runtime, another_kind_cannot_be_merged) {
    const subject_kind& kind = *GetParam();
    any_filter filter = runtime_twin(kind, must(kind.plan(workload{100, 0.01})));
    for (const kind_info& other : known_kinds()) {
        if (other.name == kind.name) continue;
        const auto refused = filter.merge(must(build({std::string(other.name), 100, 0.01, {}})));
        ASSERT_FALSE(refused.has_value()) << other.name;
        EXPECT_EQ(refused.error().reason,
                  filter.can(capability::merge) ? failure_reason::mismatch : failure_reason::unsupported);
    }
}

TEST_P(runtime, the_handle_does_what_the_concrete_filter_does) {
    const subject_kind& kind = *GetParam();
    const auto spec = must(kind.plan(workload{200, 0.02}));
    any_filter handle = runtime_twin(kind, spec);
    const auto concrete = must(kind.make(spec));
    if (kind.can(capability::insert)) {
        const auto keys = key_family(2).first(batch_items);
        std::vector<insert_outcome> of_handle(keys.size());
        std::vector<insert_outcome> of_concrete(keys.size());
        must(handle.insert(keys, of_handle));
        concrete->insert(keys, of_concrete);
        EXPECT_EQ(of_handle, of_concrete);
        if (kind.can(capability::erase)) {
            std::vector<erase_outcome> gone(keys.size());
            std::vector<erase_outcome> judged(keys.size());
            must(handle.can_erase(keys, judged));
            for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(judged[i], concrete->can_erase(keys[i]));
            must(handle.erase(std::span(keys).first(50), std::span(gone).first(50)));
            for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(gone[i], concrete->erase(keys[i]));
        }
    }
    EXPECT_EQ(snapshot_of(handle), concrete->snapshot());
    EXPECT_EQ(handle.cells(), concrete->cells());
    EXPECT_EQ(handle.measure().fpr, concrete->measure().fpr);
    EXPECT_EQ(handle.predict(lifetime{200}).fpr, kind.predict(concrete->geometry(), lifetime{200}).fpr);
}

TEST_P(runtime, the_census_counts_every_cell_once) {
    const subject_kind& kind = *GetParam();
    any_filter filter = runtime_twin(kind, must(kind.plan(workload{500, 0.02})));
    if (filter.can(capability::insert)) {
        for (std::uint64_t i = 0; i < 500; ++i) must(filter.insert(key_family(3)[i]));
    }
    for (const std::size_t slices : {0, 1, 7, 64, 100'000}) {
        const cell_census census = filter.census(slices, 4);
        EXPECT_EQ(census.cells, filter.cells());
        EXPECT_EQ(std::accumulate(census.values.begin(), census.values.end(), std::uint64_t{0}), filter.cells());
        ASSERT_FALSE(census.occupied_shares.empty());
        EXPECT_LE(census.occupied_shares.size(), std::max<std::size_t>(slices, 1));
        for (const double share : census.occupied_shares) {
            EXPECT_GE(share, 0);
            EXPECT_LE(share, 1);
        }
    }
}

} // namespace
} // namespace everbloom
