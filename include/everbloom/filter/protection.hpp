// Protection: makes a filter answer "surely not" for known negatives, keys on an exclusion list.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>

#include <concepts>
#include <cstdint>
#include <span>

namespace everbloom {

/// Whether protecting a known negative may lose a member.
enum class false_negatives { refused, allowed };

struct protection_options {
    false_negatives lost = false_negatives::refused;
    unsigned threads = 1;
};

/// The result.
struct protection {
    std::uint64_t negatives = 0;
    std::uint64_t false_positives_before = 0; // negatives that are false positives of the filter alone
    std::uint64_t false_positives_after = 0;
    std::uint64_t members_lost = 0; // 0 unless that was allowed

    protection& operator+=(const protection& other) noexcept {
        negatives += other.negatives;
        false_positives_before += other.false_positives_before;
        false_positives_after += other.false_positives_after;
        members_lost += other.members_lost;
        return *this;
    }
};

/// Protects the negatives, given all members of the filter.
template <class F>
concept Protectable = requires(F& filter, std::span<const digest> members, std::span<const digest> negatives,
                               const protection_options& how) {
    { protect(filter, members, negatives, how) } -> std::same_as<result<protection>>;
};

} // namespace everbloom
