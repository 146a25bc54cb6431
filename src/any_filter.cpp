#include "absent_filter.hpp"
#include "copied_sections.hpp"
#include "kind_entry.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <utility>

namespace everbloom {

any_filter::any_filter() noexcept = default;
any_filter::any_filter(std::unique_ptr<interface> filter) noexcept : filter_(std::move(filter)) {
    if (!filter_) return;
    object_ = filter_->object();
    calls_ = filter_->calls();
}
any_filter::any_filter(any_filter&& other) noexcept
    : object_(std::exchange(other.object_, nullptr)), calls_(std::exchange(other.calls_, absent_calls)),
      filter_(std::move(other.filter_)), exclusions_(std::exchange(other.exclusions_, std::nullopt)) {}
any_filter& any_filter::operator=(any_filter&& other) noexcept {
    if (this != &other) {
        object_ = std::exchange(other.object_, nullptr);
        calls_ = std::exchange(other.calls_, absent_calls);
        filter_ = std::move(other.filter_);
        exclusions_ = std::exchange(other.exclusions_, std::nullopt);
    }
    return *this;
}
any_filter::~any_filter() = default;

any_filter::interface& any_filter::door() const noexcept {
    if (filter_) [[likely]]
        return *filter_;
    static absent_filter none;
    return none;
}

std::string_view any_filter::kind() const noexcept { return door().kind(); }
std::uint32_t any_filter::kind_id() const noexcept { return door().kind_id(); }
capability_set any_filter::capabilities() const noexcept { return door().capabilities(); }
std::vector<geometry_value> any_filter::geometry() const { return door().geometry(); }
std::uint64_t any_filter::structure_bits() const noexcept { return door().structure_bits(); }
std::uint64_t any_filter::cells() const noexcept { return door().cells(); }
measurement any_filter::measure() const {
    measurement seen = door().measure();
    if (exclusions_) seen.fpr *= 1 - exclusions_->vetoed_share();
    return seen;
}
prediction any_filter::predict(const lifetime& lived) const { return door().predict(lived); }
std::vector<word_pieces> any_filter::sections() const {
    auto all = door().sections();
    if (exclusions_) all.emplace_back(exclusions_->words());
    return all;
}

void any_filter::read_cells(std::uint64_t first, std::span<std::uint64_t> values) const noexcept {
    door().read_cells(first, values);
}
cell_census any_filter::census(std::size_t slices, std::size_t values) const {
    cell_census made;
    made.cells = door().cells();
    made.values.assign(std::max<std::size_t>(values, 2), 0);
    slices = static_cast<std::size_t>(std::min<std::uint64_t>(std::max<std::size_t>(slices, 1), made.cells));
    // slice * cells / slices without overflow: cells < 2^57 and slices are few. Whole cells: the boundaries are rounded.
    const auto start_of = [&](std::uint64_t slice) {
        return made.cells / slices * slice + made.cells % slices * slice / slices;
    };
    std::array<std::uint64_t, 256> some{};
    for (std::size_t slice = 0; slice < slices; ++slice) {
        const std::uint64_t from = start_of(slice);
        const std::uint64_t to = start_of(slice + 1);
        std::uint64_t occupied = 0;
        for (std::uint64_t at = from; at < to; at += some.size()) {
            const auto read =
                std::span(some).first(static_cast<std::size_t>(std::min<std::uint64_t>(some.size(), to - at)));
            door().read_cells(at, read);
            for (const std::uint64_t value : read) {
                occupied += value != 0 ? 1 : 0;
                ++made.values[static_cast<std::size_t>(std::min<std::uint64_t>(value, made.values.size() - 1))];
            }
        }
        made.occupied_shares.push_back(static_cast<double>(occupied) / static_cast<double>(to - from));
    }
    return made;
}

std::optional<std::uint64_t> any_filter::geometry(std::string_view name) const {
    for (const geometry_value& one : geometry()) {
        if (one.name == name) return one.value;
    }
    return std::nullopt;
}

std::uint64_t any_filter::payload_bytes() const noexcept {
    return door().payload_words() * sizeof(std::uint64_t) + (exclusions_ ? exclusions_->words().size_bytes() : 0);
}

void any_filter::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    door().may_contain(items, answers);
    if (!exclusions_) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (answers[i] != 0 && exclusions_->vetoes(items[i])) answers[i] = 0;
    }
}

bool any_filter::may_contain(const any_hasher& hash, std::span<const std::uint64_t> numbers,
                             std::span<std::uint8_t> answers) const noexcept {
    return !exclusions_ && door().may_contain(hash, numbers, answers);
}

bool any_filter::can_insert_numbers(const any_hasher& hash) const noexcept {
    return !exclusions_ && door().insert(hash, {});
}

void any_filter::insert(const any_hasher& hash, std::span<const std::uint64_t> numbers) noexcept {
    (void)door().insert(hash, numbers);
}

std::uint64_t any_filter::memory_bytes() const noexcept {
    return door().memory_words() * sizeof(std::uint64_t) +
           (exclusions_ && door().writable() ? exclusions_->words().size_bytes() : 0);
}

