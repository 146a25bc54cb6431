#include "kind_choice.hpp"

#include <array>
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
    auto ranked = rank_kinds(plan);
    if (!ranked) return fail(std::move(ranked.error()));
    const auto best = [&]() -> const planned_kind* {
        return ranked->candidates.empty() ? nullptr : &ranked->candidates.front();
    };
    if (best() != nullptr && plan.lifetime.growth > 1 && best()->request.items != asked.capacity) {
        // No kind that grows qualifies: it is sized for the capacity, not for a multiple of it.
        plan.lifetime.growth = 1;
        ranked = rank_kinds(plan);
        if (!ranked) return fail(std::move(ranked.error()));
    }
    if (best() != nullptr) return best()->kind;
    return fail(failure_reason::unsupported,
                "no kind can be planned for this capacity, FPR and lifetime; name a kind, or ask for less");
}

} // namespace

result<std::string_view> choose_kind(const filter_options& wanted) {
    static known_choices known;
    const question asked{wanted.capacity, wanted.fpr, wanted.lifetime, wanted.negatives};
    if (const kind_info* kind = known.find(asked)) return kind->name;
    const auto planned = plan_kind(asked);
    if (!planned) return fail(planned.error());
    known.remember(asked, **planned);
    return (*planned)->name;
}

} // namespace everbloom::door
