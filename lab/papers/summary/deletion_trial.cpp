#include "lab/papers/summary/deletion_trial.hpp"

#include <algorithm>
#include <array>

namespace everbloom::lab::summary {
namespace {

/// Number of positive answers for the digests first, first + 1, ... of a stream.
trial_tally said_to_be_there(const any_filter& filter, const trial_randomness& random, random_stream from,
                             std::uint64_t first, std::uint64_t count) {
    std::array<digest, batch_items> batch;
    std::array<std::uint8_t, batch_items> answers;
    trial_tally seen{0, count};
    for (std::uint64_t done = 0; done < count; done += batch_items) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(batch_items, count - done));
        for (std::size_t i = 0; i < size; ++i) batch[i] = random(from, first + done + i);
        filter.may_contain(std::span(batch.data(), size), std::span(answers.data(), size));
        for (std::size_t i = 0; i < size; ++i) seen.hits += answers[i];
    }
    return seen;
}

trial_tally missing(trial_tally there) { return {there.of - there.hits, there.of}; }

} // namespace

result<deletion_errors> run_deletion_trial(any_filter filter, const deletion_plan& plan,
                                           const trial_randomness& random) {
    for (std::uint64_t i = 0; i < plan.inserted; ++i) {
        if (const auto done = filter.insert(random(random_stream::members, i)); !done) return fail(done.error());
    }
    // Digests are random, so the first ones are a random sample.
    for (std::uint64_t i = 0; i < plan.deleted && filter.can(capability::erase); ++i) {
        if (const auto done = filter.erase(random(random_stream::members, i)); !done) return fail(done.error());
    }
    deletion_errors seen;
    seen.absent = said_to_be_there(filter, random, random_stream::absent, 0, plan.queries);
    seen.deleted = said_to_be_there(filter, random, random_stream::members, 0, plan.deleted);
    seen.members =
        missing(said_to_be_there(filter, random, random_stream::members, plan.deleted, plan.inserted - plan.deleted));
    for (std::uint64_t i = 0; i < plan.deleted; ++i) {
        if (const auto done = filter.insert(random(random_stream::members, i)); !done) return fail(done.error());
    }
    seen.returned = missing(said_to_be_there(filter, random, random_stream::members, 0, plan.deleted));
    return seen;
}

} // namespace everbloom::lab::summary
