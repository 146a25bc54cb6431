#include "first_fit_left.hpp"

#if !defined(EVERBLOOM_SMALL)
#include <everbloom/model/yes_no/yes_no_first_fit.hpp>

namespace everbloom {

std::optional<double> left_by_first_fit(const any_filter& simulated, std::uint64_t items, std::uint64_t negatives) {
    if (simulated.kind() != "yes_no") return std::nullopt;
    yes_no_spec spec;
    for (const auto& field : yes_no_spec::fields()) spec.*field.value = simulated.geometry(field.name).value_or(0);
    constexpr std::uint64_t most_yes_bits = 1024;
    constexpr std::uint64_t most_no_bits = 64;
    constexpr std::uint64_t most_negatives = 10'000;
    constexpr double most_false_positives = 40;
    const bool is_first_fit = spec.assign == static_cast<std::uint64_t>(yes_no_assignment::first_fit) &&
                              spec.parts == 1 && spec.seeds == 1 && spec.no_filters != 0;
    const bool is_small =
        spec.no_bits <= most_no_bits && spec.yes_bits <= most_yes_bits && negatives <= most_negatives &&
        yes_no_expectation::yes_rate(spec, items) * static_cast<double>(negatives) <= most_false_positives;
    if (!is_first_fit || !is_small) return std::nullopt;
    return yes_no_first_fit::expect(spec, items, negatives).after;
}

} // namespace everbloom

#else // in WebAssembly the model would cost more bytes than it is worth

namespace everbloom {
std::optional<double> left_by_first_fit(const any_filter&, std::uint64_t, std::uint64_t) { return std::nullopt; }
} // namespace everbloom

#endif
