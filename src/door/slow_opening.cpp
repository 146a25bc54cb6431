#include "slow_opening.hpp"

#include <everbloom/core/out_of_memory.hpp>

namespace everbloom::door {

result<slow_elastic> create_slow(const std::string& path, const filter_options& wanted, key_type keys,
                                 existing_file what, std::uint64_t buffer_bytes) {
    return or_out_of_memory([&]() -> result<slow_elastic> {
        auto plan = plan_slow({wanted.capacity, wanted.fpr});
        if (!plan) return fail(std::move(plan.error()));
        auto key = wanted.key ? result<hash_key>(*wanted.key) : hash_key::random();
        if (!key) return fail(std::move(key.error()));
        plan->identity.hasher = any_hasher(wanted.hash, *key);
        plan->identity.keys = keys;
        auto file = new_slow_file::begin(path);
        if (!file) return fail(in(path, std::move(file.error())));
        auto made = slow_elastic::create(file->take_file(), *plan, buffer_bytes);
        if (!made) return fail(in(path, std::move(made.error())));
        const auto how = what == existing_file::keep ? new_slow_file::existing::keep : new_slow_file::existing::replace;
        if (auto published = file->publish(how); !published) return fail(in(path, std::move(published.error())));
        return made;
    });
}

result<slow_elastic> open_slow(const std::string& path, std::optional<key_type> keys, slow_use how,
                               std::uint64_t buffer_bytes) {
    return or_out_of_memory([&]() -> result<slow_elastic> {
        const auto access = how == slow_use::write ? slow_access::write : slow_access::read;
        auto file = open_slow_file(path, access);
        if (!file) return fail(in(path, std::move(file.error())));
        auto made = slow_elastic::open(std::move(*file), access, buffer_bytes);
        if (!made) return fail(in(path, std::move(made.error())));
        const key_type found = made->identity().keys;
        const bool is_spelled = found == key_type::text || found == key_type::u64;
        if (keys && found != *keys && (is_spelled || *keys != key_type::hex)) {
            return fail(failure_reason::mismatch, path + ": its keys are of type " + std::string(name_of(found)) +
                                                      ", but this program's are of type " +
                                                      std::string(name_of(*keys)));
        }
        return made;
    });
}

result<slow_plan> plan_resize(const workload& now, const slow_resize_options& wanted) {
    return plan_slow({wanted.capacity.value_or(now.items), wanted.fpr.value_or(now.fpr)});
}

slow_stats stats_of(const slow_statistics& seen, const measurement& measured, const workload& target) {
    slow_stats made;
    made.keys = seen.keys + seen.pending_insertions;
    made.pending = seen.pending;
    made.refused_removals = seen.refused;
    made.capacity = target.items;
    made.fpr = measured.fpr;
    made.target_fpr = target.fpr;
    made.fast_bytes = seen.fast_bytes;
    made.buffer_bytes = seen.buffer_bytes;
    made.file_bytes = seen.file_bytes;
    if (made.keys != 0) made.bits_per_key = 8 * static_cast<double>(seen.fast_bytes) / static_cast<double>(made.keys);
    return made;
}

} // namespace everbloom::door
