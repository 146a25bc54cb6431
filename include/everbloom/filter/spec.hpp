// A spec is the geometry of a filter: a few named 64-bit numbers, nothing else.
//
// It lists its own fields, the single source for all users: the command line derives its flags from it, files store its values in
// that order, `show` prints them, `plan` fills them in. Two filters with equal specs have cells in the same places.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/probe/positions.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace everbloom {

/// What sets a field: the user, or the filter's history (how far it has grown). Both are in files; only the first is a flag.
enum class field_role { choice, state };

/// How people write a field: as a whole number, or as a decimal (0.2), of which the spec keeps the millionths.
enum class field_form { whole, millionths };
inline constexpr std::uint64_t one_in_millionths = 1'000'000;
inline constexpr double field_million = one_in_millionths;

/// value * millionths / 10^6, rounded down, exact for all sizes.
[[nodiscard]] constexpr std::uint64_t millionths_of(std::uint64_t value, std::uint64_t millionths) noexcept {
    // Both factors are split, for their product may have more than 64 bits; like it, the quotient is taken modulo 2^64.
    const std::uint64_t whole = millionths / one_in_millionths;
    const std::uint64_t share = millionths % one_in_millionths;
    return value * whole + divide_wide(multiply_wide(value, share), one_in_millionths);
}

template <class Spec>
struct spec_field {
    std::string_view name; // snake_case; the command line says --snake-case
    std::uint64_t Spec::*value;
    std::uint64_t least;
    std::uint64_t most;
    std::string_view meaning;
    std::span<const std::string_view> words = {}; // a choice: the value is an index into these
    field_form form = field_form::whole;
    field_role role = field_role::choice;
};

template <class S>
concept GeometrySpec = std::default_initializable<S> && std::equality_comparable<S> && requires(const S& spec) {
    { S::fields()[0] } -> std::convertible_to<spec_field<S>>;
    { spec.check() } -> std::same_as<result<void>>;
};

/// The fields of every filter with k hash functions over an array.
template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> bits_field() noexcept {
    return {"bits", &Spec::bits, 1, max_structure_bits, "size of the whole structure in bits"};
}
template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> hashes_field() noexcept {
    return {"hashes", &Spec::hashes, 1, max_hashes, "hash functions per key (k)"};
}
template <class Spec>
[[nodiscard]] constexpr spec_field<Spec> probe_field() noexcept {
    return {"probe",
            &Spec::probe,
            0,
            general_schemes - 1,
            "how cell positions are derived: double (fast) or independent (ideal)",
            std::span(probe_scheme_words).first(general_schemes)};
}

/// Refuses a value outside its range, by name.
[[nodiscard]] inline result<void> check_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                                              std::uint64_t most) {
    if (value >= least && value <= most) return {};
    return fail(failure_reason::bad_parameter, std::string(name) + " is " + std::to_string(value) +
                                                   "; it must be between " + std::to_string(least) + " and " +
                                                   std::to_string(most));
}

/// Refuses the first field outside its range.
template <class Spec>
[[nodiscard]] result<void> check_ranges(const Spec& spec) {
    for (const auto& field : Spec::fields()) {
        if (auto checked = check_range(field.name, spec.*field.value, field.least, field.most); !checked)
            return checked;
    }
    return {};
}

} // namespace everbloom
