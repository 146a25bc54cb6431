// Batches over lines: while the items of one group are examined, the lines of the next are found and prefetched.
//
// Line and pattern hash of an item are computed once and remembered until it is its turn, so that the digests may come from anywhere: from an
// array, or from a hash function that is inlined here (core/digests_on_demand.hpp) and whose results never go through memory in between.
//
// The loop is written once and compiled for each kernel, scalar and AVX2, and
// within each for eight hashes, the design point, and for any other number; the
// processor and the spec choose, once per batch.
#pragma once

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/filter/kernel/line_pattern_avx2.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace everbloom::kernel {

/// How far ahead lines are prefetched: in an array that the second-level cache nearly holds, and in others. With 64 in place of 32 batches of
/// 256 in 13 MB take 72 % of the time, and in 1.3 MB 5 % more: the first and the last ones of a batch are not overlapped.
inline constexpr std::size_t near_lead = 32;
inline constexpr std::size_t line_lead = 64;
inline constexpr std::uint64_t near_lines = 2 * 1024 * 1024 / line_bytes;

/// Whether this processor has AVX2 and BMI2; a load and a test.
[[nodiscard]] inline bool has_avx2() noexcept {
#if defined(__AVX2__) && defined(__BMI2__)
    return true;
#elif defined(EVERBLOOM_AVX2_KERNEL)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
    return false;
#endif
}

/// The lines of a filter, as the kernels see them: where the line of an item is, and the hash behind its pattern. Read-only kernels
/// take any type of this shape.
template <class Word>
struct line_array {
    Word* words;
    std::uint64_t lines;
    unsigned hashes;

    /// The line of an item: decided by the low half of its digest; the pattern
    /// inside comes from the high half.
    [[nodiscard]] Word* line_of(digest item) const noexcept { return words + reduce(item.low, lines) * line_words; }
    [[nodiscard]] static std::uint64_t hash_of(digest item) noexcept { return item.high; }
};

/// Calls `act(index, line, hash)` for every item. `Items` has `size()` and `[]`, which gives a digest. Always inlined, so that the loop is
/// compiled for the instruction set of the enclosing function.
///
/// Groups instead of a ring: the places have constant addresses within the inner loop, which saves a tenth of the time.
template <class Lines, class Items, class Act>
[[gnu::always_inline]] inline void for_each_line(const Lines& given, const Items& wanted, Act act) noexcept {
    const Lines array = given; // copies that nothing else can change, so that they stay in registers
    const Items items = wanted;
#if defined(EVERBLOOM_SMALL)
    for (std::size_t i = 0; i < items.size(); ++i) act(i, array.line_of(items[i]), array.hash_of(items[i]));
#else
    struct place {
        decltype(array.line_of(digest{})) line;
        std::uint64_t hash;
    };
    std::array<place, line_lead> on_their_way; // of the group that begins at `first`
    const auto send_for = [&](std::size_t slot, std::size_t index) __attribute__((always_inline)) {
        const digest item = items[index];
        on_their_way[slot] = {array.line_of(item), array.hash_of(item)};
        prefetch_line(on_their_way[slot].line);
    };
    const std::size_t count = items.size();
    std::size_t lead = near_lead;
    if constexpr (requires { array.lines; }) {
        if (array.lines > near_lines) lead = line_lead;
    }
    const std::size_t group = std::min(lead, count);
    for (std::size_t j = 0; j < group; ++j) send_for(j, j);
    std::size_t first = 0;
    for (; count - first >= 2 * lead; first += lead) {
        for (std::size_t j = 0; j < lead; ++j) {
            const place now = on_their_way[j];
            send_for(j, first + lead + j);
            act(first + j, now.line, now.hash);
        }
    }
    // The last whole group, with the rest behind it on its way.
    const std::size_t rest = count - first - group;
    for (std::size_t j = 0; j < group; ++j) {
        const place now = on_their_way[j];
        if (j < rest) send_for(j, first + group + j);
        act(first + j, now.line, now.hash);
    }
    for (std::size_t j = 0; j < rest; ++j) act(first + group + j, on_their_way[j].line, on_their_way[j].hash);
#endif
}

template <class Lines, class Items>
void contains_scalar(const Lines& array, const Items& items, std::span<std::uint8_t> answers) noexcept {
    for_each_line(array, items, [&](std::size_t i, const std::uint64_t* line, std::uint64_t hash) {
        answers[i] = static_cast<std::uint8_t>(line_contains(line, hash, array.hashes));
    });
}

template <class Items>
void insert_scalar(const line_array<std::uint64_t>& array, const Items& items) noexcept {
    for_each_line(array, items,
                  [&](std::size_t, std::uint64_t* line, std::uint64_t hash) { line_insert(line, hash, array.hashes); });
}

/// Notes the lanes in which the patterns of `others` have the bit of the pattern of `hash`; `hash_of` makes a hash of each of them.
template <class HashOf>
void note_shared_scalar(shared_lanes& shared, std::uint64_t hash, std::span<const std::uint64_t> others,
                        unsigned hashes, HashOf hash_of) noexcept {
    for (const std::uint64_t one : others) {
        const std::uint64_t other = hash_of(one);
        const lane_choice& chosen = lane_runs[hashes][run_start(other)];
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if (six_bits(other, lane) == six_bits(hash, lane)) shared.unit[lane] |= chosen.unit[lane];
        }
    }
}

