// BF.MERGE and BF.RESIZE: what a chain of Bloom filters cannot do. Here it is decided what is to be made; shaping.hpp makes it.
#include "bloom_shaping.hpp"

#include "filter_access.hpp"
#include "job.hpp"
#include "shaping.hpp"

#include <everbloom/jobs/resizing.hpp>

namespace everbloom::redis {
namespace {

constexpr const char* not_mergeable_text =
    "ERR only filters with the same hash key, capacity and error rate can be merged; reserve both on servers with the "
    "same HASH_KEY, or make the second with COPY before keys are added";
constexpr const char* excluding_text =
    "ERR a filter with an exclusion list cannot be merged with another, whose keys may be on the list";

/// Does a key have the same fingerprint in both? Null, or why not.
const char* mismatch_of(stored_filter& one, stored_filter& other) {
    if (one.filter().exclusions() || other.filter().exclusions()) return excluding_text;
    const quotient::filter* const table = one.as_quotient();
    const quotient::filter* const other_table = other.as_quotient();
    const bool fit = table != nullptr && other_table != nullptr && one.file.hasher() == other.file.hasher() &&
                     one.facts.deletable == other.facts.deletable &&
                     table->spec().has_fingerprints_of(other_table->spec());
    return fit ? nullptr : not_mergeable_text;
}

/// Nothing after an error reply.
std::optional<shaping_plan> plan_merge(const call& now) {
    const opened_key target(now, now.argument(1), open_for_reading | open_for_writing);
    shaping_plan plan;
    if (!target.is_absent()) {
        plan.target = find_filter(now, target, command_family::bloom);
        if (plan.target == nullptr) return std::nullopt;
    }
    for (module_string* const name : now.arguments_from(2)) {
        const opened_key key(now, name, open_for_reading);
        plan.sources.push_back(find_filter(now, key, command_family::bloom));
        if (plan.sources.back() == nullptr) return std::nullopt;
    }
    stored_filter& first = plan.target != nullptr ? *plan.target : *plan.sources.front();
    for (stored_filter* const source : plan.sources) {
        if (const char* const why = mismatch_of(first, *source)) {
            now.error(why);
            return std::nullopt;
        }
    }
    return plan;
}

/// A filter that is not a table alone, from a file that was made elsewhere: at once, whatever its size.
int resize_other(const call& now, stored_filter& value, std::uint64_t wanted) {
    const std::uint64_t most_bytes = most_bytes_for(now.context());
    auto plan = plan_resize(value.file, value.filter().measure(), {.capacity = wanted}, capacity_rule::present_keys);
    if (!plan) return now.error(plan.error());
    if (plan->resized.memory_bytes() > most_bytes) return now.error(no_memory_text);
    if (is_over_maxmemory(now)) return now.error(over_maxmemory_text); // with the empty filter of the plan
    if (const auto done = apply_resize(value.file, *plan); !done) return now.error(done.error());
    value.facts.capacity = wanted;
    api.ReplicateVerbatim(now.context());
    now.changed(value, "bf.resize");
    return now.ok();
}

} // namespace

int bf_merge(const call& now) {
    if (now.count() < 3) return now.wrong_arity();
    for (module_string* const name : now.arguments_from(2)) finish_jobs_into(now, name);
    auto plan = plan_merge(now);
    return plan ? carry_out(now, shaping(std::move(*plan))) : api_ok;
}

int bf_resize(const call& now) {
    if (now.count() != 3) return now.wrong_arity();
    const opened_key key(now, now.argument(1), open_for_reading | open_for_writing);
    stored_filter* const value = find_filter(now, key, command_family::bloom);
    if (value == nullptr) return api_ok;
    const auto capacity = now.integer(2);
    if (!capacity) return now.error("ERR bad capacity");
    if (*capacity <= 0) return now.error("ERR (capacity should be larger than 0)");
    const auto wanted = static_cast<std::uint64_t>(*capacity);
    const std::uint64_t most_bytes = most_bytes_for(now.context());
    if (wanted / 8 > most_bytes) return now.error(no_memory_text);
    if (value->as_quotient() == nullptr) return resize_other(now, *value, wanted);
    const auto plan = plan_growth(value->file, value->filter().measure(), wanted);
    if (!plan) return now.error(plan.error());
    if (plan->lines > most_bytes / line_bytes) return now.error(no_memory_text);
    return carry_out(now, shaping({.target = value, .resized = shaping_plan::size{plan->lines, plan->target}}));
}

} // namespace everbloom::redis
