// The hash of .bloom files: FNV-1, pinned to known values; a filter that came from such a file depends on it.
#include <everbloom/hash/dcso.hpp>

#include <gtest/gtest.h>

#include <set>

namespace everbloom {
namespace {

// The first two are in the definition of FNV (the offset basis itself, and its test vector).
TEST(dcso_hash, is_fnv_1) {
    const dcso_hasher hash;
    EXPECT_EQ(hash("").high, 0xcbf29ce484222325);
    EXPECT_EQ(hash("foobar").high, 0x340d8765a4dda9c2);
    EXPECT_EQ(hash("anna").high, 0x2ecb4d7efb784017);
    EXPECT_EQ(hash("anna").low, 0x29c97ace64b2fae7);
}

TEST(dcso_hash, has_no_key_but_remembers_one) {
    const dcso_hasher hash(hash_key::from_seed(7));
    EXPECT_EQ(hash("anna"), dcso_hasher()("anna"));
    EXPECT_EQ(hash.key(), hash_key::from_seed(7));
    EXPECT_EQ(hash.id(), hash_id::dcso);
}

TEST(dcso_hash, the_stirred_half_spreads_keys_that_differ_in_their_last_byte) {
    std::set<std::uint64_t> highest_bits;
    std::string key = "key?";
    for (int last = 0; last < 256; ++last) {
        key.back() = static_cast<char>(last);
        highest_bits.insert(dcso_hasher()(std::string_view(key)).low >> 48);
    }
    EXPECT_GT(highest_bits.size(), 240U);
}

} // namespace
} // namespace everbloom
