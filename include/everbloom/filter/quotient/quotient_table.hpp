// The lines of a quotient filter: finding, storing and moving items, and growing and shrinking by one line at a time.
//
// An item is in one of two lines. It goes to the first while that is not very full, else to the one with more room. If both are full, an
// item of theirs that has room in its own other line moves there, if need be after others (a breadth-first search for the shortest chain).
// Nothing is moved before the chain is complete, so an item that finds no room has changed nothing.
//
// Growing splits the line at the frontier: the next bit of each item's path says whether it stays or goes to the new last line. Shrinking
// takes that back. Both touch two lines and nothing else.
#pragma once

#include <everbloom/filter/quotient/line_directory.hpp>
#include <everbloom/filter/quotient/line_sieve.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>
#include <everbloom/filter/quotient/quotient_places.hpp>

#include <array>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace everbloom {

/// What storing an item came to.
enum class stored_as { item, fifth_copy, nothing };

/// `Lines` says where they are (line_directory.hpp). A view: it owns neither lines nor geometry.
template <class Lines>
class quotient_table {
    using Word = typename Lines::word_type; // NOLINT(readability-identifier-naming): as the parameter of quotient_line

public:
    quotient_table(const quotient_places& places, const Lines& lines) noexcept : places_(places), lines_(lines) {}

    [[nodiscard, gnu::always_inline]] quotient_line<Word> line(const quotient_place& place) const noexcept {
        return {lines_[place.line], places_.shape(place.is_ahead)};
    }
    [[nodiscard]] quotient_line<Word> line(std::uint64_t number) const noexcept {
        return {lines_[number], places_.shape_of(number)};
    }
    [[gnu::always_inline]] void prefetch(const quotient_place& place) const noexcept {
        prefetch_line(lines_[place.line]);
    }

    template <class Select, table_state State = table_state::growing>
    [[nodiscard, gnu::always_inline]] bool holds(const quotient_place& place) const noexcept {
        const unsigned is_ahead = State == table_state::resting ? 0 : place.is_ahead;
        return quotient_line<Word>(lines_[place.line], places_.shape(is_ahead))
            .template holds<Select>(place.bucket, place.stored());
    }

    /// In both lines together.
    template <class Select>
    [[nodiscard, gnu::noinline]] unsigned copies(const quotient_place& one,
                                                 const quotient_place& other) const noexcept {
        const unsigned found = line(one).template copies<Select>(one.bucket, one.stored());
        return one == other ? found : found + line(other).template copies<Select>(other.bucket, other.stored());
    }

    /// Calls `visit(fingerprint)` for every item of a line.
    template <class Visit>
    void for_each_in(std::uint64_t number, Visit visit) const {
        const quotient_places::reader reader(places_, number);
        const auto there = line(number);
        there.for_each([&](unsigned bucket, unsigned slot) { visit(reader.fingerprint(bucket, there.item(slot))); });
    }

