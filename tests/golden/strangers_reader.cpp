// A stranger's reader: somebody who has only docs/format.md and a hash library reads a Bloom filter file.
//
// Nothing of everbloom is used here except the recipe of the golden file. If this test must change, the format has changed.
#include "golden/recipe.hpp"

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

class stranger {
public:
    explicit stranger(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        expect(bytes_.size() >= 72 && bytes_.compare(0, 8,
                                                     "\x89"
                                                     "EBLOOM\n") == 0,
               "magic");
        expect(at<std::uint32_t>(8) == 1, "version");
        expect(at<std::uint32_t>(12) == 1, "kind: bloom");
        expect(at<std::uint32_t>(16) == 0, "flags");
        const auto header_bytes = at<std::uint32_t>(20);
        expect(at<std::uint32_t>(24) == 2, "hash: XXH3-128");
        seed_ = at<std::uint64_t>(32); // the first half of the key; XXH3 uses no more
        expect(at<std::uint32_t>(64) == 3 && at<std::uint32_t>(68) == 1, "three parameters, one section");
        bits_ = at<std::uint64_t>(72);
        hashes_ = at<std::uint64_t>(80);
        expect(at<std::uint64_t>(88) == 0, "positions by double hashing");
        const std::uint64_t section_bytes = at<std::uint64_t>(96) * 64;
        expect(header_bytes + section_bytes == bytes_.size(), "length");
        expect(at<std::uint64_t>(104) == XXH3_64bits(bytes_.data() + header_bytes, section_bytes), "page checksum");
        expect(at<std::uint64_t>(header_bytes - 8) == XXH3_64bits(bytes_.data(), header_bytes - 8), "header checksum");
        section_ = header_bytes;
    }

    [[nodiscard]] bool may_contain(const std::string& key) const {
        const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), seed_);
        std::uint64_t place = hash.low64;
        std::uint64_t step = hash.high64 | 1;
        std::uint64_t growth = 0;
        for (std::uint64_t i = 0; i < hashes_; ++i) {
            const auto bit = static_cast<std::uint64_t>((static_cast<wide>(place) * bits_) >> 64);
            if (((bytes_[section_ + bit / 8] >> (bit % 8)) & 1) == 0) return false;
            place += step;
            growth += 0x9e3779b97f4a7c15;
            step += growth;
        }
        return true;
    }

private:
    __extension__ using wide = unsigned __int128;

    template <class Number>
    [[nodiscard]] Number at(std::size_t offset) const {
        Number value = 0;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    static void expect(bool right, const char* what) {
        if (!right) throw std::runtime_error(std::string("the file is not as docs/format.md says: ") + what);
    }

    std::string bytes_;
    std::uint64_t seed_ = 0;
    std::uint64_t bits_ = 0;
    std::uint64_t hashes_ = 0;
    std::size_t section_ = 0;
};

TEST(strangers_reader, gives_the_same_answers_as_everbloom) {
    using namespace everbloom;
    const std::string path = golden::path_of("bloom");
    const stranger reader(path);
    const filter_file ours = support::must(open_filter(path));
    std::uint64_t yes = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const std::string key = golden::nth_key(i);
        ASSERT_EQ(reader.may_contain(key), ours.handle.may_contain(std::string_view(key))) << key;
        yes += reader.may_contain(key) ? 1 : 0;
    }
    EXPECT_GE(yes, golden::members);
    EXPECT_LT(yes, golden::members + 600);
}

} // namespace
