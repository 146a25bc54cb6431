// update_buffer: the updates of one part since its last merge, in memory, sorted by record and netted.
//
// A hash table that is always sorted: the home of a record grows with the record, a record goes to its place among its neighbours, and
// those behind it move up by one. So a merge reads it from front to back without sorting, a lookup is one cache line, and updates of
// one key take one slot however many they are.
//
// How often the key is stored on disk is not known here. But what a series of insertions and removals does to that number is:
//
//      insert: x -> x + 1      erase: x -> x - 1, or 0 if x is 0 (refused)      any series: x -> max(x - taken, 0) + added
//
// An erase takes back an insertion of the buffer if there is one, otherwise it adds to `taken`. Erases beyond the stored number are
// refused by the merge: max(taken - x, 0) of them. The order of updates needs no more memory than that.
//
//      slot   | record : record_bits | 1 | taken : k | added : k |      an empty slot is 0; k = (63 - record_bits) / 2
//
// Numbers that do not fit into k bits are kept beside the table, and the slot says so by k ones twice.
#pragma once

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/probe/reduce.hpp>
#include <everbloom/runtime/slow/zeroed_words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <unordered_map>
#include <utility>

namespace everbloom {

/// What the updates of a buffer do to the number of times that a key is stored.
struct pending_updates {
    std::uint64_t taken = 0;
    std::uint64_t added = 0;

    [[nodiscard]] constexpr std::uint64_t applied_to(std::uint64_t stored) const noexcept {
        return (stored > taken ? stored - taken : 0) + added;
    }
    [[nodiscard]] constexpr std::uint64_t refused_of(std::uint64_t stored) const noexcept {
        return taken > stored ? taken - stored : 0;
    }
};

class update_buffer {
public:
    explicit update_buffer(unsigned record_bits = 44) noexcept
        : record_bits_(record_bits), count_bits_((63 - record_bits) / 2) {}

    /// False: no memory, and nothing was changed.
    [[nodiscard]] bool insert(std::uint64_t record) noexcept {
        return change(record, [](pending_updates& now) { ++now.added; });
    }
    [[nodiscard]] bool erase(std::uint64_t record) noexcept {
        return change(record, [](pending_updates& now) {
            if (now.added != 0) {
                --now.added;
            } else {
                ++now.taken;
            }
        });
    }

    [[nodiscard]] pending_updates find(std::uint64_t record) const noexcept {
        if (homes_ == 0) return {};
        const std::uint64_t slot = slots_[position_of(record)];
        return slot != 0 && record_in(slot) == record ? read(slot) : pending_updates{};
    }

    /// The records with updates, in order.
    class reader {
    public:
        explicit reader(const update_buffer& from) noexcept : from_(&from) { skip(); }
        [[nodiscard]] bool at_end() const noexcept { return at_ >= from_->room_; }
        [[nodiscard]] std::uint64_t record() const noexcept { return from_->record_in(from_->slots_[at_]); }
        [[nodiscard]] pending_updates updates() const noexcept { return from_->read(from_->slots_[at_]); }
        void advance() noexcept {
            ++at_;
            skip();
        }

    private:
        void skip() noexcept {
            while (at_ < from_->room_ && from_->slots_[at_] == 0) ++at_;
        }
        const update_buffer* from_;
        std::size_t at_ = 0;
    };
    [[nodiscard]] reader cursor() const noexcept { return reader(*this); }

    /// Records with updates, and those of them that were inserted.
    [[nodiscard]] std::uint64_t entries() const noexcept { return entries_; }
    [[nodiscard]] std::uint64_t insertions() const noexcept { return insertions_; }
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
        constexpr std::uint64_t wide_bytes = 64; // of a node and its share of the buckets
        return room_ * sizeof(std::uint64_t) + wide_.size() * wide_bytes;
    }
    void prefetch(std::uint64_t record) const noexcept {
        if (homes_ != 0) prefetch_line(&slots_[home_of(record)]);
    }

    /// Empty, and its memory given back.
    void clear() noexcept { *this = update_buffer(record_bits_); }

private:
    static constexpr std::size_t first_homes = 16;
    static constexpr std::size_t first_tail = 32; // slots behind the last home; the last of them is always empty

    [[nodiscard]] std::size_t home_of(std::uint64_t record) const noexcept {
        return static_cast<std::size_t>(reduce(record << (64 - record_bits_), homes_));
    }
    [[nodiscard]] std::uint64_t record_in(std::uint64_t slot) const noexcept { return slot >> (64 - record_bits_); }
    /// Where the record is, or where it would go.
    [[nodiscard]] std::size_t position_of(std::uint64_t record) const noexcept {
        std::size_t at = home_of(record);
        while (slots_[at] != 0 && record_in(slots_[at]) < record) ++at;
        return at;
    }

