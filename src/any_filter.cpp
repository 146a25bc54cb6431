#include "erased_filter.hpp"

namespace everbloom {

any_filter::any_filter() noexcept = default;
any_filter::any_filter(std::unique_ptr<interface> filter) noexcept : filter_(std::move(filter)) {}
any_filter::any_filter(any_filter&&) noexcept = default;
any_filter& any_filter::operator=(any_filter&&) noexcept = default;
any_filter::~any_filter() = default;

std::string_view any_filter::kind() const noexcept { return filter_->kind(); }
std::uint32_t any_filter::kind_id() const noexcept { return filter_->kind_id(); }
capability_set any_filter::capabilities() const noexcept { return filter_->capabilities(); }
std::vector<geometry_value> any_filter::geometry() const { return filter_->geometry(); }
std::uint64_t any_filter::cells() const noexcept { return filter_->cells(); }
measurement any_filter::measure() const { return filter_->measure(); }
prediction any_filter::predict(const life& lived) const { return filter_->predict(lived); }
std::vector<std::span<const std::uint64_t>> any_filter::sections() const { return filter_->sections(); }

cell_census any_filter::census(std::size_t slices, std::size_t values) const { return filter_->census(slices, values); }

std::optional<std::uint64_t> any_filter::geometry(std::string_view name) const {
    for (const geometry_value& one : geometry()) {
        if (one.name == name) return one.value;
    }
    return std::nullopt;
}

std::uint64_t any_filter::payload_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const auto& words : filter_->sections()) bytes += words.size_bytes();
    return bytes;
}

void any_filter::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    filter_->may_contain(items, answers);
}

bool any_filter::may_contain(digest item) const noexcept { return filter_->may_contain(item); }

result<void> any_filter::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) {
    if (!can(capability::insert)) return cannot("take keys");
    filter_->insert(items, outcomes);
    return {};
}

result<insert_outcome> any_filter::insert(digest item) {
    insert_outcome outcome{};
    if (auto done = insert(std::span(&item, 1), std::span(&outcome, 1)); !done) return fail(std::move(done.error()));
    return outcome;
}

result<void> any_filter::erase(std::span<const digest> items, std::span<erase_outcome> outcomes) {
    if (!can(capability::erase)) return cannot("remove keys");
    filter_->erase(items, outcomes);
    return {};
}

result<erase_outcome> any_filter::erase(digest item) {
    erase_outcome outcome{};
    if (auto done = erase(std::span(&item, 1), std::span(&outcome, 1)); !done) return fail(std::move(done.error()));
    return outcome;
}

result<void> any_filter::judge_erase(std::span<const digest> items, std::span<erase_outcome> outcomes) const {
    if (!filter_->judge_erase(items, outcomes)) return cannot("remove keys");
    return {};
}

result<erase_outcome> any_filter::judge_erase(digest item) const {
    erase_outcome outcome{};
    if (auto done = judge_erase(std::span(&item, 1), std::span(&outcome, 1)); !done) {
        return fail(std::move(done.error()));
    }
    return outcome;
}

result<std::uint64_t> any_filter::estimate_count(digest item) const {
    if (!can(capability::count)) return cannot("count how often a key was inserted");
    return filter_->estimate_count(item);
}

result<void> any_filter::merge(const any_filter& other) {
    if (!can(capability::merge)) return cannot("be merged");
    if (other.kind_id() != kind_id()) {
        return fail(failure_reason::mismatch, "a " + std::string(other.kind()) + " filter cannot be merged into a " +
                                                  std::string(kind()) + " filter");
    }
    return filter_->merge(*other.filter_);
}

result<void> any_filter::grow() {
    if (!can(capability::grow)) return cannot("grow");
    return filter_->grow();
}

result<void> any_filter::shrink() {
    if (!can(capability::shrink)) return cannot("shrink");
    return filter_->shrink();
}

result<void> any_filter::reshape(const any_filter& like) {
    if (!can(capability::reshape)) return cannot("take on another geometry");
    if (like.kind_id() != kind_id()) {
        return fail(failure_reason::mismatch, "a " + std::string(kind()) + " filter cannot take on the geometry of a " +
                                                  std::string(like.kind()) + " filter");
    }
    return filter_->reshape(*like.filter_);
}

result<void> any_filter::intersect(const any_filter& other) {
    if (!can(capability::intersect)) return cannot("be intersected");
    if (other.kind_id() != kind_id()) {
        return fail(failure_reason::mismatch, "a " + std::string(other.kind()) +
                                                  " filter cannot be intersected with a " + std::string(kind()) +
                                                  " filter");
    }
    return filter_->intersect(*other.filter_);
}

result<void> any_filter::confirm(std::span<const digest> items, std::span<std::uint8_t> answers) const {
    if (!can(capability::confirm)) return cannot("confirm what it answers");
    filter_->confirm(items, answers);
    return {};
}

std::optional<growth_statistics> any_filter::growth() const { return filter_->growth(); }

std::optional<bucket_statistics> any_filter::buckets() const { return filter_->buckets(); }

std::vector<double> any_filter::predict_buckets(const life& lived) const { return filter_->predict_buckets(lived); }

result<void> any_filter::clear() {
    if (!can(capability::insert)) return cannot("be changed");
    filter_->clear();
    return {};
}

tl::unexpected<failure> any_filter::cannot(std::string_view deed) const {
    return fail(failure_reason::unsupported, "a " + std::string(kind()) + " filter " +
                                                 (can(capability::insert) ? "" : "that is mapped read-only ") +
                                                 "cannot " + std::string(deed));
}

} // namespace everbloom
