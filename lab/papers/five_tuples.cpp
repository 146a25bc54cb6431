#include "lab/papers/five_tuples.hpp"

#include "gate/packet_source.hpp"

namespace everbloom::lab {
namespace {

/// The bytes that are hashed.
std::string five_tuple(const cli::packet& one) {
    const cli::packet_ends& ends = *one.ends;
    std::string made;
    made += one.sender.key();
    made += ends.receiver.key();
    for (const std::uint16_t port : {ends.sender_port, ends.receiver_port}) {
        made += static_cast<char>(port >> 8U);
        made += static_cast<char>(port & 0xffU);
    }
    made += static_cast<char>(ends.protocol);
    return made;
}

} // namespace

result<std::vector<digest>> five_tuples_of(const std::string& capture, const any_hasher& hasher, std::size_t most_keys,
                                           const cli::cancellation& cancel) {
    auto source = cli::open_packet_file(capture, cli::packet_format::capture, cancel);
    if (!source) return fail(std::move(source.error()));
    std::vector<digest> made;
    while (!(*source)->ended() && made.size() < most_keys) {
        const auto some = (*source)->next();
        if (!some) return fail(some.error());
        for (const cli::packet& one : *some) {
            if (one.ends && made.size() < most_keys) made.push_back(hasher(std::string_view(five_tuple(one))));
        }
    }
    if (made.empty()) return fail(failure_reason::bad_parameter, "--keys: " + capture + " contains no IP packets");
    return made;
}

} // namespace everbloom::lab
