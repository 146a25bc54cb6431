// The geometry of a yes-no filter: one yes-filter and r no-filters, once per part of the hash space, and how they are built.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/spec.hpp>

namespace everbloom {

/// How false positives are assigned to no-filters. Written to files: a number is never given a second meaning.
enum class yes_no_assignment : std::uint64_t { first_fit = 0, best_fit = 1, search = 2 };

inline constexpr std::array<std::string_view, 3> yes_no_assignment_words{"first-fit", "best", "search"};

struct yes_no_spec {
    std::uint64_t yes_bits = 0;
    std::uint64_t yes_hashes = 4;
    std::uint64_t no_filters = 2;
    std::uint64_t no_bits = 32;
    std::uint64_t no_hashes = 3;
    std::uint64_t parts = 1;
    std::uint64_t bits = 0;
    std::uint64_t negatives = 0;
    std::uint64_t assign = static_cast<std::uint64_t>(yes_no_assignment::search);
    std::uint64_t seeds = 1;
    // In small arrays the regular steps of double hashing raise the FPR; the papers assume ideal hash functions anyway.
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::independent);

    static constexpr std::uint64_t most_no_filters = 64; // the no-filters of one position are one machine word
    static constexpr std::uint64_t most_no_bits = std::uint64_t{1} << 40;
    static constexpr std::uint64_t most_parts = std::uint64_t{1} << 40;
    static constexpr std::uint64_t seed_bits = 8;
    static constexpr std::uint64_t most_seeds = std::uint64_t{1} << seed_bits;

    [[nodiscard]] static constexpr std::array<spec_field<yes_no_spec>, 11> fields() noexcept {
        using field = spec_field<yes_no_spec>;
        using self = yes_no_spec;
        return {
            field{"yes_bits", &self::yes_bits, 1, max_structure_bits, "bits of the yes-filter (of each part)"},
            field{"yes_hashes", &self::yes_hashes, 1, max_hashes, "hash functions per key (k) in the yes-filter"},
            field{"no_filters", &self::no_filters, 0, most_no_filters,
                  "number of no-filters (of each part); 0: a plain Bloom filter"},
            field{"no_bits", &self::no_bits, 1, most_no_bits, "bits of one no-filter"},
            field{"no_hashes", &self::no_hashes, 1, max_hashes, "hash functions per key (k) in each no-filter"},
            field{"parts", &self::parts, 1, most_parts, "partitions of the hash space, each a separate yes-no filter"},
            field{"bits", &self::bits, 0, max_structure_bits,
                  "size of the whole structure in bits (0: follows from the other parameters)"},
            field{"negatives", &self::negatives, 0, max_structure_bits, "number of known negatives to size for"},
            field{"assign", &self::assign, 0, yes_no_assignment_words.size() - 1,
                  "how known negatives are assigned to no-filters", yes_no_assignment_words},
            field{"seeds", &self::seeds, 1, most_seeds, "hash seeds to try; the best is kept (in each part)"},
            probe_field<self>()};
    }

    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (bits != 0 && bits != structure_bits()) {
            return fail(failure_reason::bad_parameter,
                        "bits is " + std::to_string(bits) + "; the parts have " + std::to_string(structure_bits()) +
                            " in all; omit bits, or omit the other sizes to have them chosen");
        }
        // A part begins with a word, so it may take up to 63 bits more than it has.
        const auto no_total = checked_multiply(no_filters, no_bits);
        const auto yes = checked_multiply(parts, yes_words() * word_bits);
        const auto no = no_total ? checked_multiply(parts, ceil_divide(*no_total, word_bits) * word_bits) : no_total;
        if (yes && no && *yes <= max_structure_bits && *no <= max_structure_bits) return {};
        return fail(failure_reason::bad_parameter, std::to_string(parts) + " parts with " + std::to_string(yes_bits) +
                                                       " yes_bits and " + std::to_string(no_filters) +
                                                       " no_filters of " + std::to_string(no_bits) +
                                                       " no_bits are more than 2^56 bits; use fewer or smaller ones");
    }

    [[nodiscard]] std::uint64_t yes_words() const noexcept { return ceil_divide(yes_bits, word_bits); }
    [[nodiscard]] std::uint64_t no_words() const noexcept { return ceil_divide(no_filters * no_bits, word_bits); }
    /// The m = p + r q of the paper, for all parts.
    [[nodiscard]] std::uint64_t structure_bits() const noexcept { return parts * (yes_bits + no_filters * no_bits); }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }
    [[nodiscard]] yes_no_assignment assignment() const noexcept { return static_cast<yes_no_assignment>(assign); }

    friend constexpr bool operator==(const yes_no_spec&, const yes_no_spec&) = default;
};

} // namespace everbloom
