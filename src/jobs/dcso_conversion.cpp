#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/jobs/dcso_conversion.hpp>
#include <everbloom/jobs/dcso_note.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

namespace everbloom {
namespace {

constexpr std::string_view dcso_kind = bloom_filter::kind_name;

std::uint64_t ones_in(std::span<const std::uint64_t> words) {
    std::uint64_t ones = 0;
    for (const std::uint64_t word : words) ones += static_cast<std::uint64_t>(std::popcount(word));
    return ones;
}

/// The number of keys that set this many bits, on average.
double items_for(std::uint64_t ones, const bloom_spec& spec) {
    return items_for_occupied(static_cast<double>(ones), static_cast<double>(spec.bits),
                              static_cast<double>(spec.hashes));
}

/// The count of the original .bloom file, plus the keys added since; or an estimate.
std::uint64_t items_of(std::uint64_t ones, const bloom_spec& spec, const std::optional<dcso_note>& note) {
    if (note && note->ones == ones) return note->items;
    const double known = note ? static_cast<double>(note->items) - items_for(note->ones, spec) : 0;
    const double items = std::max(known + items_for(ones, spec), 0.0);
    return std::isfinite(items) ? static_cast<std::uint64_t>(std::llround(std::min(items, 1e18))) : spec.bits;
}

bloom_spec spec_in(const any_filter& filter) {
    return {filter.geometry("bits").value_or(0), filter.geometry("hashes").value_or(0),
            filter.geometry("probe").value_or(0)};
}

result<void> check_convertible(const filter_file& from) {
    switch (obstacle_to_dcso(from)) {
    case dcso_obstacle::none: break;
    case dcso_obstacle::other_hash:
        return fail(failure_reason::unsupported,
                    "is " + with_article(from.filter().kind()) + " filter, hashed with " +
                        std::string(name_of(from.hasher().id())) +
                        "; a .bloom file needs kind bloom and hash dcso, and a filter cannot be rehashed without its "
                        "keys: create one from them");
    case dcso_obstacle::exclusion_list:
        return fail(failure_reason::unsupported, "has an exclusion list, which a .bloom file cannot store");
    case dcso_obstacle::key_type:
        return fail(failure_reason::unsupported,
                    "has keys of type " + std::string(name_of(from.keys)) + "; a .bloom file has keys of type text");
    case dcso_obstacle::linked_positions:
        return fail(
            failure_reason::unsupported,
            "has " + grouped(spec_in(from.filter()).bits) +
                " bits, a power of two; with the hash of .bloom files the FPR would be far above the target, so "
                "such files are not written: create a new filter from the keys");
    }
    return {};
}

void append(std::vector<std::byte>& to, std::span<const std::byte> more) {
    to.insert(to.end(), more.begin(), more.end());
}

} // namespace

dcso_obstacle obstacle_to_dcso(const filter_file& from) {
    const bloom_spec spec = spec_in(from.filter());
    if (from.filter().kind() != dcso_kind || from.hasher().id() != hash_id::dcso ||
        spec.scheme() != probe_scheme::dcso) {
        return dcso_obstacle::other_hash;
    }
    if (from.filter().exclusions()) return dcso_obstacle::exclusion_list;
    if (from.keys != key_type::text) return dcso_obstacle::key_type;
    return spec.has_linked_positions() ? dcso_obstacle::linked_positions : dcso_obstacle::none;
}

everbloom_frame frame_for(const dcso_file& from) {
    const std::size_t note_bytes = dcso_note::bytes_for(from.data.size());
    everbloom_frame made;
    made.attachment.resize(lines_for_bits(8 * note_bytes) * line_words);
    dcso_note{from.header.flags, from.header.items, ones_in(from.words), from.data}.write(
        std::as_writable_bytes(std::span(made.attachment)).first(note_bytes));

    file_description said;
    said.kind = find_kind(dcso_kind)->id;
    said.hash = static_cast<std::uint32_t>(hash_id::dcso);
    said.attached = true;
    said.agreed_items = from.header.planned_items;
    said.agreed_fpr = from.header.planned_fpr;
    said.parameters = {from.header.bits, from.header.hashes, static_cast<std::uint64_t>(probe_scheme::dcso),
                       note_bytes};
    const std::array<word_pieces, 2> sections{std::span<const std::uint64_t>(from.words),
                                              std::span<const std::uint64_t>(made.attachment)};
    made.header = v1::header(said, sections);
    return made;
}

result<dcso_header> header_as_dcso(const filter_file& from) {
    if (auto checked = check_convertible(from); !checked) return fail(std::move(checked.error()));
    const bloom_spec spec = spec_in(from.filter());
    const auto note = dcso_note::parse(from.attached);
    dcso_header made;
    made.flags = note ? note->flags : made.flags;
    made.hashes = spec.hashes;
    made.bits = spec.bits;
    made.items = items_of(ones_in(from.filter().sections().front().whole()), spec, note);
    // Without a capacity: the one at which half of the bits are set.
    const auto hashes = static_cast<double>(spec.hashes);
    made.planned_items = from.target.items != 0
                             ? from.target.items
                             : static_cast<std::uint64_t>(std::max(items_for(spec.bits / 2, spec), 1.0));
    made.planned_fpr = from.target.items != 0 ? from.target.fpr : std::pow(0.5, hashes);
    return made;
}

std::array<std::span<const std::byte>, 2> body_as_dcso(const filter_file& from, const dcso_header& header) {
    const auto note = dcso_note::parse(from.attached);
    const auto words = from.filter().sections().front().whole().first(header.words());
    return {std::as_bytes(words), note ? note->data : std::span<const std::byte>()};
}

result<filter_file> filter_from_dcso(const dcso_file& from) {
    return or_out_of_memory([&]() -> result<filter_file> {
        const everbloom_frame frame = frame_for(from);
        std::vector<std::byte> bytes = frame.header;
        append(bytes, std::as_bytes(std::span(from.words)));
        append(bytes, std::as_bytes(std::span(frame.attachment)));
        return read_filter(bytes);
    });
}

result<std::vector<std::byte>> write_dcso(const filter_file& from) {
    return or_out_of_memory([&]() -> result<std::vector<std::byte>> {
        const auto header = header_as_dcso(from);
        if (!header) return fail(header.error());
        std::vector<std::byte> bytes;
        append(bytes, header->write());
        for (const auto part : body_as_dcso(from, *header)) append(bytes, part);
        return bytes;
    });
}

} // namespace everbloom
