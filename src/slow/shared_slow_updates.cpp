// Updates of a slow filter that threads share: room is promised, buffers and bits change under the lock of their part, the log takes it all.
#include "slow_memory.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/shared_access.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace everbloom {

/// What has become necessary by some updates; done when no lock is held.
struct shared_slow_elastic::work_due {
    std::optional<std::size_t> full_part = {}; // its blocks are full
    bool buffers = false;                      // they have used up their memory
    bool log = false;                          // it is too long
    bool wrote_frame = false;
};

/// What became of an update of a batch.
enum class shared_slow_elastic::update_state : std::uint8_t { done, refused, not_there };

/// Updates of one part, and its lock.
struct shared_slow_elastic::group {
    std::size_t part = 0;
    std::span<const std::uint64_t> hashes = {};
    lock changing = {};
    std::size_t taken = 0; // the first of them: all, or those before memory ran out
    std::uint64_t more_bytes = 0;
    std::uint64_t more_insertions = 0;
};

/// Whether a query would say "maybe". Under the lock of the part.
bool shared_slow_elastic::has_bits(std::size_t part, std::uint64_t hash) const noexcept {
    return kernel::contains(filter_->view_.block_of(hash), filter_->view_.seed_of(hash),
                            static_cast<unsigned>(filter_->state_.parts[part].hashes));
}

/// Room in the log and in memory for some more updates. Under the lock of a part; of another one only where something has run out.
shared_slow_elastic::room shared_slow_elastic::promise_room(std::size_t updates, kind what, bool even_if_crowded,
                                                            work_due& due) noexcept {
    slow_elastic& own = *filter_;
    if (own.broken_ != 0) return room::refused;
    if (what == kind::insertion && own.known_keys_ >= own.identity_.geometry.most_keys()) return room::refused;
    const bool is_crowded = own.used_buffer_bytes_ > 2 * own.buffer_bytes() && !even_if_crowded;
    if (!is_crowded && own.log_.promise_in_frame(updates)) [[likely]]
        return room::promised;
    const lock alone = own.lock_log();
    if (is_crowded) {
        if (own.refusals_before_retry_ == 0) return room::crowded;
        --own.refusals_before_retry_;
        return room::refused;
    }
    if (!own.log_.has_room_for(updates)) {
        if (!or_out_of_memory([&] { return own.write_frame(); })) return room::refused;
        due.wrote_frame = true;
    }
    const auto promised = or_out_of_memory([&]() -> result<void> {
        own.log_.promise(updates);
        return {};
    });
    return promised ? room::promised : room::refused;
}

/// In buffer and bits. Under the lock of the part.
void shared_slow_elastic::apply(group& one, kind what) noexcept {
    slow_elastic& own = *filter_;
    const record_geometry& geometry = own.identity_.geometry;
    update_buffer& updates = own.parts_[one.part].updates;
    const std::uint64_t bytes_before = updates.memory_bytes();
    const std::uint64_t insertions_before = updates.insertions();
    const auto pattern_bits = static_cast<unsigned>(own.state_.parts[one.part].hashes);
    for (const std::uint64_t hash : one.hashes) {
        const std::uint64_t record = geometry.record_of(hash);
        if (what == kind::removal ? !updates.erase(record) : !updates.insert(record)) break;
        ++one.taken;
        if (what == kind::removal) continue;
        // The words are this filter's own.
        shared_access::set(const_cast<std::uint64_t*>(own.view_.block_of(hash)), own.view_.seed_of(hash), pattern_bits);
    }
    one.more_bytes = updates.memory_bytes() - bytes_before;
    one.more_insertions = updates.insertions() - insertions_before;
}

