// The quotient filter of this library: deletes, grows and shrinks in one memory, with about 3.5 bits per key more than any filter needs.
//
// Idea        A key becomes a fingerprint. A part of it says in which line of 64 bytes the key is, a part in which bucket of the line, and
//             only the rest is stored. There are two lines for each fingerprint, and an item may move from one to the other, so the lines can
//             be nearly full. When the table doubles, one more bit of the fingerprint becomes part of the line's number and is stored no
//             longer; when it shrinks, the bit comes back. Lines are split one by one: no operation touches all data, and the memory
//             always fits the number of keys.
// Source      Two choices and counted places are those of d-left tables [Bonomi06], fingerprints that lend bits to the index those of
//             the elastic filter [Wu21]. Ends of buckets in unary: quotient filters [Bender12], in lines of 64 bytes [Pandey21].
// Layout      line     | ends: 1 + buckets + slots bits | extensions: e bits per slot | bytes: 8 bits per slot |   512 bits
//             copies   fingerprint and number, 128 bits, for keys with more than four copies                  (quotient_copies.hpp)
// Guarantees  No false negative, also while it grows and shrinks. Every member can be removed, as often as it was added. A key that was
//             never added is removed only if its fingerprint is there: with the chance of the FPR. A refusal loses nothing.
// Cost        Query: two cache lines. Insertion and removal: the same, rarely a chain of moves. Bits per key above log2(1 / FPR): 3.3 when
//             full, and one for each doubling that is planned and has not happened (which lowers the FPR).
// Deviation   A partner line that does not depend on the size of the table, which neither of the sources has.
#pragma once

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/filter/quotient/quotient_batch.hpp>
#include <everbloom/filter/quotient/quotient_changes.hpp>

#include <utility>

namespace everbloom {

template <WordStore Store>
class basic_quotient_filter : public quotient_changes<Store> {
public:
    using spec_type = quotient_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "quotient";
    static constexpr std::string_view summary =
        "deletes, grows and shrinks without the keys, in the fewest bits of all kinds that can";
    static constexpr std::array<std::string_view, 2> section_names{"lines", "copies"};
    /// Lines come and go one at a time, so their memory does not lie in one block.
    using section_store = typename growing_store<Store>::type;
    static constexpr std::size_t chunked_sections = 1;

    /// Cache lines that a query reads, at most.
    [[nodiscard]] static constexpr std::uint64_t query_lines(const quotient_spec&) noexcept { return 2; }

    [[nodiscard]] static std::array<std::uint64_t, 2> section_lines(const quotient_spec& spec) noexcept {
        return {spec.lines(), quotient_copies<Store>::lines_for(spec.copy_slots)};
    }

    /// Looks at every line, and at the counted copies.
    [[nodiscard]] static result<basic_quotient_filter> assemble(const quotient_spec& spec,
                                                                std::array<section_store, 2> stores) {
        auto counted = copies_store(std::move(stores[1]));
        if (!counted) return fail(std::move(counted.error()));
        basic_quotient_filter made(spec, std::move(stores[0]), std::move(*counted));
        if (auto checked = made.check_all_lines(); !checked) return fail(std::move(checked.error()));
        if (auto checked = made.check_copies(); !checked) return fail(std::move(checked.error()));
        return made;
    }
    /// The same for lines that arrived in pieces, and were checked piece by piece: their number of items is known.
    [[nodiscard]] static result<basic_quotient_filter>
    assemble_checked(const quotient_spec& spec, std::array<section_store, 2> stores, std::uint64_t items) {
        auto counted = copies_store(std::move(stores[1]));
        if (!counted) return fail(std::move(counted.error()));
        basic_quotient_filter made(spec, std::move(stores[0]), std::move(*counted));
        made.items_ = items;
        if (auto checked = made.check_copies(); !checked) return fail(std::move(checked.error()));
        return made;
    }
    /// Can the lines with the numbers from `first` on be these? How many items they have.
    [[nodiscard]] static result<std::uint64_t> check_lines(const quotient_spec& spec, std::uint64_t first,
                                                           std::span<const std::uint64_t> words) {
        const quotient_places places(spec);
        // Bits of a path that have become part of a line's number are not stored any more.
        const bool may_be_too_long = spec.level >= spec.extension_bits();
        std::uint64_t items = 0;
        for (std::uint64_t number = first; !words.empty(); ++number, words = words.subspan(line_words)) {
            const quotient_line<const std::uint64_t> line(words.data(), places.shape_of(number));
            if (!line.is_consistent()) {
                return fail(failure_reason::damaged, "the ends of the buckets of a line do not match its items");
            }
            items += line.count();
            if (!may_be_too_long) continue;
            const quotient_places::reader reader(places, number);
            bool is_possible = true;
            line.for_each([&](unsigned bucket, unsigned slot) {
                is_possible &= places.is_possible(reader.fingerprint(bucket, line.item(slot)));
            });
            if (!is_possible) return fail(failure_reason::damaged, "a line holds a bit that its number has already");
        }
        return items;
    }
    /// Around zeros: an empty line is not all zeros.
    [[nodiscard]] static basic_quotient_filter assemble_empty(const quotient_spec& spec,
                                                              std::array<section_store, 2> stores)
        requires std::same_as<Store, heap_words>
    {
        basic_quotient_filter made(spec, std::move(stores[0]), {}); // without copies
        made.clear_lines();
        return made;
    }

