// One page of stored hashes: eight bins of remainders, packed, sorted, with copies counted.
//
//      | bin counts : 8 x 8 | link : 56, repeats : 8 | slot 0 : s | slot 1 : s | ... |
//
// The bins lie one after the other, each sorted; a bin's count says how many slots it has. One copy of a hash is one slot, two
// copies are two equal slots, and more are three equal slots followed by a counter of the copies beyond three: a key that is
// inserted a million times takes four slots, and a key that is inserted once or twice pays for no counter. The repeat bit of a bin
// says whether any hash in it has more than one copy: most bins have none, and are read without looking for any.
//
// A full page continues in an overflow page, which takes the slots behind the last, and if need be in an overflow page of that one:
// `link` is 0, or one more than its number. (The bucket tree of [Wu21 §3.3.2], where a full bucket borrows from a shared one.)
#pragma once

#include <everbloom/bits/bit_move.hpp>
#include <everbloom/bits/cell_view.hpp>
#include <everbloom/filter/elastic/stored_hashes/geometry.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

namespace everbloom {

/// Where a hash is, or would be, in its page.
struct hash_slot {
    unsigned at = 0; // its first slot
    std::uint64_t copies = 0;
};

template <class Word>
class hash_page {
public:
    static constexpr bool writable = !std::is_const_v<Word>;
    static constexpr unsigned most_bin_slots = 255;

    /// From the header: one more than the number of the overflow page, or 0.
    [[nodiscard]] static std::uint64_t link(const std::uint64_t* page) noexcept {
        return page[1] & low_mask(link_bits);
    }
    static void set_link(std::uint64_t* page, std::uint64_t link) noexcept {
        page[1] = (page[1] & ~low_mask(link_bits)) | link;
    }
    static constexpr unsigned link_bits = 56;

    hash_page(const hash_geometry& geometry, Word* page, Word* overflow) noexcept
        : slot_bits_(geometry.slot_bits()), slots_(geometry.slots()), page_words_(geometry.page_words()), page_(page),
          overflow_(overflow) {}

    /// The page and its overflow pages, one behind the other.
    [[nodiscard]] unsigned chunks() const noexcept {
        unsigned count = 1;
        for (const Word* at = page_; link(at) != 0; at = overflow_page(link(at))) ++count;
        return count;
    }

    [[nodiscard]] unsigned bin_slots(unsigned bin) const noexcept {
        return static_cast<unsigned>(page_[0] >> (8 * bin) & 0xff);
    }
    /// The first slot of a bin; of bin 8, how many slots are used.
    [[nodiscard]] unsigned bin_start(unsigned bin) const noexcept {
        const std::uint64_t before = page_[0] & low_mask(8 * bin);
        constexpr std::uint64_t even = 0x00ff00ff00ff00ff;
        return static_cast<unsigned>(((before & even) + (before >> 8 & even)) * 0x0001000100010001 >> 48);
    }
    [[nodiscard]] unsigned used_slots() const noexcept { return bin_start(hash_geometry::page_bins); }

    /// Whether a hash of the bin has more than one copy.
    [[nodiscard]] bool has_repeats(unsigned bin) const noexcept { return (page_[1] >> (link_bits + bin) & 1) != 0; }

    /// Slots that a number of copies takes.
    [[nodiscard]] static constexpr unsigned slots_for(std::uint64_t copies) noexcept {
        return copies < 3 ? static_cast<unsigned>(copies) : 4;
    }
    static constexpr std::uint64_t most_copies = 3 + low_mask(hash_geometry::counter_bits);

    [[nodiscard]] hash_slot find(unsigned bin, std::uint64_t remainder) const noexcept {
        const unsigned start = bin_start(bin);
        const unsigned end = start + bin_slots(bin);
        return with_reader(end, [&](auto read) {
            if (!has_repeats(bin)) [[likely]] {
                const unsigned found = first_not_below(read, start, end, remainder);
                return hash_slot{found, found < end && read(found) == remainder ? std::uint64_t{1} : 0};
            }
            unsigned at = start;
            while (at < end) {
                const std::uint64_t here = read(at);
                if (here > remainder) break;
                const std::uint64_t copies = copies_at(at, end);
                if (here == remainder) return hash_slot{at, copies};
                at += slots_for(copies);
            }
            return hash_slot{at, 0};
        });
    }