    /// Stores an item whose two places these are.
    template <class Select>
    [[nodiscard, gnu::always_inline]] stored_as insert(const packed_place& one,
                                                       const packed_place& other) const noexcept {
        return insert<Select>(one, other, lines_[one.line], lines_[other.line]);
    }
    /// The same for lines whose addresses are known. Which line it is, is as good as random: it is chosen without a branch.
    template <class Select>
    [[nodiscard, gnu::always_inline]] stored_as insert(packed_place one, packed_place other, Word* line_of_one,
                                                       Word* line_of_other) const noexcept {
        const quotient_line<Word> first(line_of_one, places_.shape(one.is_ahead()));
        const unsigned first_room = first.room();
        packed_place best = one;
        Word* best_line = line_of_one;
        if (first_room <= first.shape().ample_room) {
            const unsigned other_room = quotient_line<Word>(line_of_other, places_.shape(other.is_ahead())).room();
            if (other_room == 0 && first_room == 0) [[unlikely]]
                return copy().template insert_by_moving<Select>(one.unpacked(), other.unpacked());
            const std::uint64_t is_other = kernel::all_if_below(first_room, other_room);
            best.stored ^= (one.stored ^ other.stored) & is_other;
            const auto from = reinterpret_cast<std::uintptr_t>(line_of_one);
            const auto to = reinterpret_cast<std::uintptr_t>(line_of_other);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): one of the two, without a branch
            best_line = reinterpret_cast<Word*>(from ^ ((from ^ to) & static_cast<std::uintptr_t>(is_other)));
        }
        quotient_line<Word> chosen(best_line, places_.shape(best.is_ahead()));
        const bucket_range range = chosen.template bucket<Select>(best.bucket());
        if (range.length >= most_plain_copies &&
            copy().template copies<Select>(one.unpacked(), other.unpacked()) >= most_plain_copies) [[unlikely]]
            return stored_as::fifth_copy;
        chosen.insert(range, best.item());
        return stored_as::item;
    }

    /// Takes an item out of its line, if it is there.
    template <class Select>
    [[gnu::always_inline]] bool erase(const quotient_place& place) const noexcept {
        return erase_from<Select>(lines_[place.line], place.is_ahead, place.bucket, place.stored());
    }
    template <class Select>
    [[gnu::always_inline]] bool erase(const packed_place& place, Word* at) const noexcept {
        return erase_from<Select>(at, place.is_ahead(), place.bucket(), place.item());
    }

    /// Moves an item of one of these lines to its other one, if need be after others, so that the line has room.
    /// Returns that line, or nothing.
    template <class Select>
    [[nodiscard, gnu::noinline]] std::optional<std::uint64_t> make_room(std::uint64_t one, std::uint64_t other,
                                                                        unsigned most_searched) const noexcept {
        chain_search search;
        return search_chain<Select>(search, one, other, most_searched);
    }

    /// Insertion of what `insert` could not store, by the longest chain of moves that is looked for.
    [[nodiscard]] bool insert_far(const quotient_place& one, const quotient_place& other) const noexcept {
        auto with_room = make_room<kernel::portable_select>(one.line, other.line, chain_search::most_nodes);
        if (!with_room) with_room = make_room_far(one.line, other.line);
        if (with_room) put<kernel::portable_select>(*with_room == one.line ? one : other);
        return with_room.has_value();
    }

    /// Moves an item of the line to its other one, if that is neither of these two and has room.
    template <class Select>
    [[nodiscard]] bool evict(std::uint64_t from, std::uint64_t first, std::uint64_t second) const noexcept {
        std::optional<step> found;
        const quotient_places::reader reader(places_, from);
        const auto there = line(from);
        there.for_each_until([&](unsigned bucket, unsigned slot) {
            const quotient_fingerprint item = reader.fingerprint(bucket, there.item(slot));
            const quotient_place to = places_.place(places_.other(item));
            if (to.line != first && to.line != second && line(to).room() != 0) found = step{item, to};
            return found.has_value();
        });
        if (found) move<Select>(*found);
        return found.has_value();
    }

    /// Splits the line into itself and a new one, which is behind all others.
    void split(std::uint64_t number, std::uint64_t target) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep && places_.shape(0).extension_bits != 0) [[likely]] {
            const line_shape& shape = places_.shape(0);
            const std::uint64_t leaving = line_sieve::lowest_bits(lines_[number], shape);
            const std::uint64_t all = low_mask(line(number).count());
            line_sieve::keep(lines_[number], shape, all & leaving, places_.shape(1), lines_[target]);
            line_sieve::keep(lines_[number], shape, all & ~leaving, places_.shape(1), lines_[number]);
            return;
        }
