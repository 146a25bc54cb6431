// Space cost of deletion, "The size of the structure will increase by at least roughly double": bits for the same FPR, and the deletable
// share.
#include "lab/papers/summary/summary.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <limits>

namespace everbloom::lab::summary {
namespace {

constexpr std::uint64_t items = 10'000;
constexpr double rate = 0.001; // the summary's default
constexpr double most_members = 0.5;

std::vector<structure> filters_that_delete() {
    return {{"collision array", "collision", {}, {"#2b7bba", 5, 0.9}},
            {"counting, 4 bits", "counting", {{"counter_bits", "4"}}, {"#2a9d74", 9, 1.0}},
            {"quaternary cells", "quaternary", {}, {"#6b7280", 15, 1.0}},
            {"ternary cells, packed", "ternary", {{"cells", "packed"}}, {"#8f5bb5", 13, 1.0}},
            {"D-FP", "dfp", {}, {"#d1495b", 7, 1.0}},
            {"deletable, regions of 4", "deletable", {{"region_bits", "4"}}, {"#a4520a", 11, 1.0}},
            {"deletable, regions of 8", "deletable", {{"region_bits", "8"}}, {"#e08a1e", 11, 1.0}},
            {"deletable, regions of 16", "deletable", {{"region_bits", "16"}}, {"#edbd6b", 11, 1.0}}};
}

result<condition> planned(const structure& filter) {
    build_request request{filter.kind, items, rate, filter.parameters};
    const auto made = build(request);
    if (!made) return fail(made.error());
    return condition{filter, made->geometry("bits").value_or(0), made->geometry("hashes").value_or(0), items};
}

} // namespace

result<outcome> space_of_deletion(laboratory& lab) {
    const auto plain = planned({"Bloom filter", "bloom", {}, {}});
    if (!plain) return fail(plain.error());
    artefact figure{"space_of_deletion",
                    fmt::format("Space cost of deletion: {} items at P = {}", grouped(items), rate),
                    {"bits, relative to a Bloom filter"},
                    share_axis("share of members that can be deleted")};
    figure.reading = "A flag per region of bits is cheaper than a flag per bit, and most members are still deletable.";
    double smallest = std::numeric_limits<double>::infinity();
    std::string evidence;
    for (const structure& filter : filters_that_delete()) {
        const auto wanted = planned(filter);
        if (!wanted) return fail(wanted.error());
        const auto samples = lab.measure(std::span(&*wanted, 1), precision::deletability_only);
        if (!samples) return fail(samples.error());
        const sample& seen = samples->front();
        const double size = static_cast<double>(wanted->bits) / static_cast<double>(plain->bits);
        const double deletable = seen.measured(quantity::deletability).mean;
        if (deletable >= most_members && seen.report.false_negatives == 0) smallest = std::min(smallest, size);
        evidence += fmt::format("{}{}: {:.3f} times the bits, {:.1f} % deletable", evidence.empty() ? "" : "; ",
                                filter.label, size, 100 * deletable);
        figure.curves.push_back({filter.label, filter.drawn, {seen.at(size, quantity::deletability)}});
    }
    outcome found;
    found.findings.push_back({"at-least-double", smallest, evidence});
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::summary
