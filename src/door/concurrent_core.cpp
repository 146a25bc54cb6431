#include "copied_sections.hpp"
#include "kind_entry.hpp"

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

/// A copy of a shard as an ordinary filter.
result<any_filter> copy_of(const shared_elastic_filter::shard_filter& shard) {
    parameter_values values;
    for (const auto& field : elastic_blocked_spec::fields()) values.push_back(shard.spec().*field.value);
    auto stores = copied_sections(shard.sections(), 0);
    if (!stores) return fail(std::move(stores.error()));
    return find_entry(kind_name)->assemble(values, std::move(*stores));
}

/// A filter from a file as the only shard.
result<shared_elastic_filter> as_one_shard(const any_filter& filter) {
    auto stores = copied_sections(filter.sections(), 0);
    if (!stores) return fail(std::move(stores.error()));
    std::array<heap_words, shared_elastic_filter::shard_filter::section_names.size()> fixed;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        auto words = std::move((*stores)[i]).whole();
        if (!words) return fail(std::move(words.error()));
        fixed[i] = std::move(*words);
    }
    auto only = shared_elastic_filter::shard_filter::assemble(spec_of(filter), std::move(fixed));
    if (!only) return fail(std::move(only.error()));
    return shared_elastic_filter::with_one_shard(std::move(*only));
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

result<concurrent_core> concurrent_core::open(const std::string& path, key_type keys) {
    return or_out_of_memory([&]() -> result<concurrent_core> {
        const auto plain = filter_core::open(path, {keys, find_entry(kind_name)->info.id});
        if (!plain) return fail(plain.error());
        if (plain->filter().exclusions()) {
            return fail(failure_reason::unsupported,
                        path + ": has an exclusion list, which a concurrent filter cannot keep; drop it first");
        }
        auto made = as_one_shard(plain->filter());
        if (!made) return fail(std::move(made.error()));
        return concurrent_core(std::make_unique<shared_elastic_filter>(std::move(*made)), plain->hasher(),
                               plain->file().keys, plain->file().target);
    });
}

/// All shards as one filter. Each is copied under its lock, and merged without it.
result<any_filter> concurrent_core::whole() const {
    if (!filter_) return fail(failure_reason::unsupported, "there is no filter: it was moved away");
    any_filter all;
    for (std::size_t i = 0; i < filter_->shards(); ++i) {
        auto part = filter_->with_shard(i, [](const auto& shard) { return copy_of(shard); });
        if (!part) return fail(std::move(part.error()));
        if (i == 0) {
            all = std::move(*part);
        } else if (auto merged = all.merge(*part); !merged) {
            return fail(std::move(merged.error()));
        }
    }
    return all;
}

result<void> concurrent_core::save(const std::string& path) const {
    return or_out_of_memory([&]() -> result<void> {
        auto all = whole();
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