std::optional<std::uint64_t> any_filter::keys() const noexcept { return door().keys(); }
bool any_filter::is_mapped() const noexcept { return has_filter() && !door().writable(); }

void* any_filter::object_if(std::uint32_t kind, bool writable) const noexcept {
    return has_filter() && kind_id() == kind && filter_->writable() == writable ? object_ : nullptr;
}

result<any_filter> any_filter::clone() const {
    return or_out_of_memory([&]() -> result<any_filter> {
        if (!has_filter()) return absent_filter::refuse();
        const kind_entry& entry = *find_entry(kind_id());
        parameter_values values;
        for (const geometry_value& one : geometry()) values.push_back(one.value);
        auto stores = copied_sections(door().sections(), entry.chunked_sections);
        if (!stores) return fail(std::move(stores.error()));
        auto made = entry.assemble(values, std::move(*stores));
        if (!made || !exclusions_) return made;
        auto excluded = exclusions_->copy();
        if (!excluded) return fail(std::move(excluded.error()));
        made->set_exclusions(std::move(*excluded));
        return made;
    });
}

result<void> any_filter::build(std::span<const digest> keys) {
    if (!can(capability::build)) return cannot("be built from all of its keys");
    return or_out_of_memory([&] { return door().build(keys); });
}

result<void> any_filter::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) {
    if (!can(capability::insert)) return cannot("insert keys");
    door().insert(items, outcomes);
    if (!exclusions_) return {};
    for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = let_pass(items[i].low, items[i].high, outcomes[i]);
    return {};
}

result<insert_outcome> any_filter::insert(digest item) {
    const insert_outcome outcome = insert_one(item);
    if (outcome == insert_outcome::not_writable) return cannot("insert keys");
    return outcome;
}

bool any_filter::vetoed(std::uint64_t low, std::uint64_t high) const noexcept {
    return exclusions_ && exclusions_->vetoes({low, high});
}

insert_outcome any_filter::let_pass(std::uint64_t low, std::uint64_t high, insert_outcome outcome) noexcept {
    const digest item{low, high};
    if (!succeeded(outcome) || !exclusions_->vetoes(item)) return outcome;
    exclusions_->let_pass(item);
    return insert_outcome::inserted_unprotected;
}

/// A stored hash of w bits takes an absent key for one of n keys with a chance of n / 2^w.
bool any_filter::can_insert_new() const {
    if (!can(capability::insert)) return false;
    if (!can(capability::erase)) return true;
    const auto stored_bits = geometry("word_bits");
    constexpr double most_mistakes = 1e-9;
    return can(capability::confirm) && stored_bits && keys() &&
           std::ldexp(static_cast<double>(*keys() + 1), -static_cast<int>(*stored_bits)) <= most_mistakes;
}

result<insert_outcome> any_filter::insert_new(digest item) {
    if (!can(capability::insert)) return cannot("insert keys");
    if (!can_insert_new()) {
        return cannot("tell for certain whether a key is there already, and a mistake followed by a removal would lose "
                      "another key; use insert");
    }
    std::uint8_t there = may_contain(item) ? 1 : 0;
    if (there != 0 && can(capability::confirm)) door().confirm(std::span(&item, 1), std::span(&there, 1));
    return there != 0 ? insert_outcome::already_present : insert_one(item);
}

result<void> any_filter::erase(std::span<const digest> items, std::span<erase_outcome> outcomes) {
    if (!can(capability::erase)) return cannot("remove keys");
    if (!exclusions_) {
        door().erase(items, outcomes);
        return {};
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (exclusions_->vetoes(items[i])) {
            outcomes[i] = erase_outcome::not_present;
        } else {
            door().erase(items.subspan(i, 1), outcomes.subspan(i, 1));
        }
    }
    return {};
}

result<erase_outcome> any_filter::erase(digest item) {
    erase_outcome outcome{};
    if (auto done = erase(std::span(&item, 1), std::span(&outcome, 1)); !done) return fail(std::move(done.error()));
    return outcome;
}

result<void> any_filter::can_erase(std::span<const digest> items, std::span<erase_outcome> outcomes) const {
    if (!door().can_erase(items, outcomes)) return cannot("remove keys");
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (vetoed(items[i].low, items[i].high)) outcomes[i] = erase_outcome::not_present;
    }
    return {};
}

result<erase_outcome> any_filter::can_erase(digest item) const {
    erase_outcome outcome{};
    if (auto done = can_erase(std::span(&item, 1), std::span(&outcome, 1)); !done) {
        return fail(std::move(done.error()));
    }
    return outcome;
}

result<std::uint64_t> any_filter::estimate_count(digest item) const {
    if (!can(capability::count)) return cannot("count copies of a key");
    return vetoed(item.low, item.high) ? 0 : door().estimate_count(item);
}

