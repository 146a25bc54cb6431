// tcp_segment: what the headers of a packet say about its place in a TCP connection.
#pragma once

#include <cstdint>

namespace everbloom::cli {

struct tcp_segment {
    std::uint32_t sequence = 0; // of the first byte of the payload
    std::uint32_t bytes = 0;    // of the payload by the headers, captured or not
    bool opens = false;         // SYN: the connection begins here
};

} // namespace everbloom::cli
