#include "gate/sender_records.hpp"

#include "gate/rolling_hash.hpp"
#include "gate/verdict.hpp"

#include <array>
#include <cstring>

namespace everbloom::cli {
namespace {

constexpr std::size_t record_head_bytes = 24;

void put_bytes(std::vector<std::byte>& into, const void* from, std::size_t count) {
    const auto* bytes = static_cast<const std::byte*>(from);
    into.insert(into.end(), bytes, bytes + count);
}

unexpected<failure> invalid_record(std::size_t offset) {
    return fail(failure_reason::damaged, "invalid sender record at byte " + std::to_string(offset));
}

} // namespace

std::vector<std::byte> write_senders(const sender_table& senders) {
    std::vector<std::byte> bytes;
    std::vector<std::uint32_t> words;
    for (auto one = senders.oldest(); one != sender_table::none; one = senders.seen_after(one)) {
        words.resize(senders.history_words());
        words.resize(senders.copy_history(one, words.data()));
        const std::size_t waiting_bytes = senders.waiting_bytes(one);
        std::array<std::uint8_t, 4> waiting = senders.waiting(one);
        std::fill(waiting.begin() + static_cast<std::ptrdiff_t>(waiting_bytes), waiting.end(), std::uint8_t{0});
        const auto history = senders.byte_history(one);
        const std::array<std::uint8_t, 4> flags{
            static_cast<std::uint8_t>(senders.strikes(one)), static_cast<std::uint8_t>(words.size()),
            static_cast<std::uint8_t>(waiting_bytes), static_cast<std::uint8_t>(history.size())};
        put_bytes(bytes, senders.address(one).bytes().data(), 16);
        put_bytes(bytes, flags.data(), flags.size());
        put_bytes(bytes, waiting.data(), waiting.size());
        put_bytes(bytes, words.data(), words.size() * sizeof(std::uint32_t));
        put_bytes(bytes, history.data(), history.size());
    }
    return bytes;
}

result<void> read_senders(std::span<const std::byte> bytes, sender_table& into, const any_hasher& hash) {
    for (std::size_t at = 0; at < bytes.size();) {
        if (bytes.size() - at < record_head_bytes) return invalid_record(at);
        std::array<std::uint8_t, record_head_bytes> head{};
        std::memcpy(head.data(), bytes.data() + at, head.size());
        const unsigned strikes = head[16];
        const std::size_t held = head[17];
        const std::size_t waiting = head[18];
        const std::size_t history = head[19];
        const bool possible = strikes < strikes_to_be_out && held < most_pattern_words && waiting < 4;
        if (!possible || bytes.size() - at - record_head_bytes < held * sizeof(std::uint32_t) + history)
            return invalid_record(at);
        const sender_key sender = sender_key::of(ip_address::v6(std::span(head).first<16>()), hash);
        if (into.find(sender) != sender_table::none) return invalid_record(at);
        const auto slot = into.insert(sender);
        into.set_strikes(slot, strikes);
        into.set_waiting(slot, std::span(head).subspan(20, waiting));
        const std::byte* words = bytes.data() + at + record_head_bytes;
        for (std::size_t i = 0; i < held; ++i) {
            std::uint32_t word = 0;
            std::memcpy(&word, words + i * sizeof word, sizeof word);
            into.append_word(slot, word);
        }
        const auto* last_bytes = reinterpret_cast<const std::uint8_t*>(words + held * sizeof(std::uint32_t));
        into.append_bytes(slot, {last_bytes, history});
        at += record_head_bytes + held * sizeof(std::uint32_t) + history;
    }
    return {};
}

} // namespace everbloom::cli
