// The geometry of a d-left counting filter.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/spec.hpp>
#include <everbloom/probe/permuted_places.hpp>

#include <algorithm>
#include <bit>

namespace everbloom {

struct dleft_spec {
    std::uint64_t subtables = 4;
    std::uint64_t buckets = 0; // in each subtable
    std::uint64_t bucket_cells = 8;
    std::uint64_t remainder_bits = 14;
    std::uint64_t counter_bits = 2;
    std::uint64_t move = 0;

    static constexpr unsigned most_bucket_bits = 48;
    static constexpr std::uint64_t most_buckets = std::uint64_t{1} << most_bucket_bits;
    static constexpr std::uint64_t least_remainder_bits = 4;
    static constexpr unsigned most_remainder_bits = 32;
    static constexpr unsigned most_fingerprint_bits = word_bits;
    static constexpr std::uint64_t most_counter_bits = 16;

    [[nodiscard]] static constexpr std::array<spec_field<dleft_spec>, 6> fields() noexcept {
        return {
            {{"subtables", &dleft_spec::subtables, 1, max_subtables,
              "subtables, each with one candidate bucket per key"},
             {"buckets", &dleft_spec::buckets, 1, most_buckets,
              "buckets in each subtable, rounded up to a power of two"},
             {"bucket_cells", &dleft_spec::bucket_cells, 1, 64, "cells in a bucket"},
             {"remainder_bits", &dleft_spec::remainder_bits, least_remainder_bits, most_remainder_bits,
              "bits of a key's fingerprint that are stored"},
             {"counter_bits", &dleft_spec::counter_bits, 1, most_counter_bits, "bits per counter"},
             {"move", &dleft_spec::move, 0, 8,
              "if all buckets of a key are full: 0 refuse, 1 move one key of the first subtable, N chains of up to N "
              "moves"}}};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (!std::has_single_bit(buckets)) {
            return fail(failure_reason::bad_parameter, "buckets is " + std::to_string(buckets) +
                                                           "; it must be a power of two, so use " +
                                                           std::to_string(std::bit_ceil(buckets)));
        }
        if (fingerprint_bits() > most_fingerprint_bits) {
            return fail(failure_reason::bad_parameter,
                        std::to_string(buckets) + " buckets with remainders of " + std::to_string(remainder_bits) +
                            " bits make fingerprints of more than 64 bits; use a smaller remainder_bits");
        }
        const auto bits = checked_multiply(cells(), cell_bits());
        if (!bits || *bits > max_structure_bits) {
            return fail(failure_reason::bad_parameter,
                        "buckets is " + std::to_string(buckets) + ", which needs more than 2^56 bits; use fewer");
        }
        return {};
    }
    /// Rounds any number of buckets up to a valid geometry.
    [[nodiscard]] dleft_spec rounded_up() const noexcept {
        dleft_spec rounded = *this;
        if (buckets != 0 && buckets <= most_buckets) rounded.buckets = std::bit_ceil(buckets);
        return rounded;
    }

    [[nodiscard]] unsigned bucket_bits() const noexcept { return static_cast<unsigned>(std::countr_zero(buckets)); }
    [[nodiscard]] unsigned fingerprint_bits() const noexcept {
        return bucket_bits() + static_cast<unsigned>(remainder_bits);
    }
    [[nodiscard]] std::uint64_t cell_bits() const noexcept { return remainder_bits + counter_bits; }
    [[nodiscard]] std::uint64_t cells() const noexcept { return subtables * buckets * bucket_cells; }
    [[nodiscard]] std::uint64_t bits() const noexcept { return cells() * cell_bits(); }
    /// The largest count of one cell.
    [[nodiscard]] std::uint64_t cell_copies() const noexcept { return low_mask(static_cast<unsigned>(counter_bits)); }

    friend constexpr bool operator==(const dleft_spec&, const dleft_spec&) = default;
};

} // namespace everbloom
