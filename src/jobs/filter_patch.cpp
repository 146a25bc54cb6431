#include <everbloom/core/wording.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/jobs/filter_patch.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace everbloom {
namespace {

constexpr std::array<std::uint8_t, 8> patch_magic{0x89, 'E', 'B', 'D', 'E', 'L', 'T', 'A'};
constexpr std::uint32_t patch_version = 1;
constexpr std::size_t at_version = 8;
constexpr std::size_t at_from = 16;
constexpr std::size_t at_to = 32;
constexpr std::size_t at_body = 48;
constexpr std::size_t at_header_checksum = 64;

/// A run of unchanged bytes shorter than this stays among the changed ones: two numbers would take as much.
constexpr std::size_t least_kept = 3;

void append_varint(std::vector<std::byte>& into, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) into.push_back(static_cast<std::byte>((number & 0x7f) | 0x80));
    into.push_back(static_cast<std::byte>(number));
}

/// False at the end of the body, and for a number of more than 64 bits.
bool read_varint(std::span<const std::byte>& from, std::uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(from.front());
        from = from.subspan(1);
        if (shift == 63 && byte > 1) return false;
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

void append_steps(std::vector<std::byte>& made, std::span<const std::byte> from, std::span<const std::byte> to) {
    const auto old = [&](std::size_t at) { return at < from.size() ? from[at] : std::byte{0}; };
    for (std::size_t at = 0; at < to.size();) {
        std::size_t changed_from = at;
        while (changed_from < to.size() && to[changed_from] == old(changed_from)) ++changed_from;
        if (changed_from == to.size()) break;
        std::size_t end = changed_from;
        for (std::size_t kept = 0, i = changed_from; i < to.size() && kept < least_kept; ++i) {
            kept = to[i] == old(i) ? kept + 1 : 0;
            if (kept == 0) end = i + 1;
        }
        append_varint(made, changed_from - at);
        append_varint(made, end - changed_from);
        for (std::size_t i = changed_from; i < end; ++i) made.push_back(to[i] ^ old(i));
        at = end;
    }
}

constexpr unsigned digest_bytes = sizeof(digest);
constexpr std::uint16_t all_bytes = 0xffff;

/// The digest with the bytes outside of the mask as zeros.
digest masked(const digest& one, std::uint16_t mask) noexcept {
    std::array<std::uint8_t, digest_bytes> bytes;
    std::memcpy(bytes.data(), &one, digest_bytes);
    for (unsigned i = 0; i < digest_bytes; ++i) {
        if ((mask >> i & 1U) == 0) bytes[i] = 0;
    }
    digest made;
    std::memcpy(&made, bytes.data(), digest_bytes);
    return made;
}

/// The old file after the changes; nothing if the filter cannot be changed so.
std::optional<std::vector<std::byte>> changed_file(std::span<const std::byte> from, const patch_changes& changes,
                                                   std::uint16_t mask) {
    auto file = read_filter(from);
    if (!file) return std::nullopt;
    file->filter().drop_exclusions(); // it would hide keys from removals
    for (const digest& one : changes.removed) {
        if (!file->filter().erase(masked(one, mask))) return std::nullopt;
    }
    for (const digest& one : changes.added) {
        if (!file->filter().insert(masked(one, mask))) return std::nullopt;
    }
    return write_filter(*file);
}

/// As few bytes of the digests as lead to the same file, one after the other.
std::uint16_t bytes_that_count(std::span<const std::byte> from, const patch_changes& changes,
                               const std::vector<std::byte>& wanted) {
    constexpr std::size_t too_large_to_try = std::size_t{1} << 26;
    std::uint16_t mask = all_bytes;
    if (from.size() > too_large_to_try) return mask;
    for (unsigned i = 0; i < digest_bytes; ++i) {
        const auto without = static_cast<std::uint16_t>(mask & ~(1U << i));
        if (changed_file(from, changes, without) == wanted) mask = without;
    }
    return mask;
}

void append_masked(std::vector<std::byte>& into, const std::vector<digest>& digests, std::uint16_t mask) {
    for (const digest& one : digests) {
        std::array<std::byte, digest_bytes> bytes;
        std::memcpy(bytes.data(), &one, digest_bytes);
        for (unsigned i = 0; i < digest_bytes; ++i) {
            if ((mask >> i & 1U) != 0) into.push_back(bytes[i]);
        }
    }
}

std::vector<digest> read_masked(std::span<const std::byte>& from, std::uint64_t count, std::uint16_t mask) {
    std::vector<digest> made;
    made.reserve(static_cast<std::size_t>(count));
    for (; count != 0; --count) {
        std::array<std::byte, digest_bytes> bytes{};
        for (unsigned i = 0; i < digest_bytes; ++i) {
            if ((mask >> i & 1U) == 0) continue;
            bytes[i] = from.front();
            from = from.subspan(1);
        }
        digest one;
        std::memcpy(&one, bytes.data(), digest_bytes);
        made.push_back(one);
    }
    return made;
}

std::vector<std::byte> body_with(const patch_changes& changes, std::uint16_t mask, std::span<const std::byte> from,
                                 std::span<const std::byte> to) {
    std::vector<std::byte> made;
    append_varint(made, changes.removed.size());
    append_varint(made, changes.added.size());
    made.push_back(static_cast<std::byte>(mask & 0xffU));
    made.push_back(static_cast<std::byte>(mask >> 8U));
    append_masked(made, changes.removed, mask);
    append_masked(made, changes.added, mask);
    append_steps(made, from, to);
    return made;
}

auto damaged_patch(const std::string& how) { return fail(failure_reason::damaged, "damaged patch: " + how); }

} // namespace

