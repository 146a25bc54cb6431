// How much memory the program takes for input that is made to cost much: never more than 64 MiB and four times the input (P5), measured as
// the peak of its resident memory, beyond what it takes to do nothing.
#include "cli/input_readers.hpp"
#include "support/compressed_bytes.hpp"
#include "support/rounds.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EVERBLOOM_MEMORY_IS_NOT_OURS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EVERBLOOM_MEMORY_IS_NOT_OURS 1
#endif

namespace everbloom::support {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

struct hostile_input {
    std::string name;
    std::string bytes;
    std::uint64_t window_bytes = 0; // of the decoder, beyond the allowance
};

std::string repeated(std::string_view text, std::uint64_t bytes) {
    std::string made;
    while (made.size() < bytes) made += text;
    return made;
}

std::uint64_t scale() { return rounds(1) > 1 ? 4 : 1; }

/// Entries as short as this reader takes them, in one of the compressed forms.
constexpr std::size_t compressed_forms = 3;
hostile_input many_entries(const std::string& many, std::size_t form) {
    if (form == 0) return {"short entries in gzip", gzip_of(many)};
    if (form == 1) return {"short entries in bzip2", bzip2_of(many)};
    return {"short entries in zstd with a large window", zstd_of(many, 27), many.size()};
}

/// Zeros without end, in a few thousand bytes; the decoders may keep their windows.
const std::vector<hostile_input>& endless_zeros() {
    static const std::vector<hostile_input> made = [] {
        const std::string zeros(64 * mib * scale(), '\0');
        return std::vector<hostile_input>{
            {"zeros in gzip", gzip_of(zeros)},
            {"zeros in xz with a dictionary of 64 MiB", lzma_of(zeros, 64 * mib, true), 65 * mib},
            {"zeros in zstd with a large window", zstd_of(zeros, 27), 64 * mib * scale()},
        };
    }();
    return made;
}

std::uint64_t allowance(const hostile_input& input) {
    return run_program({"--version"}).peak_bytes + 64 * mib + 4 * input.bytes.size() + input.window_bytes;
}

void expect_bounded(const program_result& ran, const hostile_input& input) {
    EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1 || ran.exit_code == 2) << input.name << ": " << ran.err;
    EXPECT_EQ(ran.err.find("memory"), std::string::npos) << input.name << ": " << ran.err;
#if !defined(EVERBLOOM_MEMORY_IS_NOT_OURS)
    EXPECT_LE(ran.peak_bytes, allowance(input)) << input.name << ": " << (ran.peak_bytes >> 20) << " MiB for "
                                                << input.bytes.size() << " bytes: " << ran.err.substr(0, 500);
#endif
}

class bounded_input : public for_every_reader {};
INSTANTIATE_TEST_SUITE_P(readers, bounded_input, ::testing::Range<std::size_t>(0, reader_names.size()), name_of_reader);

/// What is short for this reader and still valid.
std::string shortest_entry(const input_reader& reader) {
    if (reader.is_nul_separated) return std::string(1, '\0');
    if (reader.name == "sync_trace") return "+\n";
    if (reader.name == "gate_blacklist" || reader.name == "gate_query") return "::\n";
    if (reader.name == "gate_patterns") return "1\n";
    if (reader.name == "gate_text") return ":: 1\n";
    if (reader.name == "route") return "<a/>";
    if (reader.name == "report") return "[";
    return "\n";
}

TEST_P(bounded_input, costs_no_more_than_it_may) {
    // Every day the plain file and one of the compressed ones, another one for the next reader.
    const auto is_due = [&](std::size_t number, std::size_t count) {
        return scale() > 1 || GetParam() % count == number;
    };
    const hostile_input plain{"short entries", repeated(shortest_entry(reader), 4 * mib * scale())};
    expect_bounded(here.run_reader(reader, plain.bytes), plain);
    for (std::size_t form = 0; form < compressed_forms; ++form) {
        if (!is_due(form, compressed_forms)) continue;
        const hostile_input input = many_entries(plain.bytes, form);
        expect_bounded(here.run_reader(reader, input.bytes), input);
    }
    // To these, zeros are millions of keys or packets, which take their time and no memory.
    const bool reads_packets = reader.name.starts_with("gate_") && !reader.knows.empty();
    if ((reader.is_nul_separated || reads_packets) && scale() == 1) return;
    const auto& zeros = endless_zeros();
    for (std::size_t i = 0; i < zeros.size(); ++i) {
        if (is_due(i, zeros.size())) expect_bounded(here.run_reader(reader, zeros[i].bytes), zeros[i]);
    }
}