#endif
        std::array<line_builder, 2> parts{line_builder(places_.shape(1)), line_builder(places_.shape(1))};
        for_each_in(number, [&](const quotient_fingerprint& item) {
            parts[item.path >> places_.level() & 1].append(item.bucket, places_.stored(item, true));
        });
        parts[0].write_to(lines_[number]);
        parts[1].write_to(lines_[target]);
    }

    /// Takes a split back: `number` gets the items of `target`, too. Both together have no more than fit.
    void unite(std::uint64_t number, std::uint64_t target) const noexcept {
        line_builder united(places_.shape(0));
        std::array<std::array<quotient_fingerprint, line_shape::most_ends>, 2> items;
        std::array<unsigned, 2> counts{};
        for (unsigned part = 0; part < 2; ++part) {
            for_each_in(part == 0 ? number : target,
                        [&](const quotient_fingerprint& item) { items[part][counts[part]++] = item; });
        }
        for (unsigned at[2] = {0, 0}; at[0] + at[1] < counts[0] + counts[1];) {
            const bool second =
                at[0] == counts[0] || (at[1] != counts[1] && items[1][at[1]].bucket < items[0][at[0]].bucket);
            const quotient_fingerprint& item = items[second ? 1 : 0][at[second ? 1 : 0]++];
            united.append(item.bucket, places_.stored(item, false));
        }
        united.write_to(lines_[number]);
    }

private:
    template <class Select>
    [[gnu::always_inline]] bool erase_from(Word* at, unsigned is_ahead, unsigned bucket,
                                           stored_item item) const noexcept {
        quotient_line<Word> there(at, places_.shape(is_ahead));
        const bucket_range range = there.template bucket<Select>(bucket);
        const unsigned slot = there.template find<Select>(range, item);
        if (slot == no_slot) return false;
        there.erase(range, slot);
        return true;
    }

    /// What is not inlined gets a copy: this view itself can stay in registers.
    [[nodiscard, gnu::always_inline]] quotient_table copy() const noexcept { return *this; }

    struct step {
        quotient_fingerprint item;
        quotient_place to;
    };
    struct node {
        std::uint64_t line;
        unsigned parent;
        quotient_fingerprint via; // the item of the parent's line that could move here
    };
    /// Lines that have been reached, the nearest first.
    struct chain_search {
        static constexpr unsigned most_nodes = 512;
        std::array<node, most_nodes> nodes;
        unsigned size = 0;
        unsigned roots = 0; // the first ones: where the chain may begin

        // Lines may be reached twice; to find that out would cost more than it saves. No chain has a line twice: its first node is
        // expanded first, with the same items, so a chain over the second one would have been found there, and shorter.
        void push(const node& reached) noexcept {
            if (size != most_nodes) nodes[size++] = reached;
        }
    };
    static constexpr unsigned usual_searched = 24;

    /// The same for thousands of lines, each of them once.
    ///
    /// The other line of an item is a constant of its bucket and tag minus its line, and the constants are multiples of one number: two steps
    /// away from a line are few lines, not the square of those one step away. Lines that can help each other are as if in a row, and a
    /// hundred of them in a row are full by chance where all together are not. With many slots per line, and as many buckets, that does not
    /// happen; with fifteen it did, in tables of six million keys that were 97.6 % full.
    class far_search {
    public:
        far_search() : seen_(seen_slots, none) { nodes.reserve(most_nodes); }

        void push(const node& reached) {
            if (size == most_nodes) return;
            auto at = static_cast<std::size_t>(reached.line * golden_ratio_bits >> (64 - log_seen_slots));
            for (; seen_[at] != none; at = (at + 1) % seen_slots) {
                if (seen_[at] == reached.line) return;
            }
            seen_[at] = reached.line;
            nodes.push_back(reached);
            ++size;
        }

        static constexpr unsigned most_nodes = 8192;
        std::vector<node> nodes;
        unsigned size = 0;
        unsigned roots = 0;

    private:
        static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
        static constexpr unsigned log_seen_slots = 14;
        static constexpr std::size_t seen_slots = std::size_t{1} << log_seen_slots;
        std::vector<std::uint64_t> seen_;
    };

    [[nodiscard, gnu::noinline]] std::optional<std::uint64_t> make_room_far(std::uint64_t one,
                                                                            std::uint64_t other) const noexcept {
        try {
            far_search search;
            return search_chain<kernel::portable_select>(search, one, other, far_search::most_nodes);
        } catch (const std::bad_alloc&) {
            return std::nullopt; // as if there were no room
        }
    }

    /// Breadth first, from these two lines.
    template <class Select, class Search>
    [[nodiscard, gnu::always_inline]] std::optional<std::uint64_t>
    search_chain(Search& search, std::uint64_t one, std::uint64_t other, unsigned most_searched) const {
        search.push({one, 0, {}});
        if (other != one) search.push({other, 0, {}});
        search.roots = search.size;
        for (unsigned at = 0; at < search.size && at < most_searched; ++at) {
            // All the lines that are one step away are read from memory at the same time.
            std::array<step, line_shape::most_ends> steps;
            unsigned ways = 0;
            for_each_in(search.nodes[at].line, [&](const quotient_fingerprint& item) {
                const quotient_place to = places_.place(places_.other(item));
                if (to.line == search.nodes[at].line) return;
                prefetch(to);
                steps[ways++] = {item, to};
            });
            for (unsigned way = 0; way < ways; ++way) {
                if (line(steps[way].to).room() != 0) return follow<Select>(search, at, steps[way]);
                search.push({steps[way].to.line, at, steps[way].item});
            }
        }
        return std::nullopt;
    }

    /// Not inlined into insertions, which would become slower; compiled for the same processors.
    template <class Select>
    [[nodiscard, gnu::noinline]] stored_as insert_by_moving(const quotient_place& one,
                                                            const quotient_place& other) const noexcept
        requires std::same_as<Select, kernel::portable_select>
    {
        return move_and_insert<Select>(one, other);
    }
