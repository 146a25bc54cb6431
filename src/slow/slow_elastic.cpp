// Queries and updates of a slow filter; opening it is in slow_open.cpp, merging in slow_merge.cpp.
#include "slow_memory.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>
#include <everbloom/model/bloom/line_rate.hpp>
#include <everbloom/model/elastic/elastic_blocked.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace everbloom {

slow_elastic::slow_elastic() noexcept = default;
slow_elastic::slow_elastic(slow_elastic&&) noexcept = default;
slow_elastic& slow_elastic::operator=(slow_elastic&& other) noexcept {
    if (this != &other) {
        this->~slow_elastic();
        new (this) slow_elastic(std::move(other));
    }
    return *this;
}
slow_elastic::~slow_elastic() {
    if (file_ && is_writable() && !broken_) (void)close();
}

namespace {

/// A merge of a part is one operation, so that a part should have a few million keys at most. And it takes 6 KB for its index and the block that is
/// not full: in a part of 2^17 keys, less than half a bit per key. A plan for few keys does not know how many will come.
unsigned part_bits_for(std::uint64_t items) noexcept {
    constexpr unsigned usual = 6;
    constexpr std::uint64_t few = std::uint64_t{1} << 19;
    if (items > (std::uint64_t{1} << 28)) return record_geometry::most_part_bits;
    if (items < few) return usual;
    return std::clamp(static_cast<unsigned>(std::bit_width(items)), 18U + 3, 18U + usual) - 18;
}

} // namespace

result<slow_plan> plan_slow(const workload& wanted) {
    const auto dense = elastic_blocked_model::plan(wanted);
    if (!dense) return fail(dense.error());
    slow_plan made;
    made.hashes = dense->hashes;
    made.line_keys = dense->line_keys;
    made.capacity = wanted.items;
    made.fpr = wanted.fpr;
    // So that a key that was never added is not removed, also at twice the capacity; for few keys, whose number is a guess, at far more. Every
    // bit is a bit per key on the disk.
    const auto needed = static_cast<unsigned>(std::bit_width(wanted.items)) + record_geometry::sure_margin_bits + 1;
    made.identity.geometry.word_bits =
        std::clamp(needed, record_geometry::usual_word_bits, record_geometry::most_word_bits);
    if (wanted.items > made.identity.geometry.most_keys()) {
        return fail(failure_reason::bad_parameter,
                    std::to_string(wanted.items) + " items are more than a slow filter can hold; ask for fewer");
    }
    made.identity.geometry.part_bits = part_bits_for(wanted.items);
    return made;
}

bool slow_elastic::may_contain(digest item) const noexcept {
    const std::uint64_t hash = view_.stored_hash(item);
    const auto hashes =
        uniform_ ? view_.hashes : static_cast<unsigned>(state_.parts[identity_.geometry.part_of(hash)].hashes);
    return kernel::contains(view_.block_of(hash), view_.seed_of(hash), hashes);
}

void slow_elastic::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    if (uniform_) return kernel::contains(view_, items, answers);
    for (std::size_t i = 0; i < items.size(); ++i) answers[i] = may_contain(items[i]) ? 1 : 0;
}

void slow_elastic::refresh_view() noexcept {
    static_cast<block_hashing&>(view_) = block_hashing(identity_.geometry.word_bits);
    view_.parts = view_parts_.data();
    view_.part_bits = identity_.geometry.part_bits;
    view_.hashes = static_cast<unsigned>(state_.parts.front().hashes);
    uniform_ = true;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        view_parts_[i] = {parts_[i].words(), parts_[i].blocks()};
        uniform_ = uniform_ && state_.parts[i].hashes == view_.hashes;
    }
}

void slow_elastic::set_pattern(std::uint64_t hash) noexcept {
    const auto part = static_cast<std::size_t>(identity_.geometry.part_of(hash));
    // The words are this filter's own.
    auto* const block = const_cast<std::uint64_t*>(view_.block_of(hash));
    kernel::insert(block, view_.seed_of(hash), static_cast<unsigned>(state_.parts[part].hashes));
}

