// A guard: a no-filter in front of any filter, for known negatives that the filter takes for members.
//
// A key whose bits are all set in the guard is no member, whatever the filter says: the no-filter of [Carrea16], for filters whose
// members are not at hand. There, nobody can check that no member is covered; so a guard is kept sparse and takes many positions per
// key, until the chance that it covers any one of all the members is below 1e-9. That costs about 90 bits per false positive, of
// which there are few. Whoever has the members at hand gets a yes_no filter for a third of it.
//
// A key that is inserted later and covered by the guard is let pass: one of its bits is cleared, and some known negatives may come
// back.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/probe/positions.hpp>

#include <cstdint>
#include <span>

namespace everbloom {

struct guard_size {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;

    static constexpr std::uint64_t most_bits = std::uint64_t{1} << 40;
    /// Keys that come later must be as safe as those that are in the filter now: up to so many times as many.
    static constexpr double room_to_grow = 16;

    /// Room for so many false positives of a filter with so many members.
    [[nodiscard]] static guard_size for_keys(std::uint64_t false_positives, double members) noexcept;
    [[nodiscard]] result<void> check() const;
    [[nodiscard]] std::uint64_t lines() const noexcept;
};

class guard {
public:
    // What was moved away leaves a guard that vetoes nobody.
    guard(guard&& other) noexcept;
    guard& operator=(guard&& other) noexcept;
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() = default;

    [[nodiscard]] static result<guard> make(const guard_size& size);
    /// Over the words of a file; they are checked first.
    [[nodiscard]] static result<guard> assemble(const guard_size& size, heap_words words);
    [[nodiscard]] static result<guard> assemble(const guard_size& size, const_words words);

    [[nodiscard]] const guard_size& size() const noexcept { return size_; }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

    [[nodiscard]] bool vetoes(digest item) const noexcept;
    /// Share of all keys that it vetoes.
    [[nodiscard]] double vetoed_share() const noexcept;

    // These need words of its own; with those of a mapped file, or none, they do nothing.
    void veto(digest item) noexcept;
    void let_pass(digest item) noexcept;
    void clear() noexcept;

private:
    guard(const guard_size& size, heap_words words) noexcept;
    guard(const guard_size& size, const_words words) noexcept;
    [[nodiscard]] probing places() const noexcept;
    [[nodiscard]] result<void> check_words() const;

    guard_size size_;
    heap_words own_;
    const_words mapped_;
    std::span<const std::uint64_t> words_;
};

} // namespace everbloom
