// Model of the d-left counting filter: its exact FPR; bucket loads by the fluid limit; and the geometry that holds `items` keys
// without a bucket overflowing. Derivation: docs/models/dleft.md.
#pragma once

#include <everbloom/filter/dleft/dleft.hpp>
#include <everbloom/model/buckets.hpp>
#include <everbloom/model/dleft/dleft_fluid.hpp>
#include <everbloom/model/workload.hpp>

#include <array>
#include <cmath>
#include <optional>

namespace everbloom {

struct dleft_model {
    /// What `plan` chooses where it is not given (0 in the preset).
    static constexpr std::array<std::string_view, 4> chosen_by_plan{"subtables", "bucket_cells", "remainder_bits",
                                                                    "counter_bits"};
    /// Upper bound on the chance that a planned table ever refuses a key, in a long lifetime.
    static constexpr double planned_risk = 1e-6;

    /// The fewest bits over a few shapes: buckets are counted in powers of two, so a single shape might need twice as many.
    [[nodiscard]] static result<dleft_spec> plan(const workload& wanted, dleft_spec preset = {0, 0, 0, 0, 0, 0}) {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        std::optional<dleft_spec> best;
        for (const auto& [subtables, bucket_cells] : shapes) {
            dleft_spec tried = preset; // what is given stays, whatever the shape
            if (tried.subtables == 0) tried.subtables = subtables;
            if (tried.bucket_cells == 0) tried.bucket_cells = bucket_cells;
            const auto sized = with_buckets_for(wanted, tried);
            if (sized && (!best || cost(*sized) < cost(*best))) best = *sized;
        }
        if (best) return *best;
        return fail(
            failure_reason::bad_parameter,
            "no dleft filter holds " + std::to_string(wanted.items) +
                " items at that FPR: remainders have 4 to 32 bits, fingerprints at most 64; ask for fewer items, "
                "another FPR, or another kind");
    }

    [[nodiscard]] static prediction predict(const dleft_spec& spec, const lifetime& lived) {
        const auto subtables = static_cast<unsigned>(spec.subtables);
        const auto bucket_cells = static_cast<unsigned>(spec.bucket_cells);
        const auto items = static_cast<double>(lived.items);
        const double most = items * (1 + lived.removed_share);
        // Both the load at the end and the highest load before may refuse keys.
        constexpr double negligible_refusals = 1e-5;
        const double refusal = dleft_overflow_rate(subtables, bucket_cells, distinct_load(spec, items));
        const double refusal_before =
            most > items ? dleft_overflow_rate(subtables, bucket_cells, distinct_load(spec, most)) : refusal;
        if (std::fmax(refusal, refusal_before) < negligible_refusals || spec.move > 0) {
            const double present = std::fmin(items, static_cast<double>(spec.cells()));
            return {-std::expm1(present * std::log1p(-1 / fingerprints(spec))), 1.0, refusal};
        }
        // The keys that it refused are not in it.
        const auto all_buckets = static_cast<double>(spec.subtables * spec.buckets);
        const dleft_fluid_limit full =
            dleft_fluid_limit::live(subtables, bucket_cells,
                                    {most / all_buckets, (most - items) / all_buckets,
                                     lived.churn_rounds * items / all_buckets, fingerprints(spec) / all_buckets});
        const double present = full.present() * all_buckets;
        return {std::fmin(1.0, present / fingerprints(spec)), 1.0, full.everywhere_at_least(bucket_cells)};
    }

    /// Every cell in use is one fingerprint that answers "maybe".
    template <class Store>
    [[nodiscard]] static measurement measure(const basic_dleft_filter<Store>& filter) {
        std::uint64_t used = 0;
        std::uint64_t copies = 0;
        filter.for_each_cell([&](const dleft_cell& cell) {
            used += cell.count != 0 ? 1 : 0;
            copies += cell.count;
        });
        measurement seen;
        // Copies beyond a counter take cells of their own, so a tiny table may have more cells in use than fingerprints.
        seen.fpr =
            std::fmin(std::ldexp(static_cast<double>(used), -static_cast<int>(filter.spec().fingerprint_bits())), 1.0);
        seen.items = static_cast<double>(copies);
        seen.deletable_share = 1;
        return seen;
    }

    template <class Store>
    [[nodiscard]] static bucket_statistics buckets(const basic_dleft_filter<Store>& filter) {
        const dleft_spec& spec = filter.spec();
        std::vector<std::uint64_t> with_load(spec.bucket_cells + 2, 0);
        std::uint64_t place = 0;
        std::uint64_t load = 0;
        filter.for_each_cell([&](const dleft_cell& cell) {
            load += cell.count != 0 ? 1 : 0;
            if (++place % spec.bucket_cells != 0) return;
            ++with_load[load];
            load = 0;
        });
        return {shares_at_least(with_load), filter.history().potential_overflows, filter.history().largest_count};
    }

    /// The same shares by the fluid limit. Equal fingerprints share a cell, so the load that counts is that of distinct ones.
    [[nodiscard]] static std::vector<double> predict_buckets(const dleft_spec& spec, const lifetime& lived) {
        const auto highest = static_cast<unsigned>(spec.bucket_cells) + 1;
        const bool is_churned = lived.churn_rounds > 0 || lived.removed_share > 0;
        const auto solved = dleft_fluid_limit::solve(
            static_cast<unsigned>(spec.subtables), distinct_load(spec, static_cast<double>(lived.items)), highest,
            is_churned ? dleft_regime::steady_state : dleft_regime::insertions_only);
        std::vector<double> shares;
        for (unsigned load = 0; load <= highest; ++load) shares.push_back(solved.at_least(load));
        return shares;
    }

