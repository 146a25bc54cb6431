// Files as a user meets them: what is kept besides the filter, and what is refused with which sentence.
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/file_update.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace everbloom {
namespace {

using support::must;
using support::temporary_directory;

filter_file example() {
    filter_file file;
    hash_key key = hash_key::from_seed(77);
    key.bytes[15] = 0xff;
    file.handle = keyed(must(build({"bloom", 100, 0.01, {}})), any_hasher(hash_id::siphash, key));
    file.keys = key_type::ip;
    file.target = {100, 0.01};
    must(file.handle.insert("a key"));
    return file;
}

using loader = result<filter_file> (*)(const std::string&);
constexpr loader loaders[] = {&open_filter, &map_filter};

TEST(filter_file, keeps_the_hash_its_key_the_type_of_keys_and_the_agreement) {
    const temporary_directory here;
    must(save_filter(example(), here / "x.eb"));
    for (const loader load : loaders) {
        const filter_file loaded = must(load(here / "x.eb"));
        EXPECT_EQ(loaded.hasher(), example().hasher());
        EXPECT_EQ(loaded.keys, key_type::ip);
        EXPECT_EQ(loaded.target.items, 100u);
        EXPECT_EQ(loaded.target.fpr, 0.01);
        EXPECT_TRUE(loaded.handle.may_contain("a key"));
        EXPECT_EQ(write_filter(loaded), write_filter(example()));
    }
}

TEST(filter_file, carries_an_attachment_along) {
    const temporary_directory here;
    for (const std::size_t bytes : {1, 63, 64, 65, 1000}) {
        filter_file file = example();
        file.attached.assign(bytes, std::byte{0x5a});
        must(save_filter(file, here / "x.eb"));
        for (const loader load : loaders) {
            const filter_file loaded = must(load(here / "x.eb"));
            EXPECT_EQ(loaded.attached, file.attached);
            EXPECT_TRUE(loaded.handle.may_contain("a key"));
            EXPECT_EQ(write_filter(loaded), write_filter(file));
        }
    }
}

TEST(filter_file, an_attachment_whose_size_is_a_lie_is_refused) {
    filter_file file = example();
    file.attached.assign(70, std::byte{1});
    const std::vector<std::byte> good = write_filter(file);
    ASSERT_EQ(v1::read_at<std::uint32_t>(good, v1::at_flags), v1::attached_flag);
    const std::size_t at_size = v1::fixed_bytes + 3 * 8; // behind the three parameters of a bloom filter
    ASSERT_EQ(v1::read_at<std::uint64_t>(good, at_size), 70U);
    const auto forged = [&](std::size_t at, std::uint64_t value) {
        std::vector<std::byte> bad = good;
        v1::write_at(bad, at, value);
        const auto header = v1::read_at<std::uint32_t>(bad, v1::at_header_bytes);
        v1::write_at(bad, header - 8, checksum(bad.data(), header - 8));
        return read_filter(bad);
    };
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{129}, ~std::uint64_t{0}}) {
        EXPECT_FALSE(forged(at_size, size).has_value()) << size;
    }
    // 69 bytes and a byte behind them that is not zero; without a parameter for the size; without the flag.
    EXPECT_NE(forged(at_size, 69).error().sentence.find("padding"), std::string::npos);
    EXPECT_FALSE(forged(v1::at_parameter_count, 0x0000000200000000).has_value());
    EXPECT_FALSE(forged(v1::at_flags, v1::read_at<std::uint64_t>(good, v1::at_flags) & ~std::uint64_t{2}).has_value());
    EXPECT_TRUE(forged(at_size, 70).has_value());
}

TEST(filter_file, an_agreement_of_nothing_stays_nothing) {
    filter_file file = example();
    file.target = {0, 0.5};
    const filter_file loaded = must(read_filter(write_filter(file)));
    EXPECT_EQ(loaded.target.items, 0u);
    EXPECT_EQ(loaded.target.fpr, 0);
}

TEST(filter_file, what_cannot_be_opened_is_named) {
    const temporary_directory here;
    ASSERT_EQ(::mkfifo((here / "pipe").c_str(), 0600), 0);
    for (const loader load : loaders) {
        for (const std::string& path :
             {here / "nowhere.eb", here.path().string(), here / "pipe", std::string("/dev/null")}) {
            const auto refused = load(path);
            ASSERT_FALSE(refused.has_value()) << path;
            EXPECT_EQ(refused.error().reason, failure_reason::input_output) << refused.error().sentence;
            EXPECT_TRUE(refused.error().sentence.starts_with(path)) << refused.error().sentence;
        }
    }
}

TEST(filter_file, what_is_no_filter_is_damaged_and_named) {
    const temporary_directory here;
    here.write("empty", "");
    here.write("short", "\x89"
                        "EB");
    here.write("text", std::string(1000, 'x'));
    const auto bytes = write_filter(example());
    const std::string whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    here.write("cut", whole.substr(0, whole.size() - 1));
    here.write("longer", whole + '\0');
    here.write("magic", whole.substr(0, 8));
    for (const loader load : loaders) {
        for (const std::string_view name : {"empty", "short", "text", "cut", "longer", "magic"}) {
            const auto refused = load(here / name);
            ASSERT_FALSE(refused.has_value()) << name;
            EXPECT_EQ(refused.error().reason, failure_reason::damaged) << refused.error().sentence;
            EXPECT_TRUE(refused.error().sentence.starts_with(here / name)) << refused.error().sentence;
        }
    }
}

TEST(filter_file, an_update_reads_changes_and_saves_under_one_lock) {
    const temporary_directory here;
    must(save_filter(example(), here / "x.eb"));
    {
        auto update = must(file_update::begin(here / "x.eb"));
        filter_file file = must(open_filter(update.target()));
        must(file.handle.insert("another"));
        const auto busy = save_filter(example(), here / "x.eb");
        ASSERT_FALSE(busy.has_value());
        EXPECT_EQ(busy.error().reason, failure_reason::busy);
        must(save_filter(file, update));
    }
    EXPECT_TRUE(must(open_filter(here / "x.eb")).handle.may_contain("another"));
}

TEST(filter_file, a_mapped_filter_answers_after_its_file_was_replaced) {
    const temporary_directory here;
    must(save_filter(example(), here / "x.eb"));
    const filter_file mapped = must(map_filter(here / "x.eb"));
    filter_file other = example();
    must(other.filter().clear());
    must(save_filter(other, here / "x.eb"));
    EXPECT_TRUE(mapped.handle.may_contain("a key"));
    EXPECT_FALSE(must(map_filter(here / "x.eb")).handle.may_contain("a key"));
}

} // namespace
} // namespace everbloom
