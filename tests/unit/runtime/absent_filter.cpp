// A handle without a filter, made so or left so by a move, can be used like any other: it fails in words and never says "surely not".
#include "support/key_family.hpp"
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace everbloom {
namespace {

using namespace support;

any_filter some_filter(const char* kind = "elastic_blocked") { return must(build({kind, 100, 0.01, {}})); }

any_filter guarded_filter() {
    any_filter made = some_filter();
    must(made.exclude(key_family(3).first(1000)));
    return made;
}

/// Every way to come to a handle without a filter.
std::vector<std::function<any_filter()>> ways_to_have_none() {
    return {[] { return any_filter(); },
            [] {
                any_filter made = guarded_filter();
                const any_filter taken = std::move(made);
                return made; // NOLINT(bugprone-use-after-move): that is the question
            },
            [] {
                any_filter made = guarded_filter();
                any_filter taken = some_filter();
                taken = std::move(made);
                return made; // NOLINT(bugprone-use-after-move)
            }};
}

template <class T>
void expect_refused(const result<T>& done) {
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().reason, failure_reason::unsupported);
    EXPECT_NE(done.error().sentence.find("no filter"), std::string::npos) << done.error().sentence;
}

TEST(absent_filter, every_member_can_be_called) {
    const auto keys = key_family(1).first(10);
    for (const auto& way : ways_to_have_none()) {
        any_filter none = way();
        std::array<std::uint8_t, 10> answers{};
        std::array<insert_outcome, 10> inserted{};
        std::array<erase_outcome, 10> erased{};
        EXPECT_FALSE(none.has_filter());
        EXPECT_EQ(none.kind(), "absent");
        EXPECT_EQ(find_kind(none.kind()), nullptr);
        EXPECT_EQ(none.kind_id(), 0u);
        for (const named_capability& one : named_capabilities) EXPECT_FALSE(none.can(one.bit)) << one.name;
        EXPECT_TRUE(none.geometry().empty());
        EXPECT_EQ(none.geometry("bits"), std::nullopt);
        EXPECT_EQ(none.structure_bits(), 0u);
        EXPECT_EQ(none.cells(), 0u);
        none.read_cells(0, {});
        EXPECT_EQ(none.payload_bytes(), 0u);
        EXPECT_TRUE(none.sections().empty());
        EXPECT_TRUE(none.may_contain(keys[0]));
        none.may_contain(keys, answers);
        EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 10);
        expect_refused(none.insert(keys, inserted));
        expect_refused(none.insert(keys[0]));
        expect_refused(none.erase(keys, erased));
        expect_refused(none.erase(keys[0]));
        expect_refused(none.can_erase(keys, erased));
        expect_refused(none.can_erase(keys[0]));
        expect_refused(none.estimate_count(keys[0]));
        expect_refused(none.merge(some_filter()));
        expect_refused(none.merge(any_filter()));
        expect_refused(none.grow());
        expect_refused(none.shrink());
        expect_refused(none.resize(some_filter()));
        expect_refused(none.intersect(some_filter()));
        expect_refused(none.confirm(keys, answers));
        expect_refused(none.protect(keys, keys));
        expect_refused(none.exclude(keys));
        expect_refused(none.clear());
        none.drop_exclusions();
        none.set_exclusions(must(exclusion_list::make({512, 3})));
        EXPECT_FALSE(none.exclusions());
        EXPECT_EQ(none.measure().fpr, 1);
        EXPECT_EQ(none.measure().items, 0);
        EXPECT_FALSE(none.predict({.items = 5}).fpr);
        EXPECT_FALSE(none.buckets());
        EXPECT_TRUE(none.predict_buckets({.items = 5}).empty());
        EXPECT_FALSE(none.growth());
        EXPECT_EQ(none.census(10, 4).cells, 0u);
        EXPECT_FALSE(build_like(none).has_value());
        none = some_filter();
        EXPECT_TRUE(none.has_filter());
        EXPECT_TRUE(succeeded(must(none.insert(keys[0]))));
    }
}

TEST(absent_filter, others_refuse_to_have_to_do_with_it) {
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        any_filter filter = some_filter(std::string(kind.name).c_str());
        EXPECT_FALSE(filter.merge(any_filter()).has_value());
        EXPECT_FALSE(filter.intersect(any_filter()).has_value());
        EXPECT_FALSE(filter.resize(any_filter()).has_value());
    }
}

TEST(absent_filter, a_file_without_one_is_not_written) {
    temporary_directory here;
    filter_file moved;
    moved.handle = keyed(guarded_filter(), any_hasher());
    moved.attached.resize(5);
    const filter_file taken = std::move(moved);
    std::array<filter_file, 2> files{filter_file{}, std::move(moved)}; // NOLINT(bugprone-use-after-move)
    for (filter_file& file : files) {
        EXPECT_TRUE(write_filter(file).empty());
        EXPECT_FALSE(read_filter(write_filter(file)).has_value());
        const auto saved = save_filter(file, here / "x.eb");
        ASSERT_FALSE(saved.has_value());
        EXPECT_NE(saved.error().sentence.find("no filter"), std::string::npos) << saved.error().sentence;
        EXPECT_EQ(here.listing(), "");
        EXPECT_TRUE(file.handle.may_contain(std::string_view("anna")));
        expect_refused(file.handle.insert(std::string_view("anna")));
        expect_refused(file.handle.erase(std::string_view("anna")));
        expect_refused(file.handle.estimate_count(std::string_view("anna")));
        (void)file.hasher().id();
    }
}

TEST(guard_that_was_moved, vetoes_nobody) {
    exclusion_list made = must(exclusion_list::make({512, 3}));
    const digest key = key_family(5)[0];
    made.veto(key);
    ASSERT_TRUE(made.vetoes(key));
    exclusion_list taken = std::move(made);
    EXPECT_TRUE(taken.vetoes(key));
    // NOLINTBEGIN(bugprone-use-after-move): that is the question
    EXPECT_FALSE(made.vetoes(key));
    EXPECT_EQ(made.vetoed_share(), 0);
    EXPECT_TRUE(made.words().empty());
    made.veto(key);
    made.let_pass(key);
    made.clear();
    EXPECT_FALSE(made.vetoes(key));
    made = std::move(taken);
    // NOLINTEND(bugprone-use-after-move)
    EXPECT_TRUE(made.vetoes(key));
}

} // namespace
} // namespace everbloom
