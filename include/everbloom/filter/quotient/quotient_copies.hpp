// Copies of a key beyond the fourth: an exact table from fingerprint to number.
//
// Every copy in the lines takes a slot, and a key that is added a million times would fill its two lines and be refused. So four copies
// at least are in the lines, and the others are counted here. Few filters ever need it; it has no slots until one does.
//
//   slot   | number of the fingerprint, plus one: 64 bits | copies: 64 bits |      open addressing, at most half of the slots in use
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/probe/mix.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

namespace everbloom {

template <WordStore Store>
class quotient_copies {
public:
    quotient_copies() noexcept = default;
    quotient_copies(Store store, std::uint64_t slots) noexcept : store_(std::move(store)), slots_(slots) { recount(); }

    static constexpr std::uint64_t least_slots = line_words / 2;
    /// Of all keys together, so that their sum does not overflow: filters may be merged with themselves again and again.
    static constexpr std::uint64_t most_copies = std::uint64_t{1} << 56;

    [[nodiscard]] static std::uint64_t lines_for(std::uint64_t slots) noexcept { return slots * 2 / line_words; }
    [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }
    /// Of all keys together.
    [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept {
        return {data(), static_cast<std::size_t>(slots_ * 2)};
    }
    [[nodiscard]] std::uint64_t memory_words() const noexcept { return held_words_of(store_); }

    [[nodiscard]] std::uint64_t count(std::uint64_t number) const noexcept {
        if (slots_ == 0) return 0;
        const std::uint64_t slot = slot_of(number);
        return key(slot) == number + 1 ? data()[2 * slot + 1] : 0;
    }
    /// Calls `visit(number, copies)` for every fingerprint in it.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t slot = 0; slot < slots_; ++slot) {
            if (key(slot) != 0) visit(key(slot) - 1, data()[2 * slot + 1]);
        }
    }

    /// False, and nothing is changed, if there is no memory, or no room for such a number.
    [[nodiscard]] bool add(std::uint64_t number, std::uint64_t copies) noexcept
        requires std::same_as<Store, heap_words>
    {
        if (copies > most_copies - total_) return false;
        if (slots_ == 0 || (count(number) == 0 && 2 * (used_ + 1) > slots_)) {
            if (!rebuild(slots_ == 0 ? least_slots : 2 * slots_)) return false;
        }
        const std::uint64_t slot = slot_of(number);
        std::uint64_t* const at = store_.data() + 2 * slot;
        used_ += at[0] == 0 ? 1 : 0;
        at[0] = number + 1;
        at[1] += copies;
        total_ += copies;
        return true;
    }

    /// One copy less, if it is there.
    bool take(std::uint64_t number) noexcept
        requires std::same_as<Store, heap_words>
    {
        if (count(number) == 0) return false;
        const std::uint64_t slot = slot_of(number);
        --total_;
        if (--store_.data()[2 * slot + 1] != 0) return true;
        --used_;
        close_gap(slot);
        return true;
    }

    void clear() noexcept { *this = {}; }

    /// Is every entry where it is found, and with a possible number?
    [[nodiscard]] bool is_consistent(std::uint64_t numbers) const noexcept {
        if (slots_ != 0 && (used_ == 0 || 2 * used_ > slots_)) return false;
        std::uint64_t left = most_copies;
        for (std::uint64_t slot = 0; slot < slots_; ++slot) {
            const std::uint64_t copies = data()[2 * slot + 1];
            if (key(slot) == 0 && copies != 0) return false;
            if (key(slot) == 0) continue;
            if (key(slot) > numbers || copies == 0 || copies > left || slot_of(key(slot) - 1) != slot) return false;
            left -= copies;
        }
        return true;
    }

private:
    [[nodiscard]] const std::uint64_t* data() const noexcept { return std::as_const(store_).data(); }
    [[nodiscard]] std::uint64_t key(std::uint64_t slot) const noexcept { return data()[2 * slot]; }
    [[nodiscard]] std::uint64_t home(std::uint64_t number) const noexcept { return mix(number) & (slots_ - 1); }
    /// Where it is, or the free slot where it would be.
    [[nodiscard]] std::uint64_t slot_of(std::uint64_t number) const noexcept {
        std::uint64_t slot = home(number);
        // A damaged table may have no free slot.
        for (std::uint64_t steps = 0; steps < slots_ && key(slot) != 0 && key(slot) != number + 1; ++steps) {
            slot = (slot + 1) & (slots_ - 1);
        }
        return slot;
    }

    void recount() noexcept {
        for (std::uint64_t slot = 0; slot < slots_; ++slot) {
            used_ += key(slot) != 0 ? 1 : 0;
            total_ += data()[2 * slot + 1];
        }
    }

    /// Entries behind a gap that would not be found any more move into it.
    void close_gap(std::uint64_t gap) noexcept {
        std::uint64_t* const words = store_.data();
        const std::uint64_t mask = slots_ - 1;
        for (std::uint64_t slot = (gap + 1) & mask; words[2 * slot] != 0; slot = (slot + 1) & mask) {
            const std::uint64_t way = (slot - home(words[2 * slot] - 1)) & mask;
            if (way < ((slot - gap) & mask)) continue;
            words[2 * gap] = words[2 * slot];
            words[2 * gap + 1] = words[2 * slot + 1];
            gap = slot;
        }
        words[2 * gap] = words[2 * gap + 1] = 0;
        if (used_ == 0) clear();
    }

    [[nodiscard]] bool rebuild(std::uint64_t slots) noexcept {
        auto store = or_out_of_memory([&] { return heap_words::make(lines_for(slots)); });
        if (!store) return false;
        quotient_copies larger;
        larger.store_ = std::move(*store);
        larger.slots_ = slots;
        for_each([&](std::uint64_t number, std::uint64_t copies) {
            const std::uint64_t slot = larger.slot_of(number);
            larger.store_.data()[2 * slot] = number + 1;
            larger.store_.data()[2 * slot + 1] = copies;
        });
        larger.used_ = used_;
        larger.total_ = total_;
        *this = std::move(larger);
        return true;
    }

    Store store_;
    std::uint64_t slots_ = 0;
    std::uint64_t used_ = 0;
    std::uint64_t total_ = 0;
};

} // namespace everbloom
