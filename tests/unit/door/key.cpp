// Keys: every type becomes the bytes that key.hpp says, and no other.
#include <everbloom/everbloom.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace everbloom_test {

enum class colour : std::uint8_t { red = 1, green = 7 };

struct point { // four bytes each, no padding
    std::int32_t x;
    std::int32_t y;
};

struct visit {
    std::string page;
    double seconds;
};

} // namespace everbloom_test

template <>
struct everbloom::key_encoding<everbloom_test::visit> {
    static auto encode(const everbloom_test::visit& one) { return std::tuple(std::string_view(one.page), 5); }
};

namespace everbloom {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using everbloom_test::colour;
using everbloom_test::point;
using everbloom_test::visit;

std::string number_bytes(std::uint64_t number) { return {reinterpret_cast<const char*>(&number), sizeof number}; }

TEST(key, text_and_bytes_are_themselves) {
    const std::vector<std::byte> bytes{std::byte{'a'}, std::byte{0}, std::byte{'b'}};
    EXPECT_EQ(key_bytes_of("a\0b"s), "a\0b"s);
    EXPECT_EQ(key_bytes_of("a\0b"sv), "a\0b"s);
    EXPECT_EQ(key_bytes_of("abc"), "abc");
    EXPECT_EQ(key_bytes_of(bytes), "a\0b"s);
    EXPECT_EQ(key_bytes_of(std::vector<unsigned char>{'a', 'b'}), "ab");
    EXPECT_EQ(key_bytes_of(std::array<char, 2>{'a', 'b'}), "ab");
    EXPECT_EQ(key_bytes_of(std::u8string(u8"ä")), "\xc3\xa4");
    EXPECT_EQ(key_bytes_of(std::string()), "");
}

TEST(key, numbers_are_their_value_not_their_width) {
    for (const std::string& same :
         {key_bytes_of(5), key_bytes_of(std::uint64_t{5}), key_bytes_of(std::int8_t{5}), key_bytes_of(5u)}) {
        EXPECT_EQ(same, number_bytes(5));
    }
    EXPECT_EQ(key_bytes_of(-1), number_bytes(~std::uint64_t{0}));
    EXPECT_EQ(key_bytes_of(std::int8_t{-1}), key_bytes_of(~std::uint64_t{0}));
    EXPECT_EQ(key_bytes_of(true), number_bytes(1));
    EXPECT_EQ(key_bytes_of(colour::green), number_bytes(7));
}

TEST(key, elements_of_a_tuple_do_not_run_into_each_other) {
    EXPECT_EQ(key_bytes_of(std::pair("a"s, "bc"s)), number_bytes(1) + "a" + number_bytes(2) + "bc");
    EXPECT_NE(key_bytes_of(std::pair("a"s, "bc"s)), key_bytes_of(std::pair("ab"s, "c"s)));
    EXPECT_EQ(key_bytes_of(std::tuple(5, "x"sv)), number_bytes(8) + number_bytes(5) + number_bytes(1) + "x");
    EXPECT_EQ(key_bytes_of(std::array<int, 2>{1, 2}), key_bytes_of(std::pair(1, 2)));
    EXPECT_NE(key_bytes_of(std::tuple(std::pair("a"s, "b"s), "c"s)),
              key_bytes_of(std::tuple("a"s, std::pair("b"s, "c"s))));
    EXPECT_EQ(key_bytes_of(std::tuple()), "");
    const std::string large(1000, 'x'); // longer than what stays on the stack
    EXPECT_EQ(key_bytes_of(std::pair(large, large)), number_bytes(1000) + large + number_bytes(1000) + large);
}

TEST(key, plain_structs_are_their_bytes_and_own_types_what_they_say) {
    const point at{1, -2};
    EXPECT_EQ(key_bytes_of(at), std::string(reinterpret_cast<const char*>(&at), sizeof at));
    EXPECT_EQ(key_bytes_of(visit{"home", 1.5}), key_bytes_of(std::pair("home"s, 5)));
}

TEST(key, hashes_as_its_bytes_do) {
    for (const hash_id id : known_hashes) {
        const any_hasher hash(id, hash_key::from_seed(3));
        const auto expect_same = [&](const auto& key) {
            const std::string bytes = key_bytes_of(key);
            EXPECT_EQ(digest_of(hash, key), hash(key_bytes(std::string_view(bytes)))) << name_of(id);
        };
        expect_same("anna");
        expect_same(7);
        expect_same(colour::red);
        expect_same(point{3, 4});
        expect_same(std::tuple(1, "a"s));
        expect_same(visit{"x", 0});
    }
}

TEST(key, knows_what_files_say_about_it) {
    static_assert(key_type_of<std::string>() == key_type::text);
    static_assert(key_type_of<const char*>() == key_type::text);
    static_assert(key_type_of<int>() == key_type::u64);
    static_assert(key_type_of<colour>() == key_type::u64);
    static_assert(key_type_of<std::vector<std::byte>>() == key_type::hex);
    static_assert(key_type_of<point>() == key_type::hex);
    static_assert(key_type_of<visit>() == key_type::hex);
    static_assert(Key<std::pair<int, std::string>> && !Key<double> && !Key<int*> && !Key<std::vector<int>>);
}

template <class KeyType>
void keeps(const std::vector<KeyType>& keys) {
    filter<KeyType> seen({.capacity = 100});
    for (const KeyType& key : keys) seen.insert(key);
    for (const KeyType& key : keys) EXPECT_TRUE(seen.may_contain(key));
    filter<KeyType> batch({.capacity = 100, .key = seen.hasher().key()});
    batch.insert(keys);
    EXPECT_TRUE(batch == seen) << "a batch and single keys";
}

TEST(key, of_every_sort_can_be_kept) {
    keeps<std::string>({"a", "b", std::string(5000, 'x'), ""});
    keeps<std::string_view>({"a", "b"});
    keeps<const char*>({"a", "b"});
    keeps<std::vector<std::byte>>({{std::byte{1}}, {}});
    keeps<int>({-5, 0, 5});
    keeps<colour>({colour::red, colour::green});
    keeps<point>({{1, 2}, {2, 1}});
    keeps<visit>({{"a", 1}, {"b", 2}});
    keeps<std::pair<std::string, int>>({{"a", 1}, {"b", 2}});
}

TEST(key, of_another_type_with_the_same_bytes_is_the_same_key) {
    filter<std::string> names({.capacity = 100});
    names.insert("anna"sv);
    EXPECT_TRUE(names.may_contain("anna"s) && names.may_contain("anna") && names.may_contain("anna"sv));
    EXPECT_TRUE(names.may_contain(std::vector<char>{'a', 'n', 'n', 'a'}));
    filter<std::uint64_t> numbers({.capacity = 100});
    numbers.insert(std::int8_t{5});
    EXPECT_TRUE(numbers.may_contain(5) && numbers.may_contain(5ull) && numbers.may_contain(colour{5}));
    filter<std::pair<std::string, int>> both({.capacity = 100});
    both.insert({"a", 1});
    EXPECT_TRUE(both.may_contain(std::tuple("a"sv, 1L)));
    EXPECT_TRUE(both.may_contain({"a", 1}));
}

} // namespace
} // namespace everbloom
