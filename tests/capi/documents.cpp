// What the C interface says as JSON: filters, kinds, plans, predictions, simulations; and what options choose.
#include "capi/handles.hpp"

#include <everbloom/filter.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <array>

namespace everbloom::capi_tests {
namespace {

class documents : public for_every_kind {};
INSTANTIATE_TEST_SUITE_P(kinds, documents, ::testing::ValuesIn(kind_names()),
                         [](const auto& info) { return info.param; });

TEST_P(documents, are_json_and_follow_snprintf) {
    const handle made = filled(GetParam());
    const auto stats =
        document([&](char* buffer, std::size_t size) { return eb_stats(made.get(), buffer, size, nullptr); });
    EXPECT_EQ(stats["kind"], GetParam());
    EXPECT_NEAR(stats["keys"].get<double>(), 100, 15);
    EXPECT_EQ(stats["capacity"], capacity);
    EXPECT_GT(stats["bits_per_key"], 1);
    EXPECT_DOUBLE_EQ(stats["fpr"], eb_current_fpr(made.get(), nullptr));
    const auto description =
        document([&](char* buffer, std::size_t size) { return eb_describe(made.get(), buffer, size, nullptr); });
    EXPECT_EQ(description["kind"], GetParam());
    EXPECT_EQ(description["key_type"], "text");
    EXPECT_EQ(description["mapped"], false);
    EXPECT_EQ(description["file_bytes"], eb_saved_bytes(made.get(), nullptr));
    EXPECT_FALSE(description["geometry"].empty());
    const auto census =
        document([&](char* buffer, std::size_t size) { return eb_census(made.get(), 10, 4, buffer, size, nullptr); });
    EXPECT_EQ(census["occupied_shares"].size(), 10u);
    std::uint64_t cells = 0;
    for (const auto& one : census["values"]) cells += one.get<std::uint64_t>();
    EXPECT_EQ(census["cells"], cells);
    // Cell by cell they are the same: as many of each value, and nothing is written behind the last one.
    constexpr std::uint64_t untouched = ~std::uint64_t{0};
    std::vector<std::uint64_t> values(cells + 5, untouched);
    EXPECT_EQ(eb_cells(made.get(), 0, cells + 5, values.data(), nullptr), static_cast<std::int64_t>(cells));
    EXPECT_EQ(std::count(values.begin(), values.end(), untouched), 5);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0u), census["values"][0].get<std::int64_t>());
    EXPECT_EQ(std::count(values.begin(), values.end(), 1u), census["values"][1].get<std::int64_t>());
    std::array<std::uint64_t, 4> some{};
    EXPECT_EQ(eb_cells(made.get(), cells - 3, 4, some.data(), nullptr), 3);
    EXPECT_TRUE(std::equal(some.begin(), some.begin() + 3, values.begin() + static_cast<std::ptrdiff_t>(cells) - 3));
    EXPECT_EQ(eb_cells(made.get(), cells, 4, some.data(), nullptr), 0);
    EXPECT_EQ(eb_cells(made.get(), untouched, untouched, some.data(), nullptr), 0);
    EXPECT_EQ(eb_cells(made.get(), 0, 0, nullptr, nullptr), 0);
    // A buffer that is too small gets the beginning and a NUL, and the length of all.
    std::array<char, 12> small{};
    small.fill('x');
    const std::int64_t length = eb_stats(made.get(), small.data(), 10, nullptr);
    EXPECT_GT(length, 100);
    EXPECT_STREQ(small.data(), "{\"kind\": ");
    EXPECT_EQ(small[10], 'x') << "written behind the buffer";
}

TEST(kinds_document, lists_all_kinds) {
    const auto kinds = all_kinds();
    ASSERT_GE(kinds.size(), 18u);
    EXPECT_EQ(kinds[0]["name"], "bloom");
    EXPECT_EQ(kinds[0]["parameters"][0]["name"], "bits");
    EXPECT_EQ(kinds[0]["parameters"][0]["default"], nullptr);
    EXPECT_EQ(kinds[0]["parameters"][2]["words"][0], "double");
}

