#include "commands/slow/slow_creation.hpp"

#include "output/change_record.hpp"

namespace everbloom::cli {

result<slow_creation> slow_creation::begin(const std::string& path, const workload& wanted, const any_hasher& hasher,
                                           key_type keys) {
    auto plan = plan_slow(wanted);
    if (!plan) return fail(std::move(plan.error()));
    plan->identity.hasher = hasher;
    plan->identity.keys = keys;
    auto name = new_slow_file::begin(path);
    if (!name) return fail(in(path, std::move(name.error())));
    auto made = slow_elastic::create(name->take_file(), *plan);
    if (!made) return fail(in(path, std::move(made.error())));
    auto file = as_slow_filter_file(std::move(*made), slow_queries::verified);
    if (!file) return fail(in(path, std::move(file.error())));
    return slow_creation(path, std::move(*name), std::move(*file));
}

result<void> slow_creation::publish(existing what) {
    if (auto closed = made_.close(); !closed) return fail(in(path_, std::move(closed.error())));
    using how = new_slow_file::existing;
    auto named = name_.publish(what == existing::replace ? how::replace : how::keep);
    if (named || named.error().reason == failure_reason::not_durable) note_changed_file(path_);
    if (!named) return fail(in(path_, std::move(named.error())));
    return {};
}

} // namespace everbloom::cli
