// The geometry of a scalable filter: how many bits and hashes each sub-filter of the chain has.
//
//   sub-filter i     initial_bits * growth^i bits,   hashes + ceil(i ln(1/tightening) / ln(1/threshold)) hashes, at most 32
//
// A full sub-filter has the share `threshold` of its bits set, so its FPR is threshold^hashes: the additional hashes make the FPR of
// each sub-filter at most `tightening` times that of the one before it.
#pragma once

#include <everbloom/filter/chain/chain_fields.hpp>

namespace everbloom {

struct scalable_spec {
    std::uint64_t initial_bits = 0;
    std::uint64_t hashes = 0; // of the first sub-filter
    std::uint64_t threshold = one_in_millionths / 2;
    std::uint64_t growth = 2;
    std::uint64_t tightening = one_in_millionths / 2;
    std::uint64_t most_filters = 32;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);
    std::uint64_t filters = 1;

    static constexpr std::uint64_t most_links = 48; // at growth 2 that is 2^48 times the first sub-filter

    [[nodiscard]] static constexpr std::array<spec_field<scalable_spec>, 8> fields() noexcept {
        return {initial_bits_field(&scalable_spec::initial_bits),
                spec_field<scalable_spec>{"hashes", &scalable_spec::hashes, 1, max_hashes,
                                          "hash functions per key (k) in the first sub-filter"},
                threshold_field(&scalable_spec::threshold),
                spec_field<scalable_spec>{"growth", &scalable_spec::growth, 2, 4,
                                          "size of each sub-filter relative to the one before"},
                spec_field<scalable_spec>{"tightening",
                                          &scalable_spec::tightening,
                                          least_share,
                                          most_share,
                                          "FPR of each sub-filter relative to the one before",
                                          {},
                                          field_form::millionths},
                most_filters_field(&scalable_spec::most_filters, most_links),
                probe_field<scalable_spec>(),
                filters_field(&scalable_spec::filters, most_links)};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        return check_chain(filters, most_filters, lines());
    }
    /// Whether a chain of this spec may have that many sub-filters: `check` for a valid spec, without a message.
    [[nodiscard]] bool is_allowed() const noexcept {
        return filters <= most_filters && lines() <= max_structure_bits / line_bits;
    }
    [[nodiscard]] scalable_spec started() const noexcept {
        scalable_spec made = *this;
        made.filters = 1;
        return made;
    }

    /// Saturates far above what any filter may have.
    [[nodiscard]] std::uint64_t bits_of(std::uint64_t sub) const noexcept {
        std::uint64_t bits = initial_bits;
        for (; sub > 0 && bits <= max_structure_bits; --sub) bits *= growth;
        return bits;
    }
    [[nodiscard]] unsigned hashes_of(std::uint64_t sub) const noexcept {
        // Rounding errors of the logarithms must not add a hash: the last term prevents it.
        const double more = static_cast<double>(sub) *
                                __builtin_log(static_cast<double>(tightening) / one_in_millionths) /
                                __builtin_log(static_cast<double>(threshold) / one_in_millionths) -
                            1e-9;
        const double all = static_cast<double>(hashes) + __builtin_ceil(__builtin_fmax(more, 0.0));
        return static_cast<unsigned>(__builtin_fmin(all, static_cast<double>(max_hashes)));
    }
    /// Lines of the whole chain; saturates.
    [[nodiscard]] std::uint64_t lines() const noexcept {
        std::uint64_t sum = 0;
        for (std::uint64_t sub = 0; sub < filters; ++sub) sum += lines_for_bits(bits_of(sub));
        return sum;
    }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const scalable_spec&, const scalable_spec&) = default;
};

} // namespace everbloom
