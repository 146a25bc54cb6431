// docs/format.md promises that a stranger can write a reader from it. Its example file and its digests are taken from the page and
// compared with what the library makes, so that the two cannot drift apart.
#include "hostile/small_file.hpp"

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace everbloom::hostile {
namespace {

class documented_file : public ::testing::Test {
protected:
    documented_file() {
        std::ifstream page(EVERBLOOM_SOURCE_DIR "/docs/format.md");
        for (std::string text; std::getline(page, text);) lines.push_back(text);
    }

    /// The bytes of the page's hexdump.
    [[nodiscard]] file_bytes dumped() const {
        file_bytes bytes;
        for (const std::string& text : lines) {
            std::istringstream words(text);
            std::string offset;
            if (!(words >> offset) || offset.size() != 8 ||
                offset.find_first_not_of("0123456789abcdef") != offset.npos) {
                continue;
            }
            EXPECT_EQ(std::stoull(offset, nullptr, 16), bytes.size());
            for (std::string digits; words >> digits;) {
                bytes.push_back(std::byte{static_cast<unsigned char>(std::stoul(digits, nullptr, 16))});
            }
        }
        return bytes;
    }

    [[nodiscard]] bool says(const std::string& wanted) const {
        return std::any_of(lines.begin(), lines.end(),
                           [&](const std::string& text) { return text.find(wanted) != std::string::npos; });
    }

    [[nodiscard]] static hash_key counting_key() {
        hash_key key;
        for (std::size_t i = 0; i < key.bytes.size(); ++i) key.bytes[i] = static_cast<std::uint8_t>(i);
        return key;
    }

    [[nodiscard]] static std::string row(std::string_view name, digest made) {
        std::ostringstream text;
        text << std::hex << std::setfill('0') << "| " << name << " | `" << std::setw(16) << made.low << "` | `"
             << std::setw(16) << made.high << "` |";
        return text.str();
    }

    std::vector<std::string> lines;
};

TEST_F(documented_file, the_example_is_what_the_library_writes) {
    filter_file made;
    made.handle = keyed(support::must(build({"bloom", {}, {}, {{"bits", "100"}, {"hashes", "3"}}})),
                        any_hasher(hash_id::siphash, counting_key()));
    made.target = {10, 0.01};
    for (const std::string_view key : {"anna", "bert"}) ASSERT_TRUE(made.handle.insert(key));
    EXPECT_EQ(dumped(), write_filter(made));
    EXPECT_FALSE(made.handle.may_contain(std::string_view("carl")));
}

TEST_F(documented_file, its_digests_are_those_of_the_library) {
    for (const hash_id id : {hash_id::siphash, hash_id::xxh3, hash_id::murmur3}) {
        const std::string expected = row(name_of(id), any_hasher(id, counting_key())(key_bytes("anna")));
        EXPECT_TRUE(says(expected)) << expected;
    }
    const std::uint64_t number = 42;
    const std::string expected = row("integer, of the number 42 as 8 bytes instead",
                                     any_hasher(hash_id::integer, counting_key())(key_bytes(number)));
    EXPECT_TRUE(says(expected)) << expected;
}

TEST_F(documented_file, every_kind_and_its_parameters_are_in_the_table) {
    for (const kind_info& kind : known_kinds()) {
        std::string expected = "| " + std::to_string(kind.id) + " | " + std::string(kind.name) + " | ";
        for (const parameter_info& one : kind.parameters) {
            expected += (&one == &kind.parameters.front() ? "" : ", ") + std::string(one.name);
        }
        EXPECT_TRUE(says(expected + " |")) << "docs/format.md does not say: " << expected;
    }
}

} // namespace
} // namespace everbloom::hostile
