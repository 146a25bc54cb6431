#include "slow_opening.hpp"

#include <everbloom/core/out_of_memory.hpp>

#include <algorithm>

namespace everbloom::door {

slow_core::slow_core(slow_core&&) noexcept = default;
slow_core& slow_core::operator=(slow_core&&) noexcept = default;
slow_core::~slow_core() = default;
slow_core::slow_core(std::unique_ptr<slow_elastic> filter, std::string path) noexcept
    : filter_(std::move(filter)), hasher_(filter_->identity().hasher), path_(std::move(path)) {}

unexpected<failure> slow_core::absent() const {
    return fail(failure_reason::unsupported, "there is no filter: it was closed or moved away");
}

template <class Result>
Result slow_core::named(Result done) const {
    if (!done) done.error() = in(path_, std::move(done.error()));
    return done;
}

result<slow_core> slow_core::create(const std::string& path, const filter_options& wanted, key_type keys, existing what,
                                    std::uint64_t buffer_bytes) {
    return held(create_slow(path, wanted, keys, what, buffer_bytes), path);
}

result<slow_core> slow_core::open(const std::string& path, std::optional<key_type> keys, use how,
                                  std::uint64_t buffer_bytes) {
    return held(open_slow(path, keys, how, buffer_bytes), path);
}

result<slow_core> slow_core::held(result<slow_elastic> made, const std::string& path) {
    if (!made) return fail(std::move(made.error()));
    return or_out_of_memory(
        [&]() -> result<slow_core> { return slow_core(std::make_unique<slow_elastic>(std::move(*made)), path); });
}

bool slow_core::may_contain(digest item) const noexcept { return !filter_ || filter_->may_contain(item); }
void slow_core::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    if (!filter_) return std::fill(answers.begin(), answers.end(), std::uint8_t{1});
    filter_->may_contain(items, answers);
}
insert_outcome slow_core::insert(digest item) noexcept {
    return filter_ ? filter_->insert(item) : insert_outcome::not_writable;
}
void slow_core::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
    if (!filter_) return std::fill(outcomes.begin(), outcomes.end(), insert_outcome::not_writable);
    filter_->insert(items, outcomes);
}
result<erase_outcome> slow_core::erase(digest item) {
    if (!filter_) return absent();
    return named(filter_->erase(item));
}
deferred_outcome slow_core::erase_later(digest item) noexcept {
    return filter_ ? filter_->erase_later(item) : deferred_outcome::refused;
}
void slow_core::erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept {
    if (!filter_) return std::fill(outcomes.begin(), outcomes.end(), deferred_outcome::refused);
    filter_->erase_later(items, outcomes);
}
result<std::uint64_t> slow_core::count(digest item) const {
    if (!filter_) return absent();
    return named(filter_->count(item));
}
result<void> slow_core::flush() {
    if (!filter_) return absent();
    return named(filter_->flush());
}
result<void> slow_core::merge() {
    if (!filter_) return absent();
    return named(filter_->merge());
}
result<void> slow_core::close() {
    if (!filter_) return {};
    auto done = named(filter_->close());
    if (done) filter_.reset();
    return done;
}
result<void> slow_core::verify() const {
    if (!filter_) return absent();
    return named(filter_->verify());
}

result<void> slow_core::resize(const slow_resize_options& wanted) {
    if (!filter_) return absent();
    const auto plan = plan_resize({filter_->state().capacity, filter_->state().fpr}, wanted);
    if (!plan) return fail(plan.error());
    return named(filter_->resize(*plan));
}

slow_stats slow_core::stats() const {
    if (!filter_) return {};
    return stats_of(filter_->statistics(), filter_->measure(), {filter_->state().capacity, filter_->state().fpr});
}

std::optional<failure> slow_core::last_error() const {
    if (!filter_ || !filter_->last_error()) return std::nullopt;
    return in(path_, *filter_->last_error());
}

} // namespace everbloom::door
