#include "commands/convert/conversion.hpp"

#include "commands/convert/dcso_note.hpp"
#include "commands/convert/gzip_bytes.hpp"
#include "output/wording.hpp"

#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/format/v1.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/model/occupancy.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace everbloom::cli {
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

result<void> check_convertible(const filter_file& from, const bloom_spec& spec) {
    if (from.filter().kind() != dcso_kind || from.hasher().id() != hash_id::dcso ||
        spec.scheme() != probe_scheme::dcso) {
        return fail(
            failure_reason::unsupported,
            fmt::format("is {} filter, hashed with {}; a .bloom file needs kind bloom and hash dcso, and a filter "
                        "cannot be rehashed without its keys: create one from them with 'everbloom create --kind "
                        "bloom --hash dcso'",
                        with_article(from.filter().kind()), name_of(from.hasher().id())));
    }
    if (from.filter().exclusions()) {
        return fail(failure_reason::unsupported, "has an exclusion list, which a .bloom file cannot store; "
                                                 "'everbloom protect --drop' removes it");
    }
    if (from.keys != key_type::text) {
        return fail(failure_reason::unsupported,
                    fmt::format("has keys of type {}; a .bloom file has keys of type text", name_of(from.keys)));
    }
    if (spec.has_linked_positions()) {
        return fail(
            failure_reason::unsupported,
            fmt::format("has {} bits, a power of two; with the hash of .bloom files the FPR would be far above the "
                        "target, so such files are not written: create a new filter from the keys",
                        grouped(spec.bits)));
    }
    return {};
}

bloom_spec spec_in(const any_filter& filter) {
    return {filter.geometry("bits").value_or(0), filter.geometry("hashes").value_or(0),
            filter.geometry("probe").value_or(0)};
}

} // namespace

result<void> prepare_everbloom(const dcso_file& from, output_file& to) {
    const std::uint64_t ones = ones_in(from.words);
    const std::size_t note_bytes = dcso_note::bytes_for(from.data.size());
    std::vector<std::uint64_t> attachment(lines_for_bits(8 * note_bytes) * line_words);
    dcso_note{from.header.flags, from.header.items, ones, from.data}.write(
        std::as_writable_bytes(std::span(attachment)).first(note_bytes));

    file_description said;
    said.kind = find_kind(dcso_kind)->id;
    said.hash = static_cast<std::uint32_t>(hash_id::dcso);
    said.attached = true;
    said.agreed_items = from.header.planned_items;
    said.agreed_fpr = from.header.planned_fpr;
    said.parameters = {from.header.bits, from.header.hashes, static_cast<std::uint64_t>(probe_scheme::dcso),
                       note_bytes};
    const std::array<std::span<const std::uint64_t>, 2> sections{from.words, attachment};
    const std::vector<std::byte> header = v1::header(said, sections);
    const std::array<std::span<const std::byte>, 3> pieces{header, std::as_bytes(sections[0]),
                                                           std::as_bytes(sections[1])};
    return to.prepare(pieces);
}

result<dcso_header> header_as_dcso(const filter_file& from) {
    const bloom_spec spec = spec_in(from.filter());
    if (auto checked = check_convertible(from, spec); !checked) return fail(std::move(checked.error()));
    const auto note = dcso_note::parse(from.attached);
    dcso_header made;
    made.flags = note ? note->flags : made.flags;
    made.hashes = spec.hashes;
    made.bits = spec.bits;
    made.items = items_of(ones_in(from.filter().sections().front()), spec, note);
    // Without a capacity: the one at which half of the bits are set.
    const auto hashes = static_cast<double>(spec.hashes);
    made.planned_items = from.target.items != 0
                             ? from.target.items
                             : static_cast<std::uint64_t>(std::max(items_for(spec.bits / 2, spec), 1.0));
    made.planned_fpr = from.target.items != 0 ? from.target.fpr : std::pow(0.5, hashes);
    return made;
}

result<void> prepare_dcso(const filter_file& from, const dcso_header& header, packing how, output_file& to) {
    const auto note = dcso_note::parse(from.attached);
    const auto start = header.write();
    const auto words = from.filter().sections().front().first(header.words());
    const std::array<std::span<const std::byte>, 3> pieces{start, std::as_bytes(words),
                                                           note ? note->data : std::span<const std::byte>()};
    if (how == packing::plain) return to.prepare(pieces);
    const std::vector<std::byte> packed = gzip_bytes(pieces);
    const std::array<std::span<const std::byte>, 1> whole{packed};
    return to.prepare(whole);
}

} // namespace everbloom::cli
