// The vector file, tests/vectors/answers.txt: keys of all types, and for every kind, hash and key type the outcomes, the answers and the
// checksum of the file. Made and checked here by the C++ front door; also checked from C (vectors_in_c.c), by the command line
// (tests/cli/vectors_test.cpp) and by the bindings. docs/format.md#vectors describes it.
//
// EVERBLOOM_WRITE_VECTORS=1 writes the file again, for a new kind or hash. Lines that are there must not change: files in the world would
// give other answers.
#include <everbloom/door/filter_core.hpp>
#include <everbloom/jobs/canonical_key.hpp>
#include <everbloom/jobs/network.hpp>
#include <everbloom/key.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace everbloom::capi_tests {
namespace {

constexpr const char* path = EVERBLOOM_SOURCE_DIR "/tests/vectors/answers.txt";
constexpr std::uint64_t capacity = 40;
constexpr double fpr = 0.1; // so that some of the absent keys are false positives
constexpr std::uint64_t seed = 2026;

struct vector_key {
    std::string bytes;
    bool member = false;
};

/// 40 members, then 40 absent keys.
std::vector<vector_key> keys_of(key_type type) {
    std::vector<vector_key> made;
    for (std::uint64_t i = 0; i < 2 * capacity; ++i) {
        std::string bytes;
        const std::uint64_t mixed = i * 0x9e3779b97f4a7c15;
        const auto append = [&](std::size_t count) {
            for (std::size_t at = 0; at < count; ++at) bytes += static_cast<char>(mixed >> (8 * (at % 8)));
        };
        switch (type) {
        case key_type::text: {
            constexpr std::array<std::string_view, 4> words{"anna ", "Zo\xc3\xab ", "\xf0\x9f\x8c\xb8 ",
                                                            "a longer key, of more than sixteen bytes "};
            bytes = std::string(words[i % words.size()]) + std::to_string(i);
            break;
        }
        case key_type::u64: {
            const std::uint64_t number = i % 3 == 0 ? i : i % 3 == 1 ? mixed : UINT64_MAX - i;
            bytes.assign(reinterpret_cast<const char*>(&number), sizeof number);
            break;
        }
        case key_type::ip: append(i % 2 == 0 ? 4 : 16); break;
        case key_type::hex: append(i == 0 ? 1 : i % 33 + 1); break;
        case key_type::domain:
            bytes = "host" + std::to_string(mixed % 1000) + ".x-" + std::to_string(i) + ".example";
            break;
        case key_type::cidr: {
            network one;
            one.address_bytes = i % 2 == 0 ? network::v4_bytes : network::v6_bytes;
            append(one.address_bytes);
            std::memcpy(one.address.data(), bytes.data(), bytes.size());
            one = one.widened(static_cast<unsigned>(mixed >> 32) % (one.most_prefix() + 1));
            bytes.resize(network::most_bytes);
            bytes.resize(one.write(bytes.data()));
            break;
        }
        }
        made.push_back({bytes, i < capacity});
    }
    return made;
}

digest digest_of_bytes(const any_hasher& hash, key_type type, const std::string& bytes) {
    if (type != key_type::u64) return digest_of(hash, bytes);
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return digest_of(hash, number);
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const std::byte byte : bytes) {
        crc ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320 & (0 - (crc & 1)));
    }
    return ~crc;
}

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string made;
    for (const char one : bytes) {
        made += digits[static_cast<unsigned char>(one) >> 4];
        made += digits[static_cast<unsigned char>(one) & 15];
    }
    return made.empty() ? "-" : made;
}

