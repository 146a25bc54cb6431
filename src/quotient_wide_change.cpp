// Changes of many keys on processors with AVX-512 and its instructions for bytes (VBMI2), in lines with at most 64 buckets.
//
// The steps are those of src/quotient_change.cpp, in three quarters of the instructions. Eight keys are located at a time, with the window of their bucket
// (src/quotient_wide.cpp), which is the same in both of their lines. A line is one vector: one instruction puts a byte between its bytes, or
// takes one out, and two shift the bits of a field across its words by an item. No branch depends on which line an item goes to.
#include "quotient_wide_change.hpp"

#if defined(EVERBLOOM_MODERN_X86)

#include <bit>

namespace everbloom {

struct quotient_batch::wide_changes::kernels {
    using words = kernel::wide_words;

    struct located8 {
        words lines;
        words stored;
    };
    /// quotient_places::place_of, of eight keys.
    template <table_state State>
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline located8 place8(const quotient_places& where, words row,
                                                                        words path, words code) noexcept {
        const words extension = path & std::uint64_t{where.extension_mask_};
        if constexpr (State == table_state::resting) {
            return {row, code | path >> where.extension_bits_ | extension << 32};
        } else {
            const words base = row + kernel::product8(path & std::uint64_t{where.level_mask_}, words{} + where.rows_);
            const auto ahead = reinterpret_cast<words>(base < where.frontier_); // all bits of those
            const words is_new = (words{} - (path >> where.level_ & 1)) & ahead;
            const words byte = path >> (where.byte_shift_ + (ahead & std::uint64_t{where.byte_steps_}));
            return {base + (is_new & where.ahead_lines_),
                    code | byte | (ahead & std::uint64_t{1} << 16) | extension >> (where.level_ - ahead) << 32};
        }
    }

    template <table_state State>
    EVERBLOOM_WIDE static void start(const quotient_places& where, const writable_line_units& lines,
                                     const digest* items, group& keys) noexcept {
        const kernel::wide_addresses addresses(lines, where.ahead_lines_ + where.frontier_);
        const words zero{};
        const words rows = zero + where.rows_;
        const words buckets_and_tags = zero + where.buckets_and_tags_;
        const words path_mask = zero + where.path_mask_;
        const std::size_t count = keys.count;
        for (std::size_t i = 0; i < count; i += 8) {
            const kernel::wide_digests eight(items + i, count - i);
            const words bucket_and_tag = kernel::product8(eight.high >> 32, buckets_and_tags) >> 32;
            const words row = kernel::reduce8(eight.low, rows);
            const words path = eight.high & path_mask;
            const words hash = (bucket_and_tag + 1) * golden_ratio_bits;
            const words difference = kernel::reduce8(hash, rows) - row; // what is below 0 is a large number
            const words code = bucket_and_tag << quotient_spec::byte_path_bits;
            const words bucket = bucket_and_tag >> quotient_spec::tag_bits;
            const located8 one = place8<State>(where, row, path, code);
            const located8 other = place8<State>(where, kernel::lesser8(difference, difference + rows),
                                                 path ^ (hash >> 8 & path_mask), code);
            kernel::store8(&keys.found.lines[i], one.lines);
            kernel::store8(&keys.found.lines[i + most_keys], other.lines);
            kernel::store8(&keys.found.stored[i], one.stored);
            kernel::store8(&keys.found.stored[i + most_keys], other.stored);
            kernel::store8(&keys.windows[byte][i], bucket >> 3);
            kernel::store8(&keys.windows[single][i], (zero + 1) << bucket);
            kernel::store8(&keys.windows[turn][i], (bucket & ~std::uint64_t{7}) - bucket);
            if (addresses.are_near()) [[likely]] {
                kernel::store8(&keys.at[i], addresses.of(one.lines));
                kernel::store8(&keys.at[i + most_keys], addresses.of(other.lines));
            }
        }
        if (!addresses.are_near()) [[unlikely]] {
            for (std::size_t i = 0; i < count; ++i) {
                for (const std::size_t place : {i, i + most_keys}) keys.at[place] = lines[keys.found.lines[place]];
            }
        }
        for (std::size_t i = 0; i < count; ++i) prefetch_line(keys.at[i]);
    }

    /// What is needed of a shape.
    struct shape {
        words ends;
        words extensions;
        words width;
        // The last end is the highest bit of eight bytes from here on that is set when they are shifted.
        std::uint32_t last_ends;
        std::uint32_t last_ends_shift;
        std::uint32_t ample_room;
        std::uint32_t first_byte;
        std::uint32_t extensions_at;
        std::uint32_t extension_bits;