#if defined(EVERBLOOM_MODERN_X86)
    template <class Select>
    EVERBLOOM_MODERN [[nodiscard, gnu::noinline]] stored_as insert_by_moving(const quotient_place& one,
                                                                             const quotient_place& other) const noexcept
        requires std::same_as<Select, kernel::pdep_select>
    {
        const stored_as made = move_and_insert<Select>(one, other);
        Select::leave_vectors();
        return made;
    }
#endif
    template <class Select>
    [[nodiscard, gnu::always_inline]] stored_as move_and_insert(const quotient_place& one,
                                                                const quotient_place& other) const noexcept {
        if (line(one).template bucket<Select>(one.bucket).length +
                    line(other).template bucket<Select>(other.bucket).length >=
                most_plain_copies &&
            copies<Select>(one, other) >= most_plain_copies) {
            return stored_as::fifth_copy;
        }
        for (const quotient_place* const place : {&one, &other}) {
            if (move_out<Select>(*place)) {
                put<Select>(*place);
                return stored_as::item;
            }
        }
        const auto with_room = make_room<Select>(one.line, other.line, usual_searched);
        if (!with_room) return stored_as::nothing;
        put<Select>(*with_room == one.line ? one : other);
        return stored_as::item;
    }

    template <class Select>
    [[gnu::always_inline]] void put(const quotient_place& place) const noexcept {
        auto there = line(place);
        there.insert(there.template bucket<Select>(place.bucket), place.stored());
    }

    template <class Select>
    [[gnu::always_inline]] static void put_into(quotient_line<Word> there, const packed_place& place) noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (Select::compares_lines) {
            return quotient_batch::put(there.words(), there.shape(), place.stored);
        }
#endif
        there.insert(there.template bucket<Select>(place.bucket()), place.item());
    }

    template <class Select>
    [[gnu::always_inline]] void move(const step& made) const noexcept {
        put<Select>(made.to);
        erase<Select>(places_.place(made.item));
    }

    using ways = quotient_batch::ways;
    /// Lists items whose other line is where room is likely, those from slot `first` on before the others, and prefetches
    /// these lines.
    template <class Select>
    [[gnu::always_inline]] void list_ways(std::uint64_t number, unsigned first, ways& found) const noexcept {
        const auto from = line(number);
        chosen_items chosen;
        choose<Select>(from, quotient_places::roomy_others(places_, number), chosen);
        chosen.slots &= low_mask(from.count());
        found.from = number;
        found.count = 0;
        for (std::uint64_t slots : {chosen.slots & ~low_mask(first), chosen.slots & low_mask(first)}) {
            for (; slots != 0 && found.count < quotient_batch::most_ways; slots &= slots - 1) {
                const auto slot = static_cast<unsigned>(std::countr_zero(slots));
                found.slots[found.count] = static_cast<std::uint8_t>(slot);
                found.buckets[found.count++] = chosen.buckets[slot];
            }
        }
        locate_ways<Select>(from, found);
        for (std::size_t way = 0; way < found.count; ++way) {
            found.at[way] = lines_[found.lines[way]];
            prefetch_line(found.at[way]);
        }
    }
    template <class Select>
    [[gnu::always_inline]] void locate_ways(const quotient_line<Word>& from, ways& found) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (Select::compares_lines) {
            if (places_.has_short_rows()) [[likely]]
                return quotient_batch::locate_others(places_, from.words(), found);
        }