/// Nothing for a kind that cannot be used with this hash.
std::optional<std::string> filter_line(const kind_info& kind, hash_id hash, key_type type) {
    auto made = door::filter_core::make({.capacity = capacity,
                                         .fpr = fpr,
                                         .kind = std::string(kind.name),
                                         .hash = hash,
                                         .key = hash_key::from_seed(seed)},
                                        {type, 0});
    if (!made) return std::nullopt;
    const auto keys = keys_of(type);
    std::string inserted, erased, answers;
    const auto item = [&](const vector_key& key) { return digest_of_bytes(made->hasher(), type, key.bytes); };
    for (const vector_key& key : keys) {
        if (!key.member) continue;
        EXPECT_TRUE(made->take_room());
        inserted += "0123456789a"[static_cast<std::size_t>(made->filter().insert_one(item(key)))];
    }
    if (kind.capabilities.has(capability::erase)) {
        for (std::size_t i = 0; i < capacity; i += 4) {
            erased += "012345"[static_cast<std::size_t>(made->filter().erase_one(item(keys[i])))];
        }
    }
    for (const vector_key& key : keys) answers += made->filter().may_contain(item(key)) ? '1' : '0';
    const auto bytes = made->bytes();
    if (!bytes) return std::nullopt;
    std::ostringstream line;
    line << "filter " << kind.name << ' ' << name_of(hash) << ' ' << name_of(type) << ' ' << capacity << ' ' << fpr
         << ' ' << seed << ' ' << inserted << ' ' << (erased.empty() ? "-" : erased) << ' ' << answers << ' '
         << bytes->size() << ' ' << std::hex << crc32_of(*bytes) << '\n';
    return line.str();
}

std::string whole_file() {
    std::string text = "# Vectors: the same answers everywhere. docs/format.md#vectors describes this file;\n"
                       "# EVERBLOOM_WRITE_VECTORS=1 test_capi --gtest_filter='vectors.*' writes it.\n"
                       "# key TYPE member|absent BYTES SPELLING\n";
    constexpr std::array types{key_type::text, key_type::u64,    key_type::ip,
                               key_type::hex,  key_type::domain, key_type::cidr};
    for (const key_type type : types) {
        for (const vector_key& key : keys_of(type)) {
            text += "key " + std::string(name_of(type)) + (key.member ? " member " : " absent ") + hex_of(key.bytes) +
                    ' ' + spell_key(type, key.bytes).value() + '\n';
        }
    }
    text += "# filter KIND HASH TYPE CAPACITY FPR SEED INSERTED ERASED ANSWERS FILE-BYTES FILE-CRC32\n";
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        for (const hash_id hash : known_hashes) {
            for (const key_type type : types) text += filter_line(kind, hash, type).value_or("");
        }
    }
    return text;
}

std::string stored_file() {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(vectors, are_what_the_front_door_answers) {
    const std::string made = whole_file();
    const char* const wish = std::getenv("EVERBLOOM_WRITE_VECTORS");
    if (wish != nullptr && std::string_view(wish) == "1") std::ofstream(path, std::ios::binary) << made;
    std::istringstream one(made), other(stored_file());
    std::string line, stored;
    while (std::getline(one, line)) {
        ASSERT_TRUE(std::getline(other, stored)) << "missing: " << line;
        ASSERT_EQ(line, stored) << "files in the world would give other answers; a new line alone is written by "
                                   "EVERBLOOM_WRITE_VECTORS=1";
    }
    EXPECT_FALSE(std::getline(other, stored)) << "no longer made: " << stored;
    EXPECT_LT(made.size(), 200'000u);
}

TEST(vectors, cover_every_kind_hash_and_key_type) {
    std::istringstream file(stored_file());
    std::set<std::string> kinds, hashes, types;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string what, kind, hash, type;
        words >> what >> kind >> hash >> type;
        if (what != "filter") continue;
        if (hash == "siphash") kinds.insert(kind + " " + type);
        hashes.insert(hash);
        types.insert(type);
    }
    // Vectors are made by inserting; kinds that are built at once have golden files.
    const auto inserting = std::count_if(known_kinds().begin(), known_kinds().end(), [](const kind_info& kind) {
        return kind.capabilities.has(capability::insert);
    });
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(inserting) * key_type_names.size());
    EXPECT_EQ(hashes.size(), known_hashes.size());
    EXPECT_EQ(types.size(), key_type_names.size());
}

} // namespace
} // namespace everbloom::capi_tests
