// The geometry of a quotient filter: the fingerprint of a key, which never changes, and how far the table has grown.
//
// A fingerprint has four parts: a row (any number of them), a path of bits, a bucket, and a tag of two bits. At level k the first k bits
// of the path are part of the number of the line, `row + rows * path[0..k)`; the others are stored with the item: six of them in a byte
// together with the tag, the rest as an extension. So every doubling takes one bit from what is stored, and gives it back when the table
// shrinks. The table doubles line by line: those below the frontier are one level ahead.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/quotient/quotient_line.hpp>
#include <everbloom/filter/spec.hpp>

#include <algorithm>
#include <bit>

namespace everbloom {

struct quotient_spec {
    std::uint64_t initial_lines = 0;
    std::uint64_t rows = 0;
    std::uint64_t buckets = usual_buckets;
    std::uint64_t remainder_bits = 28; // one line can become a billion keys
    std::uint64_t planned_keys = 0;
    std::uint64_t most_lines = max_lines;
    // State: how far it has grown, and how many slots it has for copies beyond the fourth.
    std::uint64_t level = 0;
    std::uint64_t frontier = 0;
    std::uint64_t copy_slots = 0;

    static constexpr std::uint64_t usual_buckets = 79;
    static constexpr std::uint64_t least_buckets = 16;
    static constexpr std::uint64_t most_buckets = 110;
    static constexpr std::uint64_t most_extension_bits = 24;
    static constexpr unsigned tag_bits = 2;
    /// Bits of the path in a byte: the doublings that are left when the extensions are used up.
    static constexpr unsigned byte_path_bits = 8 - tag_bits;
    static constexpr std::uint64_t max_lines = max_structure_bits / line_bits;
    /// Fingerprints are numbers of 64 bits (quotient_copies.hpp).
    static constexpr std::uint64_t most_paths = std::uint64_t{1} << 48;
    static constexpr std::uint64_t most_copy_slots = std::uint64_t{1} << 40;
    /// Of the slots, in use when the table begins to grow, and while it grows.
    static constexpr std::uint64_t full_load = 985'000;  // millionths
    static constexpr std::uint64_t first_load = 965'000; // millionths; the same for a first size between two doublings
    static constexpr std::uint64_t growing_load = 940'000; // millionths
    /// What plans count with: rows follow from it, and files of equal plans have equal rows.
    static constexpr std::uint64_t planned_load = 930'000; // millionths
    static constexpr std::uint64_t shrink_load = 700'000;  // millionths

    [[nodiscard]] static constexpr std::array<spec_field<quotient_spec>, 9> fields() noexcept {
        using field = spec_field<quotient_spec>;
        using self = quotient_spec;
        const auto state = [](std::string_view name, std::uint64_t self::*value, std::uint64_t most,
                              std::string_view meaning) {
            return field{name, value, 0, most, meaning, {}, field_form::whole, field_role::state};
        };
        return {
            field{"initial_lines", &self::initial_lines, 1, max_lines,
                  "lines of 64 bytes to begin with; it does not shrink below them"},
            field{"rows", &self::rows, 1, max_lines, "lines before the first doubling"},
            field{"buckets", &self::buckets, least_buckets, most_buckets, "buckets in a line"},
            field{"remainder_bits", &self::remainder_bits, 8, 8 + most_extension_bits,
                  "bits of a key's fingerprint that are stored, before the first doubling; each doubling takes one"},
            field{"planned_keys", &self::planned_keys, 0, max_structure_bits, "keys up to which the FPR was planned"},
            field{"most_lines", &self::most_lines, 1, max_lines, "limit of growth"},
            state("level", &self::level, most_extension_bits + byte_path_bits, "doublings"),
            state("frontier", &self::frontier, max_lines, "lines that the next doubling has split"),
            state("copy_slots", &self::copy_slots, most_copy_slots,
                  "slots for the numbers of keys with more than four copies")};
    }

    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (rows > (most_paths >> extension_bits())) {
            return fail(failure_reason::bad_parameter,
                        "rows is " + std::to_string(rows) + "; with these remainder_bits at most " +
                            std::to_string(most_paths >> extension_bits()) + " are possible");
        }
        if (initial_lines < rows || initial_lines > largest_lines()) {
            return fail(failure_reason::bad_parameter, "initial_lines is " + std::to_string(initial_lines) +
                                                           "; it must be between " + std::to_string(rows) + " and " +
                                                           std::to_string(largest_lines()) +
                                                           ", from rows to what remainder_bits and most_lines allow");
        }
        const bool is_last = level == most_level();
        if (level > most_level() || frontier >= (is_last ? 1 : rows << level) || lines() > largest_lines() ||
            lines() < initial_lines) {
            return fail(failure_reason::bad_parameter,
                        "level " + std::to_string(level) + " and frontier " + std::to_string(frontier) +
                            " are not those of a table with " + std::to_string(rows) + " rows");
        }
        if (copy_slots != 0 && (copy_slots < least_copy_slots || !std::has_single_bit(copy_slots))) {
            return fail(failure_reason::bad_parameter,
                        "copy_slots is " + std::to_string(copy_slots) + "; it must be a power of two");
        }
        return {};
    }

