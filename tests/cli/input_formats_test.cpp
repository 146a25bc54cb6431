// Every reader of files from outside, times every format: the right answer, or a refusal that names the format. Never a file of another
// format read as text, which would end in "nothing found".
#include "cli/input_readers.hpp"
#include "support/foreign_files.hpp"
#include "support/rounds.hpp"

namespace everbloom::support {
namespace {

struct answer {
    int exit_code;
    std::string out, err, made;
    friend bool operator==(const answer&, const answer&) = default;
};

answer answer_of(const reader_bench& here, const input_reader& reader, const std::string& bytes) {
    const auto ran = here.run_reader(reader, bytes);
    const bool wrote = !reader.made.empty() && std::filesystem::exists(here / reader.made);
    return {ran.exit_code, ran.out, ran.err, wrote ? here.read(reader.made) : ""};
}

/// The bytes in every form that is decompressed, and with a byte order mark where they are text.
std::vector<foreign_file> readable_forms(const input_reader& reader) {
    const std::string& bytes = reader.plain;
    const std::string first = bytes.substr(0, bytes.size() / 2);
    const std::string second = bytes.substr(bytes.size() / 2);
    std::vector<foreign_file> all{
        {"gzip", gzip_of(bytes)},
        {"zstd", zstd_of(bytes)},
        {"xz", xz_of(bytes)},
        {"bzip2", bzip2_of(bytes)},
        {"lzma", lzma_of(bytes, 1 << 20, false)},
        {"two gzip members", gzip_of(first) + gzip_of(second)},
        {"two zstd frames", zstd_of(first) + zstd_of(second)},
        {"two xz streams", xz_of(first) + std::string(8, '\0') + xz_of(second)},
        {"two bzip2 streams", bzip2_of(first) + bzip2_of(second)},
        {"zstd with a frame to be passed over", std::string("\x5b\x2a\x4d\x18\x04\0\0\0skip", 12) + zstd_of(bytes)},
    };
    if (!reader.is_text) return all;
    all.push_back({"a byte order mark", "\xef\xbb\xbf" + bytes});
    all.push_back({"a byte order mark in xz", xz_of("\xef\xbb\xbf" + bytes)});
    return all;
}

class input_formats : public for_every_reader {
public:
    /// Every day a third of the formats for each reader, another third for the next one; `check` is asked about all of them.
    [[nodiscard]] std::size_t daily_step() const { return GetParam() < 2 || rounds(1) > 1 ? 1 : 3; }
};
INSTANTIATE_TEST_SUITE_P(readers, input_formats, ::testing::Range<std::size_t>(0, reader_names.size()), name_of_reader);

TEST_P(input_formats, compressed_files_and_byte_order_marks_give_the_answer_of_the_plain_file) {
    const answer plain = answer_of(here, reader, reader.plain);
    const auto forms = readable_forms(reader);
    for (std::size_t i = GetParam() % daily_step(); i < forms.size(); i += daily_step()) {
        const foreign_file& form = forms[i];
        const answer got = answer_of(here, reader, form.bytes);
        EXPECT_EQ(got.exit_code, plain.exit_code) << form.name << ": " << got.err;
        EXPECT_EQ(got.out, plain.out) << form.name;
        EXPECT_EQ(got.err, plain.err) << form.name;
        EXPECT_TRUE(got.made == plain.made) << form.name;
    }
}

TEST_P(input_formats, other_formats_are_refused_by_name) {
    const answer plain = answer_of(here, reader, reader.plain);
    const auto all = foreign_files(reader.plain);
    for (std::size_t i = GetParam() % daily_step(); i < all.size(); i += daily_step()) {
        const foreign_file& file = all[i];
        if (file.is_text && !reader.is_text) continue;
        if (std::find(reader.knows.begin(), reader.knows.end(), file.name) != reader.knows.end()) continue;
        // With -0, letters between NUL bytes are keys of one letter.
        if (reader.is_nul_separated && file.name == "UTF-16 text" && file.bytes.find('\xff') == std::string::npos)
            continue;
        SCOPED_TRACE(file.name + ", " + std::to_string(file.bytes.size()) + " bytes");
        if (file.is_text && reader.decodes_text) {
            EXPECT_EQ(answer_of(here, reader, file.bytes), plain);
            continue;
        }
        const auto ran = here.run_reader(reader, file.bytes);
        expect_trouble(ran, reader.name == "convert" && file.name == "an everbloom filter" ? "is a filter" : file.name);
        EXPECT_TRUE(here.changed_nothing(reader));
    }
}

TEST_P(input_formats, damaged_compressed_files_are_refused_with_file_and_byte) {
    const std::vector<std::string> names{"gzip", "zstd", "xz", "bzip2"};
    const auto forms = readable_forms(reader);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (daily_step() != 1 && GetParam() % names.size() != i) continue;
        const std::string& name = names[i];
        const auto form = std::find_if(forms.begin(), forms.end(), [&](const auto& one) { return one.name == name; });
        std::string bytes = form->bytes;
        const auto refused = [&](const std::string& damaged) {
            const auto ran = here.run_reader(reader, damaged);
            EXPECT_EQ(ran.exit_code, 2) << name;
            EXPECT_NE(ran.err.find("the " + name + " data "), std::string::npos) << ran.err;
            EXPECT_NE(ran.err.find(" at byte "), std::string::npos) << ran.err;
            EXPECT_TRUE(here.changed_nothing(reader));
        };
        refused(bytes.substr(0, bytes.size() - 1));
        refused(bytes.substr(0, bytes.size() / 2 + 6));
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
        refused(bytes);
    }
}

TEST(input_formats_of_keys, raw_takes_every_byte_as_it_is) {
    const reader_bench here;
    for (const foreign_file& file : foreign_files("anna\nbert\n")) {
        here.write("input", file.bytes);
        const auto all = here.run({"check", "--raw", "-v", "members.eb", "--", "input"});
        const auto found = here.run({"check", "--raw", "members.eb", "--", "input"});
        EXPECT_EQ(all.err + found.err, "") << file.name;
        EXPECT_EQ(all.out.size() + found.out.size(), file.bytes.size() + (file.bytes.ends_with('\n') ? 0 : 1));
    }
    here.write("input", "\xef\xbb\xbf"
                        "anna\n");
    EXPECT_EQ(here.run({"check", "members.eb", "input"}).out, "anna\n");
    EXPECT_EQ(here.run({"check", "--raw", "members.eb", "input"}).exit_code, 1);
}

TEST(input_formats_of_keys, a_key_file_that_is_refused_costs_nothing_of_those_before_it) {
    const reader_bench here;
    here.write("good", "anna\n");
    here.write("bad", "PK\x03\x04 and so on");
    expect_trouble(here.run({"uniq", "good", "bad"}), "bad: is a zip archive, not a list of keys");
}

} // namespace
} // namespace everbloom::support
