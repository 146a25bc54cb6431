// Fig. 4 of [Wu21 §5.2]: FPR after a fixed number of items, over the initial size of filters that grow.
#include "lab/papers/comparison.hpp"
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/growing_rates.hpp"
#include "lab/papers/elastic/workload_keys.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::lab::elastic {
namespace {

/// 1.4 times a power of two: an elastic filter is about to double, where its FPR is highest.
std::uint64_t items_of(const laboratory& lab) {
    const bool as_the_paper = lab.thoroughness().places == 0;
    const unsigned power = as_the_paper ? 20 : lab.thoroughness().name == "glance" ? 16 : 18;
    return insertions_available(lab, (std::uint64_t{1} << power) * 7 / 5);
}

} // namespace

result<outcome> rate_over_memory(laboratory& lab) {
    constexpr unsigned smallest = 14;
    constexpr unsigned largest = 20;
    if (auto checked = check_trace(lab, papers_items); !checked) return fail(std::move(checked.error()));
    const std::uint64_t items = items_of(lab);
    const unsigned step = lab.thoroughness().places == 0 ? 1 : 2;
    artefact figure{"fig4",
                    fmt::format("False positive rate with {} items, over the initial size", grouped(items)),
                    {"log2 of the initial bits"},
                    rate_axis("false positive rate")};
    figure.reading =
        "An elastic filter that started with 2^14 bits ends like one that started with 2^20: the same bits are set. A "
        "chain keeps its small first sub-filters permanently. A chain that starts large enough is a single filter, and "
        "the difference disappears.";
    const std::array contenders{dynamic_contender(), scalable_contender(), blocked_contender(), elastic_contender()};
    std::array<std::vector<rate_at>, contenders.size()> rates;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        series line{contenders[i].label, contenders[i].drawn};
        for (unsigned power = smallest; power <= largest; power += step) {
            auto measured = rates_while_growing(lab, contenders[i], std::uint64_t{1} << power, std::span(&items, 1));
            if (!measured) return fail(std::move(measured.error()));
            rates[i].push_back(measured->front());
            line.points.push_back({static_cast<double>(power),
                                   std::nullopt,
                                   rates[i].back().model,
                                   rates[i].back().measured,
                                   {{"items", static_cast<double>(items)}}});
        }
        figure.curves.push_back(std::move(line));
    }
    const auto& [dynamic, scalable, blocked, elastic] = rates;
    place_count best;
    for (std::size_t i = 0; i < elastic.size(); ++i) {
        best.note_less(elastic[i].measured, dynamic[i].measured);
        best.note_less(elastic[i].measured, scalable[i].measured);
    }
    outcome found;
    found.findings = {{"best-for-all-sizes", best.counted(),
                       fmt::format("{}, against two chains; from 2^14 bits on: {:.3g}, dynamic {:.3g}, scalable "
                                   "{:.3g}, elastic_blocked {:.3g}",
                                   best.words(), elastic.front().measured.mean, dynamic.front().measured.mean,
                                   scalable.front().measured.mean, blocked.front().measured.mean)}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::elastic