    /// A single number of lines stands for both.
    [[nodiscard]] quotient_spec rounded_up() const noexcept {
        quotient_spec made = *this;
        if (rows == 0) made.rows = initial_lines;
        if (initial_lines == 0) made.initial_lines = rows;
        return made;
    }
    /// A new filter of these choices.
    [[nodiscard]] quotient_spec started() const noexcept {
        if (rows == 0 || initial_lines < rows) return *this;
        quotient_spec made = with_lines(initial_lines);
        made.copy_slots = 0;
        return made;
    }
    /// An empty filter as large as this one. An invalid spec is returned unchanged, so that `check` can say why.
    [[nodiscard]] quotient_spec emptied() const {
        quotient_spec made = *this;
        if (!check()) return made;
        made.copy_slots = 0;
        return made;
    }
    /// The state in which there are this many lines.
    [[nodiscard]] quotient_spec with_lines(std::uint64_t wanted) const noexcept {
        quotient_spec made = *this;
        made.level = static_cast<std::uint64_t>(std::bit_width(std::max(wanted, rows) / rows) - 1);
        made.frontier = wanted - (rows << made.level);
        return made;
    }

    static constexpr std::uint64_t least_copy_slots = line_words / 2; // of two words each

    /// What is stored besides a byte, before the first doubling.
    [[nodiscard]] std::uint64_t extension_bits() const noexcept { return remainder_bits - 8; }
    [[nodiscard]] std::uint64_t lines() const noexcept { return (rows << level) + frontier; }
    [[nodiscard]] std::uint64_t most_level() const noexcept { return extension_bits() + byte_path_bits; }
    /// What it can grow to.
    [[nodiscard]] std::uint64_t largest_lines() const noexcept {
        const auto all = checked_multiply(rows, std::uint64_t{1} << most_level());
        return std::max(rows, std::min(all.value_or(max_lines), most_lines));
    }
    /// What is left of the extensions at a level.
    [[nodiscard]] unsigned extension_bits_at(std::uint64_t some_level) const noexcept {
        return static_cast<unsigned>(extension_bits() - std::min(extension_bits(), some_level));
    }
    [[nodiscard]] line_shape shape_at(std::uint64_t some_level) const noexcept {
        return {static_cast<unsigned>(buckets), extension_bits_at(some_level)};
    }
    /// Slots of a line.
    [[nodiscard]] std::uint64_t slots_at(std::uint64_t some_level) const noexcept {
        return line_shape::slots_of(static_cast<unsigned>(buckets), extension_bits_at(some_level));
    }
    /// Slots of all lines.
    [[nodiscard]] std::uint64_t slots() const noexcept {
        return ((rows << level) - frontier) * slots_at(level) + 2 * frontier * slots_at(level + 1);
    }
    /// Items that fit before another line is added.
    [[nodiscard]] std::uint64_t comfortable_items() const noexcept {
        const std::uint64_t first = frontier == 0 ? full_load : first_load;
        return millionths_of(slots(), lines() == initial_lines ? first : growing_load);
    }
    /// With fewer items than this, lines are given back.
    [[nodiscard]] std::uint64_t sparse_items() const noexcept {
        return lines() > initial_lines ? millionths_of(slots(), shrink_load) : 0;
    }
    [[nodiscard]] std::uint64_t structure_bits() const noexcept { return lines() * line_bits + copy_slots * 128; }
    /// How many fingerprints there are.
    [[nodiscard]] double fingerprints() const noexcept {
        return static_cast<double>(rows) * static_cast<double>(buckets) *
               static_cast<double>(std::uint64_t{1} << remainder_bits);
    }
    /// Two filters in which equal keys have equal fingerprints.
    [[nodiscard]] bool has_fingerprints_of(const quotient_spec& other) const noexcept {
        return rows == other.rows && buckets == other.buckets && remainder_bits == other.remainder_bits;
    }

    friend constexpr bool operator==(const quotient_spec&, const quotient_spec&) = default;
};

} // namespace everbloom
