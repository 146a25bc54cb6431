// Files as a user meets them: what is kept besides the filter, and what is refused with which sentence.
#include "support/must.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/runtime/catalogue.hpp>
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
    file.agreed = {100, 0.01};
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
        EXPECT_EQ(loaded.agreed.items, 100u);
        EXPECT_EQ(loaded.agreed.fpr, 0.01);
        EXPECT_TRUE(loaded.handle.may_contain("a key"));
        EXPECT_EQ(write_filter(loaded), write_filter(example()));
    }
}

TEST(filter_file, an_agreement_of_nothing_stays_nothing) {
    filter_file file = example();
    file.agreed = {0, 0.5};
    const filter_file loaded = must(read_filter(write_filter(file)));
    EXPECT_EQ(loaded.agreed.items, 0u);
    EXPECT_EQ(loaded.agreed.fpr, 0);
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
