#include "kind_choice.hpp"

#include <everbloom/runtime/planner.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <mutex>

namespace everbloom::door {
namespace {

/// All that a choice depends on.
struct question {
    std::uint64_t capacity = 0;
    double fpr = 0;
    expected_lifetime lifetime = {};
    std::uint64_t negatives = 0;

    friend bool operator==(const question&, const question&) = default;
};

/// The last answers. A program makes its filters with few different options; a fixed number of them needs no memory that could fail.
class known_choices {
public:
    /// Null if the question is new.
    [[nodiscard]] const kind_info* find(const question& asked) {
        const std::lock_guard lock(mutex_);
        for (const choice& one : choices_) {
            if (one.kind != nullptr && one.asked == asked) return one.kind;
        }
        return nullptr;
    }
    void remember(const question& asked, const kind_info& kind) {
        const std::lock_guard lock(mutex_);
        choices_[oldest_] = {asked, &kind};
        oldest_ = (oldest_ + 1) % choices_.size();
    }

private:
    struct choice {
        question asked;
        const kind_info* kind = nullptr;
    };

    std::mutex mutex_;
    std::array<choice, 32> choices_;
    std::size_t oldest_ = 0;
};

result<const kind_info*> plan_kind(const question& asked) {
    planning_request plan{
        .wanted = {asked.capacity, asked.fpr}, .lifetime = asked.lifetime, .negatives = asked.negatives};
    auto best = best_kind(plan);
    if (!best) return fail(std::move(best.error()));
    const bool life_is_known = asked.lifetime != any_lifetime;
    if (*best && !life_is_known && (*best)->request.items != asked.capacity) {
        // No kind that grows qualifies: it is sized for the capacity, not for a multiple of it that was not asked for.
        plan.lifetime.growth = 1;
        best = best_kind(plan);
        if (!best) return fail(std::move(best.error()));
    }
    if (*best) return (*best)->kind;
    return fail(failure_reason::unsupported,
                "no kind can be planned for this capacity, FPR and lifetime; name a kind, or ask for less");
}

result<const kind_info*> choose_kind(const filter_options& wanted) {
    static known_choices known;
    const question asked{wanted.capacity, wanted.fpr, wanted.lifetime, wanted.negatives};
    if (const kind_info* kind = known.find(asked)) return kind;
    const auto planned = plan_kind(asked);
    if (!planned) return fail(planned.error());
    known.remember(asked, **planned);
    return *planned;
}

template <class Parameters>
bool names(const Parameters& parameters, std::string_view name) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto& one) { return one.name == name; });
}

} // namespace

result<std::uint64_t> complete(build_request& request, const filter_options& wanted) {
    const bool is_planned = request.kind.empty();
    if (is_planned) {
        const auto chosen = choose_kind(wanted);
        if (!chosen) return fail(chosen.error());
        request.kind = (*chosen)->name;
    }
    const kind_info* kind = find_kind(request.kind);
    if (kind == nullptr) return wanted.capacity; // `build` has the words
    if (wanted.negatives != 0 && names(kind->parameters, "negatives") && !names(wanted.geometry, "negatives")) {
        request.parameters.push_back({"negatives", std::to_string(wanted.negatives)});
    }
    if (wanted.hash == hash_id::dcso) request.parameters.push_back({"probe", "dcso"});
    // Growth, removals and churn that somebody has stated: as `create` does with the same words.
    expected_lifetime stated = wanted.lifetime;
    if (stated == any_lifetime) return wanted.capacity;
    if (is_planned && !kind->grows_by_itself) {
        // The planner has chosen one that begins with its final size.
        request.items = static_cast<std::uint64_t>(std::llround(static_cast<double>(wanted.capacity) * stated.growth));
    } else if (!names(wanted.geometry, "planned_keys")) {
        if (auto planned = plan_growth(request, stated.growth); !planned) return fail(std::move(planned.error()));
    }
    const std::uint64_t capacity = *request.items;
    stated.growth = 1; // it is planned by now
    auto lasting = sized_for_lifetime(request, stated, planning_request{}.deletable);
    if (!lasting) return fail(std::move(lasting.error()));
    request = std::move(*lasting);
    return capacity;
}

} // namespace everbloom::door
