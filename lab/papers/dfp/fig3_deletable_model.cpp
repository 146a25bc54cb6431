// Fig. 3: deletability of the deletable filter by the model of [Rothenberg10], by our corrected model, and measured.
#include "lab/papers/comparison.hpp"
#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dfp/structures.hpp"

#include <everbloom/model/cells/deletable.hpp>

#include <fmt/format.h>

namespace everbloom::lab::dfp {
namespace {

struct gap {
    double size = 0;
    double load = 0;
    std::uint64_t region_bits = 0;
};

/// The measured share falls as the load grows. Counts the steps in which `formula` falls too.
class direction_count {
public:
    void step(double formula, double measured) {
        if (previous_) steps_.note((formula < previous_->first) == (measured < previous_->second));
        previous_ = {formula, measured};
    }
    void new_curve() { previous_.reset(); }
    [[nodiscard]] const place_count& steps() const noexcept { return steps_; }

private:
    std::optional<std::pair<double, double>> previous_;
    place_count steps_;
};

} // namespace

result<outcome> deletable_model_figure(laboratory& lab) {
    artefact figure{"fig3", "Deletability of the deletable filter: two models and the measurement",
                    axis_from_zero("load n/m (items per bit)"), share_axis("share of members that can be deleted")};
    figure.paper_values = "original model";
    figure.reading =
        "The original model is the probability that a random region has no collision. A region of a member contains "
        "at least that member, so it is fuller than a random one; our model takes this into account.";

    place_count overestimates;
    fit with_ours(fit::error::absolute, 0.005);
    direction_count printed;
    direction_count corrected;
    gap largest;
    for (const std::uint64_t region_bits : region_sizes) {
        const auto curves = measure_over_load(lab, {deletable_filter(region_bits)}, 0, precision::deletability_only);
        if (!curves) return fail(curves.error());
        series line = curves->front().drawn(quantity::deletability);
        for (const auto& [load, unused] : line.model_curve) {
            const deletable_spec spec{figure_bits, figure_hashes, region_bits};
            const double items = load * static_cast<double>(figure_bits);
            line.paper_curve.emplace_back(load, deletable_model::original_deletability(spec, items));
        }
        printed.new_curve();
        corrected.new_curve();
        for (std::size_t i = 0; i < line.points.size(); ++i) {
            point& here = line.points[i];
            const sample& one = curves->front().samples[i];
            const deletable_spec spec{one.under.bits, one.under.hashes, region_bits};
            const double original = deletable_model::original_deletability(spec, static_cast<double>(one.under.items));
            here.paper = original;
            overestimates.note_less(*here.measured, {original, original, original});
            with_ours.note(*here.measured, here.model.value_or(0));
            printed.step(1 - original, here.measured->mean);
            corrected.step(original, here.measured->mean);
            if (original - here.measured->mean > largest.size) {
                largest = {original - here.measured->mean, here.x, region_bits};
            }
        }
        figure.curves.push_back(std::move(line));
    }

    outcome found;
    found.findings.push_back({"original-overestimates", overestimates.counted(),
                              fmt::format("above the interval {}; by up to {:.3f}, at n/m = {:.3f} with regions of {}",
                                          overestimates.words(), largest.size, largest.load, largest.region_bits)});
    found.findings.push_back(
        {"eq1-typo", printed.steps().counted_misses(),
         fmt::format(
             "from load to load, the printed formula moves in the opposite direction of the measurement in {:.0f} % of "
             "the steps, the corrected one in {:.0f} %",
             100 * (1 - printed.steps().share()), 100 * (1 - corrected.steps().share()))});
    found.findings.push_back({"corrected-model", with_ours.counted(), with_ours.words()});
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dfp
