// A slow filter without memory: every allocation of updates, merges, flushes and resizes is refused in turn, once alone and once with all
// that follow. Nothing is thrown, what was accepted is there and what was refused is not, in memory and in the file.
#include "hostile/failing_new.hpp"
#include "support/rounds.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>

namespace everbloom::hostile {
namespace {

constexpr std::uint64_t members = 3000;
constexpr std::uint64_t little_buffer = 20000; // small: many merges

digest item_of(std::uint64_t key) { return {mix(key * 2 + 1), 0}; }

/// What the filter said, noted without any allocation.
struct everything_said {
    static constexpr std::size_t singles = 500;
    static constexpr std::size_t many = 256;

    std::array<insert_outcome, singles> inserted;       // keys from `members` on
    std::array<insert_outcome, many> inserted_together; // keys behind those
    std::array<deferred_outcome, many> erased_later;    // keys from 0 on
    enum class verdict { removed, not_present, failed };
    std::array<verdict, many> erased; // keys behind those
    bool thrown = false;
    bool failed_without_words = false;
};

template <class Filter>
void use(Filter& filter, const slow_plan& other_plan, everything_said& said) {
    const auto note = [&](const auto& done) {
        if (!done) said.failed_without_words |= done.error().sentence.empty();
    };
    try {
        for (std::size_t i = 0; i < said.inserted.size(); ++i) said.inserted[i] = filter.insert(item_of(members + i));
        std::array<digest, everything_said::many> items{};
        for (std::size_t i = 0; i < items.size(); ++i) items[i] = item_of(members + everything_said::singles + i);
        filter.insert(items, said.inserted_together);
        for (std::size_t i = 0; i < items.size(); ++i) items[i] = item_of(i);
        filter.erase_later(items, said.erased_later);
        for (std::size_t i = 0; i < said.erased.size(); ++i) {
            const auto done = filter.erase(item_of(items.size() + i));
            note(done);
            said.erased[i] = !done                             ? everything_said::verdict::failed
                             : *done == erase_outcome::removed ? everything_said::verdict::removed
                                                               : everything_said::verdict::not_present;
        }
        note(filter.count(item_of(members - 1)));
        note(filter.flush());
        note(filter.resize(other_plan));
        note(filter.merge());
        note(filter.verify());
        note(filter.flush());
    } catch (...) {
        said.thrown = true;
    }
}

using stored_counts = std::map<std::uint64_t, std::uint64_t>;

stored_counts expected_after(const everything_said& said, unsigned hash_bits) {
    stored_counts truth;
    const auto hash_of = [&](std::uint64_t key) { return item_of(key).low & stored_mask(hash_bits); };
    for (std::uint64_t key = 0; key < members; ++key) ++truth[hash_of(key)];
    const auto take = [&](std::uint64_t key) { truth.erase(hash_of(key)); };
    for (std::size_t i = 0; i < said.inserted.size(); ++i) {
        if (succeeded(said.inserted[i])) ++truth[hash_of(members + i)];
    }
    for (std::size_t i = 0; i < everything_said::many; ++i) {
        if (succeeded(said.inserted_together[i])) ++truth[hash_of(members + everything_said::singles + i)];
        if (said.erased_later[i] == deferred_outcome::accepted) take(i);
        if (said.erased[i] == everything_said::verdict::removed) take(everything_said::many + i);
        EXPECT_NE(said.erased[i], everything_said::verdict::not_present) << "a member";
        EXPECT_NE(said.erased_later[i], deferred_outcome::not_present) << "a member";
    }
    return truth;
}

template <class Filter>
void expect_contents(const Filter& filter, const stored_counts& truth) {
    for (const auto& one : truth) ASSERT_TRUE(filter.may_contain(digest{one.first, 0}));
}

slow_elastic opened(const std::string& path, slow_access how) {
    auto made = slow_elastic::open(open_slow_file(path, how).value(), how, little_buffer);
    EXPECT_TRUE(made) << made.error().sentence;
    return std::move(*made);
}

template <class Filter>
class slow_without_memory : public ::testing::Test {};
using both_filters = ::testing::Types<slow_elastic, shared_slow_elastic>;
TYPED_TEST_SUITE(slow_without_memory, both_filters);

TYPED_TEST(slow_without_memory, keeps_what_it_accepted_and_nothing_else) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    auto plan = plan_slow({members / 2, 0.01}).value();
    plan.identity.geometry.part_bits = 3;
    const unsigned hash_bits = plan.identity.geometry.word_bits;
    {
        auto name = new_slow_file::begin(path).value();
        auto made = slow_elastic::create(name.take_file(), plan, little_buffer).value();
        for (std::uint64_t key = 0; key < members; ++key) ASSERT_TRUE(succeeded(made.insert(item_of(key))));
        ASSERT_TRUE(name.publish(new_slow_file::existing::keep));
        ASSERT_TRUE(made.close());
    }
    const std::string bytes = here.read("x.eb");
    const auto other_plan = plan_slow({members, 0.001}).value();
    std::uint64_t refused = 0;
    std::uint64_t refused_updates = 0;
    for (const refusal how : {refusal::once, refusal::from_then_on}) {
        bool happened = true;
        // Every day the first ones all, then fewer and fewer; with many rounds all.
        for (std::uint64_t number = 1; happened; number += support::rounds(1) > 1 ? 1 : 1 + number / 8) {
            here.write("x.eb", bytes);
            const auto said = std::make_unique<everything_said>();
            stored_counts truth;
            {
                slow_elastic plain = opened(path, slow_access::write);
                TypeParam filter = [&] {
                    if constexpr (std::is_same_v<TypeParam, slow_elastic>)
                        return std::move(plain);
                    else
                        return shared_slow_elastic::share(std::move(plain)).value();
                }();
                {
                    const failing_new refusing(number, how);
                    use(filter, other_plan, *said);
                    happened = refusing.happened();
                }
                ASSERT_FALSE(said->thrown) << "allocation " << number;
                ASSERT_FALSE(said->failed_without_words) << "allocation " << number;
                truth = expected_after(*said, hash_bits);
                expect_contents(filter, truth);
                const auto closed = filter.close();
                ASSERT_TRUE(closed) << closed.error().sentence;
            }
            slow_elastic again = opened(path, slow_access::write);
            const auto merged = again.merge();
            ASSERT_TRUE(merged) << merged.error().sentence;
            stored_counts found;
            ASSERT_TRUE(again.for_each([&](std::uint64_t hash, std::uint64_t copies) { found[hash] = copies; }));
            ASSERT_TRUE(found == truth) << "allocation " << number << ", " << found.size() << " keys instead of "
                                        << truth.size();
            expect_contents(again, truth);
            ASSERT_TRUE(again.verify());
            refused += happened ? 1 : 0;
            refused_updates += truth.size() == members + everything_said::singles - everything_said::many ? 0 : 1;
            if (::testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(refused, 15u);
    EXPECT_GT(refused_updates, 0u) << "no refusal reached an update";
}

/// `work` returns a result, and refuses to be done without memory: with words, and as often as it is asked to.
template <class Work, class Check>
void refuse_each_allocation_of(Work work, Check check) {
    for (const refusal how : {refusal::once, refusal::from_then_on}) {
        bool happened = true;
        std::uint64_t number = 1;
        for (; happened; ++number) {
            std::optional<failure> why;
            {
                const failing_new refusing(number, how);
                auto done = work();
                happened = refusing.happened();
                if (!done) why = std::move(done.error());
            }
            ASSERT_TRUE(happened || !why) << why->sentence;
            if (why) {
                ASSERT_EQ(why->reason, failure_reason::out_of_memory) << why->sentence;
            }
            check(!why);
            if (::testing::Test::HasFailure()) return;
        }
        EXPECT_GT(number, 5u);
    }
}

TEST(slow_files_without_memory, are_opened_or_not) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    {
        auto name = new_slow_file::begin(path).value();
        auto made = slow_elastic::create(name.take_file(), plan_slow({100, 0.01}).value(), little_buffer).value();
        for (std::uint64_t key = 0; key < 500; ++key) ASSERT_TRUE(succeeded(made.insert(item_of(key))));
        ASSERT_TRUE(name.publish(new_slow_file::existing::keep));
        ASSERT_TRUE(made.close());
    }
    std::string bytes = here.read("x.eb");
    bool was_open = false; // and so was closed again, because it could not be shared
    for (const slow_access access : {slow_access::read, slow_access::write}) {
        refuse_each_allocation_of(
            [&]() -> result<void> {
                was_open = false;
                auto file = open_slow_file(path, access);
                if (!file) return fail(std::move(file.error()));
                auto made = slow_elastic::open(std::move(*file), access, little_buffer);
                if (!made) return fail(std::move(made.error()));
                was_open = true;
                if (access == slow_access::read) return {};
                auto shared = shared_slow_elastic::share(std::move(*made));
                if (!shared) return fail(std::move(shared.error()));
                return {};
            },
            [&](bool done) {
                const std::string now = here.read("x.eb");
                ASSERT_TRUE(done || was_open || now == bytes) << "a file that could not be opened was written to";
                bytes = now;
                const slow_elastic again = opened(path, slow_access::read);
                for (std::uint64_t key = 0; key < 500; ++key) ASSERT_TRUE(again.may_contain(item_of(key)));
            });
    }
}

TEST(slow_files_without_memory, are_created_or_not_there) {
    const support::temporary_directory here;
    const std::string path = here / "x.eb";
    refuse_each_allocation_of(
        [&]() -> result<void> {
            const auto plan = plan_slow({100, 0.01});
            if (!plan) return fail(plan.error());
            auto name = new_slow_file::begin(path);
            if (!name) return fail(std::move(name.error()));
            auto made = slow_elastic::create(name->take_file(), *plan, little_buffer);
            if (!made) return fail(std::move(made.error()));
            return name->publish(new_slow_file::existing::replace);
        },
        [&](bool done) {
            ASSERT_EQ(here.listing(), done ? "x.eb" : "");
            std::filesystem::remove(path);
        });
}

} // namespace
} // namespace everbloom::hostile
