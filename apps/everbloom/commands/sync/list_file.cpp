#include "commands/sync/list_file.hpp"

#include "commands/sync/zstd_writer.hpp"
#include "frame/interruption.hpp"
#include "keys/block_reader.hpp"

#include <everbloom/jobs/list_text.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace everbloom::cli {
namespace {

/// A list by its name, and what can be done if it is damaged.
struct named_list {
    const std::string& path;
    std::string_view advice;
};

failure with_advice(const named_list& list, const failure& what) {
    return {what.reason, fmt::format("{}: {}; {}", list.path, what.sentence, list.advice)};
}

failure damaged_list(const named_list& list, const std::string& how) {
    return with_advice(list, {failure_reason::damaged, "damaged list: " + how});
}

result<list_tail> read_tail(const named_list& list) {
    const std::string& path = list.path;
    // O_NONBLOCK: a named pipe must be refused below, not waited for.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return fail(unreadable(path));
    struct stat found {};
    std::array<std::byte, list_tail::bytes> bytes{};
    const bool is_regular = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
    const bool is_long = is_regular && found.st_size >= static_cast<off_t>(bytes.size());
    const ssize_t got =
        is_long ? ::pread(file, bytes.data(), bytes.size(), found.st_size - off_t{list_tail::bytes}) : 0;
    ::close(file);
    if (!is_regular) return fail(failure_reason::input_output, path + ": is not a regular file");
    if (got != static_cast<ssize_t>(bytes.size())) return fail(damaged_list(list, "it is too short"));
    auto said = list_tail::parse(bytes);
    if (said) return said;
    // A list of another version is not damaged.
    return fail(said.error().reason == failure_reason::damaged ? with_advice(list, said.error())
                                                               : in(path, said.error()));
}

} // namespace

result<void> check_listable(std::string_view key) {
    if (key.size() <= longest_decompressed_key_bytes) return {};
    return fail(failure_reason::bad_parameter,
                "a key is longer than 2 MiB, the limit for the list that sync stores; 'everbloom "
                "add' accepts it");
}

std::string list_path_of(const std::string& filter_path) { return filter_path + ".list.zst"; }

result<followed_list> read_list(const std::string& path, key_arena& arena, const cancellation& cancel,
                                std::string_view advice) {
    const named_list list{path, advice};
    const auto said = read_tail(list);
    if (!said) return fail(said.error());
    const key_files files{{path}, 0, decompressed_only}; // any bytes may be keys
    block_reader reader(files, said->separator, cancel);
    list_checker checker(*said, arena);
    for (key_block block; reader.next(block);) {
        if (!checker.take(block.text())) {
            return fail(damaged_list(list, "its keys are not sorted, or their number is wrong"));
        }
        if (block.error)
            return fail(damaged_list(list, "it cannot be read to its end (" + block.error->sentence + ")"));
    }
    if (cancel.requested()) return fail(failure_reason::input_output, interruption::sentence);
    if (!checker.is_complete()) return fail(damaged_list(list, "its keys do not match their checksum"));
    return followed_list{said->facts, checker.finish()};
}

result<std::vector<std::byte>> write_list(const followed_list& list) {
    std::vector<std::byte> bytes;
    zstd_writer writer(bytes);
    const auto said = write_list_text(list, [&](std::string_view piece) { writer.add(piece); });
    if (!said) return fail(said.error());
    writer.end();
    const auto tail = said->write();
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
}

} // namespace everbloom::cli
