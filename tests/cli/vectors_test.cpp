// The vector file (docs/format.md#vectors) on the command line: `create` and `remove` make the same files, byte by byte, and `check` gives
// the same answers.
#include "cli/workbench.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace everbloom::support {
namespace {

struct vector_filter {
    std::string kind, hash, type, capacity, fpr, seed, inserted, erased, answers;
    std::size_t bytes = 0;
    std::string crc;
};

struct vector_file {
    std::map<std::string, std::vector<std::string>> keys; // by type: members first, as the command line spells them
    std::vector<vector_filter> filters;
};

vector_file read_vectors() {
    vector_file made;
    std::ifstream file(EVERBLOOM_SOURCE_DIR "/tests/vectors/answers.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "key") {
            std::string type, role, bytes, spelling;
            words >> type >> role >> bytes;
            std::getline(words.ignore(1), spelling);
            made.keys[type].push_back(spelling);
        } else if (what == "filter") {
            vector_filter one;
            words >> one.kind >> one.hash >> one.type >> one.capacity >> one.fpr >> one.seed >> one.inserted >>
                one.erased >> one.answers >> one.bytes >> one.crc;
            made.filters.push_back(one);
        }
    }
    return made;
}

std::string crc32_of(std::string_view bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320 & (0 - (crc & 1)));
    }
    std::array<char, 9> text{};
    std::snprintf(text.data(), text.size(), "%x", ~crc);
    return text.data();
}

std::string lines_of(const std::vector<std::string>& keys) {
    std::string lines;
    for (const std::string& one : keys) lines += one + "\n";
    return lines;
}

TEST(vectors, are_made_and_answered_by_the_program) {
    const workbench here;
    const vector_file vectors = read_vectors();
    std::uint64_t checked = 0;
    for (const vector_filter& one : vectors.filters) {
        // Every kind with every type, and every hash; not all of their combinations, which C++ and C check without processes.
        if (one.hash != "siphash" && one.type != "text") continue;
        // For networks the program has a note about their lengths, and answers for what they contain: keys_in_lists_test.cpp.
        if (one.type == "cidr") continue;
        SCOPED_TRACE(one.kind + " " + one.hash + " " + one.type);
        const auto& keys = vectors.keys.at(one.type);
        const auto members_end = keys.begin() + static_cast<std::ptrdiff_t>(one.inserted.size());
        std::vector<std::string> create{"create", "x.eb", "--force", "--quiet"};
        create.insert(create.end(),
                      {"--kind", one.kind, "--hash", one.hash, "--key-type", one.type, "--seed", one.seed});
        create.insert(create.end(), {"--capacity", one.capacity, "--fpr", one.fpr});
        const auto made = here.run(create, lines_of({keys.begin(), members_end}));
        ASSERT_EQ(made.exit_code, 0) << made.err;
        if (one.erased != "-") {
            std::vector<std::string> leaving;
            for (std::size_t i = 0; i < one.inserted.size(); i += 4) leaving.push_back(keys[i]);
            const auto removed = here.run({"remove", "x.eb", "--quiet"}, lines_of(leaving));
            ASSERT_LE(removed.exit_code, 1) << removed.err;
        }
        const std::string file = here.read("x.eb");
        ASSERT_EQ(file.size(), one.bytes);
        // The program stores no seed for the hash of DCSO, which has no key.
        if (one.hash != "dcso") {
            ASSERT_EQ(crc32_of(file), one.crc);
        }
        ++checked;
        std::vector<std::string> found;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (one.answers[i] == '1') found.push_back(keys[i]);
        }
        ASSERT_EQ(here.run({"check", "--no-confirm", "x.eb"}, lines_of(keys)).out, lines_of(found));
    }
    EXPECT_GT(checked, 100u);
}

} // namespace
} // namespace everbloom::support
