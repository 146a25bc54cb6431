#include "lab/papers/claim.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace everbloom::lab {
namespace {

using nlohmann::json;

// Up to this many tolerances an error is a deviation; beyond that the claim is contradicted.
constexpr double deviation_reach = 5;

verdict judge_near(const claim& said, double measured) {
    const double off = std::abs(measured - said.paper);
    if (off <= said.tolerance) return verdict::reproduced;
    return off <= deviation_reach * said.tolerance ? verdict::deviates : verdict::contradicted;
}

verdict judge_share(const claim& said, double measured) {
    if (measured >= 1 - said.tolerance) return verdict::reproduced;
    return measured <= said.tolerance ? verdict::contradicted : verdict::deviates;
}

verdict judge_at_least(const claim& said, double measured) {
    return measured >= said.paper - said.tolerance ? verdict::reproduced : verdict::contradicted;
}

std::optional<judging_rule> rule_named(std::string_view name) {
    if (name == "near") return judging_rule::near;
    if (name == "share") return judging_rule::share;
    if (name == "at_least") return judging_rule::at_least;
    if (name == "never") return judging_rule::never;
    return std::nullopt;
}

result<claim> claim_of(const json& from) {
    claim made;
    made.id = from.at("id");
    made.where = from.at("where");
    made.statement = from.at("statement");
    made.quantity = from.at("quantity");
    made.paper = from.at("paper");
    made.tolerance = from.at("tolerance");
    made.because = from.value("because", "");
    made.judged = from.at("judged");
    made.not_comparable = from.value("not_comparable", "");
    made.source = from.value("source", "");
    made.erratum = from.value("erratum", "");
    made.is_ours = from.value("ours", false);
    const auto rule = rule_named(from.at("rule").get<std::string>());
    if (!rule) return fail(failure_reason::damaged, "claim " + made.id + " has an unknown rule");
    made.rule = *rule;
    if (made.tolerance != 0 && made.because.empty()) {
        return fail(failure_reason::damaged, "claim " + made.id + " has a tolerance without a reason");
    }
    return made;
}

} // namespace

judged_claim judge(const claim& said, const finding& found) {
    judged_claim made{said, found};
    const double measured = found.measured.number;
    if (!said.not_comparable.empty()) {
        made.given = verdict::not_comparable;
        return made;
    }
    if (!std::isfinite(measured)) return made;
    switch (said.rule) {
    case judging_rule::near: made.given = judge_near(said, measured); break;
    case judging_rule::share: made.given = judge_share(said, measured); break;
    case judging_rule::at_least: made.given = judge_at_least(said, measured); break;
    case judging_rule::never: made.given = measured == 0 ? verdict::reproduced : verdict::contradicted; break;
    }
    return made;
}

result<paper_text> parse_claims(std::string_view json_text) {
    paper_text made;
    try {
        const json document = json::parse(json_text);
        made.title = document.at("title");
        made.authors = document.at("authors");
        made.about = document.at("about");
        for (const auto& [id, words] : document.at("artefacts").items()) {
            made.captions[id] = {words.at("where"), words.at("words")};
        }
        for (const json& one : document.at("claims")) {
            auto parsed = claim_of(one);
            if (!parsed) return fail(std::move(parsed.error()));
            made.claims.push_back(std::move(*parsed));
        }
    } catch (const json::exception& wrong) {
        return fail(failure_reason::damaged, std::string("claims.json: ") + wrong.what());
    }
    return made;
}

} // namespace everbloom::lab