/// Updates of some parts, whose locks are held, go into buffers, bits and log, if there is room.
shared_slow_elastic::room shared_slow_elastic::change(std::span<group> groups, kind what, bool even_if_crowded,
                                                      work_due& due) noexcept {
    slow_elastic& own = *filter_;
    std::size_t updates = 0;
    for (const group& one : groups) {
        updates += one.hashes.size();
        const update_buffer& buffer = own.parts_[one.part].updates;
        for (const std::uint64_t hash : one.hashes) {
            prefetch_line(own.view_.block_of(hash));
            buffer.prefetch(own.identity_.geometry.record_of(hash));
        }
    }
    const room found = promise_room(updates, what, even_if_crowded, due);
    if (found != room::promised) return found;
    for (group& one : groups) {
        apply(one, what);
        const slow_elastic::part_memory& memory = own.parts_[one.part];
        if (memory.updates.insertions() > memory.merge_at) due.full_part = one.part;
    }
    // The log is the same for all: its lock is taken once for all of them.
    const lock alone = own.lock_log();
    std::size_t missing = updates; // of those that were promised
    std::uint64_t more_bytes = 0;
    std::uint64_t more_insertions = 0;
    for (const group& one : groups) {
        missing -= one.taken;
        slow_elastic::part_memory& memory = own.parts_[one.part];
        if (one.taken != 0 && memory.oldest_frame == slow_elastic::part_memory::no_frame) {
            memory.oldest_frame = own.log_.next_frame();
        }
        for (const std::uint64_t hash : one.hashes.first(one.taken)) {
            own.log_.append_promised(hash | (what == kind::removal ? 1 : 0));
        }
        memory.counted_bytes = memory.updates.memory_bytes();
        more_bytes += one.more_bytes;
        more_insertions += one.more_insertions;
    }
    if (more_bytes != 0) own.used_buffer_bytes_ += more_bytes;
    own.known_keys_ += more_insertions;
    if (missing != 0) own.log_.give_back_promise(missing);
    due.buffers = own.used_buffer_bytes_ > own.merge_at_bytes_;
    due.log = due.wrote_frame && own.is_log_long();
    return found;
}

/// Updates of one part, if `admit` agrees, which is called under its lock. How many were made.
template <class Admit>
std::size_t shared_slow_elastic::change_part(std::size_t part, std::span<const std::uint64_t> hashes, kind what,
                                             Admit admit) noexcept {
    slow_elastic& own = *filter_;
    if (!own.is_writable()) return 0;
    work_due due;
    group one{part, hashes};
    for (const bool even_if_crowded : {false, true}) {
        one.changing = own.lock_part(part);
        if (shared().closing || !admit()) return 0;
        const room found = change(std::span(&one, 1), what, even_if_crowded, due);
        if (found == room::refused) return 0;
        one.changing.unlock();
        if (found == room::promised) break;
        // Merges are slower than updates, or have failed for so long that the memory is used up. A merge is much work: after a
        // failure it is not tried again for every key.
        if (!or_out_of_memory([&] { return own.merge_part(part); })) {
            const lock alone = own.lock_log();
            own.refusals_before_retry_ = 1000;
            return 0;
        }
    }
    settle(due);
    return one.taken;
}

/// Merges what is due, unless another thread is about it. A failure is remembered, and the merge is tried again later.
void shared_slow_elastic::settle(const work_due& due) noexcept {
    slow_elastic& own = *filter_;
    enum class merge : std::uint8_t { done, failed, left_to_others };
    const auto try_merge = [&](std::size_t which) {
        lock merging(shared().parts[which].merging, std::try_to_lock);
        if (!merging) return merge::left_to_others;
        return or_out_of_memory([&] { return own.merge_part(which, std::move(merging)); }) ? merge::done
                                                                                           : merge::failed;
    };
    if (due.full_part && try_merge(*due.full_part) == merge::failed) [[unlikely]] {
        const lock changing = own.lock_part(*due.full_part);
        const std::uint64_t now = own.parts_[*due.full_part].updates.insertions();
        own.parts_[*due.full_part].merge_at = now + now / 4 + 64;
    }
    if (due.buffers) [[unlikely]] {
        std::size_t fullest = own.parts_.size();
        {
            const lock alone = own.lock_log();
            if (own.used_buffer_bytes_ > own.merge_at_bytes_) { // still
                const auto found =
                    std::max_element(own.parts_.begin(), own.parts_.end(),
                                     [](const auto& a, const auto& b) { return a.counted_bytes < b.counted_bytes; });
                fullest = static_cast<std::size_t>(found - own.parts_.begin());
            }
        }
        const merge outcome = fullest == own.parts_.size() ? merge::left_to_others : try_merge(fullest);
        const lock alone = own.lock_log();
        if (outcome == merge::done) own.merge_at_bytes_ = own.buffer_bytes();
        if (outcome == merge::failed) own.merge_at_bytes_ = own.used_buffer_bytes_ + own.buffer_bytes() / 16;
    }
    if (due.log) [[unlikely]] {
        std::size_t oldest = 0;
        {
            const lock alone = own.lock_log();
            oldest = own.oldest_part();
        }
        (void)try_merge(oldest); // tried again with the next frame
    }
}