/// Blocks for this many keys of a part and those that come until its next merge; never fewer than the capacity needs.
std::uint64_t slow_elastic::blocks_for(std::uint64_t keys) const noexcept {
    const auto parts = static_cast<double>(identity_.geometry.parts());
    const double density = static_cast<double>(state_.line_keys) / field_million;
    // The numbers of keys in the parts differ a little, by chance.
    const double share = static_cast<double>(state_.capacity) / parts;
    const double planned = share + 3 * std::sqrt(share);
    const auto now = static_cast<double>(keys);
    double wanted = planned;
    if (now > planned) {
        const double expected = static_cast<double>(buffer_bytes()) / sizeof(std::uint64_t) / parts;
        wanted = now + std::min(expected, std::fmax(now / 4, 16));
    }
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted / density)));
}

/// Keys that may be inserted into a part before its blocks are as full as planned.
std::uint64_t slow_elastic::insertions_until_full(const slow_part& part) const noexcept {
    const double room = static_cast<double>(part.line_count) * (static_cast<double>(state_.line_keys) / field_million);
    return std::max(static_cast<std::uint64_t>(room), part.keys) - part.keys;
}

/// Whether one more update can be accepted; makes room if necessary.
bool slow_elastic::has_room(std::uint64_t hash) noexcept {
    if (broken_ || !file_ || !is_writable()) return false;
    if (log_.is_full()) [[unlikely]] {
        if (!or_out_of_memory([&] { return write_log(); })) return false;
    }
    // Merges have failed for so long that the memory is used up. A merge is much work: it is not tried again for every key.
    if (used_buffer_bytes_ > 2 * buffer_bytes()) [[unlikely]] {
        if (refusals_before_retry_ != 0) {
            --refusals_before_retry_;
            return false;
        }
        if (!or_out_of_memory([&] { return merge_part(static_cast<std::size_t>(identity_.geometry.part_of(hash))); })) {
            refusals_before_retry_ = 1000;
            return false;
        }
    }
    return true;
}

/// In log and buffer; false if there is no memory, and nothing is changed.
bool slow_elastic::record_update(std::uint64_t hash, bool is_erase) noexcept {
    part_memory& part = parts_[identity_.geometry.part_of(hash)];
    const std::uint64_t record = identity_.geometry.record_of(hash);
    const std::uint64_t before = part.updates.memory_bytes();
    const std::uint64_t inserted_before = part.updates.insertions();
    const bool was_empty = part.updates.entries() == 0;
    if (is_erase ? !part.updates.erase(record) : !part.updates.insert(record)) return false;
    if (was_empty) part.oldest_frame = log_.next_frame();
    used_buffer_bytes_ += part.updates.memory_bytes() - before;
    known_keys_ += part.updates.insertions() - inserted_before;
    log_.append(hash | (is_erase ? 1 : 0));
    return true;
}

/// Merges what is due after an update of this part. A failure is remembered, and the merge is tried again later.
void slow_elastic::settle(std::size_t part) noexcept {
    part_memory& changed = parts_[part];
    if (changed.updates.insertions() > changed.merge_at) [[unlikely]] {
        if (!or_out_of_memory([&] { return merge_part(part); })) {
            changed.merge_at = changed.updates.insertions() + changed.updates.insertions() / 4 + 64;
        }
    }
    if (used_buffer_bytes_ > merge_at_bytes_) [[unlikely]] {
        const auto fullest = std::max_element(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) {
            return a.updates.memory_bytes() < b.updates.memory_bytes();
        });
        const auto index = static_cast<std::size_t>(fullest - parts_.begin());
        const bool merged = static_cast<bool>(or_out_of_memory([&] { return merge_part(index); }));
        merge_at_bytes_ = merged ? buffer_bytes() : used_buffer_bytes_ + buffer_bytes() / 16;
    }
}

insert_outcome slow_elastic::insert(digest item) noexcept {
    const std::uint64_t hash = view_.stored_hash(item);
    if (!is_writable()) return insert_outcome::not_writable;
    if (!has_room(hash) || known_keys_ >= identity_.geometry.most_keys()) return insert_outcome::growth_refused;
    if (!record_update(hash, false)) return insert_outcome::growth_refused;
    set_pattern(hash);
    settle(static_cast<std::size_t>(identity_.geometry.part_of(hash)));
    return insert_outcome::inserted;
}

