// Batches over lines: the cache line of the item `line_lead` places ahead is
// prefetched while this item's line is examined.
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

/// How far ahead lines are prefetched. Measured on an array of 13 MB: 8 ahead 88
/// M/s, 16 ahead 121, 24 ahead 128, 32 ahead 144, 48 ahead 145; on smaller
/// arrays it makes no difference.
inline constexpr std::size_t line_lead = 32;

/// Whether this processor has AVX2; a load and a test.
[[nodiscard]] inline bool has_avx2() noexcept {
#if defined(__AVX2__)
    return true;
#elif defined(EVERBLOOM_AVX2_KERNEL)
    return __builtin_cpu_supports("avx2") != 0;
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

// Always inlined, so that the loop is compiled for the instruction set of the
// enclosing function.
template <class Lines, class Act>
[[gnu::always_inline]] inline void for_each_line(const Lines& given, std::span<const digest> items, Act act) noexcept {
    const Lines array = given; // a copy that nothing else can change, so that it stays in registers
    const std::size_t count = items.size();
    const std::size_t ahead = std::min(line_lead, count);
    if constexpr (requires { requires Lines::lines_are_costly; }) {
        // Where finding a line takes longer than remembering it.
        std::array<decltype(array.line_of(items[0])), line_lead> on_their_way;
        for (std::size_t i = 0; i < ahead; ++i) prefetch_line(on_their_way[i] = array.line_of(items[i]));
        for (std::size_t i = 0; i < count; ++i) {
            auto& place = on_their_way[i % line_lead];
            const auto line = place;
            if (i + line_lead < count) prefetch_line(place = array.line_of(items[i + line_lead]));
            act(i, line, array.hash_of(items[i]));
        }
        return;
    }
    for (std::size_t i = 0; i < ahead; ++i) prefetch_line(array.line_of(items[i]));
    const std::size_t steady = count - ahead;
    for (std::size_t i = 0; i < steady; ++i) {
        prefetch_line(array.line_of(items[i + line_lead]));
        act(i, array.line_of(items[i]), array.hash_of(items[i]));
    }
    for (std::size_t i = steady; i < count; ++i) act(i, array.line_of(items[i]), array.hash_of(items[i]));
}

template <class Lines>
void contains_scalar(const Lines& array, std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
    for_each_line(array, items, [&](std::size_t i, const std::uint64_t* line, std::uint64_t hash) {
        answers[i] = static_cast<std::uint8_t>(line_contains(line, hash, array.hashes));
    });
}

inline void insert_scalar(const line_array<std::uint64_t>& array, std::span<const digest> items) noexcept {
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

template <class Lines>
EVERBLOOM_AVX2 void contains_avx2(const Lines& array, std::span<const digest> items,
                                  std::span<std::uint8_t> answers) noexcept {
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

EVERBLOOM_AVX2 inline void insert_avx2(const line_array<std::uint64_t>& array, std::span<const digest> items) noexcept {
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

/// One key, with the best code of this processor.
[[nodiscard]] inline bool contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return line_contains_avx2(line, hash, hashes);
#endif
    return line_contains(line, hash, hashes);
}
inline void insert(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return line_insert_avx2(line, hash, hashes);
#endif
    line_insert(line, hash, hashes);
}

/// Answers a batch with the best code of this processor.
template <class Lines>
void contains(const Lines& lines, std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return contains_avx2(lines, items, answers);
#endif
    contains_scalar(lines, items, answers);
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

} // namespace everbloom::kernel
