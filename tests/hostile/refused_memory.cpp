// Memory runs out in the middle of a change: of an insertion that makes a filter grow, of growing, merging, protecting. Every single
// allocation is refused in turn. What is refused has changed nothing, what is left can be saved, opened, and holds all members.
#include "hostile/failing_new.hpp"
#include "hostile/small_file.hpp"
#include "support/key_family.hpp"
#include "support/rounds.hpp"
#include "support/snapshot.hpp"
#include "support/temporary_directory.hpp"

#include <functional>

namespace everbloom::hostile {
namespace {

using support::key_family;
using support::must;
using support::snapshot_of;

void expect_saved_and_opened(const filter_file& file, std::span<const digest> members) {
    const auto loaded = read_filter(write_filter(file));
    ASSERT_TRUE(loaded) << loaded.error().sentence;
    ASSERT_EQ(snapshot_of(loaded->filter()), snapshot_of(file.filter()));
    for (const digest& member : members) {
        ASSERT_TRUE(file.filter().may_contain(member));
        ASSERT_TRUE(loaded->filter().may_contain(member));
    }
}

/// Keys of which more than half lie in an eighth of all digests: some pages of the kinds that sort them are full long before the others,
/// so that moving them needs memory, too.
digest crowded_key(const key_family& keys, std::uint64_t index) {
    digest made = keys[index];
    if (index % 5 < 3) made.low >>= 3;
    return made;
}

template <class T>
result<void> without_value(result<T> done) {
    if (!done) return fail(std::move(done.error())); // moved: there is no memory for a copy
    return {};
}

class refused_memory : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, refused_memory, ::testing::ValuesIn(kinds_that_can(capability::insert)), kind_name);

TEST_P(refused_memory, an_insertion_that_is_refused_changes_nothing) {
    filter_file file = empty_filter(kind().name, small_items);
    const std::uint64_t keys_to_come = kind().may_refuse_keys ? small_items : support::rounds(1500);
    const key_family keys(71);
    std::vector<digest> members;
    std::uint64_t refused = 0;
    std::uint64_t hit = 0; // insertions that went well though they were refused some memory
    for (std::uint64_t i = 0; i < keys_to_come; ++i) {
        const digest key = crowded_key(keys, i);
        const auto before = snapshot_of(file.filter());
        // Once in a while a page of a growth finds no memory for a long time: then the next growth must wait for it.
        const refusal how = i % 3 == 0 ? refusal::once : refusal::from_then_on;
        bool is_in = false;
        for (std::uint64_t number = 1; !is_in; ++number) {
            bool happened = false;
            result<insert_outcome> done;
            {
                const failing_new refusing(number, how);
                done = file.filter().insert(key);
                happened = refusing.happened();
            }
            ASSERT_TRUE(done) << done.error().sentence;
            is_in = succeeded(*done);
            if (is_in) {
                members.push_back(key);
                if (happened && hit++ % 8 == 0) expect_saved_and_opened(file, members);
            } else {
                ASSERT_TRUE(happened) << "refused for want of something else";
                ASSERT_EQ(snapshot_of(file.filter()), before) << "key " << i << ", allocation " << number;
                if (refused++ % 16 == 0) expect_saved_and_opened(file, members);
            }
            if (HasFatalFailure()) FAIL() << "key " << i << ", allocation " << number;
        }
    }
    expect_saved_and_opened(file, members);
    EXPECT_EQ(refused > 0, kind().grows_by_itself);
}

TEST_P(refused_memory, a_filter_kept_without_memory_loses_nobody) {
    if (!kind().grows_by_itself) return;
    // No memory at all from some key on, then plenty: what could not move before must move at once.
    for (std::uint64_t enough = 30; enough < 600; enough += 57) {
        filter_file file = empty_filter(kind().name, small_items);
        const key_family keys(72 + enough);
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < enough; ++i) {
            ASSERT_TRUE(succeeded(must(file.filter().insert(crowded_key(keys, i)))));
            members.push_back(crowded_key(keys, i));
        }
        for (std::uint64_t i = enough; i < 3 * enough + 400; ++i) {
            const bool plenty = i % 97 == 0;
            const auto before = snapshot_of(file.filter());
            result<insert_outcome> done;
            {
                const failing_new refusing(plenty ? more_than_any_needs : 1, refusal::from_then_on);
                done = file.filter().insert(crowded_key(keys, i));
            }
            ASSERT_TRUE(done);
            if (succeeded(*done)) {
                members.push_back(crowded_key(keys, i));
            } else {
                ASSERT_EQ(snapshot_of(file.filter()), before);
            }
        }
        expect_saved_and_opened(file, members);
        if (HasFatalFailure()) FAIL() << "no memory after " << enough << " keys";
    }
}

