#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <algorithm>

namespace everbloom {

struct quotient_batch::kernels {
    using words = __m256i;

    EVERBLOOM_MODERN [[gnu::always_inline]] static inline words all(std::uint64_t word) noexcept {
        return _mm256_set1_epi64x(static_cast<long long>(word));
    }

    EVERBLOOM_MODERN [[gnu::always_inline]] static inline words shift(words word, unsigned by) noexcept {
        return _mm256_srl_epi64(word, _mm_cvtsi32_si128(static_cast<int>(by)));
    }

    /// `reduce` of each of four words, for ranges below 2^32.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline words reduce4(words hash, words range) noexcept {
        const words low = _mm256_srli_epi64(_mm256_mul_epu32(hash, range), 32);
        const words high = _mm256_mul_epu32(_mm256_srli_epi64(hash, 32), range);
        return _mm256_srli_epi64(_mm256_add_epi64(low, high), 32);
    }

    struct located4 {
        words lines;
        words stored;
    };

    /// quotient_places::place_of, of four keys.
    template <table_state State>
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline located4 place4(const quotient_places& where, words row,
                                                                          words path, words code) noexcept {
        const words extension = _mm256_and_si256(path, all(where.extension_mask_));
        if constexpr (State == table_state::resting) {
            const words byte = shift(path, where.extension_bits_);
            return {row, _mm256_or_si256(_mm256_or_si256(code, byte), _mm256_slli_epi64(extension, 32))};
        } else {
            const words level = _mm256_and_si256(path, all(where.level_mask_));
            const words base = _mm256_add_epi64(row, _mm256_mul_epu32(level, all(where.rows_)));
            const words ahead = _mm256_cmpgt_epi64(all(where.frontier_), base); // -1 for those
            const words next = shift(path, where.level_);
            const words is_new =
                _mm256_and_si256(_mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(next, all(1))), ahead);
            const words line = _mm256_add_epi64(base, _mm256_and_si256(is_new, all(where.ahead_lines_)));
            const words kept = _mm256_srlv_epi64(extension, _mm256_sub_epi64(all(where.level_), ahead));
            const words byte = _mm256_srlv_epi64(
                path, _mm256_sub_epi64(all(where.byte_shift_),
                                       _mm256_and_si256(ahead, all(0 - std::uint64_t{where.byte_steps_}))));
            const words is_ahead = _mm256_and_si256(ahead, all(1 << 16));
            return {line, _mm256_or_si256(_mm256_or_si256(_mm256_or_si256(code, byte), is_ahead),
                                          _mm256_slli_epi64(kept, 32))};
        }
    }

    template <table_state State>
    EVERBLOOM_MODERN static void locate(const quotient_places& where, const digest* items, std::size_t count,
                                        places& found) noexcept {
        const words rows = all(where.rows_);
        const words path_mask = all(where.path_mask_);
        const std::size_t whole = where.rows_ >> 32 == 0 ? count / 4 * 4 : 0;
        for (std::size_t i = 0; i < whole; i += 4) {
            const words front = _mm256_loadu_si256(reinterpret_cast<const words*>(items + i));
            const words back = _mm256_loadu_si256(reinterpret_cast<const words*>(items + i + 2));
            constexpr int in_order = 0xd8;
            const words low = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(front, back), in_order);
            const words high = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(front, back), in_order);
            const words bucket_and_tag =
                _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(high, 32), all(where.buckets_and_tags_)), 32);
            const words factor = _mm256_add_epi64(bucket_and_tag, all(1));
            const words hash =
                _mm256_add_epi64(_mm256_mul_epu32(factor, all(golden_ratio_bits)),
                                 _mm256_slli_epi64(_mm256_mul_epu32(factor, all(golden_ratio_bits >> 32)), 32));
            const words row = reduce4(low, rows);
            const words difference = _mm256_sub_epi64(reduce4(hash, rows), row);
            const words other_row = _mm256_add_epi64(
                difference, _mm256_and_si256(rows, _mm256_cmpgt_epi64(_mm256_setzero_si256(), difference)));
            const words path = _mm256_and_si256(high, path_mask);
            const words other_path = _mm256_xor_si256(path, _mm256_and_si256(_mm256_srli_epi64(hash, 8), path_mask));
            const words code = _mm256_slli_epi64(bucket_and_tag, quotient_spec::byte_path_bits);
            const located4 one = place4<State>(where, row, path, code);
            const located4 other = place4<State>(where, other_row, other_path, code);
            _mm256_store_si256(reinterpret_cast<words*>(&found.lines[i]), one.lines);
            _mm256_store_si256(reinterpret_cast<words*>(&found.stored[i]), one.stored);
            _mm256_store_si256(reinterpret_cast<words*>(&found.lines[i + most_keys]), other.lines);
            _mm256_store_si256(reinterpret_cast<words*>(&found.stored[i + most_keys]), other.stored);
        }
        for (std::size_t i = whole; i < count; ++i) {
            const auto [one, other] = where.locate_packed<State>(items[i]);
            found.put(i, one);
            found.put(i + most_keys, other);
        }
    }

    /// What is needed of a shape, in registers.
    struct shape {
        unsigned first_byte;
        unsigned extensions_at;
        unsigned extension_bits;
    };
    template <table_state State>
    struct shapes {
        explicit shapes(const quotient_places& where) noexcept
            : of_{of(where.shape(0)), of(where.shape(1))}, first_bytes(where.half_of_bytes_) {}
        [[nodiscard, gnu::always_inline]] const shape& operator[](std::uint64_t stored) const noexcept {
            return of_[State == table_state::resting ? 0 : stored >> 16 & 1];
        }

    private:
        static shape of(const line_shape& of) noexcept { return {of.first_byte, of.extensions_at, of.extension_bits}; }
        shape of_[2];

    public:
        /// The bytes of all lines are in the 32 from here on, and in the last 32.
        unsigned first_bytes;
    };

    EVERBLOOM_MODERN [[gnu::always_inline]] static inline words load(const std::uint64_t* line,
                                                                     unsigned byte) noexcept {
        return _mm256_loadu_si256(reinterpret_cast<const words*>(reinterpret_cast<const char*>(line) + byte));
    }
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint32_t mask_of(words bytes) noexcept {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
    }
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline words lowest_byte_of(std::uint64_t stored) noexcept {
        return _mm256_set1_epi8(static_cast<char>(stored));
    }

    /// Not 0 if the lowest byte of `stored` is among the bytes of the line, and rarely if it is not.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint32_t
    has_byte(const std::uint64_t* line, std::uint64_t stored, unsigned first_bytes) noexcept {
        const words wanted = lowest_byte_of(stored);
        return mask_of(_mm256_or_si256(_mm256_cmpeq_epi8(load(line, first_bytes), wanted),
                                       _mm256_cmpeq_epi8(load(line, 32), wanted)));
    }

    /// Is an item with the byte of `stored` in its bucket, and has its extension?
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint8_t
    holds(const std::uint64_t* line, std::uint64_t stored, const shape& of) noexcept {
        const words wanted = lowest_byte_of(stored);
        const std::uint64_t low = mask_of(_mm256_cmpeq_epi8(load(line, 0), wanted));
        const std::uint64_t high = mask_of(_mm256_cmpeq_epi8(load(line, 32), wanted));
        const auto number = static_cast<unsigned>(stored >> 8 & 0xff);
        const unsigned at = kernel::pdep_select::position(line[0], line[1], number) + 1;
        std::uint64_t ends = 0;
        std::memcpy(&ends, reinterpret_cast<const char*>(line) + at / 8, sizeof ends);
        const unsigned first = at - number - 1;
        std::uint64_t slots =
            _bzhi_u64((high << 32 | low) >> of.first_byte >> first, static_cast<unsigned>(_tzcnt_u64(ends >> at % 8)));
        std::uint8_t found = 0;
        for (; slots != 0; slots = _blsr_u64(slots)) {
            const unsigned bit =
                of.extensions_at + (first + static_cast<unsigned>(_tzcnt_u64(slots))) * of.extension_bits;
            std::uint64_t word = 0;
            std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
            found |= static_cast<std::uint8_t>(_bzhi_u64(word >> bit % 8, of.extension_bits) == stored >> 32);
        }
        return found;
    }

    /// One key in one of its lines.
    template <table_state State, class Lines>
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline bool
    holds_at(const quotient_places& where, const Lines& lines, const packed_place& place) noexcept {
        const std::uint64_t* const line = lines[place.line];
        if (has_byte(line, place.stored, where.half_of_bytes_) == 0) return false;
        const line_shape& of = where.shape(State == table_state::resting ? 0 : place.is_ahead());
        return holds(line, place.stored, {of.first_byte, of.extensions_at, of.extension_bits}) != 0;
    }
    template <table_state State, class Lines>
    EVERBLOOM_MODERN [[gnu::noinline]] static bool holds_in_other(const quotient_places& where, Lines lines,
                                                                  digest item) noexcept {
        return holds_at<State>(where, lines, where.locate_other<State>(item));
    }

    /// Keys whose lines are on the way.
    struct group {
        std::size_t count = 0;
        std::uint32_t missing = 0; // bit i: key i was not in its first line
        std::uint8_t* answers = nullptr;
        places found;
        std::array<const std::uint64_t*, most_keys> at; // the first line, then the second one if that is needed
        alignas(32) std::array<std::uint8_t, most_keys> is_held;
    };

    template <table_state State>
    EVERBLOOM_MODERN [[gnu::noinline]] static void begin(const quotient_places& where, const line_units& lines,
                                                         const digest* items, group& keys) noexcept {
        locate<State>(where, items, keys.count, keys.found);
        for (std::size_t i = 0; i < keys.count; ++i) {
            keys.at[i] = lines[keys.found.lines[i]];
            prefetch_line(keys.at[i]);
        }
    }

    template <table_state State>
    EVERBLOOM_MODERN [[gnu::noinline]] static void look_in_first(const line_units& lines, const shapes<State>& shape_of,
                                                                 group& keys) noexcept {
        std::array<std::uint32_t, most_keys> listed;
        std::size_t count = 0;
        const unsigned first_bytes = shape_of.first_bytes;
        for (std::size_t i = 0; i < keys.count; ++i) {
            listed[count] = static_cast<std::uint32_t>(i);
            count += has_byte(keys.at[i], keys.found.stored[i], first_bytes) != 0 ? 1 : 0;
        }
        const auto held = reinterpret_cast<words*>(keys.is_held.data());
        _mm256_store_si256(held, _mm256_setzero_si256());
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t key = listed[i];
            const std::uint64_t stored = keys.found.stored[key];
            keys.is_held[key] = holds(keys.at[key], stored, shape_of[stored]);
        }
        keys.missing = mask_of(_mm256_cmpeq_epi8(_mm256_load_si256(held), _mm256_setzero_si256())) &
                       static_cast<std::uint32_t>(low_mask(static_cast<unsigned>(keys.count)));
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left)) {
            const std::size_t key = _tzcnt_u32(left);
            keys.at[key] = lines[keys.found.lines[key + most_keys]];
            prefetch_line(keys.at[key]);
        }
    }

    template <table_state State>
    EVERBLOOM_MODERN [[gnu::noinline]] static void look_in_second(const shapes<State>& shape_of, group& keys) noexcept {
        std::array<std::uint32_t, most_keys> listed;
        std::size_t count = 0;
        const unsigned first_bytes = shape_of.first_bytes;
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left)) {
            const std::uint32_t key = _tzcnt_u32(left);
            listed[count] = key;
            count += has_byte(keys.at[key], keys.found.stored[key + most_keys], first_bytes) != 0 ? 1 : 0;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t key = listed[i];
            const std::uint64_t stored = keys.found.stored[key + most_keys];
            keys.is_held[key] = holds(keys.at[key], stored, shape_of[stored]);
        }
        std::memcpy(keys.answers, keys.is_held.data(), keys.count);
        keys.count = 0;
    }

    template <table_state State>
    EVERBLOOM_MODERN static void answer(const quotient_places& where, const line_units& lines,
                                        std::span<const digest> items, std::uint8_t* answers) noexcept {
        const shapes<State> shape_of(where);
        // While one is looked up, the lines of two others are read.
        std::array<group, 3> groups;
        group* first = groups.data();
        group* second = first + 1;
        group* third = second + 1;
        while (!items.empty() || second->count != 0 || third->count != 0) {
            first->count = std::min(items.size(), most_keys);
            first->answers = answers;
            begin<State>(where, lines, items.data(), *first);
            answers += first->count;
            items = items.subspan(first->count);
            if (second->count != 0) look_in_first<State>(lines, shape_of, *second);
            if (third->count != 0) look_in_second<State>(shape_of, *third);
            group* const free = third;
            third = second;
            second = first;
            first = free;
        }
    }
};

