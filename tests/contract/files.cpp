// What every kind promises about files: what comes back is what was written, in memory, mapped and as a view.
#include "support/key_family.hpp"
#include "support/runtime_twin.hpp"
#include "support/small_specs.hpp"
#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

class files : public ::testing::TestWithParam<kind_pointer> {
protected:
    /// With 60 keys in it, and where that is possible 20 of them removed again.
    static filter_file used(const geometry& spec) {
        filter_file file = file_twin(*GetParam(), spec);
        for (std::uint64_t i = 0; i < 60; ++i) must(file.filter().insert(key_family(1)[i]));
        for (std::uint64_t i = 0; file.filter().can(capability::erase) && i < 20; ++i) {
            must(file.filter().erase(key_family(1)[i]));
        }
        return file;
    }

    static void expect_same_answers(const any_filter& one, const any_filter& two) {
        std::vector<digest> asked = key_family(1).first(100);
        for (std::uint64_t i = 0; i < 300; ++i) asked.push_back(key_family(2)[i]);
        std::vector<std::uint8_t> of_one(asked.size());
        std::vector<std::uint8_t> of_two(asked.size());
        one.may_contain(asked, of_one);
        two.may_contain(asked, of_two);
        EXPECT_EQ(of_one, of_two);
    }
};

INSTANTIATE_TEST_SUITE_P(kinds, files, ::testing::ValuesIn(subjects_that_can(capability::insert)), subject_name);

TEST_P(files, bytes_that_were_written_are_read_back_as_the_same_filter) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 60, 0.01)) {
        const filter_file file = used(spec);
        const auto bytes = write_filter(file);
        const filter_file loaded = must(read_filter(bytes));
        ASSERT_EQ(loaded.filter().kind(), kind.name);
        ASSERT_EQ(snapshot_of(loaded.filter()), snapshot_of(file.filter()));
        expect_same_answers(loaded.filter(), file.filter());
        ASSERT_EQ(write_filter(loaded), bytes);
    }
}

TEST_P(files, a_saved_file_is_opened_and_mapped_as_the_same_filter) {
    const subject_kind& kind = *GetParam();
    const temporary_directory here;
    const filter_file file = used(must(kind.plan(workload{60, 0.01})));
    must(save_filter(file, here / "x.eb"));
    const filter_file opened = must(open_filter(here / "x.eb"));
    const filter_file mapped = must(map_filter(here / "x.eb"));
    for (const filter_file* loaded : {&opened, &mapped}) {
        EXPECT_EQ(snapshot_of(loaded->filter()), snapshot_of(file.filter()));
        EXPECT_EQ(write_filter(*loaded), write_filter(file));
        expect_same_answers(loaded->filter(), file.filter());
    }
}

TEST_P(files, a_large_file_of_several_pages_comes_back) {
    const subject_kind& kind = *GetParam();
    const temporary_directory here;
    filter_file file = file_twin(kind, must(kind.plan(workload{2'000'000, 0.01}))); // 2.4 MB and more
    ASSERT_GT(file.filter().payload_bytes(), std::uint64_t{1} << 21);
    for (std::uint64_t i = 0; i < 1000; ++i) must(file.filter().insert(key_family(3)[i]));
    must(save_filter(file, here / "x.eb"));
    EXPECT_EQ(snapshot_of(must(open_filter(here / "x.eb")).filter()), snapshot_of(file.filter()));
    const filter_file mapped = must(map_filter(here / "x.eb"));
    for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(mapped.filter().may_contain(key_family(3)[i]));
}

TEST_P(files, a_filter_goes_on_living_after_a_load_as_if_nothing_had_happened) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 60, 0.01)) {
        filter_file file = used(spec);
        filter_file loaded = must(read_filter(write_filter(file)));
        for (filter_file* one : {&file, &loaded}) {
            for (std::uint64_t i = 100; i < 120; ++i) must(one->filter().insert(key_family(1)[i]));
            if (one->filter().can(capability::erase)) must(one->filter().erase(key_family(1)[110]));
        }
        ASSERT_EQ(snapshot_of(loaded.filter()), snapshot_of(file.filter()));
    }
}

TEST_P(files, a_view_answers_as_the_filter_does) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 60, 0.01)) {
        const auto original = must(kind.make(spec));
        for (std::uint64_t i = 0; i < 60; ++i) (void)original->insert(key_family(1)[i]);
        const auto view = original->view();
        ASSERT_EQ(view->snapshot(), original->snapshot());
        for (std::uint64_t i = 0; i < 200; ++i) {
            const digest key = key_family(1)[i];
            ASSERT_EQ(view->may_contain(key), original->may_contain(key));
            if (kind.can(capability::count)) {
                ASSERT_EQ(view->estimate_count(key), original->estimate_count(key));
            }
            if (kind.can(capability::erase)) {
                ASSERT_EQ(view->can_erase(key), original->can_erase(key));
            }
        }
        const measurement of_view = view->measure();
        const measurement of_filter = original->measure();
        EXPECT_EQ(of_view.fpr, of_filter.fpr);
        EXPECT_EQ(of_view.items, of_filter.items);
        EXPECT_EQ(of_view.deletable_share, of_filter.deletable_share);
    }
}

TEST_P(files, a_filter_put_together_from_its_words_is_the_same_filter) {
    const subject_kind& kind = *GetParam();
    for (const auto& spec : spec_variants(kind, 60, 0.01)) {
        const auto original = must(kind.make(spec));
        for (std::uint64_t i = 0; i < 60; ++i) (void)original->insert(key_family(1)[i]);
        const auto again = original->reassembled();
        for (const auto* one : {&original, &again}) {
            for (std::uint64_t i = 50; i < 70; ++i) (void)(*one)->insert(key_family(1)[i]);
        }
        ASSERT_EQ(again->snapshot(), original->snapshot());
    }
}

} // namespace
} // namespace everbloom