file_print file_print::of(std::span<const std::byte> bytes) {
    return {bytes.size(), everbloom::checksum(bytes.data(), bytes.size())};
}

result<patch_header> patch_header::parse(std::span<const std::byte> from) {
    if (from.size() < patch_magic.size() || std::memcmp(from.data(), patch_magic.data(), patch_magic.size()) != 0) {
        return fail(failure_reason::damaged, "is not a patch of 'everbloom delta' (bad magic number)");
    }
    if (from.size() < bytes) return damaged_patch("it is too short");
    if (v1::read_at<std::uint64_t>(from, at_header_checksum) != everbloom::checksum(from.data(), at_header_checksum)) {
        return damaged_patch("the checksum of its header does not match");
    }
    if (const auto version = v1::read_at<std::uint32_t>(from, at_version); version != patch_version) {
        return fail(failure_reason::unsupported, "has format version " + std::to_string(version) +
                                                     "; this program reads version " + std::to_string(patch_version));
    }
    const auto number = [&](std::size_t at) { return v1::read_at<std::uint64_t>(from, at); };
    return patch_header{{number(at_from), number(at_from + 8)},
                        {number(at_to), number(at_to + 8)},
                        number(at_body),
                        number(at_body + 8)};
}

std::array<std::byte, patch_header::bytes> patch_header::write() const {
    std::array<std::byte, bytes> made{};
    std::memcpy(made.data(), patch_magic.data(), patch_magic.size());
    v1::write_at(made, at_version, patch_version);
    v1::write_at(made, at_from, from.bytes);
    v1::write_at(made, at_from + 8, from.checksum);
    v1::write_at(made, at_to, to.bytes);
    v1::write_at(made, at_to + 8, to.checksum);
    v1::write_at(made, at_body, body_bytes);
    v1::write_at(made, at_body + 8, body_checksum);
    v1::write_at(made, at_header_checksum, everbloom::checksum(made.data(), at_header_checksum));
    return made;
}

std::vector<std::byte> patch_body(std::span<const std::byte> from, std::span<const std::byte> to,
                                  const patch_changes& changes) {
    std::vector<std::byte> plain = body_with({}, all_bytes, from, to);
    if (changes.is_nothing()) return plain;
    const auto changed = changed_file(from, changes, all_bytes);
    if (!changed) return plain;
    std::vector<std::byte> made = body_with(changes, bytes_that_count(from, changes, *changed), *changed, to);
    return made.size() < plain.size() ? made : plain;
}

result<std::vector<std::byte>> apply_patch(const patch_header& header, std::span<const std::byte> from,
                                           std::span<const std::byte> body) {
    if (file_print::of(from) != header.from) {
        return fail(failure_reason::mismatch, "the patch is for another file: one of " +
                                                  counted(header.from.bytes, "byte") +
                                                  (header.from.bytes == from.size() ? " with other contents" : ""));
    }
    if (body.size() != header.body_bytes || everbloom::checksum(body.data(), body.size()) != header.body_checksum) {
        return damaged_patch("its contents do not match their checksum");
    }
    // A patch can make a file longer only by bytes that it has, or by zeros up to twice of everything there is.
    constexpr std::uint64_t slack = std::uint64_t{64} << 20;
    if (header.to.bytes > slack + 2 * (static_cast<std::uint64_t>(from.size()) + body.size())) {
        return damaged_patch("the new file would be larger than the patch can make it");
    }
    std::uint64_t removed = 0;
    std::uint64_t added = 0;
    if (!read_varint(body, removed) || !read_varint(body, added) || body.size() < 2)
        return damaged_patch("it is cut off");
    const auto mask =
        static_cast<std::uint16_t>(std::to_integer<unsigned>(body[0]) | std::to_integer<unsigned>(body[1]) << 8U);
    body = body.subspan(2);
    std::vector<std::byte> base(from.begin(), from.end());
    if (removed != 0 || added != 0) {
        const auto kept = static_cast<std::uint64_t>(std::popcount(mask));
        if (kept == 0 || removed > body.size() / kept || added > body.size() / kept - removed) {
            return damaged_patch("its keys are cut off");
        }
        patch_changes changes;
        changes.removed = read_masked(body, removed, mask);
        changes.added = read_masked(body, added, mask);
        auto changed = changed_file(from, changes, all_bytes);
        if (!changed) return damaged_patch("its keys do not fit the filter");
        base = std::move(*changed);
    }
    std::vector<std::byte> made(static_cast<std::size_t>(header.to.bytes));
    std::copy_n(base.begin(), std::min(base.size(), made.size()), made.begin());
    for (std::uint64_t at = 0; !body.empty();) {
        std::uint64_t kept = 0;
        std::uint64_t changed = 0;
        if (!read_varint(body, kept) || !read_varint(body, changed)) return damaged_patch("a step is cut off");
        const std::uint64_t left = made.size() - at;
        if (kept > left || changed > left - kept || changed > body.size()) {
            return damaged_patch("a step leads behind the end of the file");
        }
        at += kept;
        for (std::uint64_t i = 0; i < changed; ++i) made[at + i] ^= body[i];
        at += changed;
        body = body.subspan(changed);
    }
    if (file_print::of(made) != header.to) return damaged_patch("it does not make the file that it promises");
    return made;
}

} // namespace everbloom