#if defined(EVERBLOOM_AVX2_KERNEL)
template <class HashOf>
EVERBLOOM_AVX2 void note_shared_avx2(shared_lanes& shared, std::uint64_t hash, std::span<const std::uint64_t> others,
                                     unsigned hashes, HashOf hash_of) noexcept {
    const eight_units wanted = all_lanes_avx2(hash).halves >> 26;
    eight_units found = *reinterpret_cast<const eight_units*>(shared.unit.data());
    if (hashes == lanes) {
        for (const std::uint64_t one : others) {
            found |= reinterpret_cast<eight_units>(all_lanes_avx2(hash_of(one)).halves >> 26 == wanted);
        }
    } else {
        for (const std::uint64_t one : others) {
            const std::uint64_t other = hash_of(one);
            const auto* run = reinterpret_cast<const eight_units*>(lane_runs[hashes][run_start(other)].unit.data());
            found |= reinterpret_cast<eight_units>(all_lanes_avx2(other).halves >> 26 == wanted) & *run;
        }
    }
    *reinterpret_cast<eight_units*>(shared.unit.data()) = found;
}
EVERBLOOM_AVX2 inline void unshared_avx2(line_mask& aligned, std::uint64_t hash, unsigned hashes,
                                         const shared_lanes& shared) noexcept {
    lane_pattern_avx2 pattern = run_avx2(hash, hashes);
    pattern.bits &= ~*reinterpret_cast<const eight_units*>(shared.unit.data());
    set_avx2(reinterpret_cast<eight_units*>(aligned.data()), pattern);
}

template <class Lines, class Items>
EVERBLOOM_AVX2 void contains_avx2(const Lines& array, const Items& items, std::span<std::uint8_t> answers) noexcept {
    std::uint8_t* const out = answers.data();
    if (array.hashes == lanes) {
        return for_each_line(array, items,
                             [out](std::size_t i, const std::uint64_t* line, std::uint64_t hash) EVERBLOOM_AVX2_LAMBDA {
                                 out[i] = static_cast<std::uint8_t>(line_contains_avx2(line, hash, lanes));
                             });
    }
    const unsigned hashes = array.hashes;
    for_each_line(array, items,
                  [out, hashes](std::size_t i, const std::uint64_t* line, std::uint64_t hash) EVERBLOOM_AVX2_LAMBDA {
                      out[i] = static_cast<std::uint8_t>(line_contains_avx2(line, hash, hashes));
                  });
}

/// The union of many patterns, into a line that is aligned and empty.
EVERBLOOM_AVX2 inline void unite_avx2(std::uint64_t* line, std::span<const std::uint64_t> all,
                                      unsigned hashes) noexcept {
    if (hashes == lanes) {
        for (const std::uint64_t hash : all) line_insert_avx2(line, hash, lanes);
    } else {
        for (const std::uint64_t hash : all) line_insert_avx2(line, hash, hashes);
    }
}

template <class HashOf>
EVERBLOOM_AVX2 std::size_t unite_up_to_avx2(line_mask& aligned, std::span<const std::uint64_t> all, std::uint64_t last,
                                            unsigned hashes, HashOf hash_of) noexcept {
    auto* const line = reinterpret_cast<eight_units*>(aligned.data());
    std::size_t count = 0;
    if (hashes != lanes) {
        for (; count < all.size() && all[count] <= last; ++count) {
            line_insert_avx2(aligned.data(), hash_of(all[count]), hashes);
        }
        return count;
    }
    // In registers: through memory each pattern would wait for the one before.
    eight_units first = line[0];
    eight_units second = line[1];
    for (; count < all.size() && all[count] <= last; ++count) {
        const lane_pattern_avx2 pattern = all_lanes_avx2(hash_of(all[count]));
        const auto is_second = reinterpret_cast<eight_units>(reinterpret_cast<eight_signed>(pattern.halves) >> 31);
        first |= pattern.bits & ~is_second;
        second |= pattern.bits & is_second;
    }
    line[0] = first;
    line[1] = second;
    return count;
}