    [[nodiscard]] const quotient_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<word_pieces, 2> sections() const noexcept {
        return {store_.pieces(spec_.lines() * line_words), copies_.words()};
    }
    [[nodiscard]] std::uint64_t memory_words() const noexcept { return held_words_of(store_) + copies_.memory_words(); }
    /// A cell is a bucket, and its value the number of items in it.
    [[nodiscard]] std::uint64_t cells() const noexcept { return spec_.lines() * spec_.buckets; }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        return table()
            .line(index / spec_.buckets)
            .template bucket<kernel::portable_select>(static_cast<unsigned>(index % spec_.buckets))
            .length;
    }
    /// Insertions that were not removed.
    [[nodiscard]] std::uint64_t keys() const noexcept { return items_ + copies_.total(); }
    /// Those of them that take a slot.
    [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
    /// Doublings that have begun since it was made or loaded.
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if (places_.asks_briefly()) return quotient_batch::holds_briefly(places_, lines_of(store_), item);
        if (kernel::compares_whole_lines) {
            if (places_.is_wide()) [[likely]]
                return quotient_batch::holds_widely(places_, lines_of(store_), item);
            return places_.is_resting()
                       ? quotient_batch::holds_in_wide<table_state::resting>(places_, lines_of(store_), item)
                       : quotient_batch::holds_in_wide<table_state::growing>(places_, lines_of(store_), item);
        }
        if (kernel::fast_pdep) [[likely]]
            return places_.is_resting() ? quotient_batch::holds<table_state::resting>(places_, lines_of(store_), item)
                                        : quotient_batch::holds<table_state::growing>(places_, lines_of(store_), item);
#endif
        return holds_portably(item);
    }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if (places_.is_wide()) return quotient_batch::answer_widely(places_, line_units(store_), items, answers.data());
        if (kernel::fast_pdep) [[likely]]
            return quotient_batch::answer(places_, line_units(store_), items, answers.data());
#endif
        answer_portably(items, answers.data());
    }

    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        const quotient_pair there = locate(item);
        const std::uint64_t plain = table().template copies<kernel::portable_select>(there.one, there.other);
        return plain < most_plain_copies ? plain
                                         : plain + copies_.count(places_.class_number(places_.fingerprint(item)));
    }
    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        return may_contain(item) ? erase_outcome::removed : erase_outcome::not_present;
    }

    /// Lets the host move the memory of the lines.
    void relocate(const block_mover& mover) noexcept
        requires std::same_as<Store, heap_words>
    {
        store_.relocate(mover);
    }

    /// Empty, at its first size.
    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        this->set_lines(spec_.started());
        this->give_back();
        this->clear_lines();
        copies_.clear();
        items_ = 0;
    }

    /// All keys of both. The sizes may differ; the fingerprints must have the same parts.
    result<void> merge(const basic_quotient_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (!spec_.has_fingerprints_of(other.spec_)) {
            return fail(failure_reason::mismatch,
                        "the two quotient filters have different fingerprints; only those can be merged that were made "
                        "with equal rows, buckets and remainder_bits");
        }
        auto made = copy();
        if (!made) return fail(std::move(made.error()));
        const auto no_room = [] {
            return fail(failure_reason::no_room, "the keys of both do not fit; raise most_lines, or remove some keys");
        };
        bool all = true;
        other.for_each(
            [&](const quotient_fingerprint& item) { all = all && succeeded(made->insert(places_.some_digest(item))); });
        if (!all) return no_room();
        other.copies_.for_each(
            [&](std::uint64_t number, std::uint64_t copies) { all = all && made->copies_.add(number, copies); });
        if (!all) return no_room();
        made->spec_.copy_slots = made->copies_.slots();
        *this = std::move(*made);
        return {};
    }

    /// Twice the lines.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t target = 2 * spec_.lines();
        if (target > spec_.largest_lines()) {
            return fail(failure_reason::no_room,
                        "the filter cannot grow: " + std::to_string(spec_.largest_lines()) + " lines are its limit");
        }
        if (!this->reserve(target)) {
            return fail(failure_reason::out_of_memory, "there is no memory for " + std::to_string(target) + " lines");
        }
        while (spec_.lines() < target) {
            if (!this->split_line()) return fail(failure_reason::out_of_memory, "there is no memory to grow");
        }
        return {};
    }
    /// Half the lines, if the keys fit. Works on a copy, so that a failure changes nothing.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t target = (spec_.lines() + 1) / 2;
        if (target < spec_.initial_lines || target == spec_.lines()) {
            return fail(failure_reason::unsupported, "the filter cannot shrink: it would have fewer than its " +
                                                         std::to_string(spec_.initial_lines) + " initial lines");
        }
        auto made = copy();
        if (!made) return fail(std::move(made.error()));
        while (made->spec_.lines() > target) {
            if (!made->unite_line()) {
                return fail(failure_reason::no_room,
                            "the keys do not fit into half of the lines; remove some keys first");
            }
        }
        made->give_back();
        *this = std::move(*made);
        return {};
    }

    // Making, copying and resizing in steps, for programs that have other things to do in between.

    /// An empty filter that lacks its lines. Nothing may be done with it before `empty_lines` has made them all.
    [[nodiscard]] static result<basic_quotient_filter> make_without_lines(const quotient_spec& wanted)
        requires std::same_as<Store, heap_words>
    {
        const quotient_spec spec = wanted.emptied();
        if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
        auto lines = section_store::make(spec.lines());
        if (!lines) return fail(std::move(lines.error()));
        return basic_quotient_filter(spec, std::move(*lines), {});
    }
    /// The lines from `first` to before `last`.
    void empty_lines(std::uint64_t first, std::uint64_t last) noexcept
        requires std::same_as<Store, heap_words>
    {
        for (; first < last; ++first) writable_table().line(first).clear();
    }

    /// A copy that lacks its lines. Nothing may be done with it before `copy_lines` has brought them all; the filter must not change until
    /// then.
    [[nodiscard]] result<basic_quotient_filter> copy_without_lines() const
        requires std::same_as<Store, heap_words>
    {
        auto lines = section_store::make(spec_.lines());
        if (!lines) return fail(std::move(lines.error()));
        auto copies = heap_words::make(quotient_copies<Store>::lines_for(spec_.copy_slots));
        if (!copies) return fail(std::move(copies.error()));
        const auto counted = copies_.words();
        if (!counted.empty()) std::copy(counted.begin(), counted.end(), copies->data());
        basic_quotient_filter made(spec_, std::move(*lines), std::move(*copies));
        made.items_ = items_;
        made.expansions_ = expansions_;
        return made;
    }
    /// The lines from `first` to before `last` of the filter that this one is a copy of.
    void copy_lines(const basic_quotient_filter& from, std::uint64_t first, std::uint64_t last) noexcept
        requires std::same_as<Store, heap_words>
    {
        constexpr std::uint64_t unit = section_store::unit_lines;
        while (first < last) {
            const std::uint64_t end = std::min(last, (first / unit + 1) * unit);
            const std::uint64_t* const lines = lines_of(from.store_)[first];
            std::copy(lines, lines + (end - first) * line_words, writable_lines_of(store_)[first]);
            first = end;
        }
    }
    /// Splits or unites up to `most` lines on the way to a table of `target` lines; whether that is reached. Members are found in between.
    /// A failure (no memory; a limit; items that do not fit into fewer lines) leaves a whole filter that is on its way.
    [[nodiscard]] result<bool> approach(std::uint64_t target, std::uint64_t most)
        requires std::same_as<Store, heap_words>
    {
        if (target < spec_.initial_lines || target > spec_.largest_lines()) {
            return fail(failure_reason::unsupported, "the filter cannot have " + std::to_string(target) +
                                                         " lines; it has at least " +
                                                         std::to_string(spec_.initial_lines) + " and at most " +
                                                         std::to_string(spec_.largest_lines()));
        }
        const bool shrinks = target < spec_.lines();
        for (; most != 0 && spec_.lines() != target; --most) {
            if (shrinks && !this->unite_line()) {
                this->give_back();
                return fail(failure_reason::no_room, "the keys do not fit into fewer lines; remove some keys first");
            }
            if (!shrinks && !this->split_line()) {
                return fail(failure_reason::out_of_memory, "there is no memory to grow");
            }
        }
        if (shrinks) this->give_back();
        return spec_.lines() == target;
    }

    /// Calls `visit(fingerprint)` for every item, line after line.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t line = 0; line < spec_.lines(); ++line) table().for_each_in(line, visit);
    }
    /// Calls `visit(digest, copies)` with a digest of the same fingerprint for every item. Lines come in an order that spreads them, so
    /// that a copy does not fill up at one end while it is empty at the other.
    template <class Visit>
    void for_each_digest(Visit visit) const {
        walk_digests({}, spec_.lines(), [&](digest item) { visit(item, std::uint64_t{1}); });
        copies_.for_each([&](std::uint64_t number, std::uint64_t copies) {
            visit(places_.some_digest(places_.fingerprint_of_number(number)), copies);
        });
    }
    /// Where a walk over all lines, in steps, has come to.
    struct walk {
        std::uint64_t lines = 0; // visited
        std::uint64_t next = 0;  // the line
    };
    /// Calls `visit(digest)` for the items of up to `most` lines more, in the order of `for_each_digest` and without the copies that are
    /// counted apart. The filter must not change during the walk.
    template <class Visit>
    walk walk_digests(walk at, std::uint64_t most, Visit visit) const {
        const std::uint64_t lines = spec_.lines();
        std::uint64_t step = reduce(golden_ratio_bits, lines) | 1;
        while (common_divisor(step, lines) != 1) ++step;
        for (const std::uint64_t end = at.lines + std::min(most, lines - at.lines); at.lines < end; ++at.lines) {
            table().for_each_in(at.next, [&](const quotient_fingerprint& item) { visit(places_.some_digest(item)); });
            at.next = (at.next + step) % lines;
        }
        return at;
    }
    /// Items in a line.
    [[nodiscard]] unsigned items_in(std::uint64_t line) const noexcept { return table().line(line).count(); }
    [[nodiscard]] const quotient_places& places() const noexcept { return places_; }

