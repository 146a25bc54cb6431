#include "lab/papers/yesno/curves.hpp"

namespace everbloom::lab::yesno {
namespace {

using settings = std::vector<std::pair<std::string, double>>;

settings values_of(const setting& one) {
    return {{"yes_bits", static_cast<double>(one.spec.yes_bits)},
            {"yes_hashes", static_cast<double>(one.spec.yes_hashes)},
            {"no_filters", static_cast<double>(one.spec.no_filters)},
            {"no_bits", static_cast<double>(one.spec.no_bits)},
            {"no_hashes", static_cast<double>(one.spec.no_hashes)},
            {"bits", static_cast<double>(one.spec.structure_bits())},
            {"members", static_cast<double>(one.members)},
            {"negatives", static_cast<double>(one.negatives)}};
}

series curve_of(const sweep& seen, const construction& how, builds sight::*built) {
    series made{how.label, how.drawn};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const sight& one = seen.sights[i];
        made.points.push_back({seen.x[i], std::nullopt, std::nullopt, (one.*built).after, values_of(one.at)});
    }
    return made;
}

series curve_of(const sweep& seen, const rival& one) {
    series made{one.label, one.drawn};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const setting& bloom = one.filters[i];
        made.points.push_back({seen.x[i], papers_bloom(bloom), our_bloom(bloom), one.measured[i], values_of(bloom)});
    }
    return made;
}

} // namespace

result<sweep> vary(const laboratory& lab, std::span<const std::uint64_t> values, const variation& change) {
    sweep made;
    for (const std::uint64_t value : values) {
        setting wanted = papers_setting();
        change(wanted, value);
        auto seen = examine(lab, wanted, experiments_of(lab));
        if (!seen) return fail(std::move(seen.error()));
        made.x.push_back(static_cast<double>(value));
        made.sights.push_back(std::move(*seen));
    }
    return made;
}

result<rival> bloom_beside(const laboratory& lab, const sweep& seen, std::string label, look drawn,
                           std::optional<std::uint64_t> bits) {
    rival made{std::move(label), std::move(drawn)};
    for (const sight& one : seen.sights) {
        const setting bloom = bloom_of(bits.value_or(one.at.spec.structure_bits()), one.at.spec.yes_hashes, one.at);
        auto built = build_many(lab, bloom, first_fit(), experiments_of(lab));
        if (!built) return fail(std::move(built.error()));
        made.filters.push_back(bloom);
        made.measured.push_back(built->after);
    }
    return made;
}

std::vector<series> curves_of(const sweep& seen, std::span<const rival> rivals) {
    std::vector<series> made;
    for (const rival& one : rivals) made.push_back(curve_of(seen, one));
    series plain = curve_of(seen, first_fit(), &sight::plain);
    series bound{"bound: hopeless false positives", {"#9aa7b5", 1, 0.1, 1.4}};
    for (std::size_t i = 0; i < seen.size(); ++i) {
        plain.points[i].model = seen.sights[i].said.after;
        bound.points.push_back({seen.x[i], std::nullopt, seen.sights[i].said.hopeless, std::nullopt});
    }
    made.push_back(std::move(plain));
    made.push_back(curve_of(seen, search(), &sight::searched));
    made.push_back(curve_of(seen, search_with_seeds(), &sight::seeded));
    made.push_back(std::move(bound));
    return made;
}

valley valley_of(std::span<const estimate> values) {
    valley made;
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i].mean < values[made.lowest].mean) made.lowest = i;
    }
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (i <= made.lowest) {
            made.steps.note_less(values[i], values[i - 1]);
        } else {
            made.steps.note_less(values[i - 1], values[i]);
        }
    }
    return made;
}

std::vector<estimate> first_fit_values(const sweep& seen) {
    std::vector<estimate> made;
    for (const sight& one : seen.sights) made.push_back(one.plain.after);
    return made;
}

} // namespace everbloom::lab::yesno