    /// How many different hashes of a bin lie from `lowest` to `highest`, both included; `enough` of them end the counting.
    [[nodiscard]] unsigned count_within(unsigned bin, std::uint64_t lowest, std::uint64_t highest,
                                        unsigned enough) const noexcept {
        const unsigned start = bin_start(bin);
        const unsigned end = start + bin_slots(bin);
        return with_reader(end, [&](auto read) {
            unsigned at = start;
            unsigned counted = 0;
            if (!has_repeats(bin)) [[likely]] {
                while (at < end && read(at) < lowest) ++at;
                for (; at < end && counted < enough && read(at) <= highest; ++at) ++counted;
                return counted;
            }
            while (at < end && counted < enough && read(at) <= highest) {
                counted += read(at) >= lowest ? 1 : 0;
                at += slots_for(copies_at(at, end));
            }
            return counted;
        });
    }

    /// Calls `visit(remainder, copies)` for the hashes of a bin from `lowest` to `highest`, both included, in order.
    template <class Visit>
    [[gnu::always_inline]] void for_each_between(unsigned bin, std::uint64_t lowest, std::uint64_t highest,
                                                 Visit visit) const {
        const unsigned start = bin_start(bin);
        const unsigned end = start + bin_slots(bin);
        with_reader(end, [&](auto read) {
            if (!has_repeats(bin)) [[likely]] {
                unsigned at = lowest == 0 ? start : first_not_below(read, start, end, lowest);
                for (; at < end; ++at) {
                    const std::uint64_t remainder = read(at);
                    if (remainder > highest) return;
                    visit(remainder, std::uint64_t{1});
                }
                return;
            }
            for (unsigned at = start; at < end;) {
                const std::uint64_t remainder = read(at);
                const std::uint64_t copies = copies_at(at, end);
                if (remainder > highest) return;
                if (remainder >= lowest) visit(remainder, copies);
                at += slots_for(copies);
            }
        });
    }

    /// The hashes of a bin that begins at `bin_begins` with remainders from `lowest` to `highest`: those of `bin` in this page. Nothing if
    /// they have to be read one by one, with `for_each_between`.
    [[nodiscard]] std::optional<unsigned> collect(const hash_geometry& geometry, std::uint64_t bin_begins, unsigned bin,
                                                  std::uint64_t lowest, std::uint64_t highest,
                                                  std::uint64_t* hashes) const noexcept {
        const unsigned start = bin_start(bin);
        const unsigned end = start + bin_slots(bin);
        if (end > slots_ || slot_bits_ > widest_load || has_repeats(bin)) [[unlikely]]
            return std::nullopt;
        const auto* const bytes = reinterpret_cast<const char*>(page_ + hash_geometry::header_words);
        const unsigned width = slot_bits_;
        const std::uint64_t mask = low_mask(width);
        const auto read = [&](unsigned slot) {
            const unsigned bit = slot * width;
            std::uint64_t loaded = 0;
            std::memcpy(&loaded, bytes + bit / 8, sizeof loaded);
            return loaded >> (bit % 8) & mask;
        };
        unsigned at = lowest == 0 ? start : first_not_below(read, start, end, lowest);
        hash_geometry::bin_hashes made(geometry, bin_begins);
        unsigned count = 0;
        for (unsigned bit = at * width; at < end; ++at, bit += width) {
            std::uint64_t loaded = 0;
            std::memcpy(&loaded, bytes + bit / 8, sizeof loaded);
            const std::uint64_t remainder = loaded >> (bit % 8) & mask;
            if (remainder > highest) break;
            hashes[count++] = made.hash_at(remainder);
        }
        if (!made.is_sure()) [[unlikely]]
            return std::nullopt;
        return count;
    }

