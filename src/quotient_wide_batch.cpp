// Queries for many keys on processors with AVX-512, in a table of its first size with at most 64 buckets in a line.
//
// The steps are those of src/quotient_batch.cpp, for as many keys, in fewer instructions and without waiting. Eight keys are located at a
// time, and what of them is needed to look through the window of their bucket (src/quotient_wide.cpp) is stored ready for use.
//
// Where no members are expected, the keys are listed of which any item in one of their two lines has the byte, a quarter of them; only these
// are looked for. Where members are expected, or were just listed, all are looked for in their first line, and those that are not there in
// their second one. Each step is a loop of its own over 32 keys, with a few instructions that depend on each other: as one loop it would have
// forty in a row for each key, and a processor can hold those of only three or four keys until they can be executed. Extensions are
// compared eight at a time. A branch that depends on what was found comes after the next keys have been located, so that there is other work
// until it is known whether it was guessed right.
#include "quotient_slots.hpp"
#include "quotient_wide.hpp"

#if defined(EVERBLOOM_MODERN_X86)

#include <bit>

namespace everbloom {

struct quotient_batch::wide_kernels {
    using words = kernel::wide_words;

    using numbers = std::array<std::uint64_t, most_keys>;
    using pairs = std::array<std::uint64_t, 2 * most_keys>;
    /// Keys whose lines are on the way. Bit i of a mask stands for key i. The places of key i have the numbers i and i + 32.
    struct group {
        alignas(64) pairs wanted; // in the lowest byte
        alignas(64) pairs paths;  // in the lower half
        // The window of the bucket:
        alignas(64) numbers byte;   // of the line, with which it begins
        alignas(64) numbers before; // the bits in front of it
        alignas(64) numbers single; // the bit whose number is the bucket's
        alignas(64) numbers turn;   // from the bits of the window to the bytes of items
        alignas(64) std::array<const std::uint64_t*, 2 * most_keys> at;
        // What was found in the first line:
        alignas(64) numbers bytes;     // equal ones in the bucket
        alignas(64) numbers extension; // eight bytes with that of the item with the first of them
        alignas(64) numbers shift;     // the bits in front of it there
        std::size_t count = 0;
        std::uint32_t held = 0;
        std::uint32_t missing = 0; // not in its first line; where both are looked at: listed
        bool in_both = false;      // both lines are looked at
        std::uint8_t* answers = nullptr;
    };

