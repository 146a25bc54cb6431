#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/jobs/dcso_file.hpp>
#include <everbloom/probe/positions.hpp>

#include <algorithm>
#include <cstring>

namespace everbloom {

failure not_dcso(const std::string& why) { return {failure_reason::damaged, "is not an intact .bloom file: " + why}; }

dcso_header dcso_header::parse(const std::array<std::byte, bytes>& from) noexcept {
    std::array<std::uint64_t, bytes / 8> fields;
    std::memcpy(fields.data(), from.data(), bytes);
    double planned_fpr = 0; // no std::bit_cast: libc++ before version 14 has none
    std::memcpy(&planned_fpr, &fields[2], sizeof planned_fpr);
    return {fields[0], fields[1], planned_fpr, fields[3], fields[4], fields[5]};
}

std::array<std::byte, dcso_header::bytes> dcso_header::write() const noexcept {
    std::array<std::uint64_t, bytes / 8> fields{flags, planned_items, 0, hashes, bits, items};
    std::memcpy(&fields[2], &planned_fpr, sizeof planned_fpr);
    std::array<std::byte, bytes> made;
    std::memcpy(made.data(), fields.data(), bytes);
    return made;
}

result<void> dcso_header::check() const {
    constexpr std::uint64_t version_mask = 0xff;
    if ((flags & version_mask) != 1) {
        return fail(
            not_dcso("its version is " + std::to_string(flags & version_mask) + "; only version 1 is supported"));
    }
    if (!(planned_fpr > 0 && planned_fpr < 1)) return fail(not_dcso("its false positive rate is not between 0 and 1"));
    if (planned_items == 0) return fail(not_dcso("its capacity is 0 keys"));
    if (bits == 0 || bits > max_structure_bits) {
        return fail(not_dcso("its header says " + std::to_string(bits) + " bits"));
    }
    if (hashes == 0) return fail(not_dcso("it has 0 hash functions"));
    if (hashes > max_hashes) {
        return fail(failure_reason::unsupported, "has " + std::to_string(hashes) +
                                                     " hash functions; everbloom supports up to " +
                                                     std::to_string(max_hashes));
    }
    return {};
}

result<std::uint64_t> dcso_header::data_bytes(std::uint64_t bytes_after_header) const {
    const std::uint64_t needed = 8 * words();
    if (bytes_after_header >= needed) return bytes_after_header - needed;
    return fail(not_dcso("its " + std::to_string(bits) + " bits would end at byte " + std::to_string(bytes + needed) +
                         ", but the file ends at byte " + std::to_string(bytes + bytes_after_header)));
}

dcso_file dcso_file::empty(const dcso_header& header, std::uint64_t data_bytes) {
    dcso_file made;
    made.header = header;
    made.words.resize(lines_for_bits(header.bits) * line_words);
    made.data.resize(data_bytes);
    return made;
}

std::span<std::byte> dcso_file::word_bytes() noexcept {
    return std::as_writable_bytes(std::span(words)).first(8 * header.words());
}

result<void> dcso_file::check_bits() const {
    const std::uint64_t used = header.bits % 64;
    if (used == 0 || (words[header.words() - 1] >> used) == 0) return {};
    return fail(not_dcso("a bit is set after the last of its " + std::to_string(header.bits) + " bits"));
}

result<dcso_file> read_dcso(std::span<const std::byte> bytes) {
    return or_out_of_memory([&]() -> result<dcso_file> {
        std::array<std::byte, dcso_header::bytes> start{};
        if (bytes.size() < start.size()) {
            return fail(not_dcso("it ends inside its header, at byte " + std::to_string(bytes.size())));
        }
        std::copy_n(bytes.begin(), start.size(), start.begin());
        const dcso_header header = dcso_header::parse(start);
        if (auto checked = header.check(); !checked) return fail(std::move(checked.error()));
        const auto data_bytes = header.data_bytes(bytes.size() - start.size());
        if (!data_bytes) return fail(data_bytes.error());
        dcso_file made = dcso_file::empty(header, *data_bytes);
        const auto words = made.word_bytes();
        std::copy_n(bytes.begin() + start.size(), words.size(), words.begin());
        std::copy(bytes.end() - static_cast<std::ptrdiff_t>(*data_bytes), bytes.end(), made.data.begin());
        if (auto checked = made.check_bits(); !checked) return fail(std::move(checked.error()));
        return made;
    });
}

} // namespace everbloom
