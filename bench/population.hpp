// population: one filter per kind, full of the run's members and checked, shared by all questions about that kind.
//
// A question that empties or changes the filter says so; the next one that needs it full gets it refilled, outside the clock.
#pragma once

#include "checks.hpp"
#include "measurements.hpp"
#include "planned.hpp"

#include <everbloom/filter/make.hpp>

#include <benchmark/benchmark.h>

namespace everbloom::bench {

template <class Kind>
class population {
public:
    using filter_type = typename Kind::filter;

    /// Made at the first call.
    [[nodiscard]] static population& of_run() {
        static population made;
        return made;
    }

    /// Why this kind cannot be measured, if it cannot.
    [[nodiscard]] const complaint& wrong() const noexcept { return wrong_; }

    /// The filter with all members in it.
    [[nodiscard]] filter_type& full() {
        if (!is_full_) refill();
        return *filter_;
    }

    /// The filter with nothing in it. A kind that grows begins again at the size it was made with.
    [[nodiscard]] filter_type& emptied() {
        is_full_ = false;
        if constexpr (Growable<filter_type>) {
            const auto spec = planned_spec<Kind>(run_settings().fpr);
            if (auto fresh = make<filter_type>(*spec)) filter_ = std::move(*fresh);
        }
        filter_->clear();
        return *filter_;
    }

    /// For the question that has just put all members into the emptied filter, or has changed the full one.
    void declare_full() noexcept { is_full_ = true; }
    void declare_changed() noexcept { is_full_ = false; }

    /// Removal is checked when it is first asked about, for not every run asks.
    [[nodiscard]] const removal& checked_removal()
        requires Deletable<filter_type>
    {
        if (!removal_) {
            removal_ = check_removal<Kind>(full(), run_keys());
            declare_changed();
        }
        return *removal_;
    }

private:
    population() {
        const auto spec = planned_spec<Kind>(run_settings().fpr);
        if (!spec) {
            wrong_ = spec.error().sentence;
            return;
        }
        auto made = make<filter_type>(*spec);
        if (!made) {
            wrong_ = made.error().sentence;
            return;
        }
        filter_ = std::move(*made);
        if (const auto refused = refill(); refused != 0) {
            wrong_ = fmt::format("{} of {} keys were refused", refused, run_keys().items());
            return;
        }
        wrong_ = check_answers<Kind>(*filter_, run_keys());
    }

    std::uint64_t refill() {
        const std::uint64_t refused = count_refused(emptied(), run_keys().members());
        declare_full();
        return refused;
    }

    std::optional<filter_type> filter_;
    bool is_full_ = false;
    complaint wrong_;
    std::optional<removal> removal_;
};

/// Ends the benchmark with an error if the kind is unfit; true then.
[[nodiscard]] inline bool skipped(benchmark::State& state, const complaint& wrong) {
    if (wrong) state.SkipWithError(wrong->c_str());
    return wrong.has_value();
}

/// What the report needs to know beside the time.
inline void describe(benchmark::State& state, std::uint64_t keys_per_iteration, std::uint64_t payload_bytes) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys_per_iteration));
    state.counters[payload_counter] = static_cast<double>(payload_bytes);
    state.counters[bits_counter] = 8 * static_cast<double>(payload_bytes) / static_cast<double>(run_settings().items);
}

} // namespace everbloom::bench
