// The geometry of filters with cells of two bits: bits, hashes, and how positions are made.
#pragma once

#include <everbloom/filter/spec.hpp>

namespace everbloom {

struct two_bit_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<two_bit_spec>, 3> fields() noexcept {
        return {bits_field<two_bit_spec>(), hashes_field<two_bit_spec>(), probe_field<two_bit_spec>()};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (cells() == 0) return fail(failure_reason::bad_parameter, "bits is 1; one cell alone needs 2");
        return {};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return bits / 2; }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const two_bit_spec&, const two_bit_spec&) = default;
};

} // namespace everbloom