TEST_P(refused_memory, operations_on_whole_filters_change_nothing_when_they_fail) {
    const key_family keys(73);
    const key_family strangers(74);
    const std::vector<digest> negatives = strangers.first(300);
    const auto members = keys.first(small_items);
    filter_file file = empty_filter(kind().name, small_items);
    filter_file other = empty_filter(kind().name, small_items);
    for (std::uint64_t i = 0; i < small_items; ++i) {
        ASSERT_TRUE(succeeded(must(file.filter().insert(keys[i]))));
        ASSERT_TRUE(succeeded(must(other.filter().insert(keys[i < 10 ? i : 100 + i]))));
    }
    const any_filter larger = must(build({std::string(kind().name), 10 * small_items, 0.001, {}}));
    const file_bytes original = write_filter(file);
    const std::vector<std::pair<const char*, std::function<result<void>(any_filter&)>>> deeds{
        {"merge", [&](any_filter& filter) { return filter.merge(other.filter()); }},
        {"merge another kind of size", [&](any_filter& filter) { return filter.merge(larger); }},
        {"intersect", [&](any_filter& filter) { return filter.intersect(other.filter()); }},
        {"grow", [](any_filter& filter) { return filter.grow(); }},
        {"shrink", [](any_filter& filter) { return filter.shrink(); }},
        {"resize", [&](any_filter& filter) { return filter.resize(larger); }},
        {"protect",
         [&](any_filter& filter) { return without_value(filter.protect(members, negatives, {.threads = 3})); }},
        {"guard", [&](any_filter& filter) { return without_value(filter.exclude(negatives)); }},
        {"erase", [&](any_filter& filter) { return without_value(filter.erase(strangers[1000])); }}};
    for (const auto& [name, deed] : deeds) {
        for (const refusal how : {refusal::once, refusal::from_then_on}) {
            for (std::uint64_t number = 1; number < more_than_any_needs; ++number) {
                filter_file changed = must(read_filter(original));
                bool happened = false;
                bool went_well = false;
                bool has_words = false;
                {
                    const failing_new refusing(number, how);
                    const result<void> done = deed(changed.filter());
                    went_well = done.has_value();
                    has_words = went_well || !done.error().sentence.empty();
                    happened = refusing.happened();
                }
                if (!went_well) {
                    ASSERT_TRUE(has_words) << name << ", allocation " << number;
                    ASSERT_EQ(write_filter(changed), original) << name << ", allocation " << number;
                } else {
                    expect_saved_and_opened(changed, {});
                }
                if (HasFatalFailure()) FAIL() << name << ", allocation " << number;
                if (!happened) break;
            }
        }
    }
}

TEST_P(refused_memory, what_says_that_it_does_not_throw_does_not_allocate) {
    filter_file file = empty_filter(kind().name, small_items);
    const key_family keys(75);
    for (std::uint64_t i = 0; i < small_items; ++i) ASSERT_TRUE(succeeded(must(file.filter().insert(keys[i]))));
    const std::vector<digest> asked = keys.first(100);
    std::vector<std::uint8_t> answers(asked.size());
    for (const bool guarded : {false, true}) {
        if (guarded) must(file.filter().exclude(key_family(76).first(500)));
        const std::uint64_t expected = [&] {
            std::uint64_t bytes = 0;
            for (const auto& words : file.filter().sections()) bytes += words.size_bytes();
            return bytes;
        }();
        std::uint64_t payload = 0;
        bool happened = false;
        {
            const failing_new refusing(1, refusal::from_then_on);
            any_filter& filter = file.filter();
            payload = filter.payload_bytes();
            (void)filter.kind();
            (void)filter.kind_id();
            (void)filter.capabilities();
            (void)filter.structure_bits();
            (void)filter.cells();
            (void)filter.has_filter();
            (void)filter.exclusions();
            filter.may_contain(asked, answers);
            (void)filter.may_contain(asked[0]);
            any_filter moved = std::move(filter);
            filter = std::move(moved);
            happened = refusing.happened();
        }
        EXPECT_FALSE(happened);
        EXPECT_EQ(payload, expected);
    }
    bool happened = false;
    {
        const failing_new refusing(1, refusal::from_then_on);
        file.filter().drop_exclusions();
        EXPECT_TRUE(file.filter().clear());
        happened = refusing.happened();
    }
    EXPECT_FALSE(happened);
}

} // namespace
} // namespace everbloom::hostile
