// Patches: from any bytes to any bytes, and what a forged body cannot do.
#include "support/must.hpp"

#include <everbloom/hash/checksum.hpp>
#include <everbloom/jobs/filter_patch.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <gtest/gtest.h>

#include <random>

namespace everbloom {
namespace {

using bytes = std::vector<std::byte>;

patch_header header_for(const bytes& from, const bytes& to, const bytes& body) {
    return {file_print::of(from), file_print::of(to), body.size(), checksum(body.data(), body.size())};
}

TEST(filter_patch, leads_from_any_bytes_to_any_bytes) {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        bytes from(random() % 300);
        for (std::byte& one : from) one = static_cast<std::byte>(random() % 3);
        bytes to = from;
        to.resize(random() % 300);
        for (unsigned changes = random() % 20; changes > 0 && !to.empty(); --changes) {
            to[random() % to.size()] = static_cast<std::byte>(random());
        }
        const bytes body = patch_body(from, to);
        const patch_header header = support::must(patch_header::parse(header_for(from, to, body).write()));
        EXPECT_EQ(support::must(apply_patch(header, from, body)), to);
        if (from != to) {
            EXPECT_EQ(apply_patch(header, to, body).error().reason, failure_reason::mismatch);
        }
    }
}

TEST(filter_patch, of_known_changes_has_few_bits_of_each_key_and_leads_to_the_same_file) {
    constexpr std::uint64_t some = 2000;
    constexpr std::uint64_t changed = 50;
    const auto key = [](std::uint64_t i) { return digest{mix(2 * i + 1), mix(2 * i + 2)}; };
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::erase)) continue;
        filter_file file;
        file.handle = keyed(support::must(build({std::string(kind.name), some, 0.001, {}})),
                            any_hasher(hash_id::siphash, hash_key::from_seed(1)));
        for (std::uint64_t i = 0; i < some; ++i) ASSERT_TRUE(file.filter().insert(key(i)));
        const bytes from = write_filter(file);
        patch_changes changes;
        for (std::uint64_t i = 0; i < changed; ++i) changes.removed.push_back(key(i));
        for (std::uint64_t i = 0; i < changed; ++i) changes.added.push_back(key(some + i));
        for (const digest& one : changes.removed) ASSERT_TRUE(file.filter().erase(one));
        for (const digest& one : changes.added) ASSERT_TRUE(file.filter().insert(one));
        const bytes to = write_filter(file);
        const bytes body = patch_body(from, to, changes);
        EXPECT_EQ(support::must(apply_patch(header_for(from, to, body), from, body)), to) << kind.name;
        EXPECT_LE(body.size(), 2 * changed * sizeof(digest) + 64) << kind.name;
        // It stores about 24 bits of a hash and knows the line by some ten more.
        if (kind.name == "quotient") {
            EXPECT_LT(body.size(), 2 * changed * 6 + 64);
        }
        for (std::size_t end = 0; end < body.size(); ++end) {
            const bytes cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(end));
            EXPECT_FALSE(apply_patch(header_for(from, to, cut), from, cut)) << kind.name;
        }
    }
}

TEST(filter_patch, a_forged_body_writes_nothing_outside_and_is_refused) {
    std::mt19937 random(8);
    const bytes from(64, std::byte{1});
    const bytes to(64, std::byte{2});
    for (int round = 0; round < 5000; ++round) {
        bytes body(random() % 24);
        for (std::byte& one : body) one = static_cast<std::byte>(random() % 4 == 0 ? 0xff : random() % 70);
        const auto made = apply_patch(header_for(from, to, body), from, body);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().reason, failure_reason::damaged);
    }
    // A promise of more bytes than there can be is not believed, whatever its checksums say.
    patch_header huge = header_for(from, to, {});
    huge.to.bytes = std::uint64_t{1} << 50;
    EXPECT_FALSE(apply_patch(huge, from, {}));
}

} // namespace
} // namespace everbloom