template <table_state State, class Lines>
EVERBLOOM_MODERN bool quotient_batch::holds(const quotient_places& where, Lines lines, digest item) noexcept {
    // Most members are in their first line; the other one is not even computed for them.
    return kernels::holds_at<State>(where, lines, where.locate_first<State>(item)) ||
           kernels::holds_in_other<State>(where, lines, item);
}
using chunked_lines = lines_in_units<const std::uint64_t>;
template bool quotient_batch::holds<table_state::resting>(const quotient_places&, chunked_lines, digest) noexcept;
template bool quotient_batch::holds<table_state::growing>(const quotient_places&, chunked_lines, digest) noexcept;
template bool quotient_batch::holds<table_state::resting>(const quotient_places&, lines_in_view, digest) noexcept;
template bool quotient_batch::holds<table_state::growing>(const quotient_places&, lines_in_view, digest) noexcept;

void quotient_batch::locate(const quotient_places& where, std::span<const digest> items, places& found) noexcept {
    if (where.is_resting()) return kernels::locate<table_state::resting>(where, items.data(), items.size(), found);
    kernels::locate<table_state::growing>(where, items.data(), items.size(), found);
}

void quotient_batch::answer(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                            std::uint8_t* answers) noexcept {
    const quotient_places copy = where; // the compiler knows that no answer changes it
    if (where.is_resting()) return kernels::answer<table_state::resting>(copy, lines, items, answers);
    kernels::answer<table_state::growing>(copy, lines, items, answers);
}

} // namespace everbloom

#endif