    /// Calls `visit(remainder, copies)` for the hashes of a bin, in order.
    template <class Visit>
    void for_each(unsigned bin, Visit visit) const {
        const unsigned start = bin_start(bin);
        const unsigned end = start + bin_slots(bin);
        with_reader(end, [&](auto read) {
            if (!has_repeats(bin)) [[likely]] {
                for (unsigned at = start; at < end; ++at) visit(read(at), std::uint64_t{1});
                return;
            }
            for (unsigned at = start; at < end;) {
                const std::uint64_t copies = copies_at(at, end);
                visit(read(at), copies);
                at += slots_for(copies);
            }
        });
    }

    /// Whether `more` slots fit into a bin and into the page with the overflow pages it has.
    [[nodiscard]] bool has_room(unsigned bin, unsigned more) const noexcept {
        const unsigned wanted = used_slots() + more;
        return bin_slots(bin) + more <= most_bin_slots && (wanted <= slots_ || wanted <= slots_ * chunks());
    }

    /// Sets the number of copies of the hash at `where`. The page has room.
    void set_copies(unsigned bin, const hash_slot& where, std::uint64_t remainder, std::uint64_t copies) const noexcept
        requires writable
    {
        const unsigned before = slots_for(where.copies);
        const unsigned after = slots_for(copies);
        if (after > before) open_gap(where.at + before, after - before);
        if (after < before) close_gap(where.at + after, before - after);
        page_[0] += static_cast<std::uint64_t>(after) << (8 * bin);
        page_[0] -= static_cast<std::uint64_t>(before) << (8 * bin);
        for (unsigned i = before; i < std::min(after, 3u); ++i) set(where.at + i, remainder);
        if (after == 4) set(where.at + 3, copies - 3);
        if (before > 1 || after > 1) [[unlikely]]
            note_repeats(bin);
    }

    /// Puts a hash behind all others of the page, which are smaller. The page has room.
    void append(unsigned bin, std::uint64_t remainder, std::uint64_t copies) const noexcept
        requires writable
    {
        const unsigned at = used_slots();
        const unsigned slots = slots_for(copies);
        for (unsigned i = 0; i < std::min(slots, 3u); ++i) set(at + i, remainder);
        if (slots == 4) set(at + 3, copies - 3);
        page_[0] += static_cast<std::uint64_t>(slots) << (8 * bin);
        if (slots > 1) page_[1] |= std::uint64_t{1} << (link_bits + bin);
    }

    /// Whether two slots of a bin are equal, which is what `has_repeats` says.
    [[nodiscard]] bool repeats(unsigned bin) const noexcept {
        const unsigned end = bin_start(bin) + bin_slots(bin);
        for (unsigned at = bin_start(bin); at < end;) {
            const std::uint64_t copies = copies_at(at, end);
            if (copies > 1) return true;
            at += slots_for(copies);
        }
        return false;
    }

    [[nodiscard]] std::uint64_t get(unsigned slot) const noexcept {
        return cell_view<const std::uint64_t>(slots_of(slot), slot_bits_).get(slot % slots_);
    }

private:
    static constexpr unsigned widest_load = 57;

    /// Calls `body(read)` with the fastest way to read the slots before `end`.
    template <class Body>
    [[gnu::always_inline]] auto with_reader(unsigned end, Body body) const {
        if (end <= slots_ && slot_bits_ <= widest_load) [[likely]] {
            // One load from the byte where the slot begins, which has at least 57 bits of what follows.
            const auto* const bytes = reinterpret_cast<const char*>(page_ + hash_geometry::header_words);
            return body([bytes, width = slot_bits_, mask = low_mask(slot_bits_)](unsigned slot) {
                const unsigned bit = slot * width;
                std::uint64_t loaded = 0;
                std::memcpy(&loaded, bytes + bit / 8, sizeof loaded);
                return loaded >> (bit % 8) & mask;
            });
        }
        return body([this](unsigned slot) { return get(slot); });
    }

