// Paths that are not filter files: nothing there, nothing readable, nothing that ever ends. Each gets a sentence, at once.
#include "hostile/child_process.hpp"
#include "hostile/small_file.hpp"
#include "support/temporary_directory.hpp"

#include <everbloom/hash/checksum.hpp>

#include <sys/stat.h>

namespace everbloom::hostile {
namespace {

using support::temporary_directory;

/// Both doors refuse it, for this reason, with its name in the sentence.
void expect_refused(const std::string& path, failure_reason reason) {
    for (const auto& loaded : {open_filter(path), map_filter(path)}) {
        ASSERT_FALSE(loaded) << path;
        EXPECT_EQ(loaded.error().reason, reason) << loaded.error().sentence;
        EXPECT_EQ(loaded.error().sentence.rfind(path + ": ", 0), 0u) << loaded.error().sentence;
    }
}

filter_file some_filter() {
    filter_file made = empty_filter("bloom", small_items);
    insert_keys(made, 0, small_items);
    return made;
}

TEST(strange_paths, an_empty_file_is_no_filter) {
    const temporary_directory here;
    expect_refused(here.write("empty.eb", ""), failure_reason::damaged);
}

TEST(strange_paths, a_text_is_no_filter) {
    const temporary_directory here;
    expect_refused(here.write("words.eb", std::string(5000, 'x')), failure_reason::damaged);
}

TEST(strange_paths, what_is_not_a_regular_file_is_refused_without_waiting) {
    const temporary_directory here;
    const std::string pipe = here / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {pipe, std::string("/dev/null"), std::string("/dev/zero"), here.path().string()}) {
        expect_refused(path, failure_reason::input_output);
        const auto saved = save_filter(some_filter(), path);
        ASSERT_FALSE(saved) << path;
        EXPECT_EQ(saved.error().reason, failure_reason::input_output) << saved.error().sentence;
    }
    EXPECT_EQ(here.listing(), "pipe");
}

TEST(strange_paths, a_full_device_is_refused) {
    const auto saved = save_filter(some_filter(), "/dev/full");
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().reason, failure_reason::input_output) << saved.error().sentence;
}

TEST(strange_paths, a_missing_file_or_directory_is_refused) {
    const temporary_directory here;
    expect_refused(here / "missing.eb", failure_reason::input_output);
    expect_refused(here / "missing/directory.eb", failure_reason::input_output);
    EXPECT_FALSE(save_filter(some_filter(), here / "missing/directory.eb"));
    EXPECT_FALSE(save_filter(some_filter(), ""));
    EXPECT_FALSE(save_filter(some_filter(), (here / "x.eb") + std::string(5000, 'x')));
    EXPECT_EQ(here.listing(), "");
}

TEST(strange_paths, links_that_lead_nowhere_or_in_circles_are_refused) {
    const temporary_directory here;
    std::filesystem::create_symlink("nowhere", here / "dangling");
    std::filesystem::create_symlink("circle", here / "circle");
    for (const char* name : {"dangling", "circle"}) {
        expect_refused(here / name, failure_reason::input_output);
        EXPECT_FALSE(save_filter(some_filter(), here / name)) << name;
    }
    EXPECT_EQ(here.listing(), "circle dangling");
}

TEST(strange_paths, a_file_that_may_not_be_read_is_refused) {
    const temporary_directory here;
    ASSERT_TRUE(save_filter(some_filter(), here / "secret.eb"));
    std::filesystem::permissions(here.path(), std::filesystem::perms::all);
    ASSERT_EQ(::chmod((here / "secret.eb").c_str(), 0), 0);
    EXPECT_EQ(exit_code_in_child([&] {
                  // Root may read everything, so the child becomes nobody.
                  if (::geteuid() == 0 && (::setegid(65534) != 0 || ::seteuid(65534) != 0)) return 2;
                  const auto opened = open_filter(here / "secret.eb");
                  const auto mapped = map_filter(here / "secret.eb");
                  if (opened || mapped) return 3;
                  return opened.error().reason == failure_reason::input_output &&
                                 mapped.error().reason == failure_reason::input_output
                             ? 0
                             : 4;
              }),
              0);
}

/// Bytes that the process has read so far, from files and caches alike.
std::uint64_t bytes_read() { return of_this_process("io", "rchar:"); }

class sparse_files : public ::testing::Test {
protected:
    /// A file of a terabyte, or of twice the memory of a machine that has more, of which only the start exists.
    std::string sparse_file(std::string_view start) {
        const std::string path = here.write("sparse.eb", start);
        std::filesystem::resize_file(path, bytes);
        return path;
    }

    const std::uint64_t bytes = std::max(std::uint64_t{1} << 40, 2 * heap_words::physical_memory_bytes() / page * page);
    temporary_directory here;
};

TEST_F(sparse_files, a_terabyte_of_nothing_is_refused_after_its_first_bytes) {
    const std::string path = sparse_file("");
    const std::uint64_t before = bytes_read();
    expect_refused(path, failure_reason::damaged);
    EXPECT_LT(bytes_read() - before, 1u << 20);
}

TEST_F(sparse_files, a_header_may_not_claim_more_than_the_pages_of_its_file_need) {
    file_bytes start = write_filter(some_filter());
    put(start, at_header_bytes, std::uint32_t{0xffffffc0});
    const std::string path = sparse_file({reinterpret_cast<const char*>(start.data()), start.size()});
    const std::uint64_t before = bytes_read();
    expect_refused(path, failure_reason::damaged);
    EXPECT_LT(bytes_read() - before, 64u << 20);
}

TEST_F(sparse_files, a_perfect_header_does_not_make_us_take_memory_that_is_not_there) {
    // Everything is in order here, except that no machine holds it.
    const std::uint64_t lines = bytes / line - (std::uint64_t{64} << 20) / line; // leaves room for the header
    const std::uint64_t pages = (lines * line + page - 1) / page;
    const std::uint64_t header = (at_parameters + 8 * (3 + 1 + pages) + 8 + line - 1) / line * line;
    file_bytes start(header, std::byte{0});
    const file_bytes small = forge({1, 1, 0, {512, 3, 0}, {std::vector<std::uint64_t>(8, 0)}});
    std::copy_n(small.begin(), at_parameters, start.begin());
    put(start, at_header_bytes, static_cast<std::uint32_t>(header));
    put(start, at_parameters, lines * 512);
    put(start, at_parameters + 8, std::uint64_t{3});
    put(start, at_parameters + 24, lines);
    const file_bytes zeros(page, std::byte{0});
    const std::uint64_t whole = checksum(zeros.data(), page);
    for (std::uint64_t i = 0; i < pages; ++i) put(start, at_parameters + 32 + 8 * i, whole);
    const std::uint64_t last_page = lines * line - (pages - 1) * page;
    put(start, at_parameters + 32 + 8 * (pages - 1), std::uint64_t{checksum(zeros.data(), last_page)});
    put(start, header - 8, std::uint64_t{checksum(start.data(), header - 8)});
    const std::string path = here.write("sparse.eb", {reinterpret_cast<const char*>(start.data()), start.size()});
    std::filesystem::resize_file(path, header + lines * line);
    const std::uint64_t before = bytes_read();
    const auto opened = open_filter(path);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().reason, failure_reason::out_of_memory) << opened.error().sentence;
    EXPECT_LT(bytes_read() - before, 64u << 20);
}

} // namespace
} // namespace everbloom::hostile
