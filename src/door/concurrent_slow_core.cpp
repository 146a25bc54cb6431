#include "slow_opening.hpp"

#include <everbloom/concurrent_slow_filter.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <algorithm>

namespace everbloom::door {

concurrent_slow_core::concurrent_slow_core(concurrent_slow_core&&) noexcept = default;
concurrent_slow_core& concurrent_slow_core::operator=(concurrent_slow_core&&) noexcept = default;
concurrent_slow_core::~concurrent_slow_core() = default;
concurrent_slow_core::concurrent_slow_core(std::unique_ptr<shared_slow_elastic> filter, std::string path) noexcept
    : filter_(std::move(filter)), hasher_(filter_->identity().hasher), path_(std::move(path)) {}

unexpected<failure> concurrent_slow_core::absent() const {
    return fail(failure_reason::unsupported, "there is no filter: it was moved away");
}

template <class Result>
Result concurrent_slow_core::named(Result done) const {
    if (!done) done.error() = in(path_, std::move(done.error()));
    return done;
}

result<concurrent_slow_core> concurrent_slow_core::create(const std::string& path, const filter_options& wanted,
                                                          key_type keys, existing what, std::uint64_t buffer_bytes) {
    return held(create_slow(path, wanted, keys, what, buffer_bytes), path);
}

result<concurrent_slow_core> concurrent_slow_core::open(const std::string& path, std::optional<key_type> keys, use how,
                                                        std::uint64_t buffer_bytes) {
    return held(open_slow(path, keys, how, buffer_bytes), path);
}

result<concurrent_slow_core> concurrent_slow_core::held(result<slow_elastic> made, const std::string& path) {
    if (!made) return fail(std::move(made.error()));
    return or_out_of_memory([&]() -> result<concurrent_slow_core> {
        auto shared = shared_slow_elastic::share(std::move(*made));
        if (!shared) return fail(in(path, std::move(shared.error())));
        return concurrent_slow_core(std::make_unique<shared_slow_elastic>(std::move(*shared)), path);
    });
}

bool concurrent_slow_core::may_contain(digest item) const noexcept { return !filter_ || filter_->may_contain(item); }
void concurrent_slow_core::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    if (!filter_) return std::fill(answers.begin(), answers.end(), std::uint8_t{1});
    filter_->may_contain(items, answers);
}
insert_outcome concurrent_slow_core::insert(digest item) noexcept {
    return filter_ ? filter_->insert(item) : insert_outcome::not_writable;
}
void concurrent_slow_core::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
    if (!filter_) return std::fill(outcomes.begin(), outcomes.end(), insert_outcome::not_writable);
    filter_->insert(items, outcomes);
}
result<erase_outcome> concurrent_slow_core::erase(digest item) {
    if (!filter_) return absent();
    return named(filter_->erase(item));
}
deferred_outcome concurrent_slow_core::erase_later(digest item) noexcept {
    return filter_ ? filter_->erase_later(item) : deferred_outcome::refused;
}
void concurrent_slow_core::erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept {
    if (!filter_) return std::fill(outcomes.begin(), outcomes.end(), deferred_outcome::refused);
    filter_->erase_later(items, outcomes);
}
result<std::uint64_t> concurrent_slow_core::count(digest item) const {
    if (!filter_) return absent();
    return named(filter_->count(item));
}
result<void> concurrent_slow_core::flush() {
    if (!filter_) return absent();
    return named(filter_->flush());
}
result<void> concurrent_slow_core::merge() {
    if (!filter_) return absent();
    return named(filter_->merge());
}
/// Other threads may be asking: they go on, with what is in memory.
result<void> concurrent_slow_core::close() {
    if (!filter_) return {};
    return named(filter_->close());
}
result<void> concurrent_slow_core::verify() const {
    if (!filter_) return absent();
    return named(filter_->verify());
}

result<void> concurrent_slow_core::resize(const slow_resize_options& wanted) {
    if (!filter_) return absent();
    const auto plan = plan_resize(filter_->target(), wanted);
    if (!plan) return fail(plan.error());
    return named(filter_->resize(*plan));
}

slow_stats concurrent_slow_core::stats() const {
    if (!filter_) return {};
    return stats_of(filter_->statistics(), filter_->measure(), filter_->target());
}

std::optional<failure> concurrent_slow_core::last_error() const {
    auto last = filter_ ? filter_->last_error() : std::nullopt;
    if (last) last = in(path_, std::move(*last));
    return last;
}

} // namespace everbloom::door
