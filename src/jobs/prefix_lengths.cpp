#include <everbloom/jobs/list_facts.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace everbloom {
namespace {

constexpr std::string_view note_magic = "EBCIDR1\n";
constexpr std::size_t at_identity = 8;
constexpr std::size_t at_v4 = 16;
constexpr std::size_t at_v6 = 24;
constexpr std::size_t note_bytes = 48;

template <std::size_t Bits>
void write_bits(const std::bitset<Bits>& bits, std::byte* into) noexcept {
    for (std::size_t i = 0; i < Bits; ++i) {
        if (bits[i]) into[i / 8] |= std::byte{1} << (i % 8);
    }
}

template <std::size_t Bits>
void read_bits(const std::byte* from, std::bitset<Bits>& bits) noexcept {
    for (std::size_t i = 0; i < Bits; ++i) bits[i] = (from[i / 8] & (std::byte{1} << (i % 8))) != std::byte{0};
}

bool is_note(const std::vector<std::byte>& attached) noexcept {
    return attached.size() == note_bytes && std::memcmp(attached.data(), note_magic.data(), note_magic.size()) == 0;
}

template <std::size_t Bits>
std::string lengths_text(std::string_view family, const std::bitset<Bits>& bits) {
    if (bits.none()) return {};
    std::string made(family);
    for (std::size_t i = 0; i < Bits; ++i) made += bits[i] ? " /" + std::to_string(i) : "";
    return made;
}

} // namespace

prefix_lengths prefix_lengths::all() noexcept {
    prefix_lengths made;
    made.v4.set();
    made.v6.set();
    return made;
}

void prefix_lengths::add(const network& one) noexcept {
    one.is_v6() ? void(v6.set(one.prefix)) : void(v4.set(one.prefix));
}

void prefix_lengths::add_key(std::string_view bytes) noexcept {
    if (const auto one = network_of_key(bytes)) add(*one);
}

void prefix_lengths::add(const prefix_lengths& others) noexcept {
    v4 |= others.v4;
    v6 |= others.v6;
}

std::string prefix_lengths::text() const {
    if (is_everything()) return "unknown: every length is asked for";
    const std::string four = lengths_text("IPv4", v4);
    const std::string six = lengths_text("IPv6", v6);
    if (four.empty() && six.empty()) return "none";
    return four + (four.empty() || six.empty() ? "" : ", ") + six;
}

prefix_lengths lengths_in(const filter_file& file) {
    if (!is_note(file.attached)) return prefix_lengths::all();
    std::uint64_t identity = 0; // little-endian in memory, as on every machine we support
    std::memcpy(&identity, file.attached.data() + at_identity, sizeof identity);
    if (identity != identity_of(file)) return prefix_lengths::all();
    prefix_lengths made;
    read_bits(file.attached.data() + at_v4, made.v4);
    read_bits(file.attached.data() + at_v6, made.v6);
    return made;
}

std::optional<std::vector<network>> networks_asked_for(const network& one, const prefix_lengths& lengths,
                                                       std::uint64_t most) {
    std::vector<network> made;
    for (unsigned length = 0; length <= one.most_prefix(); ++length) {
        if (!lengths.has(one.is_v6(), length)) continue;
        const unsigned inner_bits = length > one.prefix ? length - one.prefix : 0;
        if (inner_bits >= 64 || (std::uint64_t{1} << inner_bits) > most - made.size()) return std::nullopt;
        network next = one.widened(std::min<unsigned>(length, one.prefix));
        next.prefix = static_cast<std::uint8_t>(length);
        for (std::uint64_t left = std::uint64_t{1} << inner_bits; left != 0; --left) {
            made.push_back(next);
            // The next one of this length: a one at its last bit, with the carry.
            for (unsigned bit = length; bit-- > 0;) {
                const auto mask = static_cast<std::uint8_t>(0x80U >> bit % 8);
                next.address[bit / 8] = static_cast<std::uint8_t>(next.address[bit / 8] ^ mask);
                if ((next.address[bit / 8] & mask) != 0) break;
            }
        }
    }
    return made;
}

void note_lengths(filter_file& file, const prefix_lengths& lengths) { file.attached = length_note(file, lengths); }

std::vector<std::byte> length_note(const filter_file& file, const prefix_lengths& lengths) {
    if (file.keys != key_type::cidr || (!file.attached.empty() && !is_note(file.attached))) return file.attached;
    if (lengths.is_everything()) return {};
    std::vector<std::byte> note(note_bytes);
    std::memcpy(note.data(), note_magic.data(), note_magic.size());
    const std::uint64_t identity = identity_of(file);
    std::memcpy(note.data() + at_identity, &identity, sizeof identity);
    write_bits(lengths.v4, note.data() + at_v4);
    write_bits(lengths.v6, note.data() + at_v6);
    return note;
}

} // namespace everbloom
