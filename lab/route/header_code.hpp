// Header codes: packet headers and links as bits.
//
// There are two codes: a Bloom header of m bits, and a yes-no header of p + r q = m bits. The bits of a link are computed from the digest of
// its name, so they depend only on the network and the hash seed. As text a header is hexadecimal, byte by byte:
//
//     [seed] [yes-filter: p bits] [no-filter 1: q bits] ... [no-filter r: q bits]
//
// bit i of the filters is bit i mod 8 of byte i / 8, and bits after the last are 0. The seed byte is present only if there are
// several sets of hash functions.
#pragma once

#include "lab/route/network.hpp"
#include "lab/route/paths.hpp"

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/filter/yes_no/yes_no_places.hpp>
#include <everbloom/route/forwarding.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// Limit of a header, so that it fits into a packet.
inline constexpr std::uint64_t most_header_bits = 65536;

enum class header_kind { bloom, yes_no };

struct packet_bits {
    unsigned seed = 0;
    std::vector<std::uint64_t> words;
};

class header_code {
public:
    /// Fails if a number is out of range, or the header is over the limit.
    [[nodiscard]] static result<header_code> yes_no(const yes_no_spec& spec);
    [[nodiscard]] static result<header_code> bloom(std::uint64_t bits, std::uint64_t hashes);

    [[nodiscard]] header_kind kind() const noexcept { return kind_; }
    /// A Bloom header: a yes-no filter without no-filters.
    [[nodiscard]] const yes_no_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const route::header_shape& shape() const noexcept { return shape_; }
    [[nodiscard]] unsigned bytes() const noexcept { return shape_.bytes() + (has_seed_byte() ? 1 : 0); }
    [[nodiscard]] bool has_seed_byte() const noexcept { return spec_.seeds > 1; }

    /// The header of a path; `digests` are those of all links of the network.
    [[nodiscard]] result<packet_bits> encode(const packet_route& way, const std::vector<digest>& digests) const;

    /// The forwarding decision of a node: do the bits of the link match the header?
    [[nodiscard]] bool forwards(const packet_bits& packet, digest link) const;

    /// The bits that a node stores for the link.
    [[nodiscard]] std::vector<std::uint64_t> mask(digest link, unsigned seed) const;

    [[nodiscard]] std::string to_hex(const packet_bits& packet) const;
    [[nodiscard]] result<packet_bits> from_hex(std::string_view text) const;

private:
    header_code(header_kind kind, const yes_no_spec& spec);

    header_kind kind_;
    yes_no_spec spec_;
    yes_no_places places_;
    route::header_shape shape_;
};

/// The digests of all links, from their names.
[[nodiscard]] std::vector<digest> link_digests(const network& net, std::uint64_t hash_seed);

} // namespace everbloom::cli
