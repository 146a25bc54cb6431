// Geometry of the stored hashes in a slow file: the hash range is cut into parts, and a part stores what its number does not tell.
//
//      hash, 64 bits   | part : part_bits | record : word_bits - part_bits | not stored |
//
// Parts are merged one by one, so that a merge needs the space of one part twice, not of all. Records are numbers that begin at 0 in
// each part; they are sorted as their hashes are.
#pragma once

#include <everbloom/filter/elastic/elastic_blocks.hpp>
#include <everbloom/probe/reduce.hpp>

#include <cstdint>

namespace everbloom {

struct record_geometry {
    static constexpr unsigned least_word_bits = 24;
    static constexpr unsigned most_word_bits = 56;
    static constexpr unsigned least_part_bits = 1;
    static constexpr unsigned most_part_bits = 8;
    /// A key that was never added has the record of a member with chance keys / 2^word_bits: below 2^-20 up to `sure_keys`, and below 2^-18,
    /// 4e-6, at the limit of growth, `most_keys`.
    static constexpr unsigned sure_margin_bits = 20;
    static constexpr unsigned margin_bits = 18;
    /// 2.8e8 keys are sure, and more than a billion find room.
    static constexpr unsigned usual_word_bits = 48;

    unsigned word_bits = usual_word_bits;
    unsigned part_bits = 6;

    [[nodiscard]] constexpr bool is_valid() const noexcept {
        return word_bits >= least_word_bits && word_bits <= most_word_bits && part_bits >= least_part_bits &&
               part_bits <= most_part_bits;
    }
    [[nodiscard]] constexpr unsigned record_bits() const noexcept { return word_bits - part_bits; }
    [[nodiscard]] constexpr std::uint64_t parts() const noexcept { return std::uint64_t{1} << part_bits; }
    [[nodiscard]] constexpr std::uint64_t sure_keys() const noexcept {
        return std::uint64_t{1} << (word_bits - sure_margin_bits);
    }
    [[nodiscard]] constexpr std::uint64_t most_keys() const noexcept {
        return std::uint64_t{1} << (word_bits - margin_bits);
    }

    [[nodiscard]] constexpr std::uint64_t part_of(std::uint64_t hash) const noexcept {
        return hash >> (64 - part_bits);
    }
    [[nodiscard]] constexpr std::uint64_t record_of(std::uint64_t hash) const noexcept {
        return (hash << part_bits) >> (64 - record_bits());
    }
    [[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t part, std::uint64_t record) const noexcept {
        return (part << (64 - part_bits)) | (record << (64 - word_bits));
    }
    /// The record as a share of its part, in units of 2^-64.
    [[nodiscard]] constexpr std::uint64_t place_of(std::uint64_t record) const noexcept {
        return record << (64 - record_bits());
    }
};

} // namespace everbloom
