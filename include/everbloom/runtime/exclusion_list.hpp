// exclusion list: an exclusion list in front of any filter, a no-filter for known negatives that are its false positives.
//
// A key whose bits are all set in the exclusion list is no member, whatever the filter answers: the no-filter of [Carrea16], for filters whose
// members are not available. Whether a member is covered cannot be checked there; so a exclusion list is kept sparse and uses many hash
// functions, until the chance that it covers any of all the members is below 1e-9. That costs about 90 bits per false positive, of
// which there are few. If the members are available, a yes_no filter needs a third of that.
//
// A key that is inserted later and covered by the exclusion list is let pass: one of its bits is cleared, and some known negatives may be false
// positives again.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/probe/positions.hpp>

#include <cstdint>
#include <span>

namespace everbloom {

struct exclusion_list_size {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;

    static constexpr std::uint64_t most_bits = std::uint64_t{1} << 40;
    /// Keys inserted later must be as safe as the present ones: up to this many times the present number.
    static constexpr double room_to_grow = 16;

    /// The size for `false_positives` entries in front of a filter with `members` members.
    [[nodiscard]] static exclusion_list_size for_keys(std::uint64_t false_positives, double members) noexcept;
    [[nodiscard]] result<void> check() const;
    [[nodiscard]] std::uint64_t lines() const noexcept;
};

class exclusion_list {
public:
    // A moved-from exclusion list vetoes no key.
    exclusion_list(exclusion_list&& other) noexcept;
    exclusion_list& operator=(exclusion_list&& other) noexcept;
    exclusion_list(const exclusion_list&) = delete;
    exclusion_list& operator=(const exclusion_list&) = delete;
    ~exclusion_list() = default;

    [[nodiscard]] static result<exclusion_list> make(const exclusion_list_size& size);
    /// Over the words of a file; they are checked first.
    [[nodiscard]] static result<exclusion_list> assemble(const exclusion_list_size& size, heap_words words);
    [[nodiscard]] static result<exclusion_list> assemble(const exclusion_list_size& size, const_words words);

    /// A copy with words of its own.
    [[nodiscard]] result<exclusion_list> copy() const;

    [[nodiscard]] const exclusion_list_size& size() const noexcept { return size_; }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

    [[nodiscard]] bool vetoes(digest item) const noexcept;
    /// Share of all keys that it vetoes.
    [[nodiscard]] double vetoed_share() const noexcept;

    // These need words of its own; with those of a mapped file, or none, they do nothing.
    void veto(digest item) noexcept;
    void let_pass(digest item) noexcept;
    void clear() noexcept;

private:
    exclusion_list(const exclusion_list_size& size, heap_words words) noexcept;
    exclusion_list(const exclusion_list_size& size, const_words words) noexcept;
    [[nodiscard]] probing places() const noexcept;
    [[nodiscard]] result<void> check_words() const;

    exclusion_list_size size_;
    heap_words own_;
    const_words mapped_;
    std::span<const std::uint64_t> words_;
};

} // namespace everbloom