    /// Mean number of distinct fingerprints per bucket.
    [[nodiscard]] static double distinct_load(const dleft_spec& spec, double items) noexcept {
        const double all = fingerprints(spec);
        return -all * std::expm1(items * std::log1p(-1 / all)) / static_cast<double>(spec.subtables * spec.buckets);
    }
    [[nodiscard]] static double fingerprints(const dleft_spec& spec) noexcept {
        return std::exp2(static_cast<double>(spec.fingerprint_bits()));
    }

    /// The chance that a table with `items` items refuses a key within `insertions` insertions, without moving keys.
    [[nodiscard]] static double overflow_probability(const dleft_spec& spec, std::uint64_t items, double insertions) {
        const double rate = dleft_fluid_limit::solve(
                                static_cast<unsigned>(spec.subtables), distinct_load(spec, static_cast<double>(items)),
                                static_cast<unsigned>(spec.bucket_cells), dleft_regime::steady_state)
                                .everywhere_at_least(static_cast<unsigned>(spec.bucket_cells));
        return -std::expm1(-insertions * rate);
    }

private:
    static constexpr std::uint64_t vector_cell_bits = 16;

    struct shape {
        std::uint64_t subtables;
        std::uint64_t bucket_cells;
    };
    // The paper's first, then fewer and larger buckets (§4), all of which are scanned eight cells at a time.
    static constexpr std::array<shape, 6> shapes{{{4, 8}, {3, 8}, {2, 16}, {3, 16}, {2, 32}, {3, 32}}};

    /// Bits; cells that cannot be compared eight at a time must save an eighth of them.
    [[nodiscard]] static double cost(const dleft_spec& spec) noexcept {
        return static_cast<double>(spec.bits()) * (spec.cell_bits() == vector_cell_bits ? 1 : 1.125);
    }

    [[nodiscard]] static std::vector<double> shares_at_least(const std::vector<std::uint64_t>& with_load) {
        std::vector<double> shares(with_load.size(), 0);
        std::uint64_t all = 0;
        for (const std::uint64_t buckets : with_load) all += buckets;
        std::uint64_t above = 0;
        for (std::size_t load = with_load.size(); load-- > 0;) {
            above += with_load[load];
            shares[load] = static_cast<double>(above) / static_cast<double>(all);
        }
        return shares;
    }

    /// The fewest buckets that hold the items at the planned risk, and the fewest bits per cell that meet the target FPR.
    [[nodiscard]] static std::optional<dleft_spec> with_buckets_for(const workload& wanted, dleft_spec spec) {
        const auto items = static_cast<double>(wanted.items);
        // In a small table random fluctuation exceeds what the fluid limit covers.
        const double safe_items = items + 3 * std::sqrt(items);
        const auto places = static_cast<double>(spec.subtables * spec.bucket_cells);
        const double least_buckets = std::exp2(std::ceil(std::log2(std::fmax(safe_items / places, 1))));
        if (!(least_buckets < static_cast<double>(dleft_spec::most_buckets))) return std::nullopt;
        spec.buckets = static_cast<std::uint64_t>(least_buckets);
        while (!holds(spec, safe_items) && spec.buckets < dleft_spec::most_buckets / 2) spec.buckets *= 2;
        return with_cells_for(wanted, spec);
    }

    [[nodiscard]] static bool holds(const dleft_spec& spec, double items) {
        const double load = items / static_cast<double>(spec.subtables * spec.buckets);
        const double risk =
            dleft_overflow_rate(static_cast<unsigned>(spec.subtables), static_cast<unsigned>(spec.bucket_cells), load);
        return risk * items * (1 + lasting_churn_rounds) <= planned_risk;
    }

    [[nodiscard]] static std::optional<dleft_spec> with_cells_for(const workload& wanted, dleft_spec spec) {
        constexpr std::uint64_t worth_rounding = 14;
        const double fingerprint_bits = std::ceil(std::log2(static_cast<double>(wanted.items) / wanted.fpr));
        const double needed = fingerprint_bits - spec.bucket_bits();
        if (spec.remainder_bits == 0) {
            if (needed > dleft_spec::most_remainder_bits || fingerprint_bits > dleft_spec::most_fingerprint_bits)
                return std::nullopt;
            spec.remainder_bits =
                static_cast<std::uint64_t>(std::fmax(needed, static_cast<double>(dleft_spec::least_remainder_bits)));
            const bool is_one_short = spec.remainder_bits + 1 == vector_cell_bits; // one bit for the counter will do
            const std::uint64_t counter = spec.counter_bits != 0 ? spec.counter_bits : is_one_short ? 1 : 2;
            const std::uint64_t cell = spec.remainder_bits + counter;
            if (cell >= worth_rounding && cell < vector_cell_bits) spec.remainder_bits = vector_cell_bits - counter;
            spec.counter_bits = counter;
        } else {
            // Given remainders: only more buckets can lower the FPR.
            if (spec.counter_bits == 0) spec.counter_bits = 2;
            const double lacking = std::fmax(needed - static_cast<double>(spec.remainder_bits), 0);
            if (!(lacking < dleft_spec::most_bucket_bits)) return std::nullopt;
            spec.buckets <<= static_cast<unsigned>(lacking);
        }
        return spec.check() ? std::optional(spec) : std::nullopt;
    }
};

} // namespace everbloom