/// Distinct keys have to be remembered; what a command keeps of each is bounded all the same.
TEST(bounded_input_of_keys, different_keys_cost_what_they_must) {
    const reader_bench& here = for_every_reader::bench();
    const hostile_input input{"different keys", numbered_lines("key", 200'000)};
    for (const input_reader& reader : for_every_reader::readers()) {
        if (reader.name.starts_with("gate") || reader.name == "route" || reader.name == "report" ||
            reader.name == "convert")
            continue;
        expect_bounded(here.run_reader(reader, input.bytes), input);
    }
}

std::string dcso_head(std::uint64_t planned, double fpr, std::uint64_t hashes, std::uint64_t bits) {
    std::string made(48, '\0');
    const std::uint64_t one = 1;
    const std::uint64_t items = 0;
    std::size_t at = 0;
    for (const void* field :
         {static_cast<const void*>(&one), static_cast<const void*>(&planned), static_cast<const void*>(&fpr),
          static_cast<const void*>(&hashes), static_cast<const void*>(&bits), static_cast<const void*>(&items)}) {
        std::memcpy(made.data() + at, field, 8);
        at += 8;
    }
    return made;
}

TEST(bounded_input_of_convert, neither_attached_zeros_nor_claims_are_believed) {
    const workbench here;
    // Compressed at once: what this process holds counts as the peak of the next one it starts.
    constexpr std::uint64_t zeros = 100 * mib;
    const auto then_zeros = [](const std::string& head) { return gzip_of(head + std::string(zeros, '\0')); };
    const std::vector<std::pair<std::string, std::string>> bombs{
        {"attached data", then_zeros(dcso_head(100, 0.01, 7, 959))},
        {"far more than", then_zeros(dcso_head(100, 0.01, 7, 8 * zeros))},
        {"would end at byte", gzip_of(dcso_head(std::uint64_t{1} << 34, 0.01, 7, std::uint64_t{1} << 37) + "short")},
        {"would end at byte", dcso_head(std::uint64_t{1} << 34, 0.01, 7, std::uint64_t{1} << 37) + "short"},
    };
    for (const auto& [words, bytes] : bombs) {
        here.write("bomb.bloom.gz", bytes);
        const auto ran = here.run({"convert", "bomb.bloom.gz", "x.eb"});
        expect_trouble(ran, words);
        expect_bounded(ran, {words, bytes});
    }
    // An empty filter that was planned to be that large is one: it costs what it holds, once.
    const std::string honest = then_zeros(dcso_head(87'500'000, 0.01, 7, 8 * zeros));
    here.write("honest.bloom.gz", honest);
    const auto ran = here.run({"convert", "honest.bloom.gz", "x.eb", "--quiet"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    expect_bounded(ran, {"honest", honest, zeros});
#if !defined(EVERBLOOM_MEMORY_IS_NOT_OURS)
    EXPECT_GT(ran.peak_bytes, zeros); // the measure itself: it would notice
#endif
}

TEST(bounded_input_of_windows, a_decoder_that_wants_more_is_refused_with_the_way_out) {
    const workbench here;
    here.make("x.eb", "anna\n");
    here.write("far.xz", lzma_of("anna\n", 512U << 20, true));
    expect_trouble(here.run({"check", "x.eb", "far.xz"}), "far.xz: the xz data needs more than 130 MiB of memory");
    here.write("far.zst", zstd_of("anna\n", 30));
    expect_trouble(here.run({"check", "x.eb", "far.zst"}), "far.zst: the zstd data needs more than 130 MiB of memory");
    here.write("near.xz", lzma_of("anna\n", 64U << 20, true));
    here.write("near.zst", zstd_of("anna\n", 27));
    EXPECT_EQ(here.run({"check", "x.eb", "near.xz", "near.zst"}).out, "anna\nanna\n");
}

TEST(bounded_input_of_gate, the_manifest_of_a_state_is_read_within_bounds) {
    const reader_bench& here = for_every_reader::bench();
    const std::string bytes = repeated("[", 16 * mib);
    std::filesystem::create_directories(here / "state");
    here.write("state/gate.json", bytes);
    const auto ran = here.run({"gate", "--state", "state", "--packets", "packets.txt"});
    EXPECT_EQ(ran.exit_code, 2);
    expect_bounded(ran, {"manifest", bytes});
}

TEST(bounded_input_of_gate, raw_packets_and_different_patterns_are_bounded) {
    const reader_bench& here = for_every_reader::bench();
    std::string patterns;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        std::array<char, 16> line{};
        patterns.append(line.data(),
                        static_cast<std::size_t>(std::snprintf(line.data(), line.size(), "%08x\n", i * 2654435761U)));
    }
    const hostile_input different{"different patterns", patterns};
    here.write("many.txt", patterns);
    expect_bounded(here.run({"gate", "--patterns", "many.txt", "--packets", "packets.txt"}), different);
    // As bytes, all with one beginning; and as networks.
    std::string bytes;
    std::string networks;
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        bytes += "\"the same beginning " + std::to_string(i) + "\"\n";
        networks += "10." + std::to_string(i >> 8U & 255U) + "." + std::to_string(i & 255U) + "." +
                    std::to_string(i % 3 * 64) + "/27\n";
    }
    here.write("bytes.txt", bytes);
    expect_bounded(here.run({"gate", "--patterns", "bytes.txt", "--packets", "packets.txt"}), {"byte patterns", bytes});
    here.write("networks.txt", networks);
    expect_bounded(here.run({"gate", "--blacklist", "networks.txt", "--packets", "packets.txt"}),
                   {"networks", networks});
    const hostile_input raw{"raw", gzip_of(repeated("\x0a\x00\x00\x01"
                                                    "abcd",
                                                    16 * mib))};
    here.write("raw.gz", raw.bytes);
    expect_bounded(here.run({"gate", "--format", "raw", "--packets", "raw.gz"}), raw);
}

} // namespace
} // namespace everbloom::support
