// Fig. 16, 17 and 18 of [Carrea16 §VIII]: in-packet forwarding on the networks of the Topology Zoo if its directory is given, else on
// built-in and generated ones. A path of n links with |T| other links at its nodes, with 1,000 sets of hash functions.
#include "lab/papers/comparison.hpp"
#include "lab/papers/yesno/builds.hpp"
#include "lab/papers/yesno/paths.hpp"
#include "lab/papers/yesno/yesno.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace everbloom::lab::yesno {
namespace {

constexpr std::uint64_t bloom_hashes = 6;
constexpr std::uint64_t long_links = 25; // paths of claims get more trials
constexpr double undecided = std::numeric_limits<double>::quiet_NaN();

struct seen_path {
    long_path path;
    setting bloom;
    estimate bloom_left;
    sight yes_no;
};

setting header_for(const long_path& path) {
    setting made = papers_setting();
    made.spec.yes_bits = 192;
    made.spec.no_filters = 2;
    made.spec.no_hashes = 3;
    made.members = path.links;
    made.negatives = path.others;
    return made;
}

std::uint64_t hashings_of(const laboratory& lab, const long_path& path) {
    const std::uint64_t usual = lab.thoroughness().places == 0 ? 1000 : lab.thoroughness().name == "glance" ? 50 : 300;
    return path.links < long_links ? usual : std::max<std::uint64_t>(10 * usual, 2000);
}

result<std::vector<seen_path>> look(const laboratory& lab, const std::vector<long_path>& paths) {
    std::vector<seen_path> made;
    std::uint64_t first_trial = 0; // each network has its own hash functions
    for (const long_path& path : paths) {
        if (path.others == 0) continue; // no false links possible
        const std::uint64_t hashings = hashings_of(lab, path);
        const setting header = header_for(path);
        const setting bloom = bloom_of(papers_bits, bloom_hashes, header);
        const auto plain = build_many(lab, bloom, first_fit(), hashings, first_trial);
        if (!plain) return fail(plain.error());
        auto yes_no = examine(lab, header, hashings, first_trial);
        if (!yes_no) return fail(std::move(yes_no.error()));
        made.push_back({path, bloom, plain->after, std::move(*yes_no)});
        first_trial += hashings;
    }
    return made;
}

struct way_to_build {
    const construction& how;
    builds sight::*built;
};

std::vector<way_to_build> ways() {
    return {{first_fit(), &sight::plain}, {search(), &sight::searched}, {search_with_seeds(), &sight::seeded}};
}

artefact fig16_of(const std::vector<seen_path>& all, const std::string& whose, std::size_t networks) {
    artefact figure{"fig16",
                    "False positives of a yes-no header over those of a Bloom header, one point for each of " + whose,
                    {"false positives of the Bloom filter, m = 256, k = 6", axis_scale::logarithmic, 1e-3, 200},
                    {"false positives of the yes-no filter", axis_scale::logarithmic, 1e-4, 200}};
    std::size_t clean = networks - all.size();
    for (const way_to_build& way : ways()) {
        series line{way.how.label, way.how.drawn};
        for (const seen_path& one : all) {
            if (!(one.bloom_left.mean > 0)) continue; // not on a logarithmic axis
            line.points.push_back(
                {one.bloom_left.mean,
                 std::nullopt,
                 std::nullopt,
                 (one.yes_no.*way.built).after,
                 {{"links", static_cast<double>(one.path.links)}, {"others", static_cast<double>(one.path.others)}}});
        }
        figure.curves.push_back(std::move(line));
    }
    series equal{"equal to the Bloom filter", {"#808790", 1, 0.1, 1.2}};
    equal.model_curve = {{1e-3, 1e-3}, {100, 100}};
    equal.points = {{1e-3, std::nullopt, 1e-3, std::nullopt}, {100, std::nullopt, 100, std::nullopt}};
    figure.curves.push_back(std::move(equal));
    for (const seen_path& one : all) {
        clean += one.bloom_left.mean == 0 && one.yes_no.plain.after.mean == 0 ? 1 : 0;
    }
    figure.reading = fmt::format(
        "All points are below the line of equal numbers. In {} of {} networks neither filter had a false positive; "
        "zero is not on a logarithmic axis.",
        clean, networks);
    return figure;
}

/// Paths of one length, averaged over the networks as in the paper.
struct length_class {
    std::size_t networks = 0;
    double bloom_paper = 0;
    double bloom_model = 0;
    double yes_no_model = 0;
    estimate bloom;
    std::vector<estimate> yes_no; // in the order of ways()
};

/// Mean of independently measured FPRs.
estimate mean_rate(const std::vector<std::pair<estimate, double>>& counts) {
    estimate made;
    double below = 0;
    double above = 0;
    const auto count = static_cast<double>(counts.size());
    for (const auto& [measured, of] : counts) {
        made.mean += measured.mean / of / count;
        below += std::pow((measured.mean - measured.low) / of / count, 2);
        above += std::pow((measured.high - measured.mean) / of / count, 2);
    }
    made.low = std::max(0.0, made.mean - std::sqrt(below));
    made.high = made.mean + std::sqrt(above);
    return made;
}

std::map<std::uint64_t, length_class> by_length(const std::vector<seen_path>& all) {
    std::map<std::uint64_t, std::vector<const seen_path*>> sorted;
    for (const seen_path& one : all) sorted[one.path.links].push_back(&one);
    std::map<std::uint64_t, length_class> made;
    for (const auto& [links, paths] : sorted) {
        length_class& here = made[links];
        here.networks = paths.size();
        const auto count = static_cast<double>(paths.size());
        std::vector<std::pair<estimate, double>> bloom;
        std::vector<std::vector<std::pair<estimate, double>>> yes_no(ways().size());
        for (const seen_path* one : paths) {
            const auto others = static_cast<double>(one->path.others);
            here.bloom_paper += papers_bloom(one->bloom) / others / count;
            here.bloom_model += our_bloom(one->bloom) / others / count;
            here.yes_no_model += one->yes_no.said.after / others / count;
            bloom.emplace_back(one->bloom_left, others);
            for (std::size_t i = 0; i < yes_no.size(); ++i) {
                yes_no[i].emplace_back((one->yes_no.*ways()[i].built).after, others);
            }
        }
        here.bloom = mean_rate(bloom);
        for (const auto& counts : yes_no) here.yes_no.push_back(mean_rate(counts));
    }
    return made;
}

artefact fig17_of(const std::map<std::uint64_t, length_class>& lengths) {
    artefact figure{"fig17",
                    "False positive rate over the length of the path",
                    axis_from_zero("n, links of the path"),
                    {"false positive rate", axis_scale::logarithmic, 1e-6, 1}};
    figure.paper_values = "Eq. 5";
    figure.reading =
        "The FPR of the Bloom filter depends only on the number of links, that of the yes-no filter also on the other "
        "links at the nodes of the path, which differ between networks.";
    series bloom{"Bloom filter, m = 256, k = 6", {"#555b66", 4, 0.6, 1.6}};
    for (const auto& [links, here] : lengths) {
        bloom.points.push_back({static_cast<double>(links),
                                here.bloom_paper,
                                here.bloom_model,
                                here.bloom,
                                {{"networks", static_cast<double>(here.networks)}}});
    }
    figure.curves.push_back(std::move(bloom));
    for (std::size_t i = 0; i < ways().size(); ++i) {
        series line{ways()[i].how.label, ways()[i].how.drawn};
        for (const auto& [links, here] : lengths) {
            line.points.push_back({static_cast<double>(links), std::nullopt,
                                   i == 0 ? std::optional(here.yes_no_model) : std::nullopt, here.yes_no[i]});
        }
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

/// The interval is the widest that the two intervals allow.
estimate ratio(const estimate& a, const estimate& b) {
    return {a.mean / b.mean, a.low / b.high, b.low > 0 ? a.high / b.low : a.mean / b.mean};
}

artefact fig18_of(const std::map<std::uint64_t, length_class>& lengths) {
    artefact figure{"fig18",
                    "FPR of the yes-no filter divided by that of the Bloom filter",
                    axis_from_zero("n, links of the path"),
                    {"ratio of the FPRs", axis_scale::linear, 0.0, 1.2}};
    figure.reading = "The grey line is the ratio of 1/4 in the paper. Path lengths with an uncertainty over 50 % in "
                     "the FPR of the Bloom "
                     "filter are omitted.";
    figure.reference = 0.25;
    for (std::size_t i = 0; i < ways().size(); ++i) {
        series line{ways()[i].how.label, ways()[i].how.drawn};
        for (const auto& [links, here] : lengths) {
            // Too few false positives of the Bloom filter for a ratio.
            if (here.bloom.high - here.bloom.low > here.bloom.mean) continue;
            line.points.push_back({static_cast<double>(links), std::nullopt,
                                   i == 0 ? std::optional(here.yes_no_model / here.bloom_model) : std::nullopt,
                                   ratio(here.yes_no[i], here.bloom)});
        }
        figure.curves.push_back(std::move(line));
    }
    return figure;
}

const seen_path* path_in(const std::vector<seen_path>& all, std::string_view network) {
    for (const seen_path& one : all) {
        if (one.path.network == network) return &one;
    }
    return nullptr;
}

std::string with_interval(const estimate& one) {
    return fmt::format("{:.3f} ({:.3f} .. {:.3f})", one.mean, one.low, one.high);
}

std::vector<finding> about_tata(const std::vector<seen_path>& all) {
    const seen_path* tata = path_in(all, "TataNld");
    if (tata == nullptr) {
        const std::string why =
            "not tested: TataNld.graphml is missing; use --topologies DIR with the networks of the Topology Zoo";
        return {{"tata-hops", undecided, why},
                {"tata-bloom", undecided, why},
                {"tata-yes-no", undecided, why},
                {"two-large", undecided, why}};
    }
    std::string larger;
    double count = 0;
    for (const seen_path& one : all) {
        if (one.bloom_left.mean <= tata->bloom_left.mean) continue;
        count += 1;
        larger += fmt::format("{}{} ({} links: {:.2f} and {:.2f})", larger.empty() ? "" : ", ", one.path.network,
                              one.path.links, one.bloom_left.mean, one.yes_no.plain.after.mean);
    }
    const std::string path = fmt::format("{} links, {} other links at its nodes", tata->path.links, tata->path.others);
    return {
        {"tata-hops", static_cast<double>(tata->path.links), path},
        {"tata-bloom", tata->bloom_left.mean,
         fmt::format("{}; {:.3f} by Eq. 5; {}", with_interval(tata->bloom_left), papers_bloom(tata->bloom), path)},
        {"tata-yes-no", tata->yes_no.plain.after.mean,
         fmt::format("{} with first-fit, {:.3f} with search, {:.4f} with four seeds; {:.3f} expected to be hopeless",
                     with_interval(tata->yes_no.plain.after), tata->yes_no.searched.after.mean,
                     tata->yes_no.seeded.after.mean, tata->yes_no.said.hopeless)},
        {"two-large", count, fmt::format("more false positives than in TataNld (Bloom, yes-no): {}", larger)}};
}

finding about_ratio(const std::map<std::uint64_t, length_class>& lengths, bool of_the_zoo) {
    const auto at_35 = lengths.find(35);
    if (!of_the_zoo || at_35 == lengths.end()) {
        return {"ratio-at-35", undecided,
                "not tested: no path of 35 links in these networks; use --topologies DIR with the networks of the "
                "Topology Zoo"};
    }
    const estimate seen = ratio(at_35->second.yes_no[0], at_35->second.bloom);
    std::string others;
    for (const auto& [links, here] : lengths) {
        if (links >= 20 && links < 35 && here.bloom.low > 0) {
            others +=
                fmt::format("{}{:.2f} at {}", others.empty() ? "" : ", ", here.yes_no[0].mean / here.bloom.mean, links);
        }
    }
    return {"ratio-at-35", seen.mean,
            fmt::format("{} in {} network; {}", with_interval(seen), at_35->second.networks, others)};
}

} // namespace

result<outcome> on_networks(laboratory& lab) {
    const bool given = !lab.topologies().empty();
    const auto paths = given ? paths_of_directory(lab.topologies()) : paths_of_our_own();
    if (!paths) return fail(paths.error());
    const auto all = look(lab, *paths);
    if (!all) return fail(all.error());
    const auto lengths = by_length(*all);

    place_count lower;
    for (const auto& [links, here] : lengths) lower.note_less(here.yes_no[0], here.bloom);
    const std::string count = fmt::format("{} network{}", paths->size(), paths->size() == 1 ? "" : "s");
    const std::string whose =
        count + (given ? " in the directory given" : " built-in or generated, not those of the paper");
    outcome found;
    found.artefacts = {fig16_of(*all, whose, paths->size()), fig17_of(lengths), fig18_of(lengths)};
    found.findings = about_tata(*all);
    found.findings.push_back(
        {"consistently-lower", lower.counted(),
         fmt::format("path lengths at which the yes-no filter has the lower FPR: {}, on {}", lower.words(), whose)});
    found.findings.push_back(about_ratio(lengths, given));
    return found;
}

} // namespace everbloom::lab::yesno
