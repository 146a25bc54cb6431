#include "gate/flows/flow_records.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace everbloom::cli {
namespace {

constexpr std::size_t stream_numbers = 5;
constexpr std::size_t flow_head_bytes = std::tuple_size_v<flow_key> + 4 * stream_numbers + 4;

} // namespace

std::vector<std::byte> write_flows(const flow_table& flows) {
    std::vector<std::byte> bytes;
    const auto put = [&](std::uint32_t number, unsigned width) {
        for (unsigned i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
    };
    for (auto one = flows.oldest(); one != flow_table::none; one = flows.seen_after(one)) {
        const stream_position& stream = flows.stream(one);
        const auto history = flows.history(one);
        for (const std::uint8_t byte : flows.key(one)) put(byte, 1);
        for (const std::uint32_t number :
             {stream.next, stream.hole.from, stream.hole.to, stream.struck.from, stream.struck.to})
            put(number, 4);
        put(static_cast<std::uint32_t>(history.size()), 4);
        for (const std::uint8_t byte : history) put(byte, 1);
    }
    return bytes;
}

result<void> read_flows(std::span<const std::byte> bytes, flow_table& into) {
    for (std::size_t at = 0; at < bytes.size();) {
        const auto invalid = [&] {
            return fail(failure_reason::damaged, "invalid connection record at byte " + std::to_string(at));
        };
        if (bytes.size() - at < flow_head_bytes) return invalid();
        flow_key key{};
        std::memcpy(key.data(), bytes.data() + at, key.size());
        std::array<std::uint32_t, stream_numbers + 1> numbers{};
        for (std::size_t i = 0; i < 4 * numbers.size(); ++i) {
            numbers[i / 4] |= std::to_integer<std::uint32_t>(bytes[at + key.size() + i]) << (8 * (i % 4));
        }
        const std::size_t held = numbers[stream_numbers];
        if (held > 0xFF || bytes.size() - at - flow_head_bytes < held || into.find(key) != flow_table::none)
            return invalid();
        const auto slot = into.insert(key, numbers[0]);
        into.set_stream(slot,
                        {.next = numbers[0], .hole = {numbers[1], numbers[2]}, .struck = {numbers[3], numbers[4]}});
        const auto* history = reinterpret_cast<const std::uint8_t*>(bytes.data() + at + flow_head_bytes);
        into.append_history(slot, {history, held});
        at += flow_head_bytes + held;
    }
    return {};
}

} // namespace everbloom::cli
