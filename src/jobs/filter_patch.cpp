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
constexpr std::uint32_t patch_version = 2;
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

/// Which bits of digests are in a patch.
struct digest_mask {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = ~std::uint64_t{0};

    static constexpr std::size_t bytes = 2 * sizeof(std::uint64_t);

    [[nodiscard]] std::uint64_t bits() const noexcept {
        return static_cast<std::uint64_t>(std::popcount(low)) + static_cast<std::uint64_t>(std::popcount(high));
    }
    [[nodiscard]] digest of(const digest& one) const noexcept { return {one.low & low, one.high & high}; }
    [[nodiscard]] digest_mask without(const digest_mask& some) const noexcept {
        return {low & ~some.low, high & ~some.high};
    }
    /// `count` bits from this one on, of 128.
    [[nodiscard]] static digest_mask some_bits(unsigned first, unsigned count) noexcept {
        const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
        return first < 64 ? digest_mask{ones << first, 0} : digest_mask{0, ones << (first - 64)};
    }
};
constexpr unsigned digest_bits = 128;

/// The old file after the changes; nothing if the filter cannot be changed so.
std::optional<std::vector<std::byte>> changed_file(std::span<const std::byte> from, const patch_changes& changes,
                                                   const digest_mask& mask = {}) {
    auto file = read_filter(from);
    if (!file) return std::nullopt;
    file->filter().drop_exclusions(); // it would hide keys from removals
    for (const digest& one : changes.removed) {
        if (!file->filter().erase(mask.of(one))) return std::nullopt;
    }
    for (const digest& one : changes.added) {
        if (!file->filter().insert(mask.of(one))) return std::nullopt;
    }
    return write_filter(*file);
}

/// As few bits of the digests as lead to the same file: found by leaving out whole bytes, then single bits, one after the other.
digest_mask bits_that_count(std::span<const std::byte> from, const patch_changes& changes,
                            const std::vector<std::byte>& wanted) {
    constexpr std::size_t too_large_to_try = std::size_t{1} << 26;
    constexpr std::size_t too_large_for_bits = std::size_t{1} << 22;
    digest_mask mask;
    for (const unsigned step : {8U, 1U}) {
        if (from.size() > (step == 1 ? too_large_for_bits : too_large_to_try)) break;
        for (unsigned first = 0; first < digest_bits; first += step) {
            const digest_mask fewer = mask.without(digest_mask::some_bits(first, step));
            if (fewer.bits() == mask.bits() || fewer.bits() == 0) continue;
            if (changed_file(from, changes, fewer) == wanted) mask = fewer;
        }
    }
    return mask;
}

/// The bits of the mask, digest after digest without a gap; the last byte is filled up with zeros.
void append_masked(std::vector<std::byte>& into, const patch_changes& changes, const digest_mask& mask) {
    unsigned pending = 0; // the bits of the last byte
    unsigned bits = 0;
    const auto append = [&](std::uint64_t word, std::uint64_t which) {
        for (; which != 0; which &= which - 1) {
            pending |= static_cast<unsigned>(word >> std::countr_zero(which) & 1U) << bits;
            if (++bits < 8) continue;
            into.push_back(static_cast<std::byte>(pending));
            pending = bits = 0;
        }
    };
    for (const auto* digests : {&changes.removed, &changes.added}) {
        for (const digest& one : *digests) {
            append(one.low, mask.low);
            append(one.high, mask.high);
        }
    }
    if (bits != 0) into.push_back(static_cast<std::byte>(pending));
}

/// The opposite. There are enough bytes.
patch_changes read_masked(std::span<const std::byte> from, std::uint64_t removed, std::uint64_t added,
                          const digest_mask& mask) {
    std::uint64_t at = 0;
    const auto next = [&](std::uint64_t which) {
        std::uint64_t word = 0;
        for (; which != 0; which &= which - 1, ++at) {
            const auto byte = std::to_integer<std::uint64_t>(from[static_cast<std::size_t>(at / 8)]);
            word |= (byte >> at % 8 & 1U) << std::countr_zero(which);
        }
        return word;
    };
    patch_changes made;
    for (auto* digests : {&made.removed, &made.added}) {
        digests->resize(static_cast<std::size_t>(digests == &made.removed ? removed : added));
        for (digest& one : *digests) {
            one.low = next(mask.low);
            one.high = next(mask.high);
        }
    }
    return made;
}

std::vector<std::byte> body_with(const patch_changes& changes, const digest_mask& mask, std::span<const std::byte> from,
                                 std::span<const std::byte> to) {
    std::vector<std::byte> made;
    append_varint(made, changes.removed.size());
    append_varint(made, changes.added.size());
    if (!changes.is_nothing()) {
        std::array<std::byte, digest_mask::bytes> written{};
        v1::write_at(written, 0, mask.low);
        v1::write_at(written, sizeof mask.low, mask.high);
        made.insert(made.end(), written.begin(), written.end());
        append_masked(made, changes, mask);
    }
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
    std::vector<std::byte> plain = body_with({}, {}, from, to);
    if (changes.is_nothing()) return plain;
    const auto changed = changed_file(from, changes);
    if (!changed) return plain;
    std::vector<std::byte> made = body_with(changes, bits_that_count(from, changes, *changed), *changed, to);
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
    if (!read_varint(body, removed) || !read_varint(body, added)) return damaged_patch("it is cut off");
    std::vector<std::byte> base(from.begin(), from.end());
    if (removed != 0 || added != 0) {
        if (body.size() < digest_mask::bytes) return damaged_patch("it is cut off");
        const digest_mask mask{v1::read_at<std::uint64_t>(body, 0), v1::read_at<std::uint64_t>(body, 8)};
        body = body.subspan(digest_mask::bytes);
        const std::uint64_t kept = mask.bits();
        const std::uint64_t most = kept == 0 ? 0 : 8 * static_cast<std::uint64_t>(body.size()) / kept;
        if (removed > most || added > most - removed) return damaged_patch("its keys are cut off");
        const std::uint64_t key_bytes = ((removed + added) * kept + 7) / 8;
        auto changed = changed_file(from, read_masked(body, removed, added, mask));
        if (!changed) return damaged_patch("its keys do not fit the filter");
        base = std::move(*changed);
        body = body.subspan(static_cast<std::size_t>(key_bytes));
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
