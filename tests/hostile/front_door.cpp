// The front door without memory: whatever allocation is refused, an operation that fails says so and changes nothing. And keys of
// sizes that nobody expects.
#include "hostile/failing_new.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/everbloom.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <functional>
#include <string>
#include <vector>

namespace everbloom::hostile {
namespace {

using names = filter<std::string>;

names some_names(std::string_view kind) {
    names made({.capacity = 200, .kind = std::string(kind), .key = hash_key::from_seed(1)});
    for (int i = 0; i < 100; ++i) made.insert("name " + std::to_string(i));
    return made;
}

/// Refuses the first allocations in turn and then some of the later ones, once and for good, until none is left to be refused.
void refuse_each(const std::function<void()>& prepare, const std::function<bool()>& work,
                 const std::function<void(bool)>& judge) {
    for (const refusal how : {refusal::once, refusal::from_then_on}) {
        for (std::uint64_t number = 1; number < more_than_any_needs; number += 1 + number / 8) {
            prepare();
            bool done = false;
            bool refused = false;
            {
                const failing_new refusing(number, how);
                try {
                    done = work();
                } catch (const error& thrown) {
                    EXPECT_EQ(thrown.reason(), failure_reason::out_of_memory) << thrown.what();
                } catch (const std::bad_alloc&) { // of what the test itself, or a key, needs
                }
                refused = refusing.happened();
            }
            judge(done);
            if (::testing::Test::HasFailure()) return;
            if (!refused) {
                EXPECT_TRUE(done) << "with enough memory it works";
                break;
            }
        }
    }
}

TEST(front_door_without_memory, operations_fail_in_words_and_change_nothing) {
    const support::temporary_directory here;
    for (const char* kind : {"bloom", "dfp", "elastic_blocked", "elastic"}) {
        SCOPED_TRACE(kind);
        const names original = some_names(kind);
        const std::string path = here / "names.eb";
        original.save(path);
        names other = some_names(kind);
        other.insert("another");
        names changed = original;
        const auto reset = [&] { changed = original; };
        const std::vector<std::pair<const char*, std::function<bool()>>> deeds{
            {"make", [&] { return names::try_make({.capacity = 100, .kind = kind}).has_value(); }},
            {"copy", [&] { return original.try_copy().has_value(); }},
            {"open", [&] { return names::try_open(path).has_value(); }},
            {"map", [&] { return names::try_map(path).has_value(); }},
            {"save", [&] { return original.try_save(path).has_value(); }},
            {"bytes", [&] { return original.try_bytes().has_value(); }},
            {"merge", [&] { return changed.try_merge(other).has_value(); }},
            {"stats", [&] { return changed.stats().keys > 0; }},
        };
        for (const auto& [name, deed] : deeds) {
            SCOPED_TRACE(name);
            refuse_each(reset, deed, [&](bool done) {
                EXPECT_TRUE(done || changed == original) << "a failure has changed the filter";
                EXPECT_TRUE(names::open(path) == original) << "a failure has changed the file";
            });
            if (HasFailure()) return;
        }
    }
}

TEST(front_door_without_memory, keys_are_taken_whole_or_not_at_all) {
    for (const char* kind : {"blocked", "elastic_blocked", "elastic", "scalable"}) {
        SCOPED_TRACE(kind);
        filter<std::uint64_t> seen({.capacity = 50, .kind = kind});
        std::vector<std::uint64_t> members;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            insert_outcome outcome{};
            {
                const failing_new refusing(i % 3 == 0 ? 1 : more_than_any_needs, refusal::from_then_on);
                outcome = seen.insert(i);
            }
            if (succeeded(outcome)) members.push_back(i);
        }
        EXPECT_GE(members.size(), 40u);
        for (const std::uint64_t key : members) ASSERT_TRUE(seen.may_contain(key)) << key;
        EXPECT_TRUE(filter<std::uint64_t>::read(seen.bytes()) == seen);
    }
}

TEST(front_door_keys, of_more_than_four_gibibytes_are_hashed_whole) {
    // One page of zeros, mapped many times over, is as good as memory.
    constexpr std::size_t bytes = (std::size_t{4} << 30) + 17;
    void* const zeros = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(zeros, MAP_FAILED);
    const std::string_view large(static_cast<const char*>(zeros), bytes);
    filter<std::string_view> seen({.capacity = 10, .hash = hash_id::xxh3});
    seen.insert(large);
    EXPECT_TRUE(seen.may_contain(large));
    EXPECT_FALSE(seen.may_contain(large.substr(0, 17))) << "its length modulo 2^32";
    EXPECT_FALSE(seen.may_contain(large.substr(1)));
    ::munmap(zeros, bytes);
}

} // namespace
} // namespace everbloom::hostile
