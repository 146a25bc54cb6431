#include "kind_entry.hpp"
#include "shard_conversion.hpp"

#include <everbloom/concurrent_filter.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/door/filter_core.hpp>
#include <everbloom/runtime/shared_elastic.hpp>

#include <algorithm>
#include <cmath>

namespace everbloom::door {
namespace {

constexpr std::string_view kind_name = "elastic_blocked";

elastic_blocked_spec spec_of(const any_filter& filter) {
    elastic_blocked_spec spec;
    const auto values = filter.geometry();
    std::size_t i = 0;
    for (const auto& field : elastic_blocked_spec::fields()) spec.*field.value = values[i++].value;
    return spec;
}

} // namespace

concurrent_core::concurrent_core(concurrent_core&&) noexcept = default;
concurrent_core& concurrent_core::operator=(concurrent_core&&) noexcept = default;
concurrent_core::~concurrent_core() = default;
concurrent_core::concurrent_core(std::unique_ptr<shared_elastic_filter> filter, const any_hasher& hasher, key_type keys,
                                 capacity_target target) noexcept
    : filter_(std::move(filter)), hasher_(hasher), keys_(keys), target_(target) {}

result<concurrent_core> concurrent_core::make(const filter_options& wanted, unsigned shards, key_type keys) {
    return or_out_of_memory([&]() -> result<concurrent_core> {
        if (!wanted.kind.empty() && wanted.kind != kind_name) {
            return fail(failure_reason::unsupported, "a concurrent filter is an " + std::string(kind_name) +
                                                         " filter; '" + wanted.kind + "' has no concurrent form");
        }
        const auto plain = filter_core::make(wanted, {keys, find_entry(kind_name)->info.id});
        if (!plain) return fail(plain.error());
        auto made = shared_elastic_filter::make(spec_of(plain->filter()), shards);
        if (!made) return fail(std::move(made.error()));
        return concurrent_core(std::make_unique<shared_elastic_filter>(std::move(*made)), plain->hasher(), keys,
                               plain->file().target);
    });
}

result<concurrent_core> concurrent_core::open(const std::string& path, unsigned shards, key_type keys) {
    return or_out_of_memory([&]() -> result<concurrent_core> {
        auto plain = filter_core::open(path, {keys, find_entry(kind_name)->info.id});
        if (!plain) return fail(plain.error());
        if (plain->filter().exclusions()) {
            return fail(failure_reason::unsupported,
                        path + ": has an exclusion list, which a concurrent filter cannot keep; drop it first");
        }
        auto made = cut_into_shards(*plain->filter().as<elastic_kind>(), shards);
        if (!made) return fail(in(path, std::move(made.error())));
        return concurrent_core(std::make_unique<shared_elastic_filter>(std::move(*made)), plain->hasher(),
                               plain->file().keys, plain->file().target);
    });
}

result<void> concurrent_core::save(const std::string& path) const {
    return or_out_of_memory([&]() -> result<void> {
        if (!filter_) return fail(failure_reason::unsupported, path + ": there is no filter: it was moved away");
        auto all = put_together(*filter_);
        if (!all) return fail(in(path, std::move(all.error())));
        filter_file file;
        file.handle = keyed(std::move(*all), hasher_);
        file.keys = keys_;
        file.target = target_;
        return save_filter(file, path);
    });
}

// A filter that was moved away answers "maybe", and takes nothing.
bool concurrent_core::may_contain(digest item) const noexcept { return !filter_ || filter_->may_contain(item); }
void concurrent_core::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    if (filter_) return filter_->may_contain(items, answers);
    std::fill(answers.begin(), answers.end(), std::uint8_t{1});
}
insert_outcome concurrent_core::insert(digest item) noexcept {
    return filter_ ? filter_->insert(item) : insert_outcome::not_writable;
}
erase_outcome concurrent_core::erase(digest item) noexcept {
    return filter_ ? filter_->erase(item) : erase_outcome::unsupported;
}
void concurrent_core::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
    if (filter_) return filter_->insert(items, outcomes);
    std::fill(outcomes.begin(), outcomes.end(), insert_outcome::not_writable);
}
void concurrent_core::erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept {
    if (filter_) return filter_->erase(items, outcomes);
    std::fill(outcomes.begin(), outcomes.end(), erase_outcome::unsupported);
}

std::uint64_t concurrent_core::keys() const { return filter_ ? filter_->keys() : 0; }

filter_stats concurrent_core::stats() const {
    filter_stats made;
    made.kind = kind_name;
    made.capacity = target_.items;
    made.target_fpr = target_.fpr;
    made.keys = static_cast<double>(keys());
    made.keys_are_exact = true;
    if (made.capacity != 0) made.fill = made.keys / static_cast<double>(made.capacity);
    std::uint64_t words = 0;
    double rates = 0;
    const std::size_t shards = filter_ ? filter_->shards() : 0;
    for (std::size_t i = 0; i < shards; ++i) {
        // A copy, so that no writer waits while every cell is looked at.
        const auto part = filter_->with_shard(i, [](const auto& shard) { return copy_of(shard); });
        if (!part) throw error(part.error());
        rates += part->measure().fpr;
        words += part->payload_bytes() / sizeof(std::uint64_t);
    }
    made.fpr = shards == 0 ? 1 : rates / static_cast<double>(shards);
    made.memory_bytes = words * sizeof(std::uint64_t);
    if (made.keys >= 0.5) made.bits_per_key = 8 * static_cast<double>(made.memory_bytes) / made.keys;
    return made;
}

} // namespace everbloom::door
