// Longer chains of moves, beyond the paper: "Greater loads could be handled by allowing more movement, and this is certainly worthy of
// further experimentation." How full can the table be for 2^20 steps?
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/dleft/tables.hpp"

#include <fmt/format.h>

namespace everbloom::lab::dleft {
namespace {

struct kept {
    double load = 0;        // highest tested load without a refused key
    double close_calls = 0; // share of insertions there that found all buckets full
};

/// Raises the load in small steps until a key is refused.
result<kept> highest_load(const laboratory& lab, const dleft_spec& spec, double from, std::uint64_t trials,
                          std::uint64_t steps) {
    const auto empty = build_table(spec);
    if (!empty) return fail(empty.error());
    const auto places = static_cast<double>(spec.subtables * spec.buckets);
    kept best;
    const double step = static_cast<double>(spec.bucket_cells) / 64;
    for (double load = from; load < static_cast<double>(spec.bucket_cells); load += step) {
        const auto items = static_cast<std::uint64_t>(load * places);
        const auto report = live(lab, *empty, items, trials, 1, steps);
        if (!report) return fail(report.error());
        if (report->buckets->overflow_trials != 0) break;
        best = {load, report->buckets->mean_potential_overflows / static_cast<double>(steps)};
    }
    return best;
}

} // namespace

result<outcome> chains_of_moves(laboratory& lab) {
    const bool is_full = lab.thoroughness().places == 0;
    const std::uint64_t trials = is_full ? 5 : 1;
    const std::uint64_t steps = is_full ? churn_steps : churn_steps / 4;
    artefact figure{
        "moves",
        "Maximum share of cells in use without a refused key in 2^20 steps, over the length of the chain of moves",
        {"moves allowed"},
        {"share of the cells in use", axis_scale::linear, 0.7, 1.02}};
    figure.reading = "One move is the failsafe of the paper, which tries only the first subtable; from two moves on "
                     "all subtables are "
                     "tried. Two subtables with buckets of one cache line start higher and gain as much.";
    std::string words;
    for (const auto& [label, shape, from, drawn] :
         {std::tuple{"4 subtables, buckets of 8", dleft_spec{4, 2048, 8, 14, 2, 0}, 0.75, look{"#2b7bba", 7, 0.7, 1.8}},
          std::tuple{"2 subtables, buckets of 32", dleft_spec{2, 1024, 32, 15, 1, 0}, 0.84,
                     look{"#d1495b", 5, 0.7, 1.8}}}) {
        series line{label, drawn};
        double start = from * static_cast<double>(shape.bucket_cells);
        words += fmt::format("{}{}:", words.empty() ? "" : "; ", label);
        for (std::uint64_t moves = 0; moves <= 4; ++moves) {
            dleft_spec spec = shape;
            spec.move = moves;
            const auto found = highest_load(lab, spec, start, trials, steps);
            if (!found) return fail(found.error());
            if (found->load > 0) start = found->load;
            const double share = found->load / static_cast<double>(shape.bucket_cells);
            line.points.push_back({static_cast<double>(moves),
                                   std::nullopt,
                                   std::nullopt,
                                   estimate{share, share, share + 1.0 / 64},
                                   {{"close_calls", found->close_calls}}});
            words += fmt::format(" {:.1f} % with {}", 100 * share, moves);
        }
        figure.curves.push_back(std::move(line));
    }
    const double with_two = figure.curves[0].points[2].measured->mean;
    outcome found;
    found.findings = {{"more-movement", with_two, words}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::dleft
