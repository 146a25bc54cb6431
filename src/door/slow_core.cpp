#include "slow_opening.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/door/slow_core.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <algorithm>
#include <concepts>

namespace everbloom::door {
namespace {

template <class Held>
constexpr bool is_shared = std::same_as<Held, shared_slow_elastic>;

workload target_of(const slow_elastic& filter) { return {filter.state().capacity, filter.state().fpr}; }
workload target_of(const shared_slow_elastic& filter) { return filter.target(); }

} // namespace

template <class Held>
basic_slow_core<Held>::basic_slow_core(basic_slow_core&&) noexcept = default;
template <class Held>
basic_slow_core<Held>& basic_slow_core<Held>::operator=(basic_slow_core&&) noexcept = default;
template <class Held>
basic_slow_core<Held>::~basic_slow_core() = default;
template <class Held>
basic_slow_core<Held>::basic_slow_core(std::unique_ptr<Held> filter, std::string path) noexcept
    : filter_(std::move(filter)), hasher_(filter_->identity().hasher), path_(std::move(path)) {}

template <class Held>
unexpected<failure> basic_slow_core<Held>::absent() const {
    return fail(failure_reason::unsupported, is_shared<Held> ? "there is no filter: it was moved away"
                                                             : "there is no filter: it was closed or moved away");
}

template <class Held>
template <class Result>
Result basic_slow_core<Held>::named(Result done) const {
    if (!done) done.error() = in(path_, std::move(done.error()));
    return done;
}

template <class Held>
result<basic_slow_core<Held>> basic_slow_core<Held>::create(const std::string& path, const filter_options& wanted,
                                                            key_type keys, existing what, std::uint64_t buffer_bytes) {
    return held(create_slow(path, wanted, keys, what, buffer_bytes), path);
}

template <class Held>
result<basic_slow_core<Held>> basic_slow_core<Held>::open(const std::string& path, std::optional<key_type> keys,
                                                          use how, std::uint64_t buffer_bytes) {
    return held(open_slow(path, keys, how, buffer_bytes), path);
}

template <class Held>
result<basic_slow_core<Held>> basic_slow_core<Held>::held(result<slow_elastic> made, const std::string& path) {
    if (!made) return fail(std::move(made.error()));
    return or_out_of_memory([&]() -> result<basic_slow_core<Held>> {
        if constexpr (is_shared<Held>) {
            auto shared = shared_slow_elastic::share(std::move(*made));
            if (!shared) return fail(in(path, std::move(shared.error())));
            return basic_slow_core<Held>(std::make_unique<Held>(std::move(*shared)), path);
        } else {
            return basic_slow_core<Held>(std::make_unique<Held>(std::move(*made)), path);
        }
    });
}

template <class Held>
bool basic_slow_core<Held>::may_contain(digest item) const noexcept {
    return !filter_ || filter_->may_contain(item);
}
template <class Held>
void basic_slow_core<Held>::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    if (!filter_) return std::fill(answers.begin(), answers.end(), std::uint8_t{1});
    filter_->may_contain(items, answers);
}
template <class Held>
insert_outcome basic_slow_core<Held>::insert(digest item) noexcept {
    return filter_ ? filter_->insert(item) : insert_outcome::not_writable;
}
template <class Held>
void basic_slow_core<Held>::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
    if (!filter_) return std::fill(outcomes.begin(), outcomes.end(), insert_outcome::not_writable);
    filter_->insert(items, outcomes);
}
template <class Held>
result<erase_outcome> basic_slow_core<Held>::erase(digest item) {
    if (!filter_) return absent();
    return named(filter_->erase(item));
}
template <class Held>
deferred_outcome basic_slow_core<Held>::erase_later(digest item) noexcept {
    return filter_ ? filter_->erase_later(item) : deferred_outcome::refused;
}
template <class Held>
void basic_slow_core<Held>::erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept {
    if (!filter_) return std::fill(outcomes.begin(), outcomes.end(), deferred_outcome::refused);
    filter_->erase_later(items, outcomes);
}
template <class Held>
result<std::uint64_t> basic_slow_core<Held>::count(digest item) const {
    if (!filter_) return absent();
    return named(filter_->count(item));
}
template <class Held>
result<void> basic_slow_core<Held>::flush() {
    if (!filter_) return absent();
    return named(filter_->flush());
}
template <class Held>
result<void> basic_slow_core<Held>::merge() {
    if (!filter_) return absent();
    return named(filter_->merge());
}
template <class Held>
result<void> basic_slow_core<Held>::close() {
    if (!filter_) return {};
    auto done = named(filter_->close());
    // Where other threads may be asking, they go on with what is in memory.
    if (done && !is_shared<Held>) filter_.reset();
    return done;
}
template <class Held>
result<void> basic_slow_core<Held>::verify() const {
    if (!filter_) return absent();
    return named(filter_->verify());
}

template <class Held>
result<void> basic_slow_core<Held>::resize(const slow_resize_options& wanted) {
    if (!filter_) return absent();
    const auto plan = plan_resize(target_of(*filter_), wanted);
    if (!plan) return fail(plan.error());
    return named(filter_->resize(*plan));
}

template <class Held>
slow_stats basic_slow_core<Held>::stats() const {
    if (!filter_) return {};
    return stats_of(filter_->statistics(), filter_->measure(), target_of(*filter_));
}

template <class Held>
std::optional<failure> basic_slow_core<Held>::last_error() const {
    auto last = filter_ ? filter_->last_error() : std::nullopt;
    if (last) last = in(path_, std::move(*last));
    return last;
}

template class basic_slow_core<slow_elastic>;
template class basic_slow_core<shared_slow_elastic>;

} // namespace everbloom::door
