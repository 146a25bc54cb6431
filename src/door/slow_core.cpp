#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/slow/slow_elastic.hpp>
#include <everbloom/slow_filter.hpp>

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
    return or_out_of_memory([&]() -> result<slow_core> {
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
        const auto how = what == existing::keep ? new_slow_file::existing::keep : new_slow_file::existing::replace;
        if (auto published = file->publish(how); !published) return fail(in(path, std::move(published.error())));
        return slow_core(std::make_unique<slow_elastic>(std::move(*made)), path);
    });
}

result<slow_core> slow_core::open(const std::string& path, std::optional<key_type> keys, use how,
                                  std::uint64_t buffer_bytes) {
    return or_out_of_memory([&]() -> result<slow_core> {
        const auto access = how == use::write ? slow_access::write : slow_access::read;
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
        return slow_core(std::make_unique<slow_elastic>(std::move(*made)), path);
    });
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
    const slow_state& now = filter_->state();
    const auto plan = plan_slow({wanted.capacity.value_or(now.capacity), wanted.fpr.value_or(now.fpr)});
    if (!plan) return fail(plan.error());
    return named(filter_->resize(*plan));
}

slow_stats slow_core::stats() const {
    slow_stats made;
    if (!filter_) return made;
    const slow_statistics seen = filter_->statistics();
    made.keys = seen.keys + seen.pending_insertions;
    made.pending = seen.pending;
    made.refused_removals = seen.refused;
    made.capacity = filter_->state().capacity;
    made.fpr = filter_->measure().fpr;
    made.target_fpr = filter_->state().fpr;
    made.fast_bytes = seen.fast_bytes;
    made.buffer_bytes = seen.buffer_bytes;
    made.file_bytes = seen.file_bytes;
    if (made.keys != 0) made.bits_per_key = 8 * static_cast<double>(seen.fast_bytes) / static_cast<double>(made.keys);
    return made;
}

std::optional<failure> slow_core::last_error() const {
    if (!filter_ || !filter_->last_error()) return std::nullopt;
    return in(path_, *filter_->last_error());
}

} // namespace everbloom::door
