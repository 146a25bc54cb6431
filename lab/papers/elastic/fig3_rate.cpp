// Fig. 3 of [Wu21 §5.2]: FPR from 2^14 items to many times as many, in filters with initially 2^18 bits.
#include "lab/papers/comparison.hpp"
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/elastic/growing_rates.hpp"
#include "lab/papers/elastic/workload_keys.hpp"

#include <fmt/format.h>

namespace everbloom::lab::elastic {
namespace {

struct curve {
    structure filter;
    std::vector<rate_at> rates;
};

/// Powers of two, where an elastic filter has just doubled, and 1.4 times as many, where it is about to double.
std::vector<std::uint64_t> moments_of(const laboratory& lab) {
    const std::uint64_t most = insertions_available(lab, largest_peak(lab) * papers_items);
    std::vector<std::uint64_t> made;
    for (std::uint64_t peak = 1; peak * papers_items <= most; peak *= 2) {
        made.push_back(peak * papers_items);
        if (peak * papers_items * 7 / 5 <= most) made.push_back(peak * papers_items * 7 / 5);
    }
    return made;
}

double peak_of(const rate_at& one) { return static_cast<double>(one.insertions) / static_cast<double>(papers_items); }

series drawn(const curve& one) {
    series made{one.filter.label, one.filter.drawn};
    for (const rate_at& each : one.rates) {
        made.points.push_back({peak_of(each),
                               std::nullopt,
                               each.model,
                               each.measured,
                               {{"items", static_cast<double>(each.insertions)}}});
    }
    return made;
}

/// At how many points the FPR is higher than at the point before.
place_count rises(const curve& one) {
    place_count places;
    for (std::size_t i = 1; i < one.rates.size(); ++i)
        places.note_less(one.rates[i - 1].measured, one.rates[i].measured);
    return places;
}

finding model_finding(const std::vector<curve>& curves) {
    fit agrees(fit::error::relative, 0.03);
    for (const curve& one : curves) {
        for (const rate_at& each : one.rates) {
            if (each.model) agrees.note(each.measured, *each.model);
        }
    }
    return {"rate-model", agrees.counted(), agrees.words()};
}

} // namespace

result<outcome> rate_over_size(laboratory& lab) {
    if (auto checked = check_trace(lab, papers_items); !checked) return fail(std::move(checked.error()));
    const auto moments = moments_of(lab);
    std::vector<curve> curves;
    for (const structure& filter :
         {bloom_contender(), dynamic_contender(), scalable_contender(), blocked_contender(), elastic_contender()}) {
        auto rates = rates_while_growing(lab, filter, papers_bits, moments);
        if (!rates) return fail(std::move(rates.error()));
        curves.push_back({filter, std::move(*rates)});
    }
    const auto& [bloom, dynamic, scalable, blocked, elastic] =
        std::tie(curves[0], curves[1], curves[2], curves[3], curves[4]);

    artefact figure{"fig3",
                    "False positive rate during insertions: initially 2^18 bits, k = 5, threshold 0.2",
                    {"relative peak data size (1: 2^14 items)", axis_scale::logarithmic},
                    rate_axis("false positive rate")};
    figure.reading =
        "The elastic filters stay below threshold^k = 0.00032 for any number of items; elastic halves its share of "
        "set bits when it doubles, elastic_blocked grows in smaller steps and stays level. Each sub-filter of "
        "the dynamic filter adds 0.00032, those of the scalable filter add less and less.";
    place_count best;
    place_count worst;
    double highest = 0;
    int above = 0;
    const double allowed = std::pow(papers_threshold, papers_hashes);
    for (std::size_t i = 0; i < moments.size(); ++i) {
        for (const curve* other : {&bloom, &dynamic, &scalable}) {
            best.note_less(elastic.rates[i].measured, other->rates[i].measured);
        }
        for (const curve* other : {&dynamic, &scalable, &elastic}) {
            worst.note_less(other->rates[i].measured, bloom.rates[i].measured);
        }
        highest = std::max(highest, elastic.rates[i].measured.mean);
        above += elastic.rates[i].measured.low > allowed ? 1 : 0;
    }
    const place_count dynamic_rises = rises(dynamic);
    const place_count scalable_rises = rises(scalable);
    const rate_at& last = elastic.rates.back();
    outcome found;
    found.findings = {
        {"fixed-size-worst", worst.counted(),
         fmt::format("{}; {:.3g} at a relative peak data size of {:.3g}", worst.words(),
                     bloom.rates.back().measured.mean, peak_of(last))},
        {"chains-get-worse",
         static_cast<double>(dynamic_rises.held() + scalable_rises.held()) /
             static_cast<double>(dynamic_rises.decided() + scalable_rises.decided()),
         fmt::format("dynamic rises {}, to {:.3g}; scalable {}, to {:.3g}", dynamic_rises.words(),
                     dynamic.rates.back().measured.mean, scalable_rises.words(), scalable.rates.back().measured.mean)},
        {"elastic-best", best.counted(),
         fmt::format(
             "{}, against three filters; {:.3g} at the end, against {:.3g} (dynamic), {:.3g} (scalable) and {:.3g} "
             "(elastic_blocked)",
             best.words(), last.measured.mean, dynamic.rates.back().measured.mean, scalable.rates.back().measured.mean,
             blocked.rates.back().measured.mean)},
        {"rate-below-threshold", static_cast<double>(above),
         fmt::format("{:.3g} at most; 0.2^5 is {:.3g}", highest, allowed)},
        model_finding(curves)};
    for (const curve& one : curves) figure.curves.push_back(drawn(one));
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::elastic
