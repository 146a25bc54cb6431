// Batches over lines: the line of the item `line_lead` places ahead is on its way while this item's line is looked at.
//
// The loop is written once and compiled twice, around the scalar and around the AVX2 pattern; the processor chooses.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/filter/kernel/line_pattern_avx2.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace everbloom::kernel {

/// How far ahead lines are fetched: measured flat from 12 to 32 on arrays from 1.5 MB to 1 GB.
inline constexpr std::size_t line_lead = 16;

/// Which instructions this processor has; a load and a test.
[[nodiscard]] inline bool has_avx2() noexcept {
#if defined(__AVX2__)
    return true;
#elif defined(EVERBLOOM_AVX2_KERNEL)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

/// The line of an item: decided by the low half of its digest; the pattern inside comes from the high half.
template <class Word>
[[nodiscard]] inline Word* line_of(Word* words, std::uint64_t lines, digest item) noexcept {
    return words + reduce(item.low, lines) * line_words;
}

inline void contains_scalar(const std::uint64_t* words, std::uint64_t lines, unsigned hashes,
                            std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
    const std::size_t count = items.size();
    for (std::size_t i = 0; i < std::min(line_lead, count); ++i) __builtin_prefetch(line_of(words, lines, items[i]));
    for (std::size_t i = 0; i < count; ++i) {
        if (i + line_lead < count) __builtin_prefetch(line_of(words, lines, items[i + line_lead]));
        answers[i] = static_cast<std::uint8_t>(line_contains(line_of(words, lines, items[i]), items[i].high, hashes));
    }
}

inline void insert_scalar(std::uint64_t* words, std::uint64_t lines, unsigned hashes,
                          std::span<const digest> items) noexcept {
    const std::size_t count = items.size();
    for (std::size_t i = 0; i < std::min(line_lead, count); ++i) __builtin_prefetch(line_of(words, lines, items[i]), 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (i + line_lead < count) __builtin_prefetch(line_of(words, lines, items[i + line_lead]), 1);
        line_insert(line_of(words, lines, items[i]), items[i].high, hashes);
    }
}

#if defined(EVERBLOOM_AVX2_KERNEL)
EVERBLOOM_AVX2 inline void contains_avx2(const std::uint64_t* words, std::uint64_t lines, unsigned hashes,
                                         std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
    const std::size_t count = items.size();
    for (std::size_t i = 0; i < std::min(line_lead, count); ++i) __builtin_prefetch(line_of(words, lines, items[i]));
    for (std::size_t i = 0; i < count; ++i) {
        if (i + line_lead < count) __builtin_prefetch(line_of(words, lines, items[i + line_lead]));
        answers[i] =
            static_cast<std::uint8_t>(line_contains_avx2(line_of(words, lines, items[i]), items[i].high, hashes));
    }
}

EVERBLOOM_AVX2 inline void insert_avx2(std::uint64_t* words, std::uint64_t lines, unsigned hashes,
                                       std::span<const digest> items) noexcept {
    const std::size_t count = items.size();
    for (std::size_t i = 0; i < std::min(line_lead, count); ++i) __builtin_prefetch(line_of(words, lines, items[i]), 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (i + line_lead < count) __builtin_prefetch(line_of(words, lines, items[i + line_lead]), 1);
        line_insert_avx2(line_of(words, lines, items[i]), items[i].high, hashes);
    }
}
#endif

} // namespace everbloom::kernel