    /// The first slot from `start` to `end` that is not below the remainder. Remainders are spread evenly: it is near the place that its
    /// value tells, on either side.
    template <class Read>
    [[nodiscard, gnu::always_inline]] unsigned first_not_below(Read read, unsigned start, unsigned end,
                                                               std::uint64_t remainder) const noexcept {
        unsigned at = start + static_cast<unsigned>(reduce(remainder << (64 - slot_bits_), end - start));
        while (at > start && read(at - 1) >= remainder) --at;
        while (at < end && read(at) < remainder) ++at;
        return at;
    }

    [[nodiscard]] Word* overflow_page(std::uint64_t link) const noexcept {
        return overflow_ + (link - 1) * page_words_;
    }
    /// The words behind the header of the page or overflow page that holds a slot.
    [[nodiscard]] Word* slots_of(unsigned slot) const noexcept {
        Word* at = page_;
        for (unsigned chunk = slot / slots_; chunk > 0; --chunk) at = overflow_page(link(at));
        return at + hash_geometry::header_words;
    }
    void set(unsigned slot, std::uint64_t value) const noexcept
        requires writable
    {
        cell_view<Word>(slots_of(slot), slot_bits_).set(slot % slots_, value);
    }

    /// The copies of the hash that begins at a slot of a bin that ends before `end`.
    [[nodiscard]] std::uint64_t copies_at(unsigned at, unsigned end) const noexcept {
        const std::uint64_t here = get(at);
        if (at + 1 >= end || get(at + 1) != here) return 1;
        if (at + 2 >= end || get(at + 2) != here) return 2;
        return at + 3 < end ? 3 + get(at + 3) : 3;
    }

    void note_repeats(unsigned bin) const noexcept
        requires writable
    {
        const std::uint64_t bit = std::uint64_t{1} << (link_bits + bin);
        page_[1] = repeats(bin) ? page_[1] | bit : page_[1] & ~bit;
    }

    /// Moves the slots from `at` on up by `by`, from the last overflow page to the first page: within each together, over its end one
    /// by one.
    void open_gap(unsigned at, unsigned by) const noexcept
        requires writable
    {
        const unsigned used = used_slots();
        if (at == used) return;
        for (unsigned first = (used - 1) / slots_ * slots_;; first -= slots_) {
            const unsigned from = std::max(at, first) - first;
            const unsigned end = std::min(used - first, slots_);
            const unsigned stay = std::min(end, slots_ - by); // those before it stay in this page
            for (unsigned slot = std::max(stay, from); slot < end; ++slot) set(first + slot + by, get(first + slot));
            move_bits_up(slots_of(first), std::uint64_t{from} * slot_bits_, std::uint64_t{stay} * slot_bits_,
                         std::uint64_t{by} * slot_bits_);
            if (first <= at) return;
        }
    }

    /// Takes out the slots [at, at + by); what is no longer used becomes zero.
    void close_gap(unsigned at, unsigned by) const noexcept
        requires writable
    {
        const unsigned used = used_slots();
        for (unsigned first = at / slots_ * slots_; first < used; first += slots_) {
            const unsigned from = std::max(at, first) - first;
            const unsigned end = std::min(used - first, slots_);
            move_bits_down(slots_of(first), std::uint64_t{from + by} * slot_bits_, std::uint64_t{end} * slot_bits_,
                           std::uint64_t{by} * slot_bits_);
            const unsigned filled = std::max(from, end - std::min(end, by));
            for (unsigned slot = filled; slot < end && first + slot + by < used; ++slot) {
                set(first + slot, get(first + slot + by));
            }
        }
        for (unsigned slot = used - by; slot < used; ++slot) set(slot, 0);
    }

    unsigned slot_bits_;
    unsigned slots_;
    std::uint64_t page_words_;
    Word* page_;
    Word* overflow_;
};

} // namespace everbloom