private:
    /// std::gcd, without its header of ten thousand lines.
    [[nodiscard]] static constexpr std::uint64_t common_divisor(std::uint64_t a, std::uint64_t b) noexcept {
        while (b != 0) a = std::exchange(b, a % b);
        return a;
    }
    using changes = quotient_changes<Store>;
    using changes::copies_;
    using changes::expansions_;
    using changes::items_;
    using changes::locate;
    using changes::places_;
    using changes::spec_;
    using changes::store_;
    using changes::table;
    using changes::writable_table;

    basic_quotient_filter(const quotient_spec& spec, section_store lines, Store copies) noexcept
        : changes(spec, std::move(lines), std::move(copies)) {}

    [[nodiscard]] static result<heap_words> copies_store(chunked_words store) { return std::move(store).whole(); }
    [[nodiscard]] static result<const_words> copies_store(const_words store) { return store; }

    [[nodiscard, gnu::noinline]] bool holds_portably(digest item) const noexcept {
        const quotient_pair there = locate(item);
        return table().template holds<kernel::portable_select>(there.one) ||
               table().template holds<kernel::portable_select>(there.other);
    }
    void answer_portably(std::span<const digest> items, std::uint8_t* answers) const noexcept {
        using select = kernel::portable_select;
        const auto lines = lines_of(store_);
        quotient_batch::places there;
        while (!items.empty()) {
            const auto group = items.first(std::min(quotient_batch::most_keys, items.size()));
            this->template locate_group<select>(group, there);
            for (std::size_t i = 0; i < group.size(); ++i) {
                prefetch_line(lines[there.lines[i]]);
                prefetch_line(lines[there.lines[i + quotient_batch::most_keys]]);
            }
            for (std::size_t i = 0; i < group.size(); ++i) {
                *answers++ = static_cast<std::uint8_t>(
                    table().template holds<select>(there[i].unpacked()) ||
                    table().template holds<select>(there[i + quotient_batch::most_keys].unpacked()));
            }
            items = items.subspan(group.size());
        }
    }

    [[nodiscard]] result<basic_quotient_filter> copy() const {
        auto made = copy_without_lines();
        if (made) made->copy_lines(*this, 0, spec_.lines());
        return made;
    }

    [[nodiscard]] result<void> check_all_lines() {
        result<void> checked;
        std::uint64_t first = 0;
        store_.pieces(spec_.lines() * line_words).for_each_run([&](std::span<const std::uint64_t> lines) {
            if (!checked) return;
            const auto items = check_lines(spec_, first, lines);
            if (!items) checked = fail(items.error());
            items_ += items.value_or(0);
            first += lines.size() / line_words;
        });
        return checked;
    }
    [[nodiscard]] result<void> check_copies() {
        const auto damaged = [](const char* why) { return fail(failure_reason::damaged, why); };
        if (!copies_.is_consistent(places_.numbers())) return damaged("the counted copies are not in their places");
        bool counted = true;
        copies_.for_each([&](std::uint64_t number, std::uint64_t) {
            const quotient_fingerprint item = places_.fingerprint_of_number(number);
            const quotient_pair there = locate(item);
            counted &= places_.class_number(item) == number &&
                       table().template copies<kernel::portable_select>(there.one, there.other) >= most_plain_copies;
        });
        if (!counted) return damaged("copies are counted of a key that is not there four times");
        return {};
    }
};

using quotient_filter = basic_quotient_filter<heap_words>;

} // namespace everbloom
