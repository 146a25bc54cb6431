// The geometry of a chain of equal counting sub-filters: shared by `dynamic` and `partitioned`.
#pragma once

#include <everbloom/bits/cell_view.hpp>
#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/filter/chain/chain_fields.hpp>

namespace everbloom {

struct counting_chain_spec {
    std::uint64_t initial_bits = 0; // cells of each sub-filter
    std::uint64_t hashes = 0;
    std::uint64_t threshold = one_in_millionths / 2;
    std::uint64_t counter_bits = 4;
    std::uint64_t most_filters = 4096;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);
    std::uint64_t filters = 1;

    static constexpr std::uint64_t most_links = 65536;

    [[nodiscard]] result<void> check_sizes() const {
        const auto lines = checked_multiply(sub_lines(), filters);
        return check_chain(filters, most_filters, lines.value_or(~std::uint64_t{0}));
    }
    [[nodiscard]] std::uint64_t sub_cells() const noexcept { return initial_bits; }
    /// Every sub-filter begins on its own cache line.
    [[nodiscard]] std::uint64_t sub_lines() const noexcept { return lines_for_cells(initial_bits, counter_bits); }
    [[nodiscard]] std::uint64_t full_from() const noexcept { return everbloom::full_from(initial_bits, threshold); }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }
    [[nodiscard]] probing positions() const noexcept { return {initial_bits, static_cast<unsigned>(hashes), scheme()}; }

    friend constexpr bool operator==(const counting_chain_spec&, const counting_chain_spec&) = default;
};

/// The fields before those that a kind adds; `filters_field` comes last.
template <class Spec>
[[nodiscard]] constexpr std::array<spec_field<Spec>, 6> counting_chain_fields() noexcept {
    return {initial_bits_field<Spec>(&Spec::initial_bits),
            spec_field<Spec>{"hashes", &Spec::hashes, 1, max_hashes, "hash functions per key (k) in each sub-filter"},
            threshold_field<Spec>(&Spec::threshold),
            spec_field<Spec>{"counter_bits", &Spec::counter_bits, 2, max_cell_bits, "bits per counter"},
            most_filters_field<Spec>(&Spec::most_filters, Spec::most_links),
            probe_field<Spec>()};
}

} // namespace everbloom