insert_outcome shared_slow_elastic::insert(digest item) noexcept {
    const std::uint64_t hash = filter_->view_.stored_hash(item);
    const auto part = static_cast<std::size_t>(filter_->identity_.geometry.part_of(hash));
    const std::size_t taken = change_part(part, std::span(&hash, 1), kind::insertion, [] { return true; });
    return taken == 1 ? insert_outcome::inserted : refusal_of_insertion();
}

deferred_outcome shared_slow_elastic::erase_later(digest item) noexcept {
    const std::uint64_t hash = filter_->view_.stored_hash(item);
    const auto part = static_cast<std::size_t>(filter_->identity_.geometry.part_of(hash));
    bool may_be_there = true;
    const std::size_t taken = change_part(part, std::span(&hash, 1), kind::removal, [&] {
        may_be_there = has_bits(part, hash);
        return may_be_there;
    });
    if (taken == 1) return deferred_outcome::accepted;
    return may_be_there ? deferred_outcome::refused : deferred_outcome::not_present;
}

insert_outcome shared_slow_elastic::refusal_of_insertion() const noexcept {
    return !is_writable() || shared().closing ? insert_outcome::not_writable : insert_outcome::growth_refused;
}

result<erase_outcome> shared_slow_elastic::erase(digest item) {
    return or_out_of_memory([&]() -> result<erase_outcome> {
        if (!is_writable() || shared().closing) {
            return fail(failure_reason::unsupported, is_writable()
                                                         ? "the filter is closed"
                                                         : "the filter is open for reading only; open it for writing");
        }
        const std::uint64_t hash = filter_->view_.stored_hash(item);
        const auto part = static_cast<std::size_t>(filter_->identity_.geometry.part_of(hash));
        result<std::uint64_t> found = std::uint64_t{0};
        const std::size_t taken = change_part(part, std::span(&hash, 1), kind::removal, [&] {
            found = has_bits(part, hash) ? filter_->count(item) : result<std::uint64_t>(std::uint64_t{0});
            return found && *found != 0;
        });
        if (!found) return fail(std::move(found.error()));
        if (taken == 1) return erase_outcome::removed;
        if (shared().closing) return fail(failure_reason::unsupported, "the filter is closed");
        if (*found == 0) return erase_outcome::not_present;
        const auto why = last_error();
        return why ? fail(*why) : fail(failure_reason::out_of_memory, "out of memory");
    });
}

/// The keys of a batch, those of one part together.
class shared_slow_elastic::keys_by_part {
public:
    static constexpr std::size_t most_keys = 1024;

    keys_by_part(const slow_elastic& filter, std::span<const digest> items) noexcept : parts_(filter.parts_.size()) {
        const auto part_of = [&](digest item) {
            return static_cast<std::size_t>(filter.identity_.geometry.part_of(item.low));
        };
        for (const digest item : items) ++starts_[part_of(item) + 1];
        for (std::size_t i = 1; i <= parts_; ++i) starts_[i] = static_cast<std::uint16_t>(starts_[i] + starts_[i - 1]);
        auto next = starts_;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::uint16_t at = next[part_of(items[i])]++;
            hashes_[at] = filter.view_.stored_hash(items[i]);
            order_[at] = static_cast<std::uint16_t>(i);
        }
        first_ = part_of(items[0]);
    }

    [[nodiscard]] std::size_t parts() const noexcept { return parts_; }
    /// The parts in an order that begins with a part by chance: otherwise threads that met once would follow each other from lock to lock.
    [[nodiscard]] std::size_t part(std::size_t i) const noexcept { return (first_ + i) % parts_; }
    [[nodiscard]] std::span<const std::uint64_t> hashes(std::size_t part) const noexcept {
        return std::span(hashes_).subspan(starts_[part], starts_[part + 1] - starts_[part]);
    }
    /// Which items of the batch they are.
    [[nodiscard]] std::span<const std::uint16_t> items(std::size_t part) const noexcept {
        return std::span(order_).subspan(starts_[part], starts_[part + 1] - starts_[part]);
    }
    /// Brings those for which `is_wanted` to the front of their part, and returns how many they are.
    template <class Wanted>
    std::size_t bring_to_front(std::size_t part, Wanted is_wanted) noexcept {
        std::size_t front = starts_[part];
        for (std::size_t at = front; at < starts_[part + 1]; ++at) {
            if (!is_wanted(hashes_[at])) continue;
            std::swap(hashes_[at], hashes_[front]);
            std::swap(order_[at], order_[front++]);
        }
        return front - starts_[part];
    }