    EVERBLOOM_WIDE [[gnu::noinline]] static void begin(const quotient_places& where, const line_units& lines,
                                                       const kernel::wide_addresses& addresses, const digest* items,
                                                       group& keys) noexcept {
        using kernel::store8;
        const words zero{};
        const words rows = zero + where.rows_;
        const words buckets_and_tags = zero + where.buckets_and_tags_;
        const words turn = zero + where.turn_;
        const unsigned extension_bits = where.extension_bits_;
        const std::size_t count = keys.count;
        for (std::size_t i = 0; i < count; i += 8) {
            // Behind the last key there are zeros, which have lines, too.
            const kernel::wide_digests eight(items + i, count - i);
            const words bucket_and_tag = kernel::product8(eight.high >> 32, buckets_and_tags) >> 32;
            const words row = kernel::reduce8(eight.low, rows);
            const words hash = (bucket_and_tag + 1) * golden_ratio_bits;
            const words difference = kernel::reduce8(hash, rows) - row; // what is below 0 is a large number
            const words other_row = kernel::lesser8(difference, difference + rows);
            const words other_path = eight.high ^ hash >> 8;
            const words code = bucket_and_tag << quotient_spec::byte_path_bits;
            const words bucket = bucket_and_tag >> quotient_spec::tag_bits;
            const words before = bucket & ~std::uint64_t{7};
            constexpr std::uint64_t byte_path = low_mask(quotient_spec::byte_path_bits);
            store8(&keys.wanted[i], (eight.high >> extension_bits & byte_path) | code);
            store8(&keys.wanted[i + most_keys], (other_path >> extension_bits & byte_path) | code);
            store8(&keys.paths[i], eight.high);
            store8(&keys.paths[i + most_keys], other_path);
            store8(&keys.byte[i], bucket >> 3);
            store8(&keys.before[i], before);
            store8(&keys.single[i], (zero + 1) << bucket);
            store8(&keys.turn[i], before - bucket - turn);
            if (addresses.are_near()) [[likely]] {
                store8(&keys.at[i], addresses.of(row));
                store8(&keys.at[i + most_keys], addresses.of(other_row));
            } else {
                store8(&keys.at[i], row);
                store8(&keys.at[i + most_keys], other_row);
            }
        }
        if (!addresses.are_near()) [[unlikely]] {
            for (std::size_t i = 0; i < count; ++i) {
                for (const std::size_t place : {i, i + most_keys})
                    keys.at[place] = lines[reinterpret_cast<std::uintptr_t>(keys.at[place])];
            }
        }
        if (keys.in_both) {
            for (std::size_t i = 0; i < count; ++i) {
                prefetch_line(keys.at[i]);
                prefetch_line(keys.at[i + most_keys]);
            }
        } else {
            for (std::size_t i = 0; i < count; ++i) prefetch_line(keys.at[i]);
        }
    }

    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words load8(const void* from) noexcept {
        words made;
        std::memcpy(&made, __builtin_assume_aligned(from, sizeof made), sizeof made);
        return made;
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words leading_zeros(words of) noexcept {
        constexpr __mmask8 all = 0xff;
        return reinterpret_cast<words>(_mm512_maskz_lzcnt_epi64(all, reinterpret_cast<__m512i>(of)));
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
        std::uint64_t items; // the bytes of a line that are items
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

    /// Bit i: byte i of the line is that which is wanted, and that of an item.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline __mmask64 equal_items(const group& keys, std::size_t place,
                                                                              __mmask64 items) noexcept {
        return _mm512_mask_cmpeq_epi8_mask(items, _mm512_set1_epi8(static_cast<char>(keys.wanted[place])),
                                           _mm512_loadu_si512(keys.at[place]));
    }
    /// Lists the keys of which an item in one of their lines has the byte.
    EVERBLOOM_WIDE [[gnu::noinline]] static void list(const extensions& of, group& keys) noexcept {
        const std::uint64_t items = of.items;
        std::uint32_t listed = 0;
        for (std::size_t i = keys.count; i-- > 0;) {
            std::uint64_t either = equal_items(keys, i, items) | equal_items(keys, i + most_keys, items);
            // The next bit of the list: is it not 0?
            asm("negq %[either]\n\tadcl %[listed], %[listed]" : [listed] "+r"(listed), [either] "+r"(either) : : "cc");
        }
        keys.missing = listed;
    }
    /// Looks for the listed ones.
    EVERBLOOM_WIDE [[gnu::noinline]] static void look_in_both(const extensions& of, group& keys) noexcept {
        numbers bytes;
        numbers places;
        std::uint32_t listed = 0;
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left)) {
            const std::size_t i = _tzcnt_u32(left);
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
            listed |= static_cast<std::uint32_t>(found != 0) << i;
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

    EVERBLOOM_WIDE [[gnu::always_inline]] static inline __mmask8 are_not_zero(words of) noexcept {
        return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(of), reinterpret_cast<__m512i>(of));
    }
    /// Looks for all keys in their first line, and reads the extensions of what may be theirs.
    EVERBLOOM_WIDE [[gnu::noinline]] static void look_in_first(const extensions& of, group& keys) noexcept {
        const std::size_t count = keys.count;
        for (std::size_t i = 0; i < count; ++i) keys.bytes[i] = find(keys, i, i);
        const words zero{};
        const words before = zero + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(of.before)});
        const words width = zero + of.width;
        for (std::size_t i = 0; i < count; i += 8) {
            const words bytes = load8(&keys.bytes[i]) | std::uint64_t{1} << 63; // the last slot, if none was found
            const words bit = before + kernel::product8(63 - leading_zeros(bytes & -bytes), width);
            kernel::store8(&keys.shift[i], bit & 7);
            kernel::store8(&keys.extension[i], load8(&keys.at[i]) + (bit >> 3));
        }
        for (std::size_t i = 0; i < count; ++i)
            // NOLINTNEXTLINE(performance-no-int-to-ptr): eight addresses are computed in one vector
            std::memcpy(&keys.extension[i], reinterpret_cast<const void*>(keys.extension[i]), sizeof keys.extension[i]);
    }
    /// Compares these.
    EVERBLOOM_WIDE [[gnu::noinline]] static void compare_first(const extensions& of, group& keys) noexcept {
        std::uint32_t held = 0;
        std::uint32_t several = 0;
        for (std::size_t i = 0; i < keys.count; i += 8) {
            const words bytes = load8(&keys.bytes[i]);
            const words different =
                ((load8(&keys.extension[i]) >> load8(&keys.shift[i])) ^ load8(&keys.paths[i])) & std::uint64_t{of.mask};
            held |= static_cast<std::uint32_t>(are_not_zero(bytes) & ~are_not_zero(different)) << i;
            several |= std::uint32_t{are_not_zero(bytes & (bytes - 1))} << i;
        }
        const auto asked = static_cast<std::uint32_t>(low_mask(static_cast<unsigned>(keys.count)));
        // Hardly ever have two items of a bucket the same byte.
        for (several &= asked; several != 0; several = _blsr_u32(several)) {
            const std::uint32_t key = _tzcnt_u32(several);
            held |= has_any(keys.at[key], keys.bytes[key], keys.paths[key], of) << key;
        }
        keys.held = held & asked;
        keys.missing = asked & ~held;
    }
    EVERBLOOM_WIDE [[gnu::noinline]] static void prefetch_second(const group& keys) noexcept {
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left))
            prefetch_line(keys.at[_tzcnt_u32(left) + most_keys]);
    }
    EVERBLOOM_WIDE [[gnu::noinline]] static void look_in_second(const extensions& of, group& keys) noexcept {
        std::uint32_t held = keys.held;
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left)) {
            const std::uint32_t key = _tzcnt_u32(left);
            const std::uint64_t* const line = keys.at[key + most_keys];
            const std::uint64_t path = keys.paths[key + most_keys];
            std::uint64_t bytes = find(keys, key, key + most_keys);
            std::uint32_t found = has_extension(line, bytes, path, of) & static_cast<std::uint32_t>(bytes != 0);
            while ((bytes = _blsr_u64(bytes)) != 0) [[unlikely]]
                found |= has_extension(line, bytes, path, of);
            held |= found << key;
        }
        keys.held = held;
    }

    /// A byte for every bit.
    EVERBLOOM_WIDE [[gnu::noinline]] static void write(group& keys) noexcept {
        const auto asked = static_cast<__mmask32>(low_mask(static_cast<unsigned>(keys.count)));
        _mm256_mask_storeu_epi8(keys.answers, asked, _mm256_maskz_set1_epi8(keys.held, 1));
    }

    [[nodiscard]] static bool are_most(std::uint32_t keys) noexcept {
        return static_cast<std::size_t>(std::popcount(keys)) > most_keys * 2 / 3;
    }
    /// While keys are looked up, the lines of `Ahead` groups behind them are read.
    template <std::size_t Ahead>
    EVERBLOOM_WIDE static void answer(const quotient_places& where, const line_units& lines,
                                      std::span<const digest> items, std::uint8_t* answers) noexcept {
        const extensions of{where.extensions_before_, where.extension_bits_, where.extension_mask_,
                            ~std::uint64_t{0} << where.shapes_[0].first_byte};
        const kernel::wide_addresses addresses(lines, where.rows_);
        bool expects_members = false;
        std::array<group, Ahead + 2> groups;
        group* newest = &groups[0];
        group* waiting = &groups[1];
        group* looked_at = &groups[Ahead];
        group* oldest = &groups[Ahead + 1];
        while (!items.empty() || waiting->count + looked_at->count + oldest->count != 0) {
            group& fresh = *newest;
            group& first = *looked_at;
            group& second = *oldest;
            if (first.count != 0) {
                first.in_both = first.in_both && !expects_members;
                if (first.in_both) {
                    list(of, first);
                    first.in_both = !are_most(first.missing);
                }
                if (!first.in_both) {
                    look_in_first(of, first);
                    compare_first(of, first);
                }
            }
            fresh.count = std::min(items.size(), most_keys);
            fresh.answers = answers;
            fresh.in_both = !expects_members;
            begin(where, lines, addresses, items.data(), fresh);
            answers += fresh.count;
            items = items.subspan(fresh.count);
            if (first.count != 0) {
                if (first.in_both) {
                    look_in_both(of, first);
                } else {
                    prefetch_second(first);
                }
                expects_members = are_most(first.held);
            }
            if (second.count != 0) {
                if (!second.in_both) look_in_second(of, second);
                write(second);
                second.count = 0;
            }
            oldest = looked_at;
            looked_at = Ahead == 1 ? newest : waiting;
            waiting = newest;
            newest = &second;
        }
    }
};

void quotient_batch::answer_widely(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                                   std::uint8_t* answers) noexcept {
    const quotient_places copy = where; // the compiler knows that no answer changes it
    if (where.rows_ <= cached_lines) return wide_kernels::answer<1>(copy, lines, items, answers);
    wide_kernels::answer<2>(copy, lines, items, answers);
}

} // namespace everbloom

#endif
