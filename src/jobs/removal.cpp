#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/removal.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace everbloom {
namespace {

double risk_in(const any_filter& filter) {
    const measurement now = filter.measure();
    return std::clamp(now.absent_key_risk.value_or(now.fpr), 0.0, 1.0);
}

/// Calls step(keys, outcomes) for batches of keys, and take(outcome) for each.
template <class Step, class Take>
result<void> in_batches(std::span<const digest> keys, Step step, Take take) {
    std::array<erase_outcome, batch_items> outcomes{};
    for (std::size_t from = 0; from < keys.size(); from += batch_items) {
        const auto batch = keys.subspan(from, std::min(batch_items, keys.size() - from));
        const auto answered = std::span(outcomes).first(batch.size());
        if (result<void> done = step(batch, answered); !done) return done;
        for (const erase_outcome one : answered) take(one);
    }
    return {};
}

} // namespace

removal_evidence::removal_evidence(const any_filter& filter)
    : verified_(filter.can(capability::confirm)), risk_(risk_in(filter)) {}

double removal_evidence::never_added() const noexcept {
    if (verified_) return 0;
    const auto removed = static_cast<double>(tally_.successes());
    const auto absent = static_cast<double>(tally_.of(erase_outcome::not_present));
    return risk_ < 1 ? std::min(removed, absent * risk_ / (1 - risk_)) : removed;
}

result<void> removal_evidence::check() const {
    const double wrong = never_added();
    if (wrong < 1) return {};
    return fail(failure_reason::mismatch, grouped(tally_.of(erase_outcome::not_present)) + " of " +
                                              counted(tally_.all(), "key") + " are not in the filter, so about " +
                                              grouped(static_cast<std::uint64_t>(std::llround(wrong))) + " of the " +
                                              grouped(tally_.successes()) +
                                              " to be removed were never added either: they are false positives (FPR " +
                                              rate_text(risk_) + "), and removing them would cause false negatives");
}

result<erase_tally> remove_members(any_filter& filter, std::span<const digest> keys) {
    removal_evidence expected(filter);
    auto tried = in_batches(
        keys, [&](auto batch, auto outcomes) { return filter.can_erase(batch, outcomes); },
        [&](erase_outcome one) { expected.add(one); });
    if (!tried) return fail(std::move(tried.error()));
    if (auto sound = expected.check(); !sound) return fail(std::move(sound.error()));
    erase_tally tally;
    auto done = in_batches(
        keys, [&](auto batch, auto outcomes) { return filter.erase(batch, outcomes); },
        [&](erase_outcome one) { tally.add(one); });
    if (!done) return fail(std::move(done.error()));
    return tally;
}

} // namespace everbloom
