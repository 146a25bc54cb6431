#include "gap_code.hpp"
#include "key_numbers.hpp"
#include "masked_digests.hpp"

#include <everbloom/core/wording.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/hash/checksum.hpp>
#include <everbloom/jobs/filter_patch.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

namespace everbloom {
namespace {

constexpr std::array<std::uint8_t, 8> patch_magic{0x89, 'E', 'B', 'D', 'E', 'L', 'T', 'A'};
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

/// How the changed keys are written.
enum class key_form : std::uint8_t {
    masked = 0,   // those bits of their digests that count
    numbered = 1, // by their numbers, sorted
    placed = 2,   // the same, but the removed ones by their places among all keys of the old filter
};
/// Above this, the keys of a filter are not listed: a list has eight or sixteen bytes for each.
constexpr std::size_t too_large_to_list = std::size_t{1} << 26;

std::vector<std::byte> begun_body(const patch_changes& changes) {
    std::vector<std::byte> made;
    append_varint(made, changes.removed.size());
    append_varint(made, changes.added.size());
    return made;
}

std::vector<std::byte> plain_body(std::span<const std::byte> from, std::span<const std::byte> to) {
    std::vector<std::byte> made = begun_body({});
    append_steps(made, from, to);
    return made;
}

std::optional<std::vector<std::byte>> masked_body(std::span<const std::byte> from, std::span<const std::byte> to,
                                                  const patch_changes& changes) {
    const auto changed = changed_file(from, changes);
    if (!changed) return std::nullopt;
    const digest_mask mask = bits_that_count(from, changes, *changed);
    std::vector<std::byte> made = begun_body(changes);
    made.push_back(static_cast<std::byte>(key_form::masked));
    std::array<std::byte, digest_mask::bytes> written{};
    v1::write_at(written, 0, mask.low);
    v1::write_at(written, sizeof mask.low, mask.high);
    made.insert(made.end(), written.begin(), written.end());
    append_masked(made, changes, mask);
    append_steps(made, *changed, to);
    return made;
}

/// Digests with these numbers, in the order in which a reader of the patch will remove and add them.
patch_changes in_order(const key_numbers& numbers, std::span<const std::uint64_t> removed,
                       std::span<const std::uint64_t> added) {
    patch_changes made;
    for (const std::uint64_t one : removed) made.removed.push_back(numbers.digest_of(one));
    for (const std::uint64_t one : added) made.added.push_back(numbers.digest_of(one));
    numbers.put_in_order(made.removed);
    numbers.put_in_order(made.added);
    return made;
}

/// Where the removed keys are among all; nothing if one is not. Both are sorted.
std::optional<std::vector<std::uint64_t>> places_among(std::span<const key_numbers::stored> all,
                                                       std::span<const std::uint64_t> removed) {
    std::vector<std::uint64_t> made;
    std::size_t at = 0;
    for (const std::uint64_t one : removed) {
        while (at < all.size() && all[at].lesser < one) ++at;
        if (at == all.size() || all[at].lesser != one) return std::nullopt;
        made.push_back(at++);
    }
    return made;
}

std::optional<std::vector<std::byte>> numbered_body(std::span<const std::byte> from, std::span<const std::byte> to,
                                                    const key_numbers& numbers,
                                                    std::span<const key_numbers::stored> all,
                                                    const patch_changes& changes) {
    std::vector<std::uint64_t> removed;
    std::vector<std::uint64_t> added;
    for (const digest& one : changes.removed) removed.push_back(numbers.lesser(numbers.number(one)));
    for (const digest& one : changes.added) added.push_back(numbers.number(one));
    std::sort(removed.begin(), removed.end());
    std::sort(added.begin(), added.end());
    const auto changed = changed_file(from, in_order(numbers, removed, added));
    if (!changed) return std::nullopt;
    const auto places = places_among(all, removed);
    std::vector<std::byte> made = begun_body(changes);
    made.push_back(static_cast<std::byte>(places ? key_form::placed : key_form::numbered));
    gap_code::append(made, places ? *places : removed);
    gap_code::append(made, added);
    append_steps(made, *changed, to);
    return made;
}

/// The keys that only one of two filters holds, as far as they can tell.
patch_changes difference(const key_numbers& numbers, std::span<const key_numbers::stored> before,
                         std::span<const key_numbers::stored> after) {
    patch_changes made;
    while (!before.empty() || !after.empty()) {
        if (after.empty() || (!before.empty() && before.front().lesser < after.front().lesser)) {
            made.removed.push_back(numbers.digest_of(before.front().lesser));
            before = before.subspan(1);
        } else if (before.empty() || after.front().lesser < before.front().lesser) {
            made.added.push_back(numbers.digest_of(after.front().number));
            after = after.subspan(1);
        } else {
            before = before.subspan(1);
            after = after.subspan(1);
        }
    }
    return made;
}

/// The changed keys of a body, without their numbers of keys; takes them from the front. A sentence if they are not there.
result<patch_changes> take_keys(std::span<const std::byte>& body, std::uint32_t version,
                                std::span<const std::byte> from, std::uint64_t removed, std::uint64_t added) {
    const auto cut_off = [] { return fail(failure_reason::damaged, "damaged patch: its keys are cut off"); };
    key_form form = key_form::masked;
    if (version >= 3) {
        if (body.empty()) return cut_off();
        form = static_cast<key_form>(body.front());
        body = body.subspan(1);
    }
    if (form == key_form::masked) {
        const std::size_t mask_bytes = version == 1 ? sizeof(std::uint16_t) : digest_mask::bytes;
        if (body.size() < mask_bytes) return cut_off();
        const digest_mask mask =
            version == 1 ? digest_mask::of_bytes(v1::read_at<std::uint16_t>(body, 0))
                         : digest_mask{v1::read_at<std::uint64_t>(body, 0), v1::read_at<std::uint64_t>(body, 8)};
        body = body.subspan(mask_bytes);
        const std::uint64_t kept = mask.bits();
        const std::uint64_t most = kept == 0 ? 0 : 8 * static_cast<std::uint64_t>(body.size()) / kept;
        if (removed > most || added > most - removed) return cut_off();
        patch_changes made = read_masked(body, removed, added, mask);
        body = body.subspan(static_cast<std::size_t>(((removed + added) * kept + 7) / 8));
        return made;
    }
    if (form != key_form::numbered && form != key_form::placed) {
        return fail(failure_reason::damaged, "damaged patch: its keys are in no known form");
    }
    auto gone = gap_code::take(body, removed);
    const auto come = gone ? gap_code::take(body, added) : std::nullopt;
    if (!come) return cut_off();
    const auto does_not_fit = [] {
        return fail(failure_reason::damaged, "damaged patch: its keys do not fit the filter");
    };
    auto file = read_filter(from);
    if (!file) return does_not_fit();
    const key_numbers numbers(file->filter());
    if (!numbers.exist()) return does_not_fit();
    if (form == key_form::placed) {
        const auto all = numbers.all();
        for (std::uint64_t& place : *gone) {
            if (place >= all.size()) return does_not_fit();
            place = all[static_cast<std::size_t>(place)].lesser;
        }
    }
    return in_order(numbers, *gone, *come);
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
    const auto version = v1::read_at<std::uint32_t>(from, at_version);
    if (version == 0 || version > patch_header::newest) {
        return fail(failure_reason::unsupported, "has format version " + std::to_string(version) +
                                                     "; this program reads the versions 1 to " +
                                                     std::to_string(patch_header::newest));
    }
    const auto number = [&](std::size_t at) { return v1::read_at<std::uint64_t>(from, at); };
    return patch_header{{number(at_from), number(at_from + 8)},
                        {number(at_to), number(at_to + 8)},
                        number(at_body),
                        number(at_body + 8),
                        version};
}

std::array<std::byte, patch_header::bytes> patch_header::write() const {
    std::array<std::byte, bytes> made{};
    std::memcpy(made.data(), patch_magic.data(), patch_magic.size());
    v1::write_at(made, at_version, version);
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
    std::vector<std::byte> best = plain_body(from, to);
    const auto offer = [&](std::optional<std::vector<std::byte>> body) {
        if (body && body->size() < best.size()) best = std::move(*body);
    };
    auto before = read_filter(from);
    if (!before) return best;
    const key_numbers numbers(before->filter());
    if (!numbers.exist()) {
        if (!changes.is_nothing()) offer(masked_body(from, to, changes));
        return best;
    }
    const bool can_list = std::max(from.size(), to.size()) <= too_large_to_list;
    const auto all = can_list ? numbers.all() : std::vector<key_numbers::stored>{};
    if (!changes.is_nothing()) offer(numbered_body(from, to, numbers, all, changes));
    if (!can_list) return best;
    // Without lists of keys, and where the new filter was made in some other way than by removing and adding them.
    auto after = read_filter(to);
    if (!after) return best;
    const key_numbers new_numbers(after->filter());
    if (!numbers.are_those_of(new_numbers)) return best;
    const patch_changes found = difference(numbers, all, new_numbers.all());
    if (!found.is_nothing()) offer(numbered_body(from, to, numbers, all, found));
    // A filter that was changed in the order of the list, as `sync` did in former versions, differs in many places from one that was not.
    constexpr std::size_t usual_bytes = 5; // of a key
    const std::size_t usual = 64 + usual_bytes * (changes.removed.size() + changes.added.size());
    if (!changes.is_nothing() && best.size() > usual) offer(masked_body(from, to, changes));
    return best;
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
        const auto changes = take_keys(body, header.version, from, removed, added);
        if (!changes) return fail(changes.error());
        auto changed = changed_file(from, *changes);
        if (!changed) return damaged_patch("its keys do not fit the filter");
        base = std::move(*changed);
    } else if (header.version == 1) { // it had a mask even then
        if (body.size() < sizeof(std::uint16_t)) return damaged_patch("it is cut off");
        body = body.subspan(sizeof(std::uint16_t));
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