TEST(planner, ranks_kinds_and_says_why_others_are_not_there) {
    const auto plan = [](const std::string& request) {
        return document(
            [&](char* buffer, std::size_t size) { return eb_plan(request.c_str(), buffer, size, nullptr); });
    };
    const auto any = plan(R"({"capacity": "1M", "fpr": "0.1%"})");
    ASSERT_FALSE(any["candidates"].empty());
    EXPECT_LE(any["candidates"][0]["fpr"], 0.00101);
    EXPECT_EQ(any["lowest_fpr"], nullptr);
    const auto fixed = plan(R"({"capacity": 1000000, "fpr": 0.001, "removed": 0, "growth": 1})");
    EXPECT_GE(fixed["candidates"].size(), any["candidates"].size());
    const auto narrow = plan(R"({"capacity": 1000000, "fpr": 0.001, "memory_bytes": 100000})");
    EXPECT_TRUE(narrow["candidates"].empty());
    EXPECT_GT(narrow["dropped"].size(), 10u);
    EXPECT_NE(narrow["dropped"][0]["why"], "");
}

TEST(model, predicts_without_making_a_filter) {
    std::array<char, 4096> text{};
    eb_error error{};
    // A filter of 2^50 bits fits into no machine.
    ASSERT_GT(eb_model(R"({"kind": "bloom", "parameters": {"bits": 1125899906842624, "hashes": 4}, "items": "100T"})",
                       text.data(), text.size(), &error),
              0)
        << error.sentence;
    const auto huge = nlohmann::json::parse(text.data());
    const double inverse = 1 - std::exp(-4 * 1e14 / 0x1p50);
    EXPECT_NEAR(huge["fpr"], inverse * inverse * inverse * inverse, 1e-6);
    EXPECT_EQ(huge["parameters"]["probe"], "double");
    // As many as the real filter predicts.
    ASSERT_GT(eb_model(R"({"kind": "counting", "capacity": 1000, "fpr": 0.01, "items": 500})", text.data(), text.size(),
                       &error),
              0);
    const auto half = nlohmann::json::parse(text.data());
    const auto real = build({"counting", 1000, 0.01, {}});
    EXPECT_DOUBLE_EQ(half["fpr"], *real->predict({.items = 500}).fpr);
    EXPECT_EQ(half["bytes"], real->payload_bytes());
}

TEST(simulation, gives_the_same_document_for_any_number_of_threads) {
    const auto simulate = [](const std::string& request) {
        std::string text(EB_SIMULATION_BYTES, '\0');
        eb_error error{};
        EXPECT_GT(eb_simulate(request.c_str(), text.data(), text.size(), &error), 0) << error.sentence;
        return nlohmann::json::parse(text.c_str());
    };
    for (const std::string& kind : kind_names()) {
        const std::string request = R"({"kind": ")" + kind + R"(", "capacity": 300, "fpr": 0.02, "queries": 2000,
                                        "trials": 3, "seed": 5, "threads": )";
        const auto one = simulate(request + "1}");
        EXPECT_EQ(one, simulate(request + "2}"));
        EXPECT_EQ(one["kind"], kind);
        EXPECT_EQ(one["false_negatives"], 0);
    }
}

TEST(options, lifetimes_choose_other_kinds) {
    eb_options options = EB_OPTIONS_INIT;
    options.capacity = 100000;
    const handle everything = made_with(options);
    EXPECT_TRUE(can(everything, EB_CAN_ERASE));
    options.flags = EB_LIFETIME;
    const handle insert_only = made_with(options);
    EXPECT_LE(eb_memory_bytes(insert_only.get()), eb_memory_bytes(everything.get()));
}

TEST(options, parameters_set_the_geometry) {
    eb_options options = options_for("bloom");
    options.parameters = "bits=65536, hashes=4";
    const handle made = made_with(options);
    const auto description =
        document([&](char* buffer, std::size_t size) { return eb_describe(made.get(), buffer, size, nullptr); });
    EXPECT_EQ(description["geometry"]["bits"], 65536);
    EXPECT_EQ(description["geometry"]["hashes"], 4);
}

TEST(versions, agree) {
    EXPECT_EQ(eb_version(), std::to_string(EB_VERSION_MAJOR) + "." + std::to_string(EB_VERSION_MINOR) + "." +
                                std::to_string(EB_VERSION_PATCH));
}

} // namespace
} // namespace everbloom::capi_tests