template <class Items>
EVERBLOOM_AVX2 void insert_avx2(const line_array<std::uint64_t>& array, const Items& items) noexcept {
    const unsigned hashes = array.hashes;
    if (hashes == lanes) {
        return for_each_line(array, items,
                             [](std::size_t, std::uint64_t* line, std::uint64_t hash)
                                 EVERBLOOM_AVX2_LAMBDA { line_insert_avx2(line, hash, lanes); });
    }
    for_each_line(array, items, [hashes](std::size_t, std::uint64_t* line, std::uint64_t hash) EVERBLOOM_AVX2_LAMBDA {
        line_insert_avx2(line, hash, hashes);
    });
}
#endif

/// Whether single operations on patterns of `hashes` bits are in line: eight of them, on a processor with AVX2. A filter asks once and keeps
/// the answer: the question costs half as much as a query.
[[nodiscard]] inline bool is_in_line(unsigned hashes) noexcept { return hashes == lanes && has_avx2(); }

/// Single operations, only where is_in_line.
[[nodiscard, gnu::always_inline]] inline bool contains_in_line(const std::uint64_t* line, std::uint64_t hash) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    return line_contains_inline(line, hash);
#else
    return line_contains(line, hash, lanes);
#endif
}
/// The same for loops over single keys (line_contains_in_register).
[[nodiscard, gnu::always_inline]] inline bool contains_in_register(const std::uint64_t* line,
                                                                   std::uint64_t hash) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    return line_contains_in_register(line, hash);
#else
    return line_contains(line, hash, lanes);
#endif
}
[[gnu::always_inline]] inline void insert_in_line(std::uint64_t* line, std::uint64_t hash) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    line_insert_inline(line, hash);
#else
    line_insert(line, hash, lanes);
#endif
}

/// One key, with the best code of this processor. `in_line` is is_in_line(hashes).
[[nodiscard, gnu::always_inline]] inline bool contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes,
                                                       bool in_line) noexcept {
    if (in_line) [[likely]]
        return contains_in_line(line, hash);
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return line_contains_avx2(line, hash, hashes);
#endif
    return line_contains(line, hash, hashes);
}
[[gnu::always_inline]] inline void insert(std::uint64_t* line, std::uint64_t hash, unsigned hashes,
                                          bool in_line) noexcept {
    if (in_line) [[likely]]
        return insert_in_line(line, hash);
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return line_insert_avx2(line, hash, hashes);
#endif
    line_insert(line, hash, hashes);
}
/// The same where nothing is kept.
[[nodiscard]] inline bool contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    return contains(line, hash, hashes, is_in_line(hashes));
}
inline void insert(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    insert(line, hash, hashes, is_in_line(hashes));
}

/// Answers a batch with the best code of this processor.
template <class Lines, class Items>
void contains(const Lines& lines, const Items& items, std::span<std::uint8_t> answers) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return contains_avx2(lines, items, answers);
#endif
    contains_scalar(lines, items, answers);
}

/// Inserts a batch with the best code of this processor.
template <class Items>
void insert(const line_array<std::uint64_t>& lines, const Items& items) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return insert_avx2(lines, items);
#endif
    insert_scalar(lines, items);
}

/// For patterns of at most eight bits.
template <class HashOf>
void note_shared(shared_lanes& shared, std::uint64_t hash, std::span<const std::uint64_t> others, unsigned hashes,
                 HashOf hash_of) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return note_shared_avx2(shared, hash, others, hashes, hash_of);
#endif
    note_shared_scalar(shared, hash, others, hashes, hash_of);
}

/// The bits of a pattern of at most eight that no other one has.
[[nodiscard]] inline line_mask unshared(std::uint64_t hash, unsigned hashes, const shared_lanes& shared) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) {
        alignas(line_bytes) line_mask bits{};
        unshared_avx2(bits, hash, hashes, shared);
        return bits;
    }
#endif
    return unshared_scalar(hash, hashes, shared);
}

inline void unite(std::uint64_t* line, std::span<const std::uint64_t> all, unsigned hashes) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return unite_avx2(line, all, hashes);
#endif
    for (const std::uint64_t hash : all) line_insert(line, hash, hashes);
}

/// Unites the patterns of the first of many numbers in ascending order, up to `last`, and returns how many they are; `hash_of` makes a hash of
/// each of them. The line is aligned.
template <class HashOf>
[[nodiscard]] std::size_t unite_up_to(line_mask& aligned, std::span<const std::uint64_t> all, std::uint64_t last,
                                      unsigned hashes, HashOf hash_of) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return unite_up_to_avx2(aligned, all, last, hashes, hash_of);
#endif
    std::size_t count = 0;
    for (; count < all.size() && all[count] <= last; ++count) line_insert(aligned.data(), hash_of(all[count]), hashes);
    return count;
}

} // namespace everbloom::kernel