private:
    std::size_t parts_;
    std::size_t first_ = 0;
    std::array<std::uint16_t, (std::size_t{1} << record_geometry::most_part_bits) + 1> starts_{};
    std::array<std::uint64_t, most_keys> hashes_;
    std::array<std::uint16_t, most_keys> order_;
};

/// Updates of many keys, some parts at a time. `report(item, what became of it)` for all items of the batch, but for those of parts that
/// another thread is in: those are left to `alone(part)`, at the end.
template <class Report, class Alone>
void shared_slow_elastic::change_many(keys_by_part& keys, kind what, Report report, Alone alone) noexcept {
    // One lock of the log for each of these; more of them are in the way of other threads: with two threads 4 were quicker than 1 and 16.
    constexpr std::size_t parts_at_a_time = 4;
    std::array<std::uint16_t, std::size_t{1} << record_geometry::most_part_bits> later;
    std::size_t later_parts = 0;
    for (std::size_t i = 0; i < keys.parts();) {
        std::array<group, parts_at_a_time> groups;
        std::size_t count = 0;
        for (; i < keys.parts() && count < groups.size(); ++i) {
            const std::size_t part = keys.part(i);
            if (keys.hashes(part).empty()) continue;
            lock changing(shared().parts[part].changing, std::try_to_lock);
            if (!changing || shared().closing) {
                later[later_parts++] = static_cast<std::uint16_t>(part);
                continue;
            }
            std::size_t wanted = keys.hashes(part).size();
            if (what == kind::removal) {
                for (const std::uint64_t hash : keys.hashes(part)) prefetch_line(filter_->view_.block_of(hash));
                wanted = keys.bring_to_front(part, [&](std::uint64_t hash) { return has_bits(part, hash); });
            }
            groups[count++] = {part, keys.hashes(part).first(wanted), std::move(changing)};
        }
        if (count == 0) continue;
        const auto locked = std::span(groups).first(count);
        work_due due;
        const bool made = change(locked, what, false, due) == room::promised;
        for (group& one : locked) {
            one.changing.unlock();
            if (!made) {
                later[later_parts++] = static_cast<std::uint16_t>(one.part);
                continue;
            }
            const auto items = keys.items(one.part);
            for (std::size_t k = 0; k < items.size(); ++k) {
                report(items[k], k < one.taken           ? update_state::done
                                 : k < one.hashes.size() ? update_state::refused
                                                         : update_state::not_there);
            }
        }
        if (made) settle(due);
    }
    for (const std::size_t part : std::span(later).first(later_parts)) alone(part);
}

void shared_slow_elastic::insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
    if (items.size() == 1) {
        outcomes[0] = insert(items[0]);
        return;
    }
    if (!is_writable()) return std::fill(outcomes.begin(), outcomes.end(), insert_outcome::not_writable);
    for (std::size_t first = 0; first < items.size(); first += keys_by_part::most_keys) {
        keys_by_part keys(*filter_, items.subspan(first, std::min(keys_by_part::most_keys, items.size() - first)));
        const auto report = [&](std::size_t item, update_state became) {
            outcomes[first + item] = became == update_state::done ? insert_outcome::inserted : refusal_of_insertion();
        };
        change_many(keys, kind::insertion, report, [&](std::size_t part) {
            const std::size_t taken = change_part(part, keys.hashes(part), kind::insertion, [] { return true; });
            const auto of_part = keys.items(part);
            for (std::size_t k = 0; k < of_part.size(); ++k) {
                report(of_part[k], k < taken ? update_state::done : update_state::refused);
            }
        });
    }
}

void shared_slow_elastic::erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept {
    if (!is_writable()) return std::fill(outcomes.begin(), outcomes.end(), deferred_outcome::refused);
    for (std::size_t first = 0; first < items.size(); first += keys_by_part::most_keys) {
        keys_by_part keys(*filter_, items.subspan(first, std::min(keys_by_part::most_keys, items.size() - first)));
        const auto report = [&](std::size_t item, update_state became) {
            outcomes[first + item] = became == update_state::done      ? deferred_outcome::accepted
                                     : became == update_state::refused ? deferred_outcome::refused
                                                                       : deferred_outcome::not_present;
        };
        change_many(keys, kind::removal, report, [&](std::size_t part) {
            for (const std::size_t item : keys.items(part)) outcomes[first + item] = erase_later(items[first + item]);
        });
    }
}

} // namespace everbloom
