#include "population.hpp"

#include <everbloom/simulation/trial.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <vector>

namespace everbloom {
namespace {

/// Calls `deed(batch)` with the digests number(0), number(1), ... of a stream, at most `batch_items` at a time.
template <class Number, class Deed>
void in_batches(const trial_randomness& random, random_stream from, std::uint64_t count, Number number, Deed deed) {
    std::array<digest, batch_items> batch;
    for (std::uint64_t first = 0; first < count; first += batch_items) {
        const auto items = static_cast<std::size_t>(std::min<std::uint64_t>(batch_items, count - first));
        for (std::size_t i = 0; i < items; ++i) batch[i] = random(from, number(first + i));
        deed(std::span<const digest>(batch.data(), items));
    }
}

class trial {
public:
    trial(any_filter filter, const trial_plan& plan, const trial_randomness& random)
        : filter_(std::move(filter)), plan_(plan), random_(random) {}

    [[nodiscard]] result<trial_result> run() {
        if (auto done = fill(plan_.items + plan_.removed); !done) return fail(std::move(done.error()));
        for (std::uint64_t i = 0; i < plan_.removed; ++i) remove_one();
        for (std::uint64_t i = 0; i < plan_.churn_steps; ++i) {
            remove_one();
            add_one();
        }
        if (auto done = protect(); !done) return fail(std::move(done.error()));
        question_members();
        seen_.false_positives = question(random_stream::absent, plan_.queries);
        if (plan_.negatives > 0) seen_.known_negatives = question(random_stream::negatives, plan_.negatives);
        seen_.fpr_current = filter_.measure().fpr;
        seen_.buckets = filter_.buckets();
        seen_.growth = filter_.growth();
        return seen_;
    }

private:
    /// All at once, if the kind takes them only so.
    result<void> fill(std::uint64_t keys) {
        if (filter_.can(capability::build)) return build(keys);
        result<void> done;
        std::array<insert_outcome, batch_items> outcomes;
        const std::uint64_t first = next_key_;
        in_batches(
            random_, random_stream::members, keys, [&](std::uint64_t i) { return first + i; },
            [&](std::span<const digest> batch) {
                if (!done) return;
                done = filter_.insert(batch, std::span(outcomes.data(), batch.size()));
                for (std::size_t i = 0; done && i < batch.size(); ++i, ++next_key_) {
                    seen_.inserts.add(outcomes[i]);
                    if (succeeded(outcomes[i])) members_.add(next_key_);
                }
            });
        return done;
    }

    /// The same for one key, without a batch: churn is millions of these.
    void add_one() {
        const insert_outcome outcome = filter_.insert_one(random_(random_stream::members, next_key_));
        seen_.inserts.add(outcome);
        if (succeeded(outcome)) members_.add(next_key_);
        ++next_key_;
    }

    result<void> build(std::uint64_t keys) {
        std::vector<digest> all;
        for (; next_key_ < keys; ++next_key_) {
            all.push_back(random_(random_stream::members, next_key_));
            members_.add(next_key_);
        }
        seen_.inserts.add(insert_outcome::inserted, keys);
        return filter_.build(all);
    }

    void remove_one() {
        if (members_.count() == 0) return;
        const std::uint64_t leaver = members_.take(random_.choose(next_choice_++, members_.count()));
        seen_.erases.add(filter_.erase_one(random_(random_stream::members, leaver)));
    }

    result<void> protect() {
        if (plan_.negatives == 0) return {};
        std::vector<digest> members;
        for (std::uint64_t i = 0; i < members_.count(); ++i) {
            members.push_back(random_(random_stream::members, members_.at(i)));
        }
        std::vector<digest> negatives;
        for (std::uint64_t i = 0; i < plan_.negatives; ++i) negatives.push_back(random_(random_stream::negatives, i));
        if (auto done = filter_.protect(members, negatives); !done) return fail(std::move(done.error()));
        return {};
    }

    void question_members() {
        std::array<std::uint8_t, batch_items> answers;
        std::array<erase_outcome, batch_items> outcomes;
        if (filter_.can(capability::erase)) seen_.deletable.emplace();
        in_batches(
            random_, random_stream::members, members_.count(), [&](std::uint64_t i) { return members_.at(i); },
            [&](std::span<const digest> batch) {
                filter_.may_contain(batch, std::span(answers.data(), batch.size()));
                seen_.false_negatives += static_cast<std::uint64_t>(
                    std::count(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(batch.size()), 0));
                if (!filter_.can_erase(batch, std::span(outcomes.data(), batch.size()))) return;
                for (std::size_t i = 0; i < batch.size(); ++i) seen_.deletable->hits += succeeded(outcomes[i]) ? 1 : 0;
                seen_.deletable->of += batch.size();
            });
    }

    [[nodiscard]] trial_tally question(random_stream from, std::uint64_t count) const {
        trial_tally positive{0, count};
        std::array<std::uint8_t, batch_items> answers;
        in_batches(
            random_, from, count, [](std::uint64_t i) { return i; },
            [&](std::span<const digest> batch) {
                filter_.may_contain(batch, std::span(answers.data(), batch.size()));
                for (std::size_t i = 0; i < batch.size(); ++i) positive.hits += answers[i];
            });
        return positive;
    }

    any_filter filter_;
    const trial_plan& plan_;
    const trial_randomness& random_;
    population members_;
    std::uint64_t next_key_ = 0;
    std::uint64_t next_choice_ = 0;
    trial_result seen_;
};

} // namespace

result<trial_result> run_trial(any_filter filter, const trial_plan& plan, const trial_randomness& random) {
    try {
        return trial(std::move(filter), plan, random).run();
    } catch (const std::bad_alloc&) {
        // Trials run in threads of their own, where an exception would end the program.
        return fail(failure_reason::out_of_memory, "out of memory for the list of " + std::to_string(plan.items) +
                                                       " members; simulate fewer items or use fewer threads");
    }
}

} // namespace everbloom