#endif
        const quotient_places::reader reader(places_, found.from);
        for (std::size_t way = 0; way < found.count; ++way) {
            const auto item = reader.fingerprint(found.buckets[way], from.item(found.slots[way]));
            const packed_place to = places_.pack(item).second;
            found.lines[way] = to.line;
            found.stored[way] = to.stored;
        }
    }
    template <class Select>
    [[gnu::always_inline]] static void choose(const quotient_line<Word>& from,
                                              const quotient_places::roomy_others& others,
                                              chosen_items& chosen) noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (Select::compares_lines) {
            if (others.level <= 16) [[likely]]
                return line_sieve::choose(from.words(), from.shape(), others, chosen);
        }
#endif
        chosen.slots = 0;
        from.for_each([&](unsigned bucket, unsigned slot) {
            chosen.buckets[slot] = static_cast<std::uint8_t>(bucket);
            chosen.slots |= std::uint64_t{others.includes(bucket, from.byte(slot))} << slot;
        });
    }
    /// Moves up to `most` of the listed items, to lines in which there is as much room as that. How many.
    template <class Select>
    [[gnu::always_inline]] unsigned move_along(const ways& found, unsigned most, unsigned least_room) const noexcept {
        std::uint64_t moved = 0; // bit i: the item in slot i
        unsigned moves = 0;
        for (std::size_t way = 0; way < found.count && moves < most; ++way) {
            const packed_place to{found.lines[way], found.stored[way]};
            const quotient_line<Word> there(found.at[way], places_.shape(to.is_ahead()));
            if (to.line == found.from || there.room() < least_room) continue;
            put_into<Select>(there, to);
            moved |= std::uint64_t{1} << found.slots[way];
            ++moves;
        }
        if (moves != 0) remove<Select>(line(found.from), moved);
        return moves;
    }

    /// The search starts at the place, which is another one every time: the items that were looked at last are likely not to have anywhere
    /// to go.
    template <class Select>
    [[nodiscard, gnu::always_inline]] bool move_out(const quotient_place& place) const noexcept {
        ways found;
        list_ways<Select>(place.line, line(place).template bucket<Select>(place.bucket).first, found);
        return move_along<Select>(found, most_moved_out, 2) != 0 || move_along<Select>(found, 1, 1) != 0;
    }
    static constexpr unsigned most_moved_out = 6;

    /// Takes the items in these slots out.
    template <class Select>
    [[gnu::always_inline]] static void remove(const quotient_line<Word>& from, std::uint64_t slots) noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (Select::compares_lines) {
            const line_shape& shape = from.shape();
            return line_sieve::keep(from.words(), shape, low_mask(from.count()) & ~slots, shape, from.words());
        }
#endif
        line_builder kept(from.shape());
        from.for_each([&](unsigned bucket, unsigned slot) {
            if ((slots >> slot & 1) == 0) kept.append(bucket, from.item(slot));
        });
        kept.write_to(from.words());
    }

    /// Makes the moves of a chain, the last one first.
    template <class Select>
    [[nodiscard]] std::uint64_t follow(const auto& search, unsigned at, step last) const noexcept {
        for (;;) {
            move<Select>(last);
            const node& there = search.nodes[at];
            if (at < search.roots) return there.line;
            last = {there.via, places_.place(places_.other(there.via))};
            at = there.parent;
        }
    }
    const quotient_places& places_;
    Lines lines_;
};

} // namespace everbloom
