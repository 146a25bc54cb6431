// Lines that one thread writes to while others read them.
//
// To the language a plain read beside a write is an error, whatever the processor makes of it. So words are read and written as wholes, by
// atomic operations; with AVX2, half a line at a time, in assembler, which the language does not look into. A vector may arrive in pieces, but
// every bit of it is that from before the write or from behind it, and a bit that a member needs is there in both.
#pragma once

#include <everbloom/filter/kernel/line_batch.hpp>

#include <cstring>

namespace everbloom::kernel {

[[nodiscard]] inline bool shared_contains_scalar(const std::uint64_t* line, std::uint64_t hash,
                                                 unsigned hashes) noexcept {
    const line_mask pattern = line_pattern(hash, hashes);
    std::uint64_t missing = 0;
    for (unsigned i = 0; i < line_words; ++i) missing |= pattern[i] & ~__atomic_load_n(line + i, __ATOMIC_RELAXED);
    return missing == 0;
}

/// Sets the bits of a mask. There is one writer, so loading and storing apart loses nothing.
inline void shared_unite_scalar(std::uint64_t* line, const line_mask& with) noexcept {
    for (unsigned i = 0; i < line_words; ++i) {
        if (with[i] != 0) __atomic_store_n(line + i, line[i] | with[i], __ATOMIC_RELAXED);
    }
}
inline void shared_replace_scalar(std::uint64_t* line, const line_mask& by) noexcept {
    for (unsigned i = 0; i < line_words; ++i) __atomic_store_n(line + i, by[i], __ATOMIC_RELAXED);
}

#if defined(EVERBLOOM_AVX2_KERNEL)
/// A line as it is now.
struct line_in_registers {
    eight_units halves[2];
};
EVERBLOOM_AVX2 [[nodiscard, gnu::always_inline]] inline line_in_registers
load_shared_avx2(const std::uint64_t* line) noexcept {
    const auto* halves = reinterpret_cast<const half_line*>(line);
    line_in_registers now;
    asm("vmovdqa %1, %0" : "=x"(now.halves[0]) : "m"(halves[0]));
    asm("vmovdqa %1, %0" : "=x"(now.halves[1]) : "m"(halves[1]));
    return now;
}
EVERBLOOM_AVX2 [[gnu::always_inline]] inline void store_shared_avx2(std::uint64_t* line,
                                                                    const line_in_registers& by) noexcept {
    auto* halves = reinterpret_cast<half_line*>(line);
    asm("vmovdqa %1, %0" : "=m"(halves[0]) : "x"(by.halves[0]));
    asm("vmovdqa %1, %0" : "=m"(halves[1]) : "x"(by.halves[1]));
}

EVERBLOOM_AVX2 [[nodiscard]] inline bool shared_contains_avx2(const std::uint64_t* line, std::uint64_t hash,
                                                              unsigned hashes) noexcept {
    const line_in_registers now = load_shared_avx2(line);
    if (hashes == lanes) return covers_avx2(now.halves, all_lanes_avx2(hash));
    if (hashes < lanes) return covers_avx2(now.halves, run_avx2(hash, hashes));
    return covers_avx2(now.halves, all_lanes_avx2(hash)) &&
           covers_avx2(now.halves, run_avx2(second_hash(hash), hashes - lanes));
}
EVERBLOOM_AVX2 inline void shared_insert_avx2(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
    line_in_registers now = load_shared_avx2(line);
    if (hashes < lanes) {
        set_avx2(now.halves, run_avx2(hash, hashes));
    } else {
        set_avx2(now.halves, all_lanes_avx2(hash));
        if (hashes > lanes) set_avx2(now.halves, run_avx2(second_hash(hash), hashes - lanes));
    }
    store_shared_avx2(line, now);
}
EVERBLOOM_AVX2 inline void shared_unite_avx2(std::uint64_t* line, const line_mask& with) noexcept {
    line_in_registers now = load_shared_avx2(line);
    line_in_registers more;
    std::memcpy(&more, with.data(), sizeof more);
    now.halves[0] |= more.halves[0];
    now.halves[1] |= more.halves[1];
    store_shared_avx2(line, now);
}
EVERBLOOM_AVX2 inline void shared_replace_avx2(std::uint64_t* line, const line_mask& by) noexcept {
    line_in_registers now;
    std::memcpy(&now, by.data(), sizeof now);
    store_shared_avx2(line, now);
}
template <class Lines>
EVERBLOOM_AVX2 void shared_contains_avx2(const Lines& array, std::span<const digest> items,
                                         std::span<std::uint8_t> answers) noexcept {
    std::uint8_t* const out = answers.data();
    const unsigned hashes = array.hashes;
    for_each_line(array, items,
                  [out, hashes](std::size_t i, const std::uint64_t* line, std::uint64_t hash) EVERBLOOM_AVX2_LAMBDA {
                      out[i] = static_cast<std::uint8_t>(shared_contains_avx2(line, hash, hashes));
                  });
}
#endif

/// Whether a line has the bits of a pattern.
[[nodiscard]] inline bool shared_contains(const std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return shared_contains_avx2(line, hash, hashes);
#endif
    return shared_contains_scalar(line, hash, hashes);
}
/// The same for many; `Lines` as in line_batch.hpp.
template <class Lines>
void shared_contains(const Lines& array, std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return shared_contains_avx2(array, items, answers);
#endif
    const unsigned hashes = array.hashes;
    for_each_line(array, items, [&](std::size_t i, const std::uint64_t* line, std::uint64_t hash) {
        answers[i] = static_cast<std::uint8_t>(shared_contains_scalar(line, hash, hashes));
    });
}

/// Sets the bits of a pattern.
inline void shared_insert(std::uint64_t* line, std::uint64_t hash, unsigned hashes) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return shared_insert_avx2(line, hash, hashes);
#endif
    shared_unite_scalar(line, line_pattern(hash, hashes));
}
/// Sets the bits of a mask.
inline void shared_unite(std::uint64_t* line, const line_mask& with) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return shared_unite_avx2(line, with);
#endif
    shared_unite_scalar(line, with);
}
/// Writes a mask in the place of the line.
inline void shared_replace(std::uint64_t* line, const line_mask& by) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
    if (has_avx2()) return shared_replace_avx2(line, by);
#endif
    shared_replace_scalar(line, by);
}

} // namespace everbloom::kernel
