#include "commands/plan/chosen_kind.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/jobs/capacity.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace everbloom::cli {
namespace {

// Kinds with no-filters of their own have a parameter of this name; all others get an exclusion list later (`protect`).
constexpr std::string_view negatives = "negatives";
// Kinds that keep their FPR up to a number of keys have one of this name.
constexpr std::string_view planned_keys = "planned_keys";

/// The choice of an earlier call for the same request. `create` asks before it reads the keys and after it; the flags are the same.
class last_choice {
public:
    [[nodiscard]] static std::optional<build_request> find(const planning_request& plan) {
        const auto& [asked, answer] = kept();
        const bool is_same = answer && asked.wanted.items == plan.wanted.items && asked.wanted.fpr == plan.wanted.fpr &&
                             asked.lifetime == plan.lifetime && asked.deletable == plan.deletable &&
                             asked.negatives == plan.negatives;
        return is_same ? answer : std::nullopt;
    }
    static build_request keep(const planning_request& plan, const build_request& answer) {
        kept() = {plan, answer};
        return answer;
    }

private:
    [[nodiscard]] static std::pair<planning_request, std::optional<build_request>>& kept() {
        static std::pair<planning_request, std::optional<build_request>> one;
        return one;
    }
};

/// The planner's choice: its request has the kind, the number of keys to size it for, and the plan of its growth.
result<build_request> planned_request(const workload& wanted, const geometry_flags& given,
                                      const std::optional<expected_lifetime>& stated, double deletable) {
    planning_request plan{.wanted = wanted, .lifetime = stated.value_or(any_lifetime), .deletable = deletable};
    if (const auto text = given.given(negatives)) {
        const auto count = size_of_flag("--negatives", *text);
        if (!count) return fail(count.error());
        plan.negatives = *count;
    }
    // A given geometry does not grow.
    if (given.geometry_given() && !given.given(negatives)) plan.lifetime.growth = 1;
    const planning_request asked = plan;
    if (auto known = last_choice::find(asked)) return std::move(*known);
    const auto suits = [&](const kind_info& kind) { return given.suits(kind, negatives); };
    auto best = best_kind(plan, suits);
    if (!best) return fail(std::move(best.error()));
    if (*best && !stated && plan.lifetime.growth > 1 && (*best)->request.items != wanted.items) {
        // No growing kind qualifies: the filter is sized for the given number of keys, not for a multiple of it.
        plan.lifetime.growth = 1;
        best = best_kind(plan, suits);
        if (!best) return fail(std::move(best.error()));
    }
    if (*best) return last_choice::keep(asked, (*best)->request);
    return fail(failure_reason::unsupported,
                "no kind supports this workload with these parameters; 'everbloom plan' lists what each kind "
                "supports, and --kind chooses one");
}

} // namespace

result<chosen_filter> choose_filter(const std::optional<std::string>& kind, const geometry_flags& given,
                                    const lifetime_flags& lifetime, std::optional<std::uint64_t> items) {
    auto stated = lifetime.expected();
    if (!stated) return fail(stated.error());
    const auto deletable = lifetime.deletable();
    if (!deletable) return fail(deletable.error());
    const auto asked = given.workload_request();
    if (!asked) return fail(asked.error());
    if (!items) items = asked->items;
    std::optional<double> times;
    if (const auto text = given.growth_times()) {
        const auto number = growth_of_flag(*text);
        if (!number) return fail(number.error());
        times = *number;
    }

    std::optional<build_request> planned;
    if (!kind) {
        if (times && !*stated) *stated = expected_lifetime{};
        if (times) (*stated)->growth = *times;
        const workload wanted{items.value_or(least_default_items), asked->fpr.value_or(workload{}.fpr)};
        auto best = planned_request(wanted, given, *stated, *deletable);
        if (!best) return fail(std::move(best.error()));
        planned = std::move(*best);
    }
    auto request = given.request(kind ? *kind : planned->kind, kind ? std::string_view{} : negatives);
    if (!request) return fail(std::move(request.error()));
    request->items = items;
    if (planned && times && items) request->items = planned->items;
    if (planned) {
        for (const parameter_text& one : planned->parameters) {
            if (one.name == planned_keys && items) request->parameters.push_back(one);
        }
    } else if (times) {
        if (auto done = plan_growth(*request, *times); !done) return fail(in("--growth", std::move(done.error())));
    }
    if (!*stated || !items) return chosen_filter{std::move(*request), asked->fpr};
    (*stated)->growth = 1; // what it grows to is planned by now
    auto lasting = sized_for_lifetime(*request, **stated, *deletable);
    if (!lasting) return fail(std::move(lasting.error()));
    return chosen_filter{std::move(*lasting), asked->fpr};
}

} // namespace everbloom::cli
