// Forwarding by the bits in a packet: does this packet leave on this link?
//
// Idea        The sender knows the path and writes it into the packet: not as a list of addresses, but as one small filter that
//             holds the links of the path. A node keeps no routes. It keeps one mask per outgoing link, compares it with the
//             header of the packet, and sends a copy on every link that matches. Several links may: that is multicast.
// Source      [Carrea16 §VII]; the filter is filter/yes_no/yes_no.hpp, with one part.
// Layout      A header and a mask have the same shape, p + r q bits, little-endian bits in bytes, bytes in words:
//
//                 bit 0             p             p + q          p + 2q
//                 +-----------------+--------------+--------------+--
//         header  |   yes-filter    | no-filter 1  | no-filter 2  | ...    what the sender wrote
//                 +-----------------+--------------+--------------+--
//         mask    | k bits are set  | k' are set   | the same k'  | ...    identifies the link
//                 +-----------------+--------------+--------------+--
//
//             A Bloom header is the same without no-filters.
// Decision    Yes, if the header has all the link's bits in the yes-filter, and lacks at least one of them in every no-filter.
//             With `missing = mask and not header` this is: nothing missing in the first field, something in each other one.
// Cost        256 bits: four ANDs, two ORs, three comparisons; no branch, no memory beside the mask; see bench/forwarding.cpp.
//
// This header needs nothing else of everbloom and nothing but three headers of the standard library: it may be copied into a
// switch, a kernel module or a simulator as it is.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace everbloom::route {

/// How the bits of a header are divided.
struct header_shape {
    unsigned yes_bits = 0;   // p
    unsigned no_filters = 0; // r
    unsigned no_bits = 0;    // q, of each no-filter

    [[nodiscard]] constexpr unsigned bits() const noexcept { return yes_bits + no_filters * no_bits; }
    [[nodiscard]] constexpr unsigned bytes() const noexcept { return (bits() + 7) / 8; }
    [[nodiscard]] constexpr unsigned words() const noexcept { return (bits() + 63) / 64; }
    /// Where a no-filter begins.
    [[nodiscard]] constexpr unsigned no_filter_at(unsigned index) const noexcept { return yes_bits + index * no_bits; }

    friend constexpr bool operator==(const header_shape&, const header_shape&) = default;
};

/// The shapes of the paper: 256 bits, as long as two IPv6 addresses.
inline constexpr header_shape yes_no_256{192, 2, 32};
inline constexpr header_shape bloom_256{256, 0, 0};

/// Those of word number `index`'s bits that lie in the field of `count` bits from `first` on.
[[nodiscard]] constexpr std::uint64_t field_in_word(unsigned first, unsigned count, unsigned index) noexcept {
    const unsigned word_first = 64 * index;
    const unsigned from = first > word_first ? first - word_first : 0;
    const unsigned end = first + count > word_first ? first + count - word_first : 0;
    if (from >= 64 || end <= from) return 0;
    const std::uint64_t below_end = end >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
    return below_end & (~std::uint64_t{0} << from);
}

/// The bits of a link: what a node keeps for each of its outgoing links.
template <header_shape Shape>
struct link_mask {
    std::array<std::uint64_t, Shape.words()> words{};

    constexpr void mark_yes(unsigned position) noexcept { mark(position); }
    /// Every link needs at least one of these if there are no-filters: they say no to a link that has none.
    constexpr void mark_no(unsigned position) noexcept {
        for (unsigned i = 0; i < Shape.no_filters; ++i) mark(Shape.no_filter_at(i) + position);
    }

private:
    constexpr void mark(unsigned bit) noexcept { words[bit / 64] |= std::uint64_t{1} << bit % 64; }
};

/// The bits of a packet, read from its bytes.
template <header_shape Shape>
struct packet_header {
    std::array<std::uint64_t, Shape.words()> words{};

    [[nodiscard]] static constexpr packet_header
    from_bytes(std::span<const std::uint8_t, Shape.bytes()> bytes) noexcept {
        packet_header made;
        for (unsigned i = 0; i < Shape.bytes(); ++i) made.words[i / 8] |= std::uint64_t{bytes[i]} << 8 * (i % 8);
        return made;
    }

    [[nodiscard]] constexpr std::array<std::uint8_t, Shape.bytes()> to_bytes() const noexcept {
        std::array<std::uint8_t, Shape.bytes()> made{};
        for (unsigned i = 0; i < Shape.bytes(); ++i) {
            made[i] = static_cast<std::uint8_t>(words[i / 8] >> 8 * (i % 8) & 0xff);
        }
        return made;
    }
};

/// The bits of the field that the link has and the header lacks. The field is a constant, so its loop is unrolled.
template <unsigned First, unsigned Count, header_shape Shape>
[[nodiscard]] constexpr std::uint64_t missing_in_field(const packet_header<Shape>& header,
                                                       const link_mask<Shape>& link) noexcept {
    std::uint64_t missing = 0;
    for (unsigned i = First / 64; 64 * i < First + Count; ++i) {
        missing |= link.words[i] & ~header.words[i] & field_in_word(First, Count, i);
    }
    return missing;
}

/// Whether every no-filter from number `Index` on lacks a bit of the link.
template <unsigned Index = 0, header_shape Shape>
[[nodiscard]] constexpr bool no_filters_pass(const packet_header<Shape>& header,
                                             const link_mask<Shape>& link) noexcept {
    if constexpr (Index == Shape.no_filters) {
        return true;
    } else {
        // Not &&: a branch would cost more than the comparison it saves.
        const bool passes = missing_in_field<Shape.no_filter_at(Index), Shape.no_bits>(header, link) != 0;
        return static_cast<bool>(static_cast<unsigned>(passes) &
                                 static_cast<unsigned>(no_filters_pass<Index + 1>(header, link)));
    }
}

/// Whether the packet leaves on the link. The shape is known to the compiler, so nothing of it is left at run time.
template <header_shape Shape>
[[nodiscard]] constexpr bool forwards(const packet_header<Shape>& header, const link_mask<Shape>& link) noexcept {
    const bool matches = missing_in_field<0, Shape.yes_bits>(header, link) == 0;
    return static_cast<bool>(static_cast<unsigned>(matches) & static_cast<unsigned>(no_filters_pass(header, link)));
}

/// The same for a shape that is known only at run time: both spans have `shape.words()` words.
[[nodiscard]] constexpr bool forwards(std::span<const std::uint64_t> header, std::span<const std::uint64_t> link,
                                      const header_shape& shape) noexcept {
    const auto misses = [&](unsigned first, unsigned count) {
        for (unsigned i = first / 64; 64 * i < first + count; ++i) {
            if ((link[i] & ~header[i] & field_in_word(first, count, i)) != 0) return true;
        }
        return false;
    };
    if (misses(0, shape.yes_bits)) return false;
    for (unsigned i = 0; i < shape.no_filters; ++i) {
        if (!misses(shape.no_filter_at(i), shape.no_bits)) return false;
    }
    return true;
}

} // namespace everbloom::route
