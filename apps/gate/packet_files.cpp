// Opens the packet_source of a file: by its format, or by its first bytes.
#include "gate/capture_source.hpp"
#include "gate/input_file.hpp"
#include "gate/interface_source.hpp"
#include "gate/packet_source.hpp"
#include "gate/raw_source.hpp"
#include "gate/text_source.hpp"

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

constexpr std::string_view pcapng_magic = "\x0a\x0d\x0d\x0a";
// pcap: plain, with nanoseconds, and three old variants that libpcap also reads; each in both byte orders.
constexpr std::array<std::uint32_t, 5> pcap_magics{0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34, 0xa1b234cd, 0xa12b3c4d};

bool begins_like_a_capture(std::string_view start) noexcept {
    if (start.size() < 4) return false;
    if (start.starts_with(pcapng_magic)) return true;
    std::uint32_t big_endian = 0;
    std::uint32_t little_endian = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const auto byte = static_cast<std::uint8_t>(start[i]);
        big_endian |= std::uint32_t{byte} << (24 - 8 * i);
        little_endian |= std::uint32_t{byte} << (8 * i);
    }
    return std::any_of(pcap_magics.begin(), pcap_magics.end(),
                       [&](std::uint32_t magic) { return magic == big_endian || magic == little_endian; });
}

bool begins_like_text(std::string_view start) noexcept {
    return std::all_of(start.begin(), start.end(), [](char one) {
        return (one >= ' ' && one <= '~') || one == '\t' || one == '\n' || one == '\r';
    });
}

packet_format format_of(std::string_view start) noexcept {
    if (begins_like_a_capture(start)) return packet_format::capture;
    return begins_like_text(start) ? packet_format::text : packet_format::raw;
}

/// Raw packets can be any bytes, so with an explicit --format raw the content is not checked.
reading_rules rules_for(packet_format format) noexcept {
    if (format == packet_format::raw) return decompressed_only;
    constexpr std::size_t raw_packet_bytes = 8;
    reading_rules made;
    made.meaning = "a packet file";
    made.wanted = format_group::capture;
    made.entry_bytes = raw_packet_bytes;
    if (format == packet_format::automatic) made.way_out = "--format raw reads its bytes as raw packets";
    return made;
}

} // namespace

result<std::unique_ptr<packet_source>> open_packet_file(const std::string& name, packet_format format,
                                                        const cancellation& cancel) {
    auto file = input_file::open(name, rules_for(format), cancel);
    if (!file) return fail(std::move(file.error()));
    if (format == packet_format::automatic) {
        const auto start = file->beginning();
        if (!start) return fail(start.error());
        format = format_of(*start);
    }
    if (format == packet_format::capture) return capture_source::open(std::move(*file));
    if (format == packet_format::text) return std::make_unique<text_source>(std::move(*file));
    return std::make_unique<raw_source>(std::move(*file));
}

bool begins_as_capture(const std::string& name, const cancellation& cancel) {
    auto file = input_file::open(name, rules_for(packet_format::automatic), cancel);
    if (!file) return false;
    const auto start = file->beginning();
    return start && begins_like_a_capture(*start);
}

result<std::unique_ptr<packet_source>> open_interface(const std::string& name, const cancellation& cancel) {
    return interface_source::open(name, cancel);
}

} // namespace everbloom::cli
