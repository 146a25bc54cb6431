// Filters of other programs: shown, asked and converted as they are, recognised by their content, written from keys; damaged and hostile
// ones are refused. The recorded ones were written by those programs; tests/foreign/run asks the programs themselves.
#include "cli/workbench.hpp"
#include "unit/foreign/recorded.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace everbloom::support {
namespace {

using nlohmann::json;

std::string text_of(std::string_view hex) {
    std::string made;
    for (const std::byte one : recorded::bytes(hex)) made += static_cast<char>(one);
    return made;
}

std::string numbered(std::string_view word, int from, int to) {
    std::string made;
    for (int i = from; i <= to; ++i) made += std::string(word) + std::to_string(i) + "\n";
    return made;
}

struct recording {
    const char* kind; // the word of --from
    std::string_view hex;
    std::string_view word; // before the number of a key; empty: u64
};

constexpr std::array recordings{
    recording{"guava", recorded::guava_64, "key"},      recording{"guava", recorded::guava_32, "key"},
    recording{"guava", recorded::guava_longs, ""},      recording{"parquet", recorded::duckdb_names, "key"},
    recording{"parquet", recorded::duckdb_numbers, ""}, recording{"redisbloom", recorded::redisbloom, "key"},
};

std::vector<std::string> typed(std::vector<std::string> words, const recording& one) {
    if (one.word.empty()) words.insert(words.end(), {"--key-type", "u64"});
    return words;
}

TEST(foreign, recorded_filters_are_shown_and_asked_as_they_are) {
    const workbench here;
    for (const recording& one : recordings) {
        here.write("filter", text_of(one.hex));
        EXPECT_EQ(here.shell("gzip -c filter > filter.gz").exit_code, 0);
        for (const std::string name : {"filter", "filter.gz"}) {
            const auto shown = here.run({"show", name, "--json"});
            ASSERT_EQ(shown.exit_code, 0) << shown.err;
            const auto facts = json::parse(shown.out);
            EXPECT_EQ(facts["kind"], one.kind);
            EXPECT_EQ(facts["bytes"], text_of(one.hex).size());
            EXPECT_NEAR(facts["items"].get<double>(), 20, 7);
            EXPECT_EQ(here.run({"show", name}).exit_code, 0);
            const std::string members = numbered(one.word, 1, 20);
            EXPECT_EQ(here.run(typed({"check", name}, one), members).out, members) << one.kind;
            EXPECT_EQ(here.run(typed({"check", name, "-v"}, one), members).exit_code, 1) << one.kind;
            EXPECT_LT(
                json::parse(
                    here.run(typed({"check", name, "-c", "--json"}, one), numbered(one.word, 1000, 1999)).out)["count"],
                150);
        }
    }
    // Several at once, ours among them; each answers for itself.
    here.write("guava", text_of(recorded::guava_64));
    here.write("parquet", text_of(recorded::duckdb_names));
    here.make("ours.eb", "anna\n");
    EXPECT_EQ(here.run({"check", "ours.eb", "guava", "parquet", "--tag"}, "key7\nanna\n").out,
              "guava\tkey7\nparquet\tkey7\nours.eb\tanna\n");
    const auto table = here.run({"show", "ours.eb", "guava", "parquet"});
    EXPECT_EQ(table.exit_code, 0) << table.err;
    EXPECT_NE(table.out.find("parquet"), std::string::npos);
}

TEST(foreign, bloom_files_are_shown_and_asked_without_a_conversion) {
    const workbench here;
    here.write("names.txt", numbered("key", 1, 500));
    ASSERT_EQ(here.run({"convert", "names.txt", "names.bloom", "--fpr", "1%"}).exit_code, 0);
    ASSERT_EQ(here.run({"convert", "names.bloom", "names.bloom.gz"}).exit_code, 0);
    for (const std::string name : {"names.bloom", "names.bloom.gz"}) {
        const auto facts = json::parse(here.run({"show", name, "--json"}).out);
        EXPECT_EQ(facts["kind"], "bloom");
        EXPECT_EQ(facts["agreed"]["items"], 500);
        EXPECT_EQ(facts["items_are_stated"], true);
        EXPECT_EQ(here.run({"check", name, "names.txt", "-c"}).out, "500\n");
    }
    // The same answers as the converted filter.
    ASSERT_EQ(here.run({"convert", "names.bloom", "names.eb"}).exit_code, 0);
    here.write("others.txt", numbered("other", 1, 5000));
    const auto direct = here.run({"check", "names.bloom", "others.txt"});
    EXPECT_NE(direct.out, "");
    EXPECT_EQ(direct.out, here.run({"check", "names.eb", "others.txt"}).out);
}

TEST(foreign, keys_become_filters_of_other_programs_byte_for_byte) {
    const workbench here;
    struct expectation {
        std::vector<std::string> flags;
        std::string_view hex;
        std::string_view word;
    };
    const std::vector<expectation> expected{
        {{"--to", "guava", "--capacity", "100", "--fpr", "3%"}, recorded::guava_64, "key"},
        {{"--to", "guava32", "--capacity", "100", "--fpr", "3%"}, recorded::guava_32, "key"},
        {{"--to", "guava", "--capacity", "100", "--fpr", "1%", "--key-type", "u64"}, recorded::guava_longs, ""},
        {{"--to", "parquet", "--fpr", "5%"}, recorded::duckdb_names, "key"},
        {{"--to", "parquet", "--fpr", "5%", "--key-type", "u64"}, recorded::duckdb_numbers, ""},
    };
    for (const expectation& one : expected) {
        std::vector<std::string> words{"convert", "-", "made", "--force", "--json"};
        words.insert(words.end(), one.flags.begin(), one.flags.end());
        const auto ran = here.run(words, numbered(one.word, 1, 20));
        ASSERT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(here.read("made"), text_of(one.hex)) << one.flags[1];
        EXPECT_NE(json::parse(ran.out)["lost"].dump().find("checksums"), std::string::npos) << ran.out;
    }
    // By the ending of the name, from a file, also a compressed one; and the text says what the format cannot store.
    here.write("keys.txt", numbered("key", 1, 20));
    EXPECT_EQ(here.shell("gzip -c keys.txt > keys.txt.gz").exit_code, 0);
    const auto said = here.run({"convert", "keys.txt.gz", "keys.guava", "--capacity", "100", "--fpr", "3%"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_NE(said.out.find("this format has no place for: capacity and target FPR, key type"), std::string::npos)
        << said.out;
    EXPECT_EQ(here.read("keys.guava"), text_of(recorded::guava_64));
    EXPECT_EQ(here.run({"convert", "keys.txt", "keys.sbbf", "--fpr", "5%"}).exit_code, 0);
    EXPECT_EQ(here.read("keys.sbbf"), text_of(recorded::duckdb_names));
}

TEST(foreign, the_same_contents_are_written_byte_for_byte) {
    const workbench here;
    for (const recording& one : recordings) {
        if (one.hex == recorded::guava_32) continue; // below
        here.write("in", text_of(one.hex));
        EXPECT_EQ(here.shell("gzip -c in > in.gz").exit_code, 0);
        const auto ran = here.run({"convert", "in.gz", "out", "--force", "--to", one.kind});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(here.read("out"), text_of(one.hex));
    }
    here.write("in", text_of(recorded::guava_32));
    EXPECT_EQ(here.run({"convert", "in", "out", "--force", "--to", "guava32"}).exit_code, 0);
    expect_trouble(here.run({"convert", "in", "other", "--to", "guava"}),
                   "cells cannot become those of the other strategy");
    here.write("blob", text_of(recorded::duckdb_names));
    const auto bare = here.run({"convert", "blob", "bits", "--to", "parquet-bitset"});
    EXPECT_NE(bare.out.find("no place for: the header"), std::string::npos) << bare.out;
    EXPECT_EQ(here.read("bits"), text_of(recorded::duckdb_names).substr(15));
    EXPECT_EQ(here.run({"convert", "bits", "again", "--from", "parquet-bitset", "--to", "parquet"}).exit_code, 0);
    EXPECT_EQ(here.read("again"), text_of(recorded::duckdb_names));
    EXPECT_EQ(here.run({"check", "bits", "--from", "parquet-bitset", "-e", "key7", "-e", "nobody"}).out, "key7\n");
    EXPECT_EQ(json::parse(here.run({"show", "bits", "--from", "parquet-bitset", "--json"}).out)["cells"], 256);
}

TEST(foreign, cells_are_never_turned_into_those_of_another_program) {
    const workbench here;
    here.write("guava", text_of(recorded::guava_64));
    here.write("dump", text_of(recorded::redisbloom));
    here.write("keys.txt", "anna\n");
    here.make("ours.eb", "anna\n");
    expect_trouble(here.run({"convert", "guava", "x.eb"}), "cannot become those of an everbloom filter");
    expect_trouble(here.run({"convert", "guava", "x.bloom"}), "cannot become those of a .bloom file");
    expect_trouble(here.run({"convert", "dump", "x.guava"}), "cannot become those of a Bloom filter of Guava");
    expect_trouble(here.run({"convert", "ours.eb", "x.guava"}), "'everbloom convert KEYS x.guava' makes one");
    expect_trouble(here.run({"convert", "keys.txt", "x.scandump"}), "are read, not written");
    expect_trouble(here.run({"convert", "keys.txt", "x.eb"}), "is not an intact .bloom file");
    expect_trouble(here.run({"convert", "keys.txt", "x.guava", "--key-type", "cidr"}), "prefix lengths");
    expect_trouble(here.run({"convert", "keys.txt", "x.guava", "--fpr", "2"}), "--fpr");
    expect_trouble(here.run({"convert", "keys.txt", "x.guava", "--capacity", "0"}), "--capacity");
    expect_trouble(here.run({"convert", "keys.txt", "x.sbbf", "--capacity", "1T"}), "at most 128.0 MiB");
    expect_trouble(here.run({"check", "guava", "--confirm", "-e", "anna"}), "keeps no hashes");
    expect_trouble(here.run({"check", "guava", "--key-type", "cidr", "-e", "10.0.0.1"}), "prefix lengths");
    expect_trouble(here.run({"convert", "guava", "x.guava", "--capacity", "5"}), "are for lists of keys");
    expect_trouble(here.run({"show", "guava", "--picture", "x.svg"}), "no pictures");
    expect_trouble(here.run({"add", "guava"}, "anna\n"), "is a Bloom filter of Guava, not an everbloom filter");
    expect_trouble(here.run({"verify", "dump"}), "is a RedisBloom dump, not an everbloom filter");
    EXPECT_EQ(here.listing(), "dump guava keys.txt ours.eb");
    // Too many keys for the capacity: refused as a whole.
    here.write("many.txt", numbered("key", 1, 3000));
    expect_trouble(here.run({"convert", "many.txt", "x.guava", "--capacity", "1000"}), "over its capacity");
    EXPECT_EQ(here.run({"convert", "many.txt", "x.guava", "--capacity", "1000", "--overfill"}).exit_code, 0);
}

TEST(foreign, damaged_files_are_refused_with_a_reason) {
    const workbench here;
    for (const recording& one : recordings) {
        const std::string whole = text_of(one.hex);
        for (const std::string& bytes : {whole.substr(0, whole.size() - 1), whole + '\0', whole.substr(0, 3)}) {
            here.write("filter", bytes);
            for (const std::string command : {"show", "check"}) {
                const auto named = here.run({command, "filter", "--from", one.kind}, "anna\n");
                EXPECT_EQ(named.exit_code, 2) << one.kind << command << bytes.size();
                EXPECT_NE(named.err.find("filter: "), std::string::npos) << named.err;
                EXPECT_EQ(here.run({command, "filter"}, "anna\n").exit_code, 2) << one.kind << command << bytes.size();
            }
            EXPECT_EQ(here.run({"convert", "filter", "out", "--from", one.kind, "--to", one.kind}).exit_code, 2);
            EXPECT_EQ(here.listing(), "filter");
        }
    }
    // A header beyond doubt names its format, and what is wrong.
    here.write("filter", text_of(recorded::duckdb_names).substr(0, 40));
    expect_trouble(here.run({"show", "filter"}), "is not an intact Parquet Bloom filter");
    here.write("filter", text_of(recorded::redisbloom) + "more");
    expect_trouble(here.run({"show", "filter"}), "is not an intact RedisBloom dump");
}

TEST(foreign, a_few_compressed_bytes_cannot_claim_gigabytes) {
    const workbench here;
    // 2^28 bytes of zeros in a megabyte.
    const std::string head = std::string("\1\5", 2) + std::string("\x02\0\0\0", 4); // Guava: 2^25 words
    here.write("head", head);
    ASSERT_EQ(here.shell("{ cat head; head -c 268435456 /dev/zero; } | gzip -1 > bomb.gz").exit_code, 0);
    for (const std::string command : {"show bomb.gz", "check bomb.gz -e anna", "convert bomb.gz x.guava"}) {
        const auto ran = here.shell("ulimit -v 1000000; everbloom " + command);
        EXPECT_EQ(ran.exit_code, 2) << command;
        EXPECT_NE(ran.err.find("decompress it first"), std::string::npos) << ran.err;
    }
    const auto bare = here.shell("ulimit -v 1000000; everbloom show bomb.gz --from parquet-bitset");
    EXPECT_EQ(bare.exit_code, 2) << bare.err;
    EXPECT_NE(bare.err.find("decompress it first"), std::string::npos) << bare.err;
}

TEST(foreign, a_file_of_another_program_is_replaced_only_by_force) {
    const workbench here;
    here.write("keys.txt", numbered("key", 1, 20));
    here.write("x.guava", text_of(recorded::guava_64));
    expect_trouble(here.run({"convert", "keys.txt", "x.guava"}), "already exists; --force replaces it");
    EXPECT_EQ(here.run({"convert", "keys.txt", "x.guava", "--force"}).exit_code, 0);
    here.write("x.guava", "a list\nof words\n");
    expect_trouble(here.run({"convert", "keys.txt", "x.guava", "--force"}), "is not overwritten");
    // Bytes that are neither a filter nor text do not become keys by mistake, unless they are called keys.
    here.write("noise", std::string(200, '\1'));
    expect_trouble(here.run({"convert", "noise", "y.guava"}), "noise: ");
    EXPECT_EQ(here.run({"convert", "noise", "y.guava", "--from", "keys"}).exit_code, 0);
}

} // namespace
} // namespace everbloom::support
