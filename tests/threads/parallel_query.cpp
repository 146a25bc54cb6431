// Several threads ask the lists of a partitioned filter: the answers are those of one.
#include "support/key_family.hpp"
#include "support/must.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/parallel_query.hpp>

#include <gtest/gtest.h>

namespace everbloom {
namespace {

using namespace support;

TEST(parallel_query, any_number_of_threads_gives_the_answers_of_one) {
    partitioned_spec spec;
    spec.initial_bits = 1000;
    spec.hashes = 5;
    spec.partitions = 3;
    auto filter = must(make<partitioned_filter>(spec));
    std::vector<digest> asked = key_family(1).first(2000);
    for (const digest& key : asked) ASSERT_TRUE(succeeded(filter.insert(key)));
    ASSERT_GT(filter.spec().filters, 10u);
    for (std::uint64_t i = 0; i < 2000; ++i) asked.push_back(key_family(2)[i]);
    std::vector<std::uint8_t> expected(asked.size());
    filter.may_contain(asked, expected);
    for (const unsigned threads : {0u, 1u, 2u, 3u, 8u, 100u}) {
        std::vector<std::uint8_t> answers(asked.size(), 7);
        parallel_may_contain(filter, asked, answers, threads);
        ASSERT_EQ(answers, expected) << threads << " threads";
    }
}

} // namespace
} // namespace everbloom
