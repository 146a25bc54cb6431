// Shared code of the figures of [Carrea16 §V]: the same curves over different parameters, and the shape of a curve.
#pragma once

#include "lab/papers/comparison.hpp"
#include "lab/papers/yesno/builds.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace everbloom::lab::yesno {

/// A Bloom filter to compare with: simulated, by Eq. 5 and by our model.
struct rival {
    std::string label;
    look drawn;
    std::vector<setting> filters = {}; // at each point
    std::vector<estimate> measured = {};
};

/// The dotted lines of the paper.
[[nodiscard]] inline look rivals_look() { return {"#555b66", 4, 0.6, 1.6}; }
[[nodiscard]] inline look second_rivals_look() { return {"#a06a00", 6, 0.6, 1.6}; }

/// A parameter, and the results at each of its values.
struct sweep {
    std::vector<double> x;
    std::vector<sight> sights;

    [[nodiscard]] std::size_t size() const noexcept { return x.size(); }
};

/// Changes one parameter of the paper's setting.
using variation = std::function<void(setting& one, std::uint64_t value)>;

[[nodiscard]] result<sweep> vary(const laboratory& lab, std::span<const std::uint64_t> values, const variation& change);

/// Bloom filters with the same k, keys and number of builds: of `bits` bits each or, without that, of as many bits as the yes-no filter.
[[nodiscard]] result<rival> bloom_beside(const laboratory& lab, const sweep& seen, std::string label, look drawn,
                                         std::optional<std::uint64_t> bits = {});

/// Curves of the three constructions, their lower bound, and the Bloom filters.
[[nodiscard]] std::vector<series> curves_of(const sweep& seen, std::span<const rival> rivals);

/// "Has a minimum": falls before the lowest point and rises after it, with points on both sides.
struct valley {
    std::size_t lowest = 0;
    place_count steps;

    [[nodiscard]] bool has_two_sides(std::size_t places) const noexcept { return lowest > 0 && lowest + 1 < places; }
    /// Share of the steps, or 0 if the lowest point is the first or the last.
    [[nodiscard]] double share(std::size_t places) const noexcept { return has_two_sides(places) ? steps.share() : 0; }
};

[[nodiscard]] valley valley_of(std::span<const estimate> values);

/// The values of first-fit at each point.
[[nodiscard]] std::vector<estimate> first_fit_values(const sweep& seen);

} // namespace everbloom::lab::yesno
