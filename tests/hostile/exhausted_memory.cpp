// Promise P3: out of memory is a failure like any other. Every single allocation of building, opening, mapping, reading and saving is
// refused in turn, once alone and once with all that follow: a failure comes back, nothing is thrown, and no file is harmed.
#include "hostile/failing_new.hpp"
#include "hostile/small_file.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <cstdio>
#include <optional>

namespace everbloom::hostile {
namespace {

using support::temporary_directory;

/// Runs `work`, which returns a result, with every allocation refused in turn until it succeeds untouched; `check` looks at what is
/// left after each failure. Returns how many allocations were refused in turn.
template <class Work, class Check>
std::uint64_t refuse_each_allocation(Work work, Check check) {
    std::uint64_t refused = 0;
    for (const refusal how : {refusal::once, refusal::from_then_on}) {
        for (std::uint64_t number = 1; number < more_than_any_needs; ++number) {
            bool happened = false;
            std::optional<failure> why;
            {
                const failing_new refusing(number, how);
                auto done = work();
                happened = refusing.happened();
                if (!done) why = std::move(done.error());
            }
            if (!happened) {
                EXPECT_FALSE(why) << why->sentence;
                break;
            }
            ++refused;
            EXPECT_TRUE(why) << "allocation " << number << " was refused and nobody noticed";
            if (why) {
                // The C library's own allocations are not ours to refuse, so nothing else can go wrong here.
                EXPECT_EQ(why->reason, failure_reason::out_of_memory) << why->sentence;
                EXPECT_FALSE(why->sentence.empty());
            }
            check();
            if (::testing::Test::HasFailure()) return refused;
        }
    }
    return refused;
}

class exhausted_memory : public for_every_kind {
protected:
    exhausted_memory() {
        filter_file made = empty_filter(kind().name, small_items);
        support::must(save_filter(made, path));
        insert_keys(made, 0, small_items);
        changed = std::move(made);
        old_bytes = here.read("x.eb");
    }

    void expect_old_file_alone() {
        EXPECT_EQ(here.read("x.eb"), old_bytes);
        EXPECT_EQ(here.listing(), "x.eb");
    }

    temporary_directory here;
    const std::string path = here / "x.eb";
    std::string old_bytes;
    filter_file changed;
};
INSTANTIATE_TEST_SUITE_P(kinds, exhausted_memory, ::testing::ValuesIn(kinds_that_can(capability::query)), kind_name);

TEST_P(exhausted_memory, building_fails_with_a_value) {
    const build_request wanted{std::string(kind().name), small_items, 0.01, {}};
    EXPECT_GT(refuse_each_allocation([&] { return build(wanted); }, [] {}), 0u);
}

TEST_P(exhausted_memory, opening_fails_with_a_value) {
    EXPECT_GT(refuse_each_allocation([&] { return open_filter(path); }, [] {}), 0u);
}

TEST_P(exhausted_memory, mapping_fails_with_a_value) {
    EXPECT_GT(refuse_each_allocation([&] { return map_filter(path); }, [] {}), 0u);
}

TEST_P(exhausted_memory, reading_from_memory_fails_with_a_value) {
    const file_bytes& bytes = small_file(kind().name); // made now, while there is memory
    EXPECT_GT(refuse_each_allocation([&] { return read_filter(bytes); }, [] {}), 0u);
}

TEST_P(exhausted_memory, saving_fails_with_a_value_and_leaves_the_old_file) {
    const std::string new_bytes = [&] {
        const file_bytes bytes = write_filter(changed);
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }();
    const auto check = [&] {
        EXPECT_TRUE(here.read("x.eb") == old_bytes);
        EXPECT_EQ(here.listing(), "x.eb");
    };
    const auto save_over_old = [&] {
        std::FILE* const file = std::fopen(path.c_str(), "wb"); // no operator new in here
        EXPECT_EQ(std::fwrite(old_bytes.data(), 1, old_bytes.size(), file), old_bytes.size());
        std::fclose(file);
        return save_filter(changed, path);
    };
    EXPECT_GT(refuse_each_allocation(save_over_old, check), 0u);
    EXPECT_EQ(here.read("x.eb"), new_bytes);
}

TEST_P(exhausted_memory, beginning_an_update_fails_with_a_value_and_leaves_no_lock) {
    const auto check = [&] { expect_old_file_alone(); };
    EXPECT_GT(refuse_each_allocation([&] { return file_update::begin(path); }, check), 0u);
    expect_old_file_alone();
}

TEST_P(exhausted_memory, even_a_refusal_of_a_damaged_file_needs_no_memory_to_stay_a_value) {
    file_bytes damaged = small_file(kind().name);
    damaged.back() ^= std::byte{1};
    for (std::uint64_t number = 1; number < more_than_any_needs; ++number) {
        bool happened = false;
        bool refused = false;
        {
            const failing_new refusing(number, refusal::from_then_on);
            refused = !read_filter(damaged);
            happened = refusing.happened();
        }
        ASSERT_TRUE(refused);
        if (!happened) break;
    }
}

} // namespace
} // namespace everbloom::hostile