        EVERBLOOM_WIDE [[gnu::always_inline]] explicit inline shape(const line_shape& of) noexcept
            : ends(kernel::load8(0x0f, of.field_of_ends.data())),
              extensions(kernel::load8(0xff, of.field_of_extensions.data())), width(words{} + of.extension_bits),
              last_ends(of.extensions_at > 64 ? (of.extensions_at + 7) / 8 - 8 : 0),
              last_ends_shift(8 * last_ends + 64 - of.extensions_at), ample_room(of.ample_room),
              first_byte(of.first_byte), extensions_at(of.extensions_at), extension_bits(of.extension_bits) {}

        [[nodiscard, gnu::always_inline]] std::uint64_t room_in(const std::uint64_t* line) const noexcept {
            std::uint64_t unused = 0;
            std::memcpy(&unused, reinterpret_cast<const char*>(line) + last_ends, sizeof unused);
            unused <<= last_ends_shift & 63;
            asm("lzcntq %0, %0" : "+r"(unused) : : "cc");
            return unused;
        }
    };
    /// Those of lines that are not ahead, and of those that are.
    template <table_state State>
    struct shapes {
        EVERBLOOM_WIDE [[gnu::always_inline]] explicit inline shapes(const quotient_places& where) noexcept
            : of{shape(where.shapes_[0]), shape(where.shapes_[State == table_state::resting ? 0 : 1])} {}
        [[nodiscard, gnu::always_inline]] const shape& operator[](std::uint64_t stored) const noexcept {
            return of[State == table_state::resting ? 0 : stored >> 16 & 1];
        }
        shape of[2];
    };

    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words all(std::uint64_t word) noexcept {
        return words{} + word;
    }
    /// Bits of the words of a line that are in front of each of them.
    static constexpr words in_front = {0, 64, 128, 192, 256, 320, 384, 448};
    /// By how much a number must be shifted in each word to begin at the bit `at`; below 0 where it would begin before.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words shifts_to(std::uint64_t at) noexcept {
        return all(at) - in_front;
    }
    /// The bits from there on.
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words bits_from(words shifts) noexcept {
        constexpr __mmask8 every = 0xff;
        const auto start = _mm512_maskz_max_epi64(every, reinterpret_cast<__m512i>(shifts), __m512i{});
        return reinterpret_cast<words>(
            _mm512_maskz_sllv_epi64(every, reinterpret_cast<__m512i>(all(~std::uint64_t{0})), start));
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words shifted_up(words number, words by) noexcept {
        return reinterpret_cast<words>(
            _mm512_maskz_sllv_epi64(0xff, reinterpret_cast<__m512i>(number), reinterpret_cast<__m512i>(by)));
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words shifted_down(words number, words by) noexcept {
        return reinterpret_cast<words>(
            _mm512_maskz_srlv_epi64(0xff, reinterpret_cast<__m512i>(number), reinterpret_cast<__m512i>(by)));
    }
    /// A line as one number, shifted up.
    EVERBLOOM_WIDE_CHANGE [[gnu::always_inline]] static inline words line_up(words line, words by) noexcept {
        const words below = __builtin_shufflevector(words{}, line, 7, 8, 9, 10, 11, 12, 13, 14);
        return reinterpret_cast<words>(_mm512_shldv_epi64(
            reinterpret_cast<__m512i>(line), reinterpret_cast<__m512i>(below), reinterpret_cast<__m512i>(by)));
    }
    EVERBLOOM_WIDE_CHANGE [[gnu::always_inline]] static inline words line_down(words line, words by) noexcept {
        const words above = __builtin_shufflevector(line, words{}, 1, 2, 3, 4, 5, 6, 7, 8);
        return reinterpret_cast<words>(_mm512_shrdv_epi64(
            reinterpret_cast<__m512i>(line), reinterpret_cast<__m512i>(above), reinterpret_cast<__m512i>(by)));
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline words load_line(const std::uint64_t* line) noexcept {
        words made;
        std::memcpy(&made, line, sizeof made);
        return made;
    }

    /// quotient_line::insert: an item with this byte of the line, and this end.
    EVERBLOOM_WIDE_CHANGE [[gnu::always_inline]] static inline void insert_item(std::uint64_t* line, const shape& of,
                                                                                std::uint64_t byte, std::uint64_t end,
                                                                                std::uint64_t stored) noexcept {
        const words before = load_line(line);
        const words item = all(stored);
        const __mmask64 others = ~(std::uint64_t{1} << byte);
        const auto bytes = reinterpret_cast<words>(_mm512_mask_expand_epi8(_mm512_set1_epi8(static_cast<char>(stored)),
                                                                           others, reinterpret_cast<__m512i>(before)));
        const words ends = before & of.ends & bits_from(shifts_to(end));
        const words place = shifts_to(of.extensions_at + (byte - of.first_byte) * of.extension_bits);
        const words extensions = before & of.extensions & bits_from(place);
        const words extension = item >> 32;
        store_line(line, bytes ^ ends ^ line_up(ends, all(1)) ^ extensions ^ line_up(extensions, of.width) ^
                             (shifted_up(extension, place) | shifted_down(extension, words{} - place)));
    }
    EVERBLOOM_WIDE [[gnu::always_inline]] static inline void store_line(std::uint64_t* line, words made) noexcept {
        std::memcpy(line, &made, sizeof made);
    }
    /// quotient_line::erase, in the same way.
    EVERBLOOM_WIDE_CHANGE [[gnu::always_inline]] static inline void
    erase_item(std::uint64_t* line, const shape& of, std::uint64_t byte, std::uint64_t number) noexcept {
        const words before = load_line(line);
        const __mmask64 others = ~(std::uint64_t{1} << byte);
        const auto bytes =
            reinterpret_cast<words>(_mm512_maskz_compress_epi8(others, reinterpret_cast<__m512i>(before)));
        const std::uint64_t slot = byte - of.first_byte;
        const words ends = before & of.ends & bits_from(shifts_to(slot + number + 1));
        const words from = bits_from(shifts_to(of.extensions_at + slot * of.extension_bits));
        const words extensions = before & of.extensions & from;
        store_line(line,
                   bytes ^ ends ^ line_down(ends, all(1)) ^ extensions ^ (line_down(extensions, of.width) & from));
    }

    /// The end with which the bucket of a key starts, in the window of its bucket.
    struct window {
        std::uint64_t ends;
        std::uint64_t start;
        EVERBLOOM_WIDE [[gnu::always_inline]] inline window(const group& keys, std::size_t key,
                                                            const std::uint64_t* line) noexcept {
            const std::uint64_t first = keys.windows[byte][key];
            std::memcpy(&ends, reinterpret_cast<const char*>(line) + first, sizeof ends);
            const auto ones =
                static_cast<unsigned>(__builtin_popcountll(_bzhi_u64(line[0], static_cast<unsigned>(8 * first))));
            start = _pdep_u64(keys.windows[single][key] >> ones % 64, ends);
        }
    };

    EVERBLOOM_WIDE_CHANGE static void put(std::uint64_t* line, const line_shape& of, std::uint64_t stored) noexcept {
        const auto number = static_cast<unsigned>(stored >> 8 & 0xff);
        std::uint64_t ends = 0;
        std::memcpy(&ends, reinterpret_cast<const char*>(line) + number / 8, sizeof ends);
        const auto ones = static_cast<unsigned>(__builtin_popcountll(_bzhi_u64(line[0], number & ~7U)));
        const std::uint64_t start = _pdep_u64(std::uint64_t{1} << ((number - ones) & 63), ends);
        const std::uint64_t bit = _tzcnt_u64(start) + (number & ~7U);
        insert_item(line, shape(of), bit - number + of.first_byte, bit + 1, stored);
    }

    template <table_state State>
    EVERBLOOM_WIDE_CHANGE static std::size_t insert(const quotient_places& where, const group& keys, std::size_t key,
                                                    std::size_t end) noexcept {
        const shapes<State> shape_of(where);
        for (; key < end; ++key) {
            std::uint64_t* line = keys.at[key];
            std::uint64_t stored = keys.found.stored[key];
            std::uint64_t* const other_line = keys.at[key + most_keys];
            const std::uint64_t other = keys.found.stored[key + most_keys];
            const shape& first = shape_of[stored];
            const std::uint64_t room = first.room_in(line);
            std::uint64_t other_room = shape_of[other].room_in(other_line);
            // Which one it is, is as good as random: it is chosen without a branch.
            asm("cmpq %[room], %[ample]\n\t"
                "cmovbq %[none], %[other_room]\n\t"
                "cmpq %[other_room], %[room]\n\t"
                "cmovbq %[other_line], %[line]\n\t"
                "cmovbq %[other], %[stored]"
                : [line] "+&r"(line), [stored] "+&r"(stored), [other_room] "+&r"(other_room)
                : [room] "r"(room), [ample] "r"(std::uint64_t{first.ample_room}), [none] "r"(std::uint64_t{0}),
                  [other_line] "r"(other_line), [other] "r"(other)
                : "cc");
            if ((room | other_room) == 0) return key;
            const window there(keys, key, line);
            // Four items and more of a bucket: no end in the four bits behind its start.
            if ((there.ends & 30 * there.start) == 0) return key;
            const auto bit = static_cast<std::uint64_t>(_tzcnt_u64(there.start));
            const shape& of = shape_of[stored];
            insert_item(line, of, bit + keys.windows[turn][key] + of.first_byte, bit + 8 * keys.windows[byte][key] + 1,
                        stored);
        }
        return key;
    }

    /// Takes an item of a key out of one of its lines, if it is there.
    template <table_state State>
    EVERBLOOM_WIDE_CHANGE [[gnu::always_inline]] static inline bool
    erase_at(const shapes<State>& shape_of, const group& keys, std::size_t key, std::size_t place) noexcept {
        std::uint64_t* const line = keys.at[place];
        const std::uint64_t stored = keys.found.stored[place];
        const shape& of = shape_of[stored];
        const window there(keys, key, line);
        const std::uint64_t items = ~there.ends & ~(~there.ends + 2 * there.start);
        const std::uint64_t bytes = items << ((keys.windows[turn][key] + of.first_byte - 1) % 64);
        std::uint64_t found =
            _mm512_mask_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(stored)), _mm512_loadu_si512(line));
        for (; found != 0; found = _blsr_u64(found)) {
            const auto byte = static_cast<std::uint64_t>(_tzcnt_u64(found));
            const std::uint64_t bit = of.extensions_at + (byte - of.first_byte) * of.extension_bits;
            std::uint64_t word = 0;
            std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
            if (_bzhi_u64(word >> bit % 8, of.extension_bits) != stored >> 32) [[unlikely]]
                continue;
            erase_item(line, of, byte, stored >> 8 & 0xff);
            return true;
        }
        return false;
    }
    template <table_state State>
    EVERBLOOM_WIDE_CHANGE static std::size_t erase(const quotient_places& where, const group& keys, std::size_t key,
                                                   std::size_t end) noexcept {
        const shapes<State> shape_of(where);
        for (; key < end; ++key) {
            const std::size_t likely = key + (keys.second >> key & 1) * most_keys;
            if (!erase_at(shape_of, keys, key, likely) && !erase_at(shape_of, keys, key, likely ^ most_keys)) break;
        }
        return key;
    }

    EVERBLOOM_WIDE static void look_to_erase(const quotient_places& where, group& keys) noexcept {
        const std::uint64_t items = ~std::uint64_t{0}
                                    << std::min(where.shapes_[0].first_byte, where.shapes_[1].first_byte);
        std::uint32_t second = 0;
        for (std::size_t key = keys.count; key-- > 0;) {
            const std::uint64_t equal = _mm512_cmpeq_epi8_mask(
                _mm512_set1_epi8(static_cast<char>(keys.found.stored[key])), _mm512_loadu_si512(keys.at[key]));
            second = 2 * second + ((equal & items) == 0 ? 1 : 0);
        }
        keys.second = second;
        for (; second != 0; second = _blsr_u32(second)) prefetch_line(keys.at[_tzcnt_u32(second) + most_keys]);
    }

private:
    // The windows of a group.
    static constexpr std::size_t byte = 0;   // of the line, with which it begins
    static constexpr std::size_t single = 1; // the bit whose number is the bucket's
    static constexpr std::size_t turn = 2;   // from the bits of the window to the slots of items
};

void quotient_batch::wide_changes::start(const quotient_places& where, const writable_line_units& lines,
                                         const digest* items, group& keys) noexcept {
    if (where.is_resting()) return kernels::start<table_state::resting>(where, lines, items, keys);
    kernels::start<table_state::growing>(where, lines, items, keys);
}
std::size_t quotient_batch::wide_changes::insert(const quotient_places& where, const group& keys, std::size_t key,
                                                 std::size_t end) noexcept {
    if (where.is_resting()) return kernels::insert<table_state::resting>(where, keys, key, end);
    return kernels::insert<table_state::growing>(where, keys, key, end);
}
std::size_t quotient_batch::wide_changes::erase(const quotient_places& where, const group& keys, std::size_t key,
                                                std::size_t end) noexcept {
    if (where.is_resting()) return kernels::erase<table_state::resting>(where, keys, key, end);
    return kernels::erase<table_state::growing>(where, keys, key, end);
}
void quotient_batch::wide_changes::put(std::uint64_t* line, const line_shape& shape, std::uint64_t stored) noexcept {
    kernels::put(line, shape, stored);
}
void quotient_batch::wide_changes::look_to_erase(const quotient_places& where, group& keys) noexcept {
    kernels::look_to_erase(where, keys);
}

} // namespace everbloom

#endif
