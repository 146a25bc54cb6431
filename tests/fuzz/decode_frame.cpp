// libFuzzer: the bytes of a frame, of any link type, become a packet or are counted as undecodable.
//
// The first byte chooses the link type, the second how many bytes the capture did not keep. What must hold: the payload lies within the frame,
// a packet that cannot be decoded has none, and a capture that keeps fewer bytes never knows more, nor something else.
#include "demand.hpp"

#include <gate/frame_decoder.hpp>
#include <pcap/dlt.h>

#include <array>
#include <vector>

namespace {

using namespace everbloom::cli;

constexpr std::array link_types{DLT_EN10MB,    DLT_RAW,        DLT_IPV4, DLT_IPV6,       DLT_NULL,      DLT_LOOP,
                                DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_PPP,  DLT_PPP_SERIAL, DLT_PPP_ETHER, DLT_IEEE802_11};

packet decode_checked(int link_type, std::span<const std::uint8_t> kept, std::size_t whole_bytes) {
    const packet made = decode_frame(link_type, kept, whole_bytes);
    if (!made.decodable()) {
        demand(made.payload.empty() && !made.segment && !made.ends, "what cannot be decoded carries nothing");
        return made;
    }
    demand(knows_link_type(link_type), "only known links are decoded");
    demand(made.payload.data() >= kept.data() && made.payload.data() + made.payload.size() <= kept.data() + kept.size(),
           "the payload lies within the frame");
    demand(made.ends.has_value(), "what was decoded has two ends");
    demand(!made.segment || made.segment->bytes >= made.payload.size(), "a segment is as long as its captured bytes");
    return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const int link_type = link_types[data[0] % link_types.size()];
    const std::size_t not_kept = data[1];
    const std::vector<std::uint8_t> frame(data + 2, data + size); // a copy of exact size: one byte too far is seen
    const std::size_t whole_bytes = frame.size() + not_kept;
    const packet most = decode_checked(link_type, frame, whole_bytes);
    for (std::size_t kept = 0; kept < frame.size(); kept += 1 + kept / 16) {
        const std::vector<std::uint8_t> fewer(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(kept));
        const packet less = decode_checked(link_type, fewer, whole_bytes);
        if (!less.decodable()) continue;
        demand(most.decodable() && most.sender == less.sender && most.ends == less.ends, "more bytes tell the same");
        demand(less.payload.size() <= most.payload.size(), "fewer bytes carry no more");
    }
    return 0;
}
