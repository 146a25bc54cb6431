// Queries for many keys on processors with AVX-512, in a table of its first size with at most 64 buckets in a line.
//
// The steps are those of src/quotient_batch.cpp, for as many keys, in fewer instructions. Eight keys are located at a time, and what of them
// is needed to look through the window of their bucket (src/quotient_wide.cpp) is stored ready for use. Where no members are expected, both
// lines are looked at in one step: an absent key needs both, and no branch depends on what is in them. Where members are expected, the
// second step is for those that are not in their first line.
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#define EVERBLOOM_WIDE [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")]]

namespace everbloom {

struct quotient_batch::wide_kernels {
    // A vector of the compiler: g++ 12 warns of what is in most functions for AVX-512.
    using words = std::uint64_t __attribute__((vector_size(64)));

    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words load(std::uint64_t lanes, const void* from) noexcept {
        return reinterpret_cast<words>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), from));
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words product(words a, words b) noexcept {
        constexpr __mmask8 all = 0xff;
        return reinterpret_cast<words>(
            _mm512_maskz_mul_epu32(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words lesser(words a, words b) noexcept {
        constexpr __mmask8 all = 0xff;
        return reinterpret_cast<words>(
            _mm512_maskz_min_epu64(all, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
    }
    /// `reduce` of each of eight words, for ranges below 2^32.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words reduce8(words hash, words range) noexcept {
        return ((product(hash, range) >> 32) + product(hash >> 32, range)) >> 32;
    }

    using numbers = std::array<std::uint64_t, most_keys>;
    using pairs = std::array<std::uint64_t, 2 * most_keys>;
    /// Keys whose lines are on the way. Bit i of a mask stands for key i. The places of key i have the numbers i and i + 32.
    struct group {
        alignas(64) pairs lines;
        alignas(64) pairs wanted; // in the lowest byte
        alignas(64) pairs paths;  // in the lower half
        // The window of the bucket:
        alignas(64) numbers byte;   // of the line, with which it begins
        alignas(64) numbers before; // the bits in front of it
        alignas(64) numbers single; // the bit whose number is the bucket's
        alignas(64) numbers turn;   // from the bits of the window to the bytes of items
        std::array<const std::uint64_t*, 2 * most_keys> at;
        std::size_t count = 0;
        std::uint32_t held = 0;
        std::uint32_t missing = 0; // not in its first line
        bool in_both = false;      // both lines are looked at in one step
        std::uint8_t* answers = nullptr;
    };

    EVERBLOOM_WIDE [[gnu::always_inline]] static inline void store(std::uint64_t* to, words what) noexcept {
        std::memcpy(__builtin_assume_aligned(to, sizeof what), &what, sizeof what);
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline void locate(const quotient_places& where, const digest* items,
                                                                    group& keys) noexcept {
        const words zero{};
        const words rows = zero + where.rows_;
        const words buckets_and_tags = zero + where.buckets_and_tags_;
        for (std::size_t i = 0; i < keys.count; i += 8) {
            // Behind the last key there are zeros, which have lines, too.
            const std::uint64_t halves = low_mask(static_cast<unsigned>(2 * std::min<std::size_t>(8, keys.count - i)));
            const words front = load(halves & 0xff, items + i);
            const words back = load(halves >> 8, items + i + 4);
            const words low = __builtin_shufflevector(front, back, 0, 2, 4, 6, 8, 10, 12, 14);
            const words high = __builtin_shufflevector(front, back, 1, 3, 5, 7, 9, 11, 13, 15);
            const words bucket_and_tag = product(high >> 32, buckets_and_tags) >> 32;
            const words row = reduce8(low, rows);
            const words hash = (bucket_and_tag + 1) * golden_ratio_bits;
            const words difference = reduce8(hash, rows) - row; // what is below 0 is a large number
            const words other_path = high ^ hash >> 8;
            const words code = bucket_and_tag << quotient_spec::byte_path_bits;
            const words bucket = bucket_and_tag >> quotient_spec::tag_bits;
            const words before = bucket & ~std::uint64_t{7};
            constexpr std::uint64_t byte_path = low_mask(quotient_spec::byte_path_bits);
            store(&keys.lines[i], row);
            store(&keys.lines[i + most_keys], lesser(difference, difference + rows));
            store(&keys.wanted[i], (high >> where.extension_bits_ & byte_path) | code);
            store(&keys.wanted[i + most_keys], (other_path >> where.extension_bits_ & byte_path) | code);
            store(&keys.paths[i], high);
            store(&keys.paths[i + most_keys], other_path);
            store(&keys.byte[i], bucket >> 3);
            store(&keys.before[i], before);
            store(&keys.single[i], (zero + 1) << bucket);
            store(&keys.turn[i], before - bucket - where.turn_);
        }
    }

    EVERBLOOM_WIDE [[gnu::always_inline]] static inline void address(const line_units& lines, group& keys,
                                                                     std::size_t place) noexcept {
        keys.at[place] = lines[keys.lines[place]];
        prefetch_line(keys.at[place]);
    }
    EVERBLOOM_WIDE [[gnu::noinline]] static void begin(const quotient_places& where, const line_units& lines,
                                                       const digest* items, group& keys) noexcept {
        locate(where, items, keys);
        if (keys.in_both) {
            for (std::size_t i = 0; i < keys.count; ++i) {
                address(lines, keys, i);
                address(lines, keys, i + most_keys);
            }
        } else {
            for (std::size_t i = 0; i < keys.count; ++i) address(lines, keys, i);
        }
    }

    /// Bit i: byte i of the line is that which is wanted, and is that of an item in the bucket.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline std::uint64_t find(const group& keys, std::size_t key,
                                                                           std::size_t place) noexcept {
        const std::uint64_t* const line = keys.at[place];
        const std::uint64_t equal =
            _mm512_cmpeq_epi8_mask(_mm512_set1_epi8(static_cast<char>(keys.wanted[place])), _mm512_loadu_si512(line));
        const auto ones =
            static_cast<unsigned>(__builtin_popcountll(_bzhi_u64(line[0], static_cast<unsigned>(keys.before[key]))));
        std::uint64_t ends = 0;
        std::memcpy(&ends, reinterpret_cast<const char*>(line) + keys.byte[key], sizeof ends);
        const std::uint64_t start = _pdep_u64(keys.single[key] >> ones % 64, ends);
        return (~ends & ~(~ends + 2 * start)) << keys.turn[key] % 64 & equal;
    }
    /// What is needed to find the extension of an item by its byte.
    struct extensions {
        std::uint32_t before; // of the item whose byte would be the first of the line; modulo 2^32
        std::uint32_t width;
        std::uint32_t mask;
    };
    /// 1 if the item with the first of these bytes has the extension of the path, else 0. Of no byte, what is read is behind the last
    /// extension.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline std::uint32_t
    has_extension(const std::uint64_t* line, std::uint64_t bytes, std::uint64_t path, const extensions& of) noexcept {
        const unsigned bit = of.before + static_cast<unsigned>(_tzcnt_u64(bytes)) * of.width;
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
        return ((static_cast<std::uint32_t>(word >> bit % 8) ^ static_cast<std::uint32_t>(path)) & of.mask) == 0 ? 1
                                                                                                                 : 0;
    }
    /// Do any of these items have it?
    EVERBLOOM_WIDE [[gnu::noinline]] static std::uint32_t has_any(const std::uint64_t* line, std::uint64_t bytes,
                                                                  std::uint64_t path, const extensions& of) noexcept {
        std::uint32_t found = 0;
        for (; bytes != 0; bytes = _blsr_u64(bytes)) found |= has_extension(line, bytes, path, of);
        return found;
    }

    EVERBLOOM_WIDE [[gnu::noinline]] static void look_in_both(const extensions& of, group& keys) noexcept {
        numbers bytes;
        numbers places;
        std::uint32_t listed = 0;
        for (std::size_t i = keys.count; i-- > 0;) {
            std::uint64_t found = find(keys, i, i);
            std::uint64_t place = i;
            asm("testq %[found], %[found]\n\t"
                "cmovzq %[more], %[found]\n\t"
                "cmovzq %[second], %[place]"
                : [found] "+&r"(found), [place] "+&r"(place)
                : [more] "r"(find(keys, i, i + most_keys)), [second] "r"(i + most_keys)
                : "cc");
            bytes[i] = found;
            places[i] = place;
            listed = 2 * listed + (found != 0 ? 1 : 0);
        }
        keys.held = 0;
        for (; listed != 0; listed = _blsr_u32(listed)) {
            const std::uint32_t key = _tzcnt_u32(listed);
            const std::uint64_t place = places[key];
            std::uint32_t found = has_extension(keys.at[place], bytes[key], keys.paths[place], of);
            if (found == 0) [[unlikely]] {
                for (const std::size_t either : {std::size_t{key}, key + most_keys})
                    found |= has_any(keys.at[either], find(keys, key, either), keys.paths[either], of);
            }
            keys.held |= found << key;
        }
    }

    /// Which of the listed keys are in one of their lines.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline std::uint32_t
    held_among(std::uint32_t listed, std::size_t first, const extensions& of, const group& keys) noexcept {
        std::uint32_t held = 0;
        for (; listed != 0; listed = _blsr_u32(listed)) {
            const std::uint32_t key = _tzcnt_u32(listed);
            const std::uint64_t* const line = keys.at[key + first];
            const std::uint64_t path = keys.paths[key + first];
            std::uint64_t bytes = find(keys, key, key + first);
            std::uint32_t found = has_extension(line, bytes, path, of) & static_cast<std::uint32_t>(bytes != 0);
            while ((bytes = _blsr_u64(bytes)) != 0) [[unlikely]]
                found |= has_extension(line, bytes, path, of);
            held |= found << key;
        }
        return held;
    }
    EVERBLOOM_WIDE [[gnu::noinline]] static void look_in_first(const line_units& lines, const extensions& of,
                                                               group& keys) noexcept {
        const auto asked = static_cast<std::uint32_t>(low_mask(static_cast<unsigned>(keys.count)));
        keys.held = held_among(asked, 0, of, keys);
        keys.missing = asked & ~keys.held;
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left))
            address(lines, keys, _tzcnt_u32(left) + most_keys);
    }
    EVERBLOOM_WIDE [[gnu::noinline]] static void look_in_second(const extensions& of, group& keys) noexcept {
        keys.held |= held_among(keys.missing, most_keys, of, keys);
    }

    /// A byte for every bit.
    EVERBLOOM_WIDE [[gnu::noinline]] static void write(group& keys) noexcept {
        const auto asked = static_cast<__mmask32>(low_mask(static_cast<unsigned>(keys.count)));
        _mm256_mask_storeu_epi8(keys.answers, asked, _mm256_maskz_set1_epi8(keys.held, 1));
    }

    EVERBLOOM_WIDE static void answer(const quotient_places& where, const line_units& lines,
                                      std::span<const digest> items, std::uint8_t* answers) noexcept {
        const extensions of{where.extensions_before_, where.extension_bits_, where.extension_mask_};
        bool expects_members = false;
        // While one is looked up, the lines of two others are read.
        std::array<group, 3> groups;
        group* first = groups.data();
        group* second = first + 1;
        group* third = second + 1;
        while (!items.empty() || second->count != 0 || third->count != 0) {
            first->count = std::min(items.size(), most_keys);
            first->answers = answers;
            first->in_both = !expects_members;
            begin(where, lines, items.data(), *first);
            answers += first->count;
            items = items.subspan(first->count);
            if (second->count != 0) {
                if (second->in_both) {
                    look_in_both(of, *second);
                } else {
                    look_in_first(lines, of, *second);
                }
                expects_members = static_cast<std::size_t>(std::popcount(second->held)) > most_keys * 2 / 3;
            }
            if (third->count != 0) {
                if (!third->in_both) look_in_second(of, *third);
                write(*third);
                third->count = 0;
            }
            group* const free = third;
            third = second;
            second = first;
            first = free;
        }
    }
};

void quotient_batch::answer_widely(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                                   std::uint8_t* answers) noexcept {
    const quotient_places copy = where; // the compiler knows that no answer changes it
    wide_kernels::answer(copy, lines, items, answers);
}

} // namespace everbloom

#endif