result<void> any_filter::merge(const any_filter& other) {
    return or_out_of_memory([&]() -> result<void> {
        if (!can(capability::merge)) return cannot("be merged");
        if (other.kind_id() != kind_id()) {
            return fail(failure_reason::mismatch, with_article(other.kind()) + " filter cannot be merged into " +
                                                      with_article(kind()) + " filter");
        }
        if (auto checked = refuse_exclusions(other); !checked) return checked;
        return with_writable(other, &interface::merge);
    });
}

result<void> any_filter::with_writable(const any_filter& other,
                                       result<void> (interface::*operation)(const interface&)) {
    if (other.door().writable()) return (door().*operation)(other.door());
    const auto copy = other.clone();
    if (!copy) return fail(copy.error());
    return (door().*operation)(copy->door());
}

result<void> any_filter::grow() {
    return or_out_of_memory([&]() -> result<void> {
        if (!can(capability::grow)) return cannot("grow");
        return door().grow();
    });
}

result<void> any_filter::shrink() {
    return or_out_of_memory([&]() -> result<void> {
        if (!can(capability::shrink)) return cannot("shrink");
        return door().shrink();
    });
}

result<void> any_filter::resize(const any_filter& like) {
    return or_out_of_memory([&]() -> result<void> {
        if (!can(capability::resize)) return cannot("be resized to another geometry");
        if (like.kind_id() != kind_id()) {
            return fail(failure_reason::mismatch, with_article(kind()) +
                                                      " filter cannot be resized to the geometry of " +
                                                      with_article(like.kind()) + " filter");
        }
        return door().resize(like.door());
    });
}

result<void> any_filter::intersect(const any_filter& other) {
    return or_out_of_memory([&]() -> result<void> {
        if (!can(capability::intersect)) return cannot("be intersected");
        if (other.kind_id() != kind_id()) {
            return fail(failure_reason::mismatch, with_article(other.kind()) + " filter cannot be intersected with " +
                                                      with_article(kind()) + " filter");
        }
        if (auto checked = refuse_exclusions(other); !checked) return checked;
        return with_writable(other, &interface::intersect);
    });
}

result<void> any_filter::confirm(std::span<const digest> items, std::span<std::uint8_t> answers) const {
    if (!can(capability::confirm)) return cannot("verify its answers");
    door().confirm(items, answers);
    for (std::size_t i = 0; exclusions_ && i < items.size(); ++i) {
        if (vetoed(items[i].low, items[i].high)) answers[i] = 0;
    }
    return {};
}

result<protection> any_filter::protect(std::span<const digest> members, std::span<const digest> negatives,
                                       const protection_options& how) {
    return or_out_of_memory([&]() -> result<protection> {
        if (!can(capability::protect)) return cannot("protect known negatives itself");
        return door().protect(members, negatives, how);
    });
}

result<protection> any_filter::exclude(std::span<const digest> negatives) {
    if (!door().writable()) return cannot("be changed");
    return or_out_of_memory([&]() -> result<protection> {
        std::vector<std::uint8_t> answers(negatives.size());
        door().may_contain(negatives, answers);
        protection found;
        found.negatives = negatives.size();
        found.false_positives_before = static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1));
        const double members = exclusion_list_size::room_to_grow * (door().measure().items + 1);
        auto made = exclusion_list::make(exclusion_list_size::for_keys(found.false_positives_before, members));
        if (!made) return fail(std::move(made.error()));
        for (std::size_t i = 0; i < negatives.size(); ++i) {
            if (answers[i] != 0) made->veto(negatives[i]);
        }
        exclusions_ = std::move(*made);
        return found;
    });
}

void any_filter::drop_exclusions() noexcept { exclusions_.reset(); }
void any_filter::set_exclusions(exclusion_list found) noexcept {
    if (has_filter()) exclusions_ = std::move(found);
}

/// A known negative of one filter may be a member of the other.
result<void> any_filter::refuse_exclusions(const any_filter& other) const {
    if (!exclusions_ && !other.exclusions_) return {};
    return fail(failure_reason::unsupported,
                "a filter with an exclusion list cannot be combined with another, whose members may be on the list; "
                "drop the exclusion list, and protect the result");
}

std::optional<growth_statistics> any_filter::growth() const { return door().growth(); }

std::optional<bucket_statistics> any_filter::buckets() const { return door().buckets(); }

std::vector<double> any_filter::predict_buckets(const lifetime& lived) const { return door().predict_buckets(lived); }

result<void> any_filter::clear() {
    if (!can(capability::insert)) return cannot("be changed");
    door().clear();
    if (exclusions_) exclusions_->clear();
    return {};
}

unexpected<failure> any_filter::cannot(std::string_view deed) const {
    try {
        if (!has_filter()) return absent_filter::refuse();
        std::string sentence = with_article(kind()) + " filter " + (is_mapped() ? "that is mapped read-only " : "") +
                               "cannot " + std::string(deed);
        if (!is_mapped() && !can(capability::insert)) sentence += ": it is built once, from all of its keys";
        return fail(failure_reason::unsupported, std::move(sentence));
    } catch (const std::bad_alloc&) {
        return fail(failure_reason::out_of_memory, "out of memory");
    }
}

} // namespace everbloom
