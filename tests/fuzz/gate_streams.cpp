// libFuzzer: TCP segments of a few connections in any order, and the saved table of connections.
//
// An input that begins with 0 is a saved table: it is read or refused, and what was read is written and read back unchanged. Any other input
// is a list of segments, five bytes each: what is called new was never called new before, as far as one hole can tell, and the table
// keeps its bound.
#include "demand.hpp"

#include <gate/flows/flow_records.hpp>

#include <set>

namespace {

using namespace everbloom;
using namespace everbloom::cli;

constexpr std::size_t history = 20;
constexpr std::size_t most_flows = 3;

void read_table(std::span<const std::uint8_t> bytes) {
    const any_hasher hash(hash_id::siphash, hash_key::from_seed(1));
    flow_table first(255, 1000, hash);
    if (!read_flows(std::as_bytes(bytes), first)) return;
    const auto written = write_flows(first);
    demand(written.size() == bytes.size(), "a table has one form");
    flow_table second(255, 1000, hash);
    demand(read_flows(written, second).has_value(), "what was written can be read");
    demand(write_flows(second) == written, "and is the same table");
}

void place_segments(std::span<const std::uint8_t> bytes) {
    const any_hasher hash(hash_id::siphash, hash_key::from_seed(1));
    flow_table flows(history, most_flows, hash);
    stream_position stream{.next = 0xffffff00U, .hole = {}, .struck = {}};
    std::set<std::uint32_t> seen; // of the stream above, whose segments stay within its window
    const ip_address sender = ip_address::v4(1);
    for (; bytes.size() >= 5; bytes = bytes.subspan(5)) {
        const std::uint32_t offset = std::uint32_t{bytes[0]} << 8U | bytes[1];
        const packet_ends ends{.receiver = ip_address::v4(2),
                               .sender_port = static_cast<std::uint16_t>(bytes[2] % 5),
                               .receiver_port = 80,
                               .protocol = 6};
        const flow_key key = flow_table::key_of(sender, ends);
        const tcp_segment segment{.sequence = 0xffffff00U + offset, .bytes = bytes[3], .opens = bytes[4] == 1};
        if (segment.bytes == 0) {
            flows.reopen(key, segment);
            continue;
        }
        const auto [at, placed] = flows.place(key, segment);
        demand(flows.flows() <= most_flows, "the table keeps its bound");
        demand(std::uint64_t{placed.skipped} + placed.fresh <= segment.bytes, "new bytes are bytes of the segment");
        const std::vector<std::uint8_t> payload(segment.bytes, bytes[4]);
        flows.append_history(at, std::span(payload).subspan(placed.skipped, placed.fresh));
        demand(flows.history(at).size() <= history, "histories keep their bound");
        const placed_segment alone = place_segment(stream, segment.sequence, segment.bytes);
        for (std::uint32_t i = 0; i < alone.fresh; ++i) {
            demand(seen.insert(segment.sequence + alone.skipped + i).second, "no byte is new twice");
        }
        demand(alone.has_old_bytes == (alone.fresh != segment.bytes), "bytes are new or old");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    if (bytes[0] == 0)
        read_table({bytes + 1, size - 1});
    else
        place_segments({bytes + 1, size - 1});
    return 0;
}
