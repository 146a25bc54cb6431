#include <everbloom/format/v1.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/jobs/list_text.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace everbloom {
namespace {

// The tail, little-endian: a skippable frame as the zstd format defines it, then our fields.
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

auto damaged_list(const std::string& how) { return fail(failure_reason::damaged, "damaged list: " + how); }

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

result<list_tail> list_tail::parse(std::span<const std::byte, bytes> from) {
    const auto number = [&]<class T>(std::size_t at, T) { return v1::read_at<T>(from, at); };
    const std::uint32_t u32 = 0;
    const std::uint64_t u64 = 0;
    if (number(at_frame_magic, u32) != frame_magic || number(at_frame_bytes, u32) != bytes - 8 ||
        std::memcmp(from.data() + at_list_magic, list_magic.data(), list_magic.size()) != 0) {
        return damaged_list("the magic number at its end is missing");
    }
    if (number(at_checksum, u64) != checksum(from.data(), at_checksum)) {
        return damaged_list("the checksum of its last 88 bytes does not match");
    }
    if (const auto version = number(at_list_version, u32); version != list_version) {
        return fail(failure_reason::unsupported, "has format version " + std::to_string(version) +
                                                     "; this program reads version " + std::to_string(list_version));
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
        return damaged_list("it has invalid values in its last 88 bytes");
    }
    made.facts.type = static_cast<key_type>(type);
    made.separator = static_cast<char>(separator);
    return made;
}

std::array<std::byte, list_tail::bytes> list_tail::write() const {
    std::array<std::byte, bytes> made{};
    v1::write_at(made, at_frame_magic, frame_magic);
    v1::write_at(made, at_frame_bytes, static_cast<std::uint32_t>(bytes - 8));
    std::memcpy(made.data() + at_list_magic, list_magic.data(), list_magic.size());
    v1::write_at(made, at_list_version, list_version);
    v1::write_at(made, at_list_type, static_cast<std::uint32_t>(facts.type));
    v1::write_at(made, at_separator, static_cast<std::uint32_t>(separator));
    v1::write_at(made, at_filter_kind, facts.kind);
    v1::write_at(made, at_keys, keys);
    v1::write_at(made, at_text_bytes, text_bytes);
    v1::write_at(made, at_text_checksum, text_checksum);
    v1::write_at(made, at_identity, facts.identity);
    v1::write_at(made, at_undeletable, facts.undeletable);
    v1::write_at(made, at_fpr, facts.fpr);
    v1::write_at(made, at_checksum, checksum(made.data(), at_checksum));
    return made;
}

bool list_checker::take(std::string_view piece) {
    bytes_ += piece.size();
    if (bytes_ > said_.text_bytes) return false;
    sum_.add(piece.data(), piece.size());
    while (!piece.empty()) {
        const std::size_t end = piece.find(said_.separator);
        if (end == std::string_view::npos) return false; // the last key has its separator too
        const std::string_view key = piece.substr(0, end);
        const auto spelled = canonical_(key);
        if (!spelled || *spelled != key || (!keys_.empty() && !(keys_.back() < key))) return false;
        keys_.push_back(arena_.keep(key));
        piece.remove_prefix(end + 1);
    }
    return true;
}

bool list_checker::is_complete() const {
    return bytes_ == said_.text_bytes && keys_.size() == said_.keys && sum_.value() == said_.text_checksum;
}

result<list_tail> write_list_text(const followed_list& list, const std::function<void(std::string_view)>& write) {
    const auto separator = separator_for(list.keys);
    if (!separator) return fail(separator.error());
    list_tail made;
    made.facts = list.facts;
    made.separator = *separator;
    made.keys = list.keys.size();
    running_checksum sum;
    std::string piece;
    const auto flush = [&] {
        sum.add(piece.data(), piece.size());
        made.text_bytes += piece.size();
        write(piece);
        piece.clear();
    };
    constexpr std::size_t enough = std::size_t{1} << 16;
    for (const std::string_view key : list.keys) {
        piece.append(key);
        piece += *separator;
        if (piece.size() >= enough) flush();
    }
    flush();
    made.text_checksum = sum.value();
    return made;
}

} // namespace everbloom
