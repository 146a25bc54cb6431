// Work on a whole page of stored hashes with vector instructions: what hash_page does slot by slot, eight slots at a time.
//
// Eight slots are as many bytes as a slot has bits. So every group of eight begins with a byte, and one table for each width tells
// how its slots become eight numbers: four loads, two shuffles, two shifts (src/elastic_page_vectors.hpp).
//
//      | slots 0 .. 7 : s bytes | slots 8 .. 15 : s bytes | ...
//
// The functions do the usual case: bins in which no hash has a second copy, to be changed in a page without overflow page, to be read in
// one with at most one. For all others they change nothing and say so; then hash_page does it, which is also their scalar twin
// (tests/unit/filter/elastic/page_kernel.cpp).
//
// There are two sets of them: for AVX2, and in namespace `wide` for AVX-512 with permutations of bytes, which also changes pages with an
// overflow page. Pages take the best that the processor has (page_functions).
#pragma once

#include <everbloom/filter/elastic/stored_hashes/geometry.hpp>
#include <everbloom/filter/kernel/line_pattern.hpp>
#include <everbloom/filter/kernel/modern_x86.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(EVERBLOOM_MODERN_X86)
namespace everbloom::kernel {

inline constexpr unsigned widest_vector_slot = 56;
/// Below that a hash does not follow from its remainder by multiplications that are a little inexact.
inline constexpr unsigned least_unused_bits = 8;

/// Whether slots of this width can be read eight at a time, and hashes be made of them.
[[nodiscard]] inline bool suits_vectors(const hash_geometry& geometry) noexcept {
    return geometry.slot_bits() <= widest_vector_slot && geometry.unused_bits() >= least_unused_bits && is_modern();
}

/// A page that may be changed, and where the overflow pages are.
struct page_to_change {
    std::uint64_t* words;
    std::uint64_t* overflow;
};
/// Puts a remainder into a bin. False, and nothing is changed, if it is there already or if the page has no room for it.
[[nodiscard]] bool insert_into_page(page_to_change page, const hash_geometry& geometry, unsigned bin,
                                    std::uint64_t remainder) noexcept;
/// Takes a remainder out of its bin. False, and nothing is changed, if it is not there.
[[nodiscard]] bool erase_from_page(page_to_change page, const hash_geometry& geometry, unsigned bin,
                                   std::uint64_t remainder) noexcept;
/// Whether a bin has a remainder.
enum class page_answer : std::uint8_t { absent, present, unknown };
[[nodiscard]] page_answer find_in_page(const std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                       std::uint64_t remainder) noexcept;

/// A page to be read, and where the overflow pages are.
struct page_to_read {
    const std::uint64_t* words;
    const std::uint64_t* overflow;
    std::uint64_t index;
};

/// Room that `hashes_of_page` needs: more slots than a page and an overflow page have.
inline constexpr unsigned page_hash_room = 320;
/// Writes the hashes of a page in order, and returns how many they are, if it can.
struct page_hashes {
    bool known = false;
    unsigned count = 0;
};
[[nodiscard]] page_hashes hashes_of_page(page_to_read page, const hash_geometry& geometry,
                                         std::uint64_t* hashes) noexcept;

/// Appends hashes in ascending order to page `index`, which holds only smaller ones: as many as belong to it and find room. None if
/// the first of them must be appended by itself.
[[nodiscard]] std::size_t append_to_page(std::uint64_t* page, const hash_geometry& geometry, std::uint64_t index,
                                         std::span<const std::uint64_t> hashes) noexcept;

/// A pattern; of at most eight bits where lanes are noted.
struct lane_pattern {
    std::uint64_t seed;
    unsigned hashes;
};
/// Positions in a page, both included: the number of a bin, and below it a remainder.
struct position_range {
    std::uint64_t lowest;
    std::uint64_t highest;
};
/// Notes the lanes in which hashes of a page at these positions have the bit of the pattern. False if it cannot.
[[nodiscard]] bool note_shared_of_page(shared_lanes& shared, const lane_pattern& wanted, page_to_read page,
                                       const hash_geometry& geometry, const position_range& range) noexcept;

/// A hash that is to be removed, its block, and the positions of all hashes of the block: in the hash's page, and in a neighbour of that page if
/// the block lies in two.
struct hash_in_block {
    std::uint64_t* block;
    std::uint64_t* page;    // its words
    std::uint64_t index;    // of the page
    std::uint64_t position; // of the hash in its page
    std::uint64_t seed;     // of its pattern
    position_range range;
    const std::uint64_t* neighbour; // its words; those of the page itself if there is none
    std::uint64_t neighbour_index;
    position_range neighbour_range;
    std::uint32_t side;      // the pages are of the first or of the second geometry
    std::uint32_t is_simple; // 0 if it must be taken out otherwise; then the neighbour may be no page
};
/// Without overflow pages and copies.
[[nodiscard]] inline bool has_usual_pages(const hash_in_block& what) noexcept {
    return what.is_simple != 0 && (what.page[1] | what.neighbour[1]) == 0;
}
/// What removals share: the geometries of the pages, of which the second may be null, where the overflow pages are, and how many bits a pattern
/// has.
struct removal_setting {
    std::array<const hash_geometry*, 2> geometries;
    std::array<std::uint64_t*, 2> overflow;
    unsigned hashes;
};
/// Takes hashes out, one after the other, and clears the bits of their patterns that no other hash of their blocks has. Stops before the first that
/// it cannot take out, and returns how many it has looked at. Notes for each whether it was there; nothing is changed by one that was not.
[[nodiscard]] std::size_t remove_from_pages(const removal_setting& setting, std::span<const hash_in_block> some,
                                            std::uint8_t* removed) noexcept;

namespace wide {
[[nodiscard]] bool insert_into_page(page_to_change page, const hash_geometry& geometry, unsigned bin,
                                    std::uint64_t remainder) noexcept;
[[nodiscard]] bool erase_from_page(page_to_change page, const hash_geometry& geometry, unsigned bin,
                                   std::uint64_t remainder) noexcept;
[[nodiscard]] page_answer find_in_page(const std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                       std::uint64_t remainder) noexcept;
[[nodiscard]] std::size_t append_to_page(std::uint64_t* page, const hash_geometry& geometry, std::uint64_t index,
                                         std::span<const std::uint64_t> hashes) noexcept;
[[nodiscard]] page_hashes hashes_of_page(page_to_read page, const hash_geometry& geometry,
                                         std::uint64_t* hashes) noexcept;
[[nodiscard]] bool note_shared_of_page(shared_lanes& shared, const lane_pattern& wanted, page_to_read page,
                                       const hash_geometry& geometry, const position_range& range) noexcept;
[[nodiscard]] std::size_t remove_from_pages(const removal_setting& setting, std::span<const hash_in_block> some,
                                            std::uint8_t* removed) noexcept;
} // namespace wide

/// The functions of one kind of processor.
struct page_functions {
    decltype(&insert_into_page) insert;
    decltype(&erase_from_page) erase;
    decltype(&find_in_page) find;
    decltype(&append_to_page) append;
    decltype(&hashes_of_page) hashes;
    decltype(&note_shared_of_page) note_shared;
    decltype(&remove_from_pages) remove;
};
inline constexpr page_functions modern_page_functions{insert_into_page, erase_from_page, find_in_page,
                                                      append_to_page,   hashes_of_page,  note_shared_of_page,
                                                      remove_from_pages};
inline constexpr page_functions wide_page_functions{
    wide::insert_into_page, wide::erase_from_page,     wide::find_in_page,     wide::append_to_page,
    wide::hashes_of_page,   wide::note_shared_of_page, wide::remove_from_pages};

/// AVX-512 with permutations of bytes, shifts over two words and multiplications of 52 bits: a few loads and tests.
[[nodiscard]] inline bool has_wide_pages() noexcept {
    return is_modern() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
           __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0 &&
           __builtin_cpu_supports("avx512ifma") != 0;
}

/// Whether hashes of these pages follow from their positions by multiplications of 52 bits (src/elastic_page_wide_hashes.hpp).
[[nodiscard]] inline bool suits_wide(const hash_geometry& geometry) noexcept {
    constexpr unsigned widest_slot = 48; // with the number of its bin and room for slots behind the last, 52 bits
    const std::uint64_t error = (geometry.pages() * geometry.pages() >> 12 >> geometry.unused_bits()) + 8;
    return geometry.slot_bits() <= widest_slot && geometry.pages() * error < std::uint64_t{1} << 52 && has_wide_pages();
}

/// Those for pages of this geometry on this processor, or none.
[[nodiscard]] inline const page_functions* page_functions_for(const hash_geometry& geometry) noexcept {
    if (!suits_vectors(geometry)) return nullptr;
    return suits_wide(geometry) ? &wide_page_functions : &modern_page_functions;
}

} // namespace everbloom::kernel
#endif
