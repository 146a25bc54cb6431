// Documents of `everbloom reproduce --json` at the smallest scale, and what tests expect of them.
#pragma once

#include "cli/workbench.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace everbloom::support {

using nlohmann::json;

inline json reproduce(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "reproduce");
    arguments.insert(arguments.end(), {"--scale", "glance", "--json"});
    const auto ran = run_program(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return json::parse(ran.out);
}

inline const json& claim_named(const json& document, const std::string& id) {
    for (const json& one : document["claims"]) {
        if (one["id"] == id) return one;
    }
    static const json nothing = json::object();
    ADD_FAILURE() << "there is no claim " << id;
    return nothing;
}

inline std::string verdict_of(const json& document, const std::string& id) {
    return claim_named(document, id).value("verdict", "");
}

/// What every document must look like, whatever it says.
inline void expect_shape(const json& document) {
    for (const char* member : {"paper", "scale", "seed", "artefacts", "claims"}) {
        EXPECT_TRUE(document.contains(member)) << member;
    }
    for (const json& artefact : document["artefacts"]) {
        SCOPED_TRACE(artefact["id"].dump());
        EXPECT_FALSE(artefact["title"].get<std::string>().empty());
        EXPECT_FALSE(artefact["points"].empty());
        for (const json& point : artefact["points"]) {
            EXPECT_TRUE(point["x"].is_number());
            EXPECT_FALSE(point["series"].get<std::string>().empty());
            for (const char* member : {"paper", "model", "measured", "low", "high"}) {
                EXPECT_TRUE(point[member].is_number() || point[member].is_null()) << member;
            }
            if (point["measured"].is_null()) continue;
            EXPECT_LE(point["low"], point["measured"]);
            EXPECT_LE(point["measured"], point["high"]);
        }
    }
    const std::set<std::string> verdicts{"reproduced", "deviates", "contradicted", "not tested", "not comparable"};
    std::set<std::string> artefacts;
    for (const json& artefact : document["artefacts"]) artefacts.insert(artefact["id"]);
    for (const json& claim : document["claims"]) {
        SCOPED_TRACE(claim["id"].dump());
        for (const char* member : {"where", "statement"}) EXPECT_FALSE(claim[member].get<std::string>().empty());
        for (const char* member : {"paper", "tolerance"}) EXPECT_TRUE(claim[member].is_number()) << member;
        // Null: nothing could be decided, as where two speeds are too close to each other. That is no verdict.
        EXPECT_TRUE(claim["measured"].is_number() || claim["verdict"] == "not tested" ||
                    claim["verdict"] == "not comparable");
        EXPECT_TRUE(claim["verdict"] != "not tested" || claim["measured"].is_null());
        // Whoever allows a tolerance says why.
        EXPECT_TRUE(claim["tolerance"] == 0 || !claim["because"].get<std::string>().empty());
        for (const json& id : claim["artefacts"]) EXPECT_EQ(artefacts.count(id.get<std::string>()), 1U) << id;
        if (claim.contains("counted")) {
            EXPECT_LE(claim["counted"]["held"], claim["counted"]["cases"]);
        }
        EXPECT_EQ(verdicts.count(claim["verdict"].get<std::string>()), 1U);
        EXPECT_EQ(claim.contains("why"), claim["verdict"] != "reproduced");
    }
}

inline void expect_artefacts(const json& document, const std::vector<std::string>& wanted) {
    std::vector<std::string> ids;
    for (const json& artefact : document["artefacts"]) ids.push_back(artefact["id"]);
    EXPECT_EQ(ids, wanted);
}

inline void expect_verdicts(const json& document, const std::map<std::string, std::string>& wanted) {
    EXPECT_EQ(document["claims"].size(), wanted.size());
    for (const auto& [id, verdict] : wanted) {
        EXPECT_EQ(verdict_of(document, id), verdict) << claim_named(document, id).dump(2);
    }
}

} // namespace everbloom::support
