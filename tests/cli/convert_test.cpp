// convert: .bloom files both ways, byte by byte, and together with the program they come from where it is installed.
#include "cli/workbench.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace everbloom::support {
namespace {

using nlohmann::json;

template <class Number>
std::string bytes_of(Number number) {
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

struct dot_bloom {
    std::uint64_t flags = 1;
    std::uint64_t planned = 1000;
    double fpr = 1e-6;
    std::uint64_t hashes = 20;
    std::uint64_t bits = 28755;
    std::uint64_t items = 3;
    std::string words = std::string(3600, '\0');
    std::string data = {};

    [[nodiscard]] std::string file() const {
        return bytes_of(flags) + bytes_of(planned) + bytes_of(fpr) + bytes_of(hashes) + bytes_of(bits) +
               bytes_of(items) + words + data;
    }
};

/// foo, bar and baz, as the program makes it of them: FNV-1, then powers of a multiplier, both written down once more.
dot_bloom example() {
    dot_bloom made;
    for (const std::string_view key : {"foo", "bar", "baz"}) {
        std::uint64_t hash = 14695981039346656037U;
        for (const char byte : key) hash = (hash * 1099511628211U) ^ static_cast<unsigned char>(byte);
        constexpr std::uint64_t prime = 18446744073709551557U;
        hash %= prime;
        for (std::uint64_t i = 0; i < made.hashes; ++i) {
            hash = (hash * 18446744073709550147U) % prime;
            const std::uint64_t at = hash % made.bits;
            made.words[at / 8] = static_cast<char>(made.words[at / 8] | (1 << (at % 8)));
        }
    }
    return made;
}

TEST(convert, there_and_back_is_the_same_file) {
    const workbench here;
    dot_bloom with_data = example();
    with_data.data = std::string("a note\n\0 of any bytes", 21);
    dot_bloom with_flags = example();
    with_flags.flags = 0x1234567800000001;
    with_flags.items = 77; // believed, as the program does
    for (const dot_bloom& one : {example(), with_data, with_flags}) {
        here.write("in.bloom", one.file());
        const auto there = here.run({"convert", "--force", "in.bloom", "x.eb", "--json"});
        ASSERT_EQ(there.exit_code, 0) << there.err;
        EXPECT_EQ(there.err, "");
        const auto said = json::parse(there.out);
        EXPECT_EQ(said["items"], one.items);
        EXPECT_EQ(said["data_bytes"], one.data.size());
        EXPECT_EQ(said["agreed"]["items"], 1000);
        EXPECT_EQ(here.run({"convert", "--force", "x.eb", "out.bloom"}).exit_code, 0);
        EXPECT_EQ(here.read("out.bloom"), one.file());
        EXPECT_EQ(here.run({"verify", "x.eb"}).exit_code, 0);
        EXPECT_EQ(here.run({"check", "x.eb"}, "foo\nqux\nbar\nbaz\nfo\n").out, "foo\nbar\nbaz\n");
    }
}

TEST(convert, reads_and_writes_gzip) {
    const workbench here;
    here.write("in.bloom", example().file());
    const auto packed = here.shell("gzip -c in.bloom > in.bloom.gz && everbloom convert in.bloom.gz x.eb && "
                                   "everbloom convert x.eb out.bloom.gz && everbloom convert x.eb named --to bloom && "
                                   "gzip -dc out.bloom.gz | cmp - in.bloom && cmp named in.bloom");
    EXPECT_EQ(packed.exit_code, 0) << packed.err << packed.out;
}

TEST(convert, a_converted_filter_goes_on_living) {
    const workbench here;
    dot_bloom one = example();
    one.data = "kept";
    here.write("in.bloom", one.file());
    EXPECT_EQ(here.run({"convert", "in.bloom", "x.eb"}).exit_code, 0);
    EXPECT_EQ(here.run({"add", "x.eb"}, "qux\nquux\n").exit_code, 0);
    const auto back = here.run({"convert", "x.eb", "out.bloom", "--json"});
    ASSERT_EQ(back.exit_code, 0) << back.err;
    EXPECT_EQ(json::parse(back.out)["items"], 5); // 3, and two that came since
    EXPECT_TRUE(here.read("out.bloom").ends_with("kept"));
    // Filters with this hash have no key, so any two of one size can be merged.
    EXPECT_EQ(here.run({"merge", "--force", "m.eb", "x.eb", "x.eb"}).exit_code, 0);
}

TEST(convert, create_makes_filters_for_it) {
    const workbench here;
    EXPECT_EQ(here.run({"create", "x.eb", "--kind", "bloom", "--hash", "dcso", "--capacity", "1000", "--fpr", "1e-6"},
                       "foo\nbar\nbaz\n")
                  .exit_code,
              0);
    EXPECT_EQ(here.run({"convert", "x.eb", "x.bloom"}).exit_code, 0);
    EXPECT_EQ(here.read("x.bloom"), example().file());
    // Never with a power of two.
    EXPECT_EQ(
        here.run({"create", "y.eb", "--kind", "bloom", "--hash", "dcso", "--bits", "64Ki", "--hashes", "9"}).exit_code,
        0);
    EXPECT_EQ(json::parse(here.run({"show", "y.eb", "--json"}).out)["geometry"],
              json({{"bits", 65537}, {"hashes", 9}, {"probe", "dcso"}}));
}

TEST(convert, a_power_of_two_is_read_with_a_warning_and_never_written) {
    const workbench here;
    dot_bloom one;
    one.bits = 4096;
    one.hashes = 7;
    one.words = std::string(512, '\x55');
    here.write("in.bloom", one.file());
    const auto there = here.run({"convert", "in.bloom", "x.eb"});
    EXPECT_EQ(there.exit_code, 0);
    EXPECT_NE(there.err.find("power of two"), std::string::npos) << there.err;
    // Every second bit is set, and all positions of a key are even, or all are odd: half of all strangers.
    EXPECT_NEAR(json::parse(here.run({"show", "x.eb", "--json"}).out)["fpr_current"].get<double>(), 0.5, 0.02);
    expect_trouble(here.run({"convert", "x.eb", "out.bloom"}), "x.eb: has 4,096 bits, a power of two");
    EXPECT_EQ(here.listing(), "in.bloom x.eb");
}

TEST(convert, damaged_and_absurd_files_are_refused) {
    const workbench here;
    const auto refused = [&](const std::string& bytes, const std::string& words) {
        here.write("in.bloom", bytes);
        expect_trouble(here.run({"convert", "in.bloom", "x.eb"}), words);
        EXPECT_EQ(here.listing(), "in.bloom");
    };
    const auto with = [](auto change) {
        dot_bloom one = example();
        change(one);
        return one.file();
    };
    refused("", "ends inside its header, at byte 0");
    refused(example().file().substr(0, 47), "ends inside its header, at byte 47");
    refused(example().file().substr(0, 3647), "the file ends at byte 3647");
    refused(with([](auto& one) { one.flags = 2; }), "its version is 2");
    refused(with([](auto& one) { one.planned = 0; }), "its capacity is 0 keys");
    refused(with([](auto& one) { one.fpr = std::numeric_limits<double>::quiet_NaN(); }), "not between 0 and 1");
    refused(with([](auto& one) { one.fpr = 1; }), "not between 0 and 1");
    refused(with([](auto& one) { one.hashes = 0; }), "it has 0 hash functions");
    refused(with([](auto& one) { one.hashes = std::uint64_t{1} << 63; }), "up to 32");
    refused(with([](auto& one) { one.bits = 0; }), "its header says 0 bits");
    refused(with([](auto& one) { one.bits = std::uint64_t{1} << 63; }), "its header says 9223372036854775808 bits");
    refused(with([](auto& one) { one.bits = std::uint64_t{1} << 50; }), "the file ends at byte 3648");
    refused(with([](auto& one) { one.words.back() = '\x7f'; }), "a bit is set after the last");
    refused("just some text that is longer than a header of forty-eight bytes\n", "its version is 106");
}

TEST(convert, says_what_it_cannot_do) {
    const workbench here;
    here.make("x.eb", "anna\n");
    here.make("keys.eb", "1\n", {"--kind", "bloom", "--hash", "dcso", "--key-type", "u64"});
    here.make("guarded.eb", "anna\n", {"--kind", "bloom", "--hash", "dcso"});
    EXPECT_EQ(here.run({"protect", "guarded.eb"}, "zoe\n").exit_code, 0);
    expect_trouble(here.run({"convert", "x.eb", "x.bloom"}),
                   "create one from them with 'everbloom create --kind bloom");
    expect_trouble(here.run({"convert", "keys.eb", "x.bloom"}), "has keys of type u64");
    expect_trouble(here.run({"convert", "guarded.eb", "x.bloom"}), "has an exclusion list");
    expect_trouble(here.run({"convert", "x.eb", "y.eb"}), "is an everbloom filter already");
    expect_trouble(here.run({"convert", "x.eb", "y"}), "unknown output format");
    expect_trouble(here.run({"convert", "nowhere.bloom", "y.eb"}), "nowhere.bloom: cannot read it");
    here.write("in.bloom", example().file());
    expect_trouble(here.run({"convert", "in.bloom", "x.eb"}), "x.eb: already exists");
    EXPECT_EQ(here.run({"convert", "in.bloom", "out.bloom"}).exit_code, 0); // a copy, for .bloom.gz to .bloom
    EXPECT_EQ(here.read("out.bloom"), example().file());
}

// The program itself (Debian: golang-github-dcso-bloom-cli) is asked where it is installed; ./test installs it.
bool has_program(const workbench& here) { return here.shell("command -v bloom").exit_code == 0; }

TEST(convert, agrees_with_the_program_bloom) {
    const workbench here;
    if (!has_program(here)) return;
    const auto ran = here.shell("seq 1 3000 > in && seq 2001 5000 > more && seq 100000 120000 > strangers &&"
                                "bloom create -n 3000 -p 0.02 a.bloom < in && echo 'a note' | bloom set-data a.bloom &&"
                                "everbloom convert -q a.bloom a.eb &&"
                                "everbloom convert -q a.eb b.bloom && cmp a.bloom b.bloom &&"
                                "everbloom check a.eb strangers > ours; bloom check a.bloom < strangers > theirs;"
                                "cmp ours theirs && test -s ours && everbloom check -c a.eb in &&"
                                "everbloom add -q --overfill a.eb more && everbloom convert -q a.eb c.bloom &&"
                                "bloom check c.bloom < more | wc -l && bloom get-data c.bloom &&"
                                "everbloom create -q --kind bloom --hash dcso --items 3000 --fpr 0.02 d.eb in &&"
                                "everbloom convert -q d.eb d.bloom && cmp -i 48 d.bloom b.bloom; bloom show d.bloom");
    EXPECT_NE(ran.out.find("3000\n3000\na note\n"), std::string::npos) << ran.out << ran.err;
    EXPECT_NE(ran.out.find("Bits:\t\t\t24427"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("differ"), std::string::npos) << ran.out;
}

TEST(convert, shared_vectors_come_back_unchanged) {
    const workbench here;
    const std::filesystem::path vectors = std::filesystem::path(EVERBLOOM_SOURCE_DIR) / "../shared/data/dcso-bloom";
    if (!std::filesystem::exists(vectors / "test.bloom")) return;
    std::filesystem::copy_file(vectors / "test.bloom", here.path() / "test.bloom");
    EXPECT_EQ(here.read("test.bloom"), example().file());
}

} // namespace
} // namespace everbloom::support
