// Claims of a paper, findings, and verdicts. Claims are in claims.json beside the experiments; findings are measured at run time; one of
// four rules turns the two into a verdict.
#pragma once

#include <everbloom/core/result.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::lab {

enum class verdict {
    reproduced,
    deviates, // between the two: nearly, or not everywhere
    contradicted,
    not_tested,     // no data, too few cores, or nothing that could be decided
    not_comparable, // our layout is not the paper's, so a measurement says nothing about its claim
};

inline constexpr std::array<std::string_view, 5> verdict_words{"reproduced", "deviates", "contradicted", "not tested",
                                                               "not comparable"};
inline constexpr std::array<verdict, 5> all_verdicts{verdict::reproduced, verdict::deviates, verdict::contradicted,
                                                     verdict::not_tested, verdict::not_comparable};

[[nodiscard]] constexpr std::string_view name_of(verdict given) noexcept {
    return verdict_words[static_cast<std::size_t>(given)];
}

/// How a measured number becomes a verdict. Rule, number and tolerance are fixed in claims.json before anything is measured.
enum class judging_rule {
    near,     // within the tolerance of the paper's number; within five tolerances is a deviation
    share,    // share of the cases in which the statement holds: all, some or none of them, within the tolerance
    at_least, // the paper's number or more
    never,    // number of exceptions to a statement that allows none
};

struct claim {
    std::string id;
    std::string where;     // the place in the paper
    std::string statement; // the paper's words, shortened
    std::string quantity;  // what the numbers are
    double paper = 0;
    double tolerance = 0;
    judging_rule rule = judging_rule::share;
    std::string because;        // the reason for a tolerance that is not 0
    std::string judged;         // explanation of the rule
    std::string not_comparable; // why no measurement of ours can decide it; empty: one can
    std::string source;         // address of the number, where it is not in the paper that `where` names
    std::string erratum;        // correction, if the verdict is not "reproduced"
    bool is_ours = false;       // not the paper's: one of our models against the same measurements
};

/// A number, or a share of counted cases.
struct measured_value {
    double number = 0; // NaN: undecided
    std::size_t held = 0;
    std::size_t cases = 0; // 0: no share

    measured_value(double value)
        : number(value) {} // not explicit: a finding is a list of a name, a number and a sentence
    measured_value(double share, std::size_t those, std::size_t of) : number(share), held(those), cases(of) {}
};

/// The result of an experiment for a claim.
struct finding {
    std::string claim;
    measured_value measured;
    std::string evidence; // a sentence with the numbers
};

struct judged_claim {
    claim said;
    finding found;
    verdict given = verdict::not_tested;
    std::vector<std::string> artefacts = {}; // figures and tables of the same experiment
};

[[nodiscard]] judged_claim judge(const claim& said, const finding& found);

/// The place of an artefact in the paper and its caption there.
struct caption {
    std::string where;
    std::string words;
};

/// The contents of a claims.json.
struct paper_text {
    std::string title;
    std::string authors;
    std::string about; // what was re-run, and what was not
    std::map<std::string, caption, std::less<>> captions;
    std::vector<claim> claims;
};

[[nodiscard]] result<paper_text> parse_claims(std::string_view json_text);

} // namespace everbloom::lab
