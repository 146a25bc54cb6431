// Golden files: what was written once is written and read the same for ever, byte by byte, by every kind.
//
// EVERBLOOM_WRITE_GOLDEN=1 writes the files that are missing, never one that is there.
#include "golden/recipe.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace everbloom {
namespace {

using namespace support;

/// The names of the kinds that take keys, one by one or all at once.
std::vector<std::string> kinds_with_files() {
    std::vector<std::string> names;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(capability::insert) || kind.capabilities.has(capability::build)) {
            names.emplace_back(kind.name);
        }
    }
    return names;
}

class golden_file : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        const char* wish = std::getenv("EVERBLOOM_WRITE_GOLDEN");
        if (wish != nullptr && std::string_view(wish) == "1" && !std::filesystem::exists(path_)) {
            must(save_filter(golden::filled(must(build({GetParam(), golden::members, golden::rate, {}}))), path_));
        }
        ASSERT_TRUE(std::filesystem::exists(path_))
            << "the kind " << GetParam()
            << " has no golden file; run test_golden once with EVERBLOOM_WRITE_GOLDEN=1 and commit "
            << "tests/golden/" << GetParam() << ".eb";
    }

    [[nodiscard]] std::vector<std::byte> stored_bytes() const {
        std::ifstream file(path_, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const auto bytes = std::as_bytes(std::span(text));
        return {bytes.begin(), bytes.end()};
    }

    std::string path_ = golden::path_of(GetParam());
};

INSTANTIATE_TEST_SUITE_P(kinds, golden_file, ::testing::ValuesIn(kinds_with_files()),
                         [](const auto& info) { return info.param; });

TEST_P(golden_file, is_made_again_byte_by_byte) {
    const filter_file stored = must(open_filter(path_));
    const auto made = write_filter(golden::filled(must(build_like(stored.filter()))));
    EXPECT_TRUE(made == stored_bytes())
        << "the same keys no longer make the same file; files in the world would lose their keys. If the format or the "
           "geometry must change, give it a new version, and keep reading this one";
}

TEST_P(golden_file, opens_and_maps_and_answers) {
    const bool some_left = find_kind(GetParam())->capabilities.has(capability::erase);
    for (const auto load : {&open_filter, &map_filter}) {
        const filter_file stored = must(load(path_));
        EXPECT_EQ(stored.filter().kind(), GetParam());
        EXPECT_EQ(stored.hasher().id(), hash_id::xxh3);
        EXPECT_EQ(stored.hasher().key(), hash_key::from_seed(golden::seed));
        EXPECT_EQ(stored.keys, key_type::text);
        EXPECT_EQ(stored.target.items, golden::members);
        EXPECT_EQ(stored.target.fpr, golden::rate);
        if (!find_kind(GetParam())->loses_members) {
            for (std::uint64_t i = some_left ? golden::removed : 0; i < golden::members; ++i) {
                EXPECT_TRUE(stored.handle.may_contain(std::string_view(golden::nth_key(i)))) << golden::nth_key(i);
            }
        }
        std::uint64_t false_positives = 0;
        for (std::uint64_t i = golden::members; i < golden::members + 10'000; ++i) {
            false_positives += stored.handle.may_contain(std::string_view(golden::nth_key(i))) ? 1 : 0;
        }
        EXPECT_LT(false_positives, 300u) << "planned for 100 of 10000";
    }
}

TEST_P(golden_file, is_written_back_unchanged) {
    EXPECT_TRUE(write_filter(must(open_filter(path_))) == stored_bytes());
}

TEST(golden_files, belong_to_kinds_that_exist) {
    for (const auto& entry : std::filesystem::directory_iterator(golden::directory())) {
        if (entry.path().extension() != ".eb") continue;
        EXPECT_NE(find_kind(entry.path().stem().string()), nullptr)
            << entry.path() << ": files of this kind are in the world; the kind may not vanish";
    }
}

} // namespace
} // namespace everbloom