/// Calls `act(i)` for every item, with what the updates of the next ones touch prefetched.
template <class Act>
void slow_elastic::prefetching(std::span<const digest> items, Act act) noexcept {
    constexpr std::size_t lead = 12; // items; each prefetches a block and a slot of a buffer
    const auto prefetch = [&](digest item) {
        const std::uint64_t hash = view_.stored_hash(item);
        prefetch_line(view_.block_of(hash));
        parts_[identity_.geometry.part_of(hash)].updates.prefetch(identity_.geometry.record_of(hash));
    };
    for (std::size_t i = 0; i < std::min(lead, items.size()); ++i) prefetch(items[i]);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i + lead < items.size()) prefetch(items[i + lead]);
        act(i);
    }
}

void slow_elastic::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
    if (!is_writable()) return std::fill(outcomes.begin(), outcomes.end(), insert_outcome::not_writable);
    prefetching(items, [&](std::size_t i) { outcomes[i] = insert(items[i]); });
}

result<erase_outcome> slow_elastic::erase(digest item) {
    return or_out_of_memory([&]() -> result<erase_outcome> {
        if (!file_ || !is_writable()) {
            return fail(failure_reason::unsupported, "the filter is open for reading only; open it for writing");
        }
        const std::uint64_t hash = view_.stored_hash(item);
        if (!may_contain(item)) return erase_outcome::not_present;
        const auto found = count(item);
        if (!found) return fail(found.error());
        if (*found == 0) return erase_outcome::not_present;
        if (!has_room(hash) || !record_update(hash, true)) {
            return last_error_ ? fail(*last_error_) : fail(failure_reason::out_of_memory, "out of memory");
        }
        settle(static_cast<std::size_t>(identity_.geometry.part_of(hash)));
        return erase_outcome::removed;
    });
}

deferred_outcome slow_elastic::erase_later(digest item) noexcept {
    const std::uint64_t hash = view_.stored_hash(item);
    if (!has_room(hash)) return deferred_outcome::refused;
    if (!may_contain(item)) return deferred_outcome::not_present;
    if (!record_update(hash, true)) return deferred_outcome::refused;
    settle(static_cast<std::size_t>(identity_.geometry.part_of(hash)));
    return deferred_outcome::accepted;
}

void slow_elastic::erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept {
    prefetching(items, [&](std::size_t i) { outcomes[i] = erase_later(items[i]); });
}

result<std::uint64_t> slow_elastic::count(digest item) const {
    return or_out_of_memory([&]() -> result<std::uint64_t> {
        const std::uint64_t hash = view_.stored_hash(item);
        auto stored = stored_count(hash);
        if (!stored) return stored;
        const part_memory& part = parts_[identity_.geometry.part_of(hash)];
        const std::uint64_t record = identity_.geometry.record_of(hash);
        return part.updates.find(record).applied_to(part.frozen.find(record).applied_to(*stored));
    });
}

slow_statistics slow_elastic::statistics() const {
    slow_statistics seen;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const lock changing = lock_part(i);
        for (const update_buffer* buffer : {&parts_[i].frozen, &parts_[i].updates}) {
            seen.pending += buffer->entries();
            seen.pending_insertions += buffer->insertions();
            seen.buffer_bytes += buffer->memory_bytes();
        }
        seen.fast_bytes += parts_[i].blocks() * line_bytes;
        seen.keys += state_.parts[i].keys;
        seen.copies += state_.parts[i].copies;
        seen.run_bytes += state_.parts[i].run.bytes;
    }
    const lock alone = lock_log();
    seen.refused = state_.refused;
    seen.log_bytes = log_.bytes();
    seen.file_bytes = space_.end();
    seen.merges = merges_;
    return seen;
}

measurement slow_elastic::measure() const {
    double fpr = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const std::uint64_t* const words = parts_[i].words();
        double sum = 0;
        for (std::uint64_t b = 0; b < parts_[i].blocks(); ++b) {
            const std::span<const std::uint64_t, line_words> block(words + b * line_words, line_words);
            sum += line_rate(block, static_cast<unsigned>(state_.parts[i].hashes)).rate;
        }
        fpr += sum / static_cast<double>(parts_[i].blocks());
    }
    const auto keys = static_cast<double>(known_keys_);
    return {fpr / static_cast<double>(parts_.size()), keys, 1.0,
            keys * std::exp2(-static_cast<double>(identity_.geometry.word_bits))};
}

} // namespace everbloom