    [[nodiscard]] std::uint64_t count_mask() const noexcept { return low_mask(count_bits_); }
    [[nodiscard]] bool is_wide(std::uint64_t slot) const noexcept {
        return (slot & low_mask(2 * count_bits_)) == low_mask(2 * count_bits_);
    }
    [[nodiscard]] pending_updates read(std::uint64_t slot) const noexcept {
        if (is_wide(slot)) [[unlikely]] {
            const auto found = wide_.find(record_in(slot));
            return found == wide_.end() ? pending_updates{} : found->second;
        }
        return {(slot >> count_bits_) & count_mask(), slot & count_mask()};
    }
    /// The slot of these updates; those that do not fit go beside the table. False: no memory.
    [[nodiscard]] bool write(std::uint64_t& slot, std::uint64_t record, const pending_updates& now) noexcept {
        const std::uint64_t head = ((record << 1) | 1) << (63 - record_bits_);
        // The largest pair stands for "beside the table".
        const bool fits = now.taken < count_mask() && now.added < count_mask();
        if (fits && (slot == 0 || !is_wide(slot))) [[likely]] {
            slot = head | (now.taken << count_bits_) | now.added;
            return true;
        }
        try {
            wide_[record] = now;
        } catch (const std::bad_alloc&) {
            return false;
        }
        slot = head | low_mask(2 * count_bits_);
        return true;
    }

    template <class Change>
    [[nodiscard]] bool change(std::uint64_t record, Change act) noexcept {
        if (5 * (entries_ + 1) > 4 * homes_ && !rebuild(std::max(first_homes, homes_ + homes_ / 2), first_tail))
            return false;
        std::size_t at = position_of(record);
        const bool is_there = slots_[at] != 0 && record_in(slots_[at]) == record;
        if (!is_there) {
            std::size_t gap = at;
            while (slots_[gap] != 0) ++gap;
            if (gap + 1 == room_) { // the last slot stays empty: it ends every search
                if (!rebuild(homes_, 2 * (room_ - homes_))) return false;
                return change(record, act);
            }
            std::copy_backward(&slots_[at], &slots_[gap], &slots_[gap + 1]);
            slots_[at] = 0;
        }
        pending_updates now = is_there ? read(slots_[at]) : pending_updates{};
        const bool was_inserted = now.added != 0;
        act(now);
        if (!write(slots_[at], record, now)) {
            if (!is_there) close_gap(at);
            return false;
        }
        entries_ += is_there ? 0 : 1;
        insertions_ += now.added != 0 ? 1 : 0;
        insertions_ -= was_inserted ? 1 : 0;
        return true;
    }
    /// Takes back the move that made room at `at`.
    void close_gap(std::size_t at) noexcept {
        while (slots_[at + 1] != 0 && home_of(record_in(slots_[at + 1])) <= at) {
            slots_[at] = slots_[at + 1];
            slots_[++at] = 0;
        }
    }

    /// Another number of homes, with at least this many slots behind the last; hashes that are not spread evenly may need more.
    [[nodiscard]] bool rebuild(std::size_t homes, std::size_t tail) noexcept {
        update_buffer larger(record_bits_);
        larger.homes_ = homes;
        for (bool fits = false; !fits; tail *= 2) {
            larger.room_ = homes + tail;
            larger.slots_ = zeroed_words::make(larger.room_);
            if (larger.slots_.data() == nullptr) return false;
            larger.slots_.provide();
            std::size_t next = 0;
            fits = true;
            for (std::size_t i = 0; i < room_ && fits; ++i) {
                if (slots_[i] == 0) continue;
                next = std::max(next, larger.home_of(record_in(slots_[i])));
                fits = next + 1 < larger.room_;
                if (fits) larger.slots_[next++] = slots_[i];
            }
        }
        slots_ = std::move(larger.slots_);
        homes_ = larger.homes_;
        room_ = larger.room_;
        return true;
    }

    unsigned record_bits_;
    unsigned count_bits_;
    std::size_t homes_ = 0;
    std::size_t room_ = 0;
    std::uint64_t entries_ = 0;
    std::uint64_t insertions_ = 0;
    zeroed_words slots_;
    std::unordered_map<std::uint64_t, pending_updates> wide_;
};

} // namespace everbloom
