#include "lab/route/header_code.hpp"

#include "output/wording.hpp"

#include <everbloom/core/hex_digits.hpp>
#include <everbloom/filter/bloom/bloom.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/filter/yes_no/yes_no_build.hpp>
#include <everbloom/hash/xxh3.hpp>

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

void set_bit(std::vector<std::uint64_t>& words, std::uint64_t bit) { words[bit / 64] |= std::uint64_t{1} << bit % 64; }

std::vector<digest> chosen(const std::vector<link_index>& links, const std::vector<digest>& digests) {
    std::vector<digest> made;
    made.reserve(links.size());
    for (const link_index one : links) made.push_back(digests[one]);
    return made;
}

result<void> check_bits(std::uint64_t bits) {
    if (bits <= most_header_bits) return {};
    return fail(failure_reason::bad_parameter, fmt::format("a header of {} bits is over the limit of {} bits",
                                                           grouped(bits), grouped(most_header_bits)));
}

} // namespace

header_code::header_code(header_kind kind, const yes_no_spec& spec)
    : kind_(kind), spec_(spec), places_(spec),
      shape_{static_cast<unsigned>(spec.yes_bits), static_cast<unsigned>(spec.no_filters),
             spec.no_filters == 0 ? 0 : static_cast<unsigned>(spec.no_bits)} {}

result<header_code> header_code::yes_no(const yes_no_spec& spec) {
    if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
    if (auto checked = check_bits(spec.structure_bits()); !checked) return fail(std::move(checked.error()));
    return header_code(header_kind::yes_no, spec);
}

result<header_code> header_code::bloom(std::uint64_t bits, std::uint64_t hashes) {
    // A yes-no filter without no-filters and with seed 0 has the bits of a Bloom filter.
    yes_no_spec spec;
    spec.yes_bits = bits;
    spec.yes_hashes = hashes;
    spec.no_filters = 0;
    if (auto checked = check_range("bloom_hashes", hashes, 1, max_hashes); !checked)
        return fail(std::move(checked.error()));
    if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
    if (auto checked = check_bits(bits); !checked) return fail(std::move(checked.error()));
    return header_code(header_kind::bloom, spec);
}

result<packet_bits> header_code::encode(const packet_route& way, const std::vector<digest>& digests) const {
    const std::vector<digest> members = chosen(way.members, digests);
    packet_bits made;
    made.words.assign(shape_.words(), 0);
    if (kind_ == header_kind::bloom) {
        auto filter = make<bloom_filter>({spec_.yes_bits, spec_.yes_hashes, spec_.probe});
        if (!filter) return fail(std::move(filter.error()));
        for (const digest& one : members) filter->insert(one);
        const auto words = filter->sections()[0];
        std::copy_n(words.begin(), made.words.size(), made.words.begin());
        return made;
    }
    const auto built = build_yes_no(spec_, members, chosen(way.others, digests));
    if (!built) return fail(built.error());
    made.seed = static_cast<unsigned>(built->filter.seed(0));
    for (unsigned i = 0; i < shape_.yes_bits; ++i) {
        if (built->filter.yes_bit(0, i)) set_bit(made.words, i);
    }
    for (unsigned j = 0; j < shape_.no_filters; ++j) {
        for (unsigned i = 0; i < shape_.no_bits; ++i) {
            if (built->filter.no_bit(0, j, i)) set_bit(made.words, shape_.no_filter_at(j) + i);
        }
    }
    return made;
}

std::vector<std::uint64_t> header_code::mask(digest link, unsigned seed) const {
    std::vector<std::uint64_t> words(shape_.words(), 0);
    const position_list yes = places_.yes(link, seed);
    for (const std::uint64_t at : yes.get()) set_bit(words, at);
    if (shape_.no_filters == 0) return words;
    const position_list no = places_.no(link, seed);
    for (const std::uint64_t at : no.get()) {
        for (unsigned j = 0; j < shape_.no_filters; ++j) set_bit(words, shape_.no_filter_at(j) + at);
    }
    return words;
}

bool header_code::forwards(const packet_bits& packet, digest link) const {
    return route::forwards(packet.words, mask(link, packet.seed), shape_);
}

std::string header_code::to_hex(const packet_bits& packet) const {
    std::string text;
    const auto append = [&](unsigned byte) { text += fmt::format("{:02x}", byte); };
    if (has_seed_byte()) append(packet.seed);
    for (unsigned i = 0; i < shape_.bytes(); ++i)
        append(static_cast<unsigned>(packet.words[i / 8] >> 8 * (i % 8) & 0xff));
    return text;
}

result<packet_bits> header_code::from_hex(std::string_view text) const {
    if (text.starts_with("0x")) text.remove_prefix(2);
    const auto refuse = [](std::string sentence) {
        return fail(failure_reason::bad_parameter, "--header: " + std::move(sentence));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (hex_value(text[i]) < 0) return refuse(fmt::format("character {} is not a hexadecimal digit", i + 1));
    }
    if (text.size() != std::size_t{2} * bytes()) {
        return refuse(fmt::format("has {} digits, but this header has {} bytes, that is {} digits ({} bits{})",
                                  text.size(), bytes(), 2 * bytes(), shape_.bits(),
                                  has_seed_byte() ? " and a byte for the seed" : ""));
    }
    const auto byte_at = [&](std::size_t i) {
        return static_cast<unsigned>(hex_value(text[2 * i]) * 16 + hex_value(text[2 * i + 1]));
    };
    packet_bits made;
    made.words.assign(shape_.words(), 0);
    const std::size_t front = has_seed_byte() ? 1 : 0;
    if (front != 0) made.seed = byte_at(0);
    if (made.seed >= spec_.seeds) {
        return refuse(fmt::format("has seed {}, but with --seeds {} it must be from 0 to {}", made.seed, spec_.seeds,
                                  spec_.seeds - 1));
    }
    for (unsigned i = 0; i < shape_.bytes(); ++i) {
        made.words[i / 8] |= std::uint64_t{byte_at(front + i)} << 8 * (i % 8);
    }
    if (const unsigned used = shape_.bits() % 64; used != 0 && made.words.back() >> used != 0) {
        return refuse(fmt::format("has bits set after the last of {} bits", shape_.bits()));
    }
    return made;
}

std::vector<digest> link_digests(const network& net, std::uint64_t hash_seed) {
    const xxh3_hasher hash(hash_key::from_seed(hash_seed));
    std::vector<digest> made;
    made.reserve(net.link_count());
    for (const network_link& one : net.links()) made.push_back(hash(key_bytes(std::string_view(one.name))));
    return made;
}

} // namespace everbloom::cli
