#include "commands/sync/list_file.hpp"

#include "commands/sync/zstd_writer.hpp"
#include "frame/interruption.hpp"
#include "keys/block_reader.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/hash/xxh3.hpp>
#include <everbloom/jobs/canonical_key.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace everbloom::cli {
namespace {

// The frame at the end, little-endian: a skippable frame as the zstd format defines it, then our fields.
constexpr std::uint32_t frame_magic = 0x184D2A5B;
constexpr std::array<std::uint8_t, 8> list_magic{0x89, 'E', 'B', 'L', 'I', 'S', 'T', '\n'};
constexpr std::uint32_t list_version = 1;
constexpr std::size_t at_frame_magic = 0;
constexpr std::size_t at_frame_bytes = 4;
constexpr std::size_t at_list_magic = 8;
constexpr std::size_t at_list_version = 16;
constexpr std::size_t at_list_type = 20;
constexpr std::size_t at_separator = 24;
constexpr std::size_t at_filter_kind = 28;
constexpr std::size_t at_keys = 32;
constexpr std::size_t at_text_bytes = 40;
constexpr std::size_t at_text_checksum = 48;
constexpr std::size_t at_identity = 56;
constexpr std::size_t at_undeletable = 64;
constexpr std::size_t at_fpr = 72;
constexpr std::size_t at_checksum = 80;
constexpr std::size_t tail_bytes = 88;

using tail = std::array<std::byte, tail_bytes>;

/// XXH3-64 of data in pieces.
class running_checksum {
public:
    running_checksum() : state_(XXH3_createState()) {
        if (state_ == nullptr) throw std::bad_alloc();
        XXH3_64bits_reset(state_.get());
    }
    void add(const void* data, std::size_t bytes) { XXH3_64bits_update(state_.get(), data, bytes); }
    template <class Number>
    void add(const Number& number) {
        add(&number, sizeof number);
    }
    [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

private:
    struct free_state {
        void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, free_state> state_;
};

failure damaged_list(const std::string& path, const std::string& how) {
    return {failure_reason::damaged,
            fmt::format("{}: damaged list: {}; 'everbloom sync --rebuild FILE LIST' rebuilds the filter and its list",
                        path, how)};
}

struct list_tail {
    list_facts facts;
    char separator = '\n';
    std::uint64_t keys = 0;
    std::uint64_t text_bytes = 0;
    std::uint64_t text_checksum = 0;
};

result<list_tail> parse_tail(const std::string& path, const tail& bytes) {
    const auto number = [&]<class T>(std::size_t at, T) { return v1::read_at<T>(bytes, at); };
    const std::uint32_t u32 = 0;
    const std::uint64_t u64 = 0;
    if (number(at_frame_magic, u32) != frame_magic || number(at_frame_bytes, u32) != tail_bytes - 8 ||
        std::memcmp(bytes.data() + at_list_magic, list_magic.data(), list_magic.size()) != 0) {
        return fail(damaged_list(path, "the magic number at its end is missing"));
    }
    if (number(at_checksum, u64) != checksum(bytes.data(), at_checksum)) {
        return fail(damaged_list(path, "the checksum of its last 88 bytes does not match"));
    }
    if (number(at_list_version, u32) != list_version) {
        return fail(failure_reason::damaged, fmt::format("{}: has format version {}; this program reads version {}",
                                                         path, number(at_list_version, u32), list_version));
    }
    list_tail made;
    const auto type = number(at_list_type, u32);
    const auto separator = number(at_separator, u32);
    made.facts.kind = number(at_filter_kind, u32);
    made.facts.fpr = number(at_fpr, double{});
    made.facts.identity = number(at_identity, u64);
    made.facts.undeletable = number(at_undeletable, u64);
    made.keys = number(at_keys, u64);
    made.text_bytes = number(at_text_bytes, u64);
    made.text_checksum = number(at_text_checksum, u64);
    if (type >= key_type_names.size() || (separator != '\n' && separator != '\0') ||
        !(made.facts.fpr > 0 && made.facts.fpr < 1)) {
        return fail(damaged_list(path, "it has invalid values in its last 88 bytes"));
    }
    made.facts.type = static_cast<key_type>(type);
    made.separator = static_cast<char>(separator);
    return made;
}

result<list_tail> read_tail(const std::string& path) {
    // O_NONBLOCK: a named pipe must be refused below, not waited for.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return fail(unreadable(path));
    struct stat found {};
    tail bytes{};
    const bool is_regular = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
    const bool is_long = is_regular && found.st_size >= static_cast<off_t>(tail_bytes);
    const ssize_t got = is_long ? ::pread(file, bytes.data(), tail_bytes, found.st_size - off_t{tail_bytes}) : 0;
    ::close(file);
    if (!is_regular) return fail(failure_reason::input_output, path + ": is not a regular file");
    if (got != static_cast<ssize_t>(tail_bytes)) return fail(damaged_list(path, "it is too short"));
    return parse_tail(path, bytes);
}

/// Checks the keys of a list in order.
class list_checker {
public:
    list_checker(const list_tail& said, key_arena& arena) : said_(said), arena_(arena), canonical_(said.facts.type) {}

    [[nodiscard]] bool take(std::string_view block) {
        bytes_ += block.size();
        if (bytes_ > said_.text_bytes) return false;
        sum_.add(block.data(), block.size());
        while (!block.empty()) {
            const std::size_t end = block.find(said_.separator);
            if (end == std::string_view::npos) return false; // the last key has its separator too
            const std::string_view key = block.substr(0, end);
            const auto spelled = canonical_(key);
            if (!spelled || *spelled != key || (!keys_.empty() && !(keys_.back() < key))) return false;
            keys_.push_back(arena_.keep(key));
            block.remove_prefix(end + 1);
        }
        return true;
    }

    [[nodiscard]] bool is_complete() const {
        return bytes_ == said_.text_bytes && keys_.size() == said_.keys && sum_.value() == said_.text_checksum;
    }
    [[nodiscard]] key_list finish() { return std::move(keys_); }

private:
    const list_tail& said_;
    key_arena& arena_;
    canonical_key canonical_;
    running_checksum sum_;
    std::uint64_t bytes_ = 0;
    key_list keys_;
};

result<char> separator_for(const key_list& keys) {
    const auto holds = [](char byte) {
        return [byte](std::string_view key) { return key.find(byte) != std::string_view::npos; };
    };
    if (std::none_of(keys.begin(), keys.end(), holds('\n'))) return '\n';
    if (std::none_of(keys.begin(), keys.end(), holds('\0'))) return '\0';
    return fail(failure_reason::unsupported,
                "some keys of the list contain newlines and some contain NUL bytes; such a list cannot be stored");
}

} // namespace

result<void> check_listable(std::string_view key) {
    if (key.size() <= longest_decompressed_key_bytes) return {};
    return fail(failure_reason::bad_parameter,
                "a key is longer than 2 MiB, the limit for the list that sync stores; 'everbloom "
                "add' accepts it");
}

std::string list_path_of(const std::string& filter_path) { return filter_path + ".list.zst"; }

result<followed_list> read_list(const std::string& path, key_arena& arena, const cancellation& cancel) {
    const auto said = read_tail(path);
    if (!said) return fail(said.error());
    const key_files files{{path}, 0, decompressed_only}; // any bytes may be keys
    block_reader reader(files, said->separator, cancel);
    list_checker checker(*said, arena);
    for (key_block block; reader.next(block);) {
        if (!checker.take(block.text())) {
            return fail(damaged_list(path, "its keys are not sorted, or their number is wrong"));
        }
        if (block.error)
            return fail(damaged_list(path, "it cannot be read to its end (" + block.error->sentence + ")"));
    }
    if (cancel.requested()) return fail(failure_reason::input_output, interruption::sentence);
    if (!checker.is_complete()) return fail(damaged_list(path, "its keys do not match their checksum"));
    return followed_list{said->facts, checker.finish()};
}

result<std::vector<std::byte>> write_list(const followed_list& list) {
    const auto separator = separator_for(list.keys);
    if (!separator) return fail(separator.error());
    std::vector<std::byte> bytes;
    zstd_writer writer(bytes);
    running_checksum sum;
    std::uint64_t text_bytes = 0;
    std::string block;
    const auto flush = [&] {
        sum.add(block.data(), block.size());
        writer.add(block);
        text_bytes += block.size();
        block.clear();
    };
    constexpr std::size_t enough = std::size_t{1} << 16;
    for (const std::string_view key : list.keys) {
        block.append(key);
        block += *separator;
        if (block.size() >= enough) flush();
    }
    flush();
    writer.end();

    tail end{};
    v1::write_at(end, at_frame_magic, frame_magic);
    v1::write_at(end, at_frame_bytes, static_cast<std::uint32_t>(tail_bytes - 8));
    std::memcpy(end.data() + at_list_magic, list_magic.data(), list_magic.size());
    v1::write_at(end, at_list_version, list_version);
    v1::write_at(end, at_list_type, static_cast<std::uint32_t>(list.facts.type));
    v1::write_at(end, at_separator, static_cast<std::uint32_t>(*separator));
    v1::write_at(end, at_filter_kind, list.facts.kind);
    v1::write_at(end, at_keys, std::uint64_t{list.keys.size()});
    v1::write_at(end, at_text_bytes, text_bytes);
    v1::write_at(end, at_text_checksum, sum.value());
    v1::write_at(end, at_identity, list.facts.identity);
    v1::write_at(end, at_undeletable, list.facts.undeletable);
    v1::write_at(end, at_fpr, list.facts.fpr);
    v1::write_at(end, at_checksum, checksum(end.data(), at_checksum));
    bytes.insert(bytes.end(), end.begin(), end.end());
    return bytes;
}

std::uint64_t identity_of(const filter_file& file) {
    running_checksum sum;
    sum.add(file.filter().kind_id());
    sum.add(static_cast<std::uint32_t>(file.keys));
    sum.add(static_cast<std::uint32_t>(file.hasher().id()));
    sum.add(file.hasher().key().bytes);
    for (const geometry_value& one : file.filter().geometry()) sum.add(one.value);
    for (const auto& words : file.filter().sections()) sum.add(words.data(), words.size_bytes());
    return sum.value();
}

} // namespace everbloom::cli
