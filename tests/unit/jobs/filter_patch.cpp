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
        // It was not changed in the order of patches: bits of hashes in the order of the changes are less than what is different otherwise.
        if (kind.name == "quotient") {
            EXPECT_LT(body.size(), 2 * changed * 6 + 64);
        }
        for (std::size_t end = 0; end < body.size(); ++end) {
            const bytes cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(end));
            EXPECT_FALSE(apply_patch(header_for(from, to, cut), from, cut)) << kind.name;
        }
    }
}

/// A filter before and after some changes, as files.
struct changed_filter {
    bytes from;
    bytes to;
    patch_changes changes;

    explicit changed_filter(const std::string& kind) {
        const auto key = [](std::uint64_t i) { return digest{mix(2 * i + 1), mix(2 * i + 2)}; };
        filter_file file;
        file.handle =
            keyed(support::must(build({kind, 1000, 0.001, {}})), any_hasher(hash_id::siphash, hash_key::from_seed(1)));
        for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(file.filter().insert(key(i)));
        from = write_filter(file);
        for (std::uint64_t i = 0; i < 20; ++i) changes.removed.push_back(key(i));
        for (std::uint64_t i = 0; i < 30; ++i) changes.added.push_back(key(1000 + i));
        for (const digest& one : changes.removed) EXPECT_TRUE(file.filter().erase(one));
        for (const digest& one : changes.added) EXPECT_TRUE(file.filter().insert(one));
        to = write_filter(file);
    }
};

/// The changes as the programs before wrote them: all bytes or all bits of the digests.
bytes old_body(const patch_changes& changes, std::size_t mask_bytes) {
    bytes made{static_cast<std::byte>(changes.removed.size()), static_cast<std::byte>(changes.added.size())};
    made.insert(made.end(), mask_bytes, std::byte{0xff});
    for (const auto* digests : {&changes.removed, &changes.added}) {
        for (const digest& one : *digests) {
            for (const std::uint64_t half : {one.low, one.high}) {
                for (unsigned byte = 0; byte < 8; ++byte) made.push_back(static_cast<std::byte>(half >> 8 * byte));
            }
        }
    }
    return made;
}

TEST(filter_patch, of_an_older_version_is_applied) {
    for (const std::string kind : {"quotient", "counting", "elastic_blocked"}) {
        const changed_filter day(kind);
        for (const auto& [version, mask_bytes] : {std::pair{1U, 2U}, std::pair{2U, 16U}}) {
            const bytes body = old_body(day.changes, mask_bytes);
            patch_header header = header_for(day.from, day.to, body);
            header.version = version;
            const patch_header read = support::must(patch_header::parse(header.write()));
            EXPECT_EQ(read.version, version);
            EXPECT_EQ(support::must(apply_patch(read, day.from, body)), day.to) << kind << ", version " << version;
        }
        // Without keys: a step that changes the last byte.
        bytes other = day.from;
        other.back() ^= std::byte{1};
        bytes body{std::byte{0}, std::byte{0}, std::byte{0xff}, std::byte{0xff}};
        for (std::size_t kept = day.from.size() - 1; kept != 0; kept >>= 7) {
            body.push_back(static_cast<std::byte>((kept & 0x7f) | (kept >> 7 != 0 ? 0x80 : 0)));
        }
        body.insert(body.end(), {std::byte{1}, std::byte{1}});
        patch_header header = header_for(day.from, other, body);
        header.version = 1;
        EXPECT_EQ(support::must(apply_patch(header, day.from, body)), other);
    }
    patch_header newer;
    newer.version = patch_header::newest + 1;
    EXPECT_EQ(patch_header::parse(newer.write()).error().reason, failure_reason::unsupported);
}

TEST(filter_patch, finds_the_changes_of_filters_that_store_fingerprints_by_itself) {
    for (const std::string kind : {"quotient", "elastic_blocked"}) {
        const changed_filter day(kind);
        const bytes found = patch_body(day.from, day.to);
        EXPECT_EQ(support::must(apply_patch(header_for(day.from, day.to, found), day.from, found)), day.to);
        EXPECT_LT(found.size(), 12 * (day.changes.removed.size() + day.changes.added.size())) << kind;
        // Changes that are not those that happened cost bytes, and nothing else.
        patch_changes wrong = day.changes;
        wrong.added.pop_back();
        wrong.removed.push_back(digest{7, 7});
        const bytes body = patch_body(day.from, day.to, wrong);
        EXPECT_EQ(support::must(apply_patch(header_for(day.from, day.to, body), day.from, body)), day.to);
    }
}

TEST(filter_patch, keys_with_many_copies_are_removed_and_added) {
    filter_file file;
    file.handle = keyed(support::must(build({"quotient", 1000, 0.001, {}})),
                        any_hasher(hash_id::siphash, hash_key::from_seed(1)));
    const auto key = [](std::uint64_t i) { return digest{mix(2 * i + 1), mix(2 * i + 2)}; };
    for (std::uint64_t i = 0; i < 300; ++i) {
        for (std::uint64_t copy = 0; copy <= i % 9; ++copy) ASSERT_TRUE(file.filter().insert(key(i)));
    }
    const bytes from = write_filter(file);
    for (std::uint64_t i = 0; i < 300; i += 3) ASSERT_TRUE(file.filter().erase(key(i)));
    for (std::uint64_t i = 0; i < 600; i += 5) ASSERT_TRUE(file.filter().insert(key(i)));
    const bytes to = write_filter(file);
    const bytes body = patch_body(from, to);
    EXPECT_EQ(support::must(apply_patch(header_for(from, to, body), from, body)), to);
}

TEST(filter_patch, forged_numbers_of_keys_are_refused) {
    std::mt19937 random(9);
    for (const std::string kind : {"quotient", "elastic_blocked", "counting"}) {
        const changed_filter day(kind);
        for (int round = 0; round < 300; ++round) {
            bytes body(3 + random() % 60);
            for (std::byte& one : body) one = static_cast<std::byte>(random());
            body[0] = static_cast<std::byte>(random() % 40);
            body[1] = static_cast<std::byte>(random() % 40);
            body[2] = static_cast<std::byte>(random() % 4);
            if (body.size() > 3) body[3] = static_cast<std::byte>(random() % 70);
            EXPECT_FALSE(apply_patch(header_for(day.from, day.to, body), day.from, body));
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
