#include "quotient_slots.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <immintrin.h>

#include <algorithm>
#include <bit>

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

    /// The other places of four fingerprints.
    template <table_state State>
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline located4 other4(const quotient_places& where, words row,
                                                                          words path, words bucket_and_tag) noexcept {
        const words rows = all(where.rows_);
        const words factor = _mm256_add_epi64(bucket_and_tag, all(1));
        const words hash =
            _mm256_add_epi64(_mm256_mul_epu32(factor, all(golden_ratio_bits)),
                             _mm256_slli_epi64(_mm256_mul_epu32(factor, all(golden_ratio_bits >> 32)), 32));
        const words difference = _mm256_sub_epi64(reduce4(hash, rows), row);
        const words other_row = _mm256_add_epi64(
            difference, _mm256_and_si256(rows, _mm256_cmpgt_epi64(_mm256_setzero_si256(), difference)));
        const words other_path =
            _mm256_xor_si256(path, _mm256_and_si256(_mm256_srli_epi64(hash, 8), all(where.path_mask_)));
        return place4<State>(where, other_row, other_path,
                             _mm256_slli_epi64(bucket_and_tag, quotient_spec::byte_path_bits));
    }

    template <table_state State>
    EVERBLOOM_MODERN static void locate(const quotient_places& where, const digest* items, std::size_t count,
                                        places& found) noexcept {
        const words rows = all(where.rows_);
        const words path_mask = all(where.path_mask_);
        const std::size_t whole = where.has_short_rows() ? count / 4 * 4 : 0;
        for (std::size_t i = 0; i < whole; i += 4) {
            const words front = _mm256_loadu_si256(reinterpret_cast<const words*>(items + i));
            const words back = _mm256_loadu_si256(reinterpret_cast<const words*>(items + i + 2));
            constexpr int in_order = 0xd8;
            const words low = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(front, back), in_order);
            const words high = _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(front, back), in_order);
            const words bucket_and_tag =
                _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(high, 32), all(where.buckets_and_tags_)), 32);
            const words row = reduce4(low, rows);
            const words path = _mm256_and_si256(high, path_mask);
            const words code = _mm256_slli_epi64(bucket_and_tag, quotient_spec::byte_path_bits);
            const located4 one = place4<State>(where, row, path, code);
            const located4 other = other4<State>(where, row, path, bucket_and_tag);
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

    EVERBLOOM_MODERN static void locate_others(const quotient_places& where, const std::uint64_t* line,
                                               ways& found) noexcept {
        alignas(32) std::array<std::uint64_t, most_ways> paths;
        alignas(32) std::array<std::uint64_t, most_ways> buckets_and_tags;
        const line_shape& of = where.shape_of(found.from);
        const std::uint64_t row = found.from % where.rows_;
        const std::uint64_t start = found.from / where.rows_;
        const unsigned level = where.level_ + (where.is_ahead(found.from) ? 1 : 0);
        const unsigned byte_shift = std::max(level, where.extension_bits_);
        for (std::size_t i = 0; i < found.count; ++i) {
            const unsigned slot = found.slots[i];
            const std::uint64_t byte = reinterpret_cast<const std::uint8_t*>(line)[of.first_byte + slot];
            const std::uint64_t extension = kernel::extension_in(line, of.extensions_at, of.extension_bits, slot);
            paths[i] = start | extension << level | (byte & low_mask(quotient_spec::byte_path_bits)) << byte_shift;
            buckets_and_tags[i] =
                std::uint64_t{found.buckets[i]} << quotient_spec::tag_bits | byte >> quotient_spec::byte_path_bits;
        }
        for (std::size_t i = 0; i < found.count; i += 4) {
            const located4 other =
                other4<table_state::growing>(where, all(row), _mm256_load_si256(reinterpret_cast<words*>(&paths[i])),
                                             _mm256_load_si256(reinterpret_cast<words*>(&buckets_and_tags[i])));
            _mm256_store_si256(reinterpret_cast<words*>(&found.lines[i]), other.lines);
            _mm256_store_si256(reinterpret_cast<words*>(&found.stored[i]), other.stored);
        }
    }

    /// What is needed of a shape, in registers.
    struct shape {
        unsigned first_byte;
        unsigned extensions_before; // of the slot that the first byte of the line would have; modulo 2^32
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
        static shape of(const line_shape& of) noexcept {
            return {of.first_byte, of.extensions_at - of.first_byte * of.extension_bits, of.extension_bits};
        }
        shape of_[2];

    public:
        /// The bytes of all lines are in the 32 from here on, and in the last 32.
        unsigned first_bytes;
        /// Nearly all keys of the last group were in their first line: then to look for bytes first does not save anything.
        bool expects_members = false;
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

    /// 1 if the lowest byte of `stored` is among the bytes of the line, and rarely if it is not; else 0.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint32_t
    has_byte(const std::uint64_t* line, std::uint64_t stored, unsigned first_bytes) noexcept {
        const words wanted = lowest_byte_of(stored);
        const words equal = _mm256_or_si256(_mm256_cmpeq_epi8(load(line, first_bytes), wanted),
                                            _mm256_cmpeq_epi8(load(line, 32), wanted));
        return mask_of(equal) != 0 ? 1 : 0;
    }

    /// Which bytes of the line are that of `stored`, and of items in its bucket.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint64_t
    find(const std::uint64_t* line, std::uint64_t stored, const shape& of) noexcept {
        const words wanted = lowest_byte_of(stored);
        const std::uint64_t low = mask_of(_mm256_cmpeq_epi8(load(line, 0), wanted));
        const std::uint64_t high = mask_of(_mm256_cmpeq_epi8(load(line, 32), wanted));
        return (high << 32 | low) & kernel::bytes_of(line, static_cast<unsigned>(stored >> 8 & 0xff), of.first_byte);
    }
    /// 1 if any of these items has the extension of `stored`, else 0.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint32_t
    has_any(const std::uint64_t* line, std::uint64_t bytes, std::uint64_t stored, const shape& of) noexcept {
        // Of no byte, what is read is behind the last extension. Hardly ever have two items of a bucket the same byte.
        std::uint32_t found = has_extension(line, bytes, stored, of) & static_cast<std::uint32_t>(bytes != 0);
        while ((bytes = _blsr_u64(bytes)) != 0) [[unlikely]]
            found |= has_extension(line, bytes, stored, of);
        return found;
    }
    /// 1 if the item with the first of these bytes has the extension of `stored`, else 0.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint32_t
    has_extension(const std::uint64_t* line, std::uint64_t bytes, std::uint64_t stored, const shape& of) noexcept {
        // Where the extension of an item begins whose byte would be the first one of the line.
        const unsigned bit = of.extensions_before + static_cast<unsigned>(_tzcnt_u64(bytes)) * of.extension_bits;
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(line) + bit / 8, sizeof word);
        return _bzhi_u64(word >> bit % 8, of.extension_bits) == stored >> 32 ? 1 : 0;
    }

    /// Keys whose lines are on the way. Bit i of a mask stands for key i: a list would be written to places that depend on what was found
    /// just before, for which the processor would wait.
    struct group {
        std::size_t count = 0;
        std::uint32_t held = 0;
        std::uint32_t missing = 0; // not in its first line
        bool is_listed = false;    // `held` are those that may be in their first line
        std::uint8_t* answers = nullptr;
        places found;
        std::array<const std::uint64_t*, most_keys> at; // the first line, then the second one if that is needed
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

    /// Which of the listed keys are held by the lines `keys.at`, as items with the numbers from `first` on. Few are.
    template <table_state State>
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline std::uint32_t
    held_among(std::uint32_t listed, const shapes<State>& shape_of, const group& keys, std::size_t first) noexcept {
        std::uint32_t held = 0;
        for (; listed != 0; listed = _blsr_u32(listed)) {
            const std::uint32_t key = _tzcnt_u32(listed);
            const std::uint64_t stored = keys.found.stored[key + first];
            const std::uint64_t bytes = find(keys.at[key], stored, shape_of[stored]);
            if (bytes != 0) held |= has_any(keys.at[key], bytes, stored, shape_of[stored]) << key;
        }
        return held;
    }

    /// Looks for all keys in their first line; where no members are expected, lists those that may be there. Two short loops: as one, it has
    /// more instructions in a row for a key than a processor can hold of several keys until they can be executed.
    template <table_state State>
    EVERBLOOM_MODERN [[gnu::noinline]] static void look_in_first(const shapes<State>& shape_of, group& keys) noexcept {
        keys.held = 0;
        keys.is_listed = !shape_of.expects_members;
        if (keys.is_listed) {
            const unsigned first_bytes = shape_of.first_bytes;
            for (std::size_t i = keys.count; i-- > 0;)
                keys.held = 2 * keys.held + has_byte(keys.at[i], keys.found.stored[i], first_bytes);
            return;
        }
        std::array<std::uint64_t, most_keys> bytes;
        for (std::size_t i = 0; i < keys.count; ++i)
            bytes[i] = find(keys.at[i], keys.found.stored[i], shape_of[keys.found.stored[i]]);
        for (std::size_t i = keys.count; i-- > 0;) {
            const std::uint64_t stored = keys.found.stored[i];
            keys.held = 2 * keys.held + has_any(keys.at[i], bytes[i], stored, shape_of[stored]);
        }
    }
    /// Looks for the listed ones, and prefetches the second lines of those that are not in the first.
    template <table_state State>
    EVERBLOOM_MODERN [[gnu::noinline]] static void go_on(const line_units& lines, shapes<State>& shape_of,
                                                         group& keys) noexcept {
        if (keys.is_listed) keys.held = held_among(keys.held, shape_of, keys, 0);
        keys.missing = static_cast<std::uint32_t>(low_mask(static_cast<unsigned>(keys.count))) & ~keys.held;
        shape_of.expects_members = static_cast<std::size_t>(std::popcount(keys.missing)) <= most_keys / 3;
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left)) {
            const std::size_t key = _tzcnt_u32(left);
            keys.at[key] = lines[keys.found.lines[key + most_keys]];
            prefetch_line(keys.at[key]);
        }
    }

    template <table_state State>
    EVERBLOOM_MODERN [[gnu::noinline]] static void look_in_second(const shapes<State>& shape_of, group& keys) noexcept {
        std::uint32_t listed = 0;
        const unsigned first_bytes = shape_of.first_bytes;
        for (std::uint32_t left = keys.missing; left != 0; left = _blsr_u32(left)) {
            const std::uint32_t key = _tzcnt_u32(left);
            listed |= has_byte(keys.at[key], keys.found.stored[key + most_keys], first_bytes) << key;
        }
        write(keys.held | held_among(listed, shape_of, keys, most_keys), keys);
        keys.count = 0;
    }

    /// A byte for every bit.
    EVERBLOOM_MODERN [[gnu::always_inline]] static inline void write(std::uint32_t held, const group& keys) noexcept {
        // The byte of the mask that has the bit, then the bit.
        const words bytes =
            _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(held)),
                                _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
        const words bits = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
        const words all = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bits), bits);
        const words answers = _mm256_and_si256(all, _mm256_set1_epi8(1));
        if (keys.count == most_keys) {
            _mm256_storeu_si256(reinterpret_cast<words*>(keys.answers), answers);
        } else {
            alignas(32) std::array<std::uint8_t, most_keys> some;
            _mm256_store_si256(reinterpret_cast<words*>(some.data()), answers);
            std::memcpy(keys.answers, some.data(), keys.count);
        }
    }

    /// While keys are looked up, the lines of `Ahead` groups behind them are read. What depends on a branch on what was found comes after the
    /// next keys have been located: until it is known whether the guess was right, there is that to do.
    template <table_state State, std::size_t Ahead>
    EVERBLOOM_MODERN static void answer(const quotient_places& where, const line_units& lines,
                                        std::span<const digest> items, std::uint8_t* answers) noexcept {
        shapes<State> shape_of(where);
        std::array<group, Ahead + 2> groups;
        group* newest = &groups[0];
        group* waiting = &groups[1];
        group* looked_at = &groups[Ahead];
        group* oldest = &groups[Ahead + 1];
        while (!items.empty() || waiting->count + looked_at->count + oldest->count != 0) {
            if (looked_at->count != 0) look_in_first<State>(shape_of, *looked_at);
            newest->count = std::min(items.size(), most_keys);
            newest->answers = answers;
            begin<State>(where, lines, items.data(), *newest);
            answers += newest->count;
            items = items.subspan(newest->count);
            if (looked_at->count != 0) go_on<State>(lines, shape_of, *looked_at);
            if (oldest->count != 0) look_in_second<State>(shape_of, *oldest);
            group* const free = oldest;
            oldest = looked_at;
            looked_at = Ahead == 1 ? newest : waiting;
            waiting = newest;
            newest = free;
        }
    }
    template <table_state State>
    static void answer(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                       std::uint8_t* answers) noexcept {
        const quotient_places copy = where; // the compiler knows that no answer changes it
        if (where.ahead_lines() <= cached_lines) return answer<State, 1>(copy, lines, items, answers);
        answer<State, 2>(copy, lines, items, answers);
    }
};

void quotient_batch::locate_others(const quotient_places& where, const std::uint64_t* line, ways& found) noexcept {
    kernels::locate_others(where, line, found);
}

void quotient_batch::locate(const quotient_places& where, std::span<const digest> items, places& found) noexcept {
    if (where.is_resting()) return kernels::locate<table_state::resting>(where, items.data(), items.size(), found);
    kernels::locate<table_state::growing>(where, items.data(), items.size(), found);
}

void quotient_batch::answer(const quotient_places& where, const line_units& lines, std::span<const digest> items,
                            std::uint8_t* answers) noexcept {
    if (where.is_resting()) return kernels::answer<table_state::resting>(where, lines, items, answers);
    kernels::answer<table_state::growing>(where, lines, items, answers);
}

} // namespace everbloom

#endif
