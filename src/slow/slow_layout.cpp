#include <everbloom/filter/kernel/line_pattern.hpp>
#include <everbloom/format/lookalike.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/runtime/slow/run_block.hpp>
#include <everbloom/runtime/slow/slow_layout.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace everbloom::slow_layout {
namespace {

constexpr std::size_t part_words = 14;
constexpr std::size_t fixed_words = 16 + most_attached / 8;
constexpr std::uint64_t most_lines = std::uint64_t{1} << 36; // of a part: 4 TB
constexpr std::uint64_t state_magic = 0x6574617473776f6c;    // "lowstate"

/// Words one behind the other.
class word_writer {
public:
    explicit word_writer(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
    void put(std::uint64_t word) noexcept {
        std::memcpy(bytes_.data() + at_, &word, sizeof word);
        at_ += sizeof word;
    }
    void put(std::span<const std::byte> some, std::size_t room) noexcept {
        if (!some.empty()) std::memcpy(bytes_.data() + at_, some.data(), some.size());
        at_ += room;
    }

private:
    std::span<std::byte> bytes_;
    std::size_t at_ = 0;
};

class word_reader {
public:
    explicit word_reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t next() noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes_.data() + at_, sizeof word);
        at_ += sizeof word;
        return word;
    }
    [[nodiscard]] std::span<const std::byte> next(std::size_t bytes) noexcept {
        const auto some = bytes_.subspan(at_, bytes);
        at_ += bytes;
        return some;
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

/// The checksum is the first word, of all behind it.
void seal(std::span<std::byte> bytes, std::size_t at) noexcept {
    const std::uint64_t sum = checksum(bytes.data() + at + 8, bytes.size() - at - 8);
    std::memcpy(bytes.data() + at, &sum, sizeof sum);
}
[[nodiscard]] bool is_sealed(std::span<const std::byte> bytes, std::size_t at) noexcept {
    std::uint64_t sum = 0;
    std::memcpy(&sum, bytes.data() + at, sizeof sum);
    return sum == checksum(bytes.data() + at + 8, bytes.size() - at - 8);
}

[[nodiscard]] unexpected<failure> damaged(std::string sentence) {
    return fail(failure_reason::damaged, std::move(sentence));
}

} // namespace

std::uint64_t state_bytes(const record_geometry& geometry) noexcept {
    return extent_map::rounded_up(8 * (fixed_words + part_words * geometry.parts()));
}

// magic : 8 | version : 4 | header bytes : 4 | checksum of what follows : 8 | number | word bits | part bits | hash | key type | hash key : 16
std::vector<std::byte> header(const slow_identity& identity) {
    std::vector<std::byte> made(header_bytes);
    std::memcpy(made.data(), magic.data(), magic.size());
    word_writer words{std::span<std::byte>(made).subspan(magic.size())};
    words.put(version | header_bytes << 32);
    words.put(0);
    words.put(identity.number);
    words.put(identity.geometry.word_bits);
    words.put(identity.geometry.part_bits);
    words.put(static_cast<std::uint64_t>(identity.hasher.id()));
    words.put(static_cast<std::uint64_t>(identity.keys));
    const hash_key key = identity.hasher.key();
    words.put(std::as_bytes(std::span(key.bytes)), 16);
    seal(made, 16);
    return made;
}

bool has_magic(std::span<const std::byte> bytes) noexcept {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

result<slow_identity> parse_header(std::span<const std::byte> bytes) {
    if (!has_magic(bytes)) {
        return damaged("is not a slow filter (bad magic number); it looks like " +
                       std::string(words_of(lookalike_of(bytes))));
    }
    if (bytes.size() < 16) return damaged("the file ends within its header, at byte " + std::to_string(bytes.size()));
    word_reader words(bytes.subspan(magic.size()));
    const std::uint64_t first = words.next();
    if ((first & 0xffffffff) != version) {
        return damaged("the slow filter has format version " + std::to_string(first & 0xffffffff) +
                       "; this program reads version " + std::to_string(version));
    }
    if (bytes.size() < header_bytes) {
        return damaged("the file ends within its header, at byte " + std::to_string(bytes.size()));
    }
    bytes = bytes.first(header_bytes);
    if (first >> 32 != header_bytes || !is_sealed(bytes, 16)) {
        return damaged("the header is damaged (bytes 0 to 4095: its checksum does not match)");
    }
    (void)words.next();
    slow_identity made;
    made.number = words.next();
    const std::uint64_t word_bits = words.next();
    const std::uint64_t part_bits = words.next();
    if (word_bits > record_geometry::most_word_bits || part_bits > record_geometry::most_part_bits) {
        return damaged("the header has an impossible geometry");
    }
    made.geometry = {static_cast<unsigned>(word_bits), static_cast<unsigned>(part_bits)};
    if (!made.geometry.is_valid()) return damaged("the header has an impossible geometry");
    const std::uint64_t hash = words.next();
    const std::uint64_t keys = words.next();
    const auto known = std::find_if(known_hashes.begin(), known_hashes.end(),
                                    [&](hash_id id) { return static_cast<std::uint64_t>(id) == hash; });
    if (known == known_hashes.end()) return damaged("the header names an unknown hash function");
    if (keys >= key_type_names.size()) return damaged("the header names an unknown key type");
    hash_key key;
    std::memcpy(key.bytes.data(), words.next(16).data(), 16);
    made.hasher = any_hasher(*known, key);
    made.keys = static_cast<key_type>(keys);
    return made;
}

std::vector<std::byte> state(const slow_identity& identity, const slow_state& now) {
    std::vector<std::byte> made(state_bytes(identity.geometry));
    word_writer words(made);
    words.put(0);
    words.put(state_magic);
    words.put(identity.number);
    words.put(now.sequence);
    words.put(now.epoch);
    words.put(now.log_offset);
    words.put(now.first_frame);
    words.put(now.durable_frames);
    words.put(now.hashes);
    words.put(now.line_keys);
    words.put(now.capacity);
    std::uint64_t fpr = 0;
    std::memcpy(&fpr, &now.fpr, sizeof fpr);
    words.put(fpr);
    words.put(now.refused);
    words.put(now.parts.size());
    words.put(now.attached.size());
    words.put(0);
    words.put(now.attached, most_attached);
    for (const slow_part& part : now.parts) {
        words.put(part.run.offset);
        words.put(part.run.bytes);
        words.put(part.blocks);
        words.put(part.generation);
        words.put(part.keys);
        words.put(part.copies);
        words.put(part.most_copies);
        words.put(part.lines.offset);
        words.put(part.lines.bytes);
        words.put(part.line_count);
        words.put(part.lines_checksum);
        words.put(part.merged_frames);
        words.put(part.hashes);
        words.put(0);
    }
    seal(made, 0);
    return made;
}

std::optional<slow_state> parse_state(const slow_identity& identity, std::span<const std::byte> bytes) {
    if (bytes.size() != state_bytes(identity.geometry) || !is_sealed(bytes, 0)) return std::nullopt;
    word_reader words(bytes);
    (void)words.next();
    if (words.next() != state_magic || words.next() != identity.number) return std::nullopt;
    slow_state now;
    now.sequence = words.next();
    now.epoch = words.next();
    now.log_offset = words.next();
    now.first_frame = words.next();
    now.durable_frames = words.next();
    now.hashes = words.next();
    now.line_keys = words.next();
    now.capacity = words.next();
    const std::uint64_t fpr = words.next();
    std::memcpy(&now.fpr, &fpr, sizeof fpr);
    now.refused = words.next();
    const std::uint64_t parts = words.next();
    const std::uint64_t attached = words.next();
    const bool spare_is_zero = words.next() == 0;
    const auto is_hashes = [](std::uint64_t hashes) { return hashes >= 1 && hashes <= kernel::max_line_hashes; };
    if (parts != identity.geometry.parts() || attached > most_attached || !spare_is_zero || !is_hashes(now.hashes) ||
        now.line_keys < 1'000'000 || now.line_keys > 500'000'000 || now.first_frame > now.durable_frames ||
        !(now.fpr > 0 && now.fpr < 1) || now.capacity == 0) {
        return std::nullopt;
    }
    const auto attachment = words.next(most_attached).first(attached);
    now.attached.assign(attachment.begin(), attachment.end());
    for (std::uint64_t i = 0; i < parts; ++i) {
        slow_part part;
        part.run = {words.next(), 0};
        part.run.bytes = words.next();
        part.blocks = words.next();
        part.generation = words.next();
        part.keys = words.next();
        part.copies = words.next();
        part.most_copies = words.next();
        part.lines = {words.next(), 0};
        part.lines.bytes = words.next();
        part.line_count = words.next();
        part.lines_checksum = words.next();
        part.merged_frames = words.next();
        part.hashes = words.next();
        const bool last_is_zero = words.next() == 0;
        const std::uint64_t block_room = part.run.bytes / run_block_bytes;
        // The lines of a part without keys are zero, and not in the file.
        const bool lines_fit = part.keys == 0 ? part.lines.bytes == 0 && part.line_count <= most_lines
                                              : part.line_count <= part.lines.bytes / line_bytes;
        if (!last_is_zero || part.blocks > block_room || part.line_count == 0 || !is_hashes(part.hashes) ||
            !lines_fit || part.copies < part.keys ||
            part.keys > (std::uint64_t{1} << identity.geometry.record_bits()) ||
            part.merged_frames > now.durable_frames || part.generation > now.sequence ||
            (part.blocks == 0) != (part.keys == 0)) {
            return std::nullopt;
        }
        now.parts.push_back(part);
    }
    return now;
}

} // namespace everbloom::slow_layout
