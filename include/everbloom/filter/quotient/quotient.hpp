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
#include <everbloom/filter/quotient/quotient_copies.hpp>
#include <everbloom/filter/quotient/quotient_table.hpp>

#include <utility>

namespace everbloom {

template <WordStore Store>
class basic_quotient_filter {
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
        if (auto checked = made.check(); !checked) return fail(std::move(checked.error()));
        return made;
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
        if (kernel::fast_pdep) [[likely]]
            return places_.is_resting() ? quotient_batch::holds<table_state::resting>(places_, lines_of(store_), item)
                                        : quotient_batch::holds<table_state::growing>(places_, lines_of(store_), item);
#endif
        return holds_portably(item);
    }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
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

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep) [[likely]] {
            insert_outcome outcome{};
            insert_in_vectors({&item, 1}, &outcome);
            return outcome;
        }
#endif
        return insert_located<kernel::portable_select>(locate_with_lines(item), item);
    }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep) [[likely]]
            return insert_in_vectors(items, outcomes.data());
#endif
        insert_outcome* outcome = outcomes.data();
        for_changes<kernel::portable_select>(items, [&](const located& there, const digest& item) {
            *outcome++ = insert_located<kernel::portable_select>(there, item);
        });
    }

    /// Inserts an item unless its fingerprint is there already: for sets. If keys are removed from such a filter, its fingerprints must be
    /// so long that no key is taken for another, or members are lost.
    insert_outcome insert_new(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        return in_best_code([&]<class Select>(Select) __attribute__((always_inline)) {
            return insert_new_located<Select>(locate_with_lines(item), item);
        });
    }
    /// The same for many, up to the first that is refused; how many have an outcome.
    std::size_t insert_new(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        return in_best_code([&]<class Select>(Select) __attribute__((always_inline)) {
            std::size_t done = 0;
            bool refused = false;
            for_changes<Select>(
                items, [&](const located& there, const digest& item) __attribute__((always_inline)) {
                    if (refused) return;
                    outcomes[done] = insert_new_located<Select>(there, item);
                    refused = !succeeded(outcomes[done]) && outcomes[done] != insert_outcome::already_present;
                    ++done;
                });
            return done;
        });
    }

    erase_outcome erase(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep) [[likely]] {
            erase_outcome outcome{};
            erase_in_vectors({&item, 1}, &outcome);
            return outcome;
        }
#endif
        return erase_located<kernel::portable_select>(locate_with_lines(item), item);
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep) [[likely]]
            return erase_in_vectors(items, outcomes.data());
#endif
        erase_outcome* outcome = outcomes.data();
        for_changes<kernel::portable_select>(items, [&](const located& there, const digest& item) {
            *outcome++ = erase_located<kernel::portable_select>(there, item);
        });
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
        set_lines(spec_.started());
        give_back();
        clear_lines();
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
        if (!reserve(target)) {
            return fail(failure_reason::out_of_memory, "there is no memory for " + std::to_string(target) + " lines");
        }
        while (spec_.lines() < target) {
            if (!split_line()) return fail(failure_reason::out_of_memory, "there is no memory to grow");
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

    /// Calls `visit(fingerprint)` for every item, line after line.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint64_t line = 0; line < spec_.lines(); ++line) table().for_each_in(line, visit);
    }
    /// Calls `visit(digest, copies)` with a digest of the same fingerprint for every item. Lines come in an order that spreads them, so
    /// that a copy does not fill up at one end while it is empty at the other.
    template <class Visit>
    void for_each_digest(Visit visit) const {
        const auto visit_item = [&](const quotient_fingerprint& item) {
            visit(places_.some_digest(item), std::uint64_t{1});
        };
        const std::uint64_t lines = spec_.lines();
        std::uint64_t step = reduce(golden_ratio_bits, lines) | 1;
        while (common_divisor(step, lines) != 1) ++step;
        for (std::uint64_t i = 0, line = 0; i < lines; ++i, line = (line + step) % lines) {
            table().for_each_in(line, visit_item);
        }
        copies_.for_each([&](std::uint64_t number, std::uint64_t copies) {
            visit(places_.some_digest(places_.fingerprint_of_number(number)), copies);
        });
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
    basic_quotient_filter(const quotient_spec& spec, section_store lines, Store copies) noexcept
        : spec_(spec), places_(spec), store_(std::move(lines)), copies_(std::move(copies), spec.copy_slots) {}

    [[nodiscard]] static result<heap_words> copies_store(chunked_words store) { return std::move(store).whole(); }
    [[nodiscard]] static result<const_words> copies_store(const_words store) { return store; }

    /// Where a key may be, and the lines there.
    struct located {
        packed_place one;
        packed_place other;
        std::uint64_t* line_of_one = nullptr;
        std::uint64_t* line_of_other = nullptr;
    };

    [[nodiscard]] quotient_pair locate(const quotient_fingerprint& item) const noexcept {
        return {places_.place(item), places_.place(places_.other(item))};
    }
    [[nodiscard, gnu::always_inline]] quotient_pair locate(digest item) const noexcept {
        return places_.template locate<table_state::growing>(item);
    }
    [[nodiscard, gnu::always_inline]] located locate_with_lines(digest item) noexcept {
        const auto [one, other] = places_.template locate_packed<table_state::growing>(item);
        const auto lines = writable_lines_of(store_);
        return {one, other, lines[one.line], lines[other.line]};
    }

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
            locate_group<select>(group, there);
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

    using read_lines = decltype(everbloom::lines_of(std::declval<const section_store&>()));
    using written_lines = lines_in_units<std::uint64_t>;

    [[nodiscard, gnu::always_inline]] quotient_table<read_lines> table() const noexcept {
        return {places_, lines_of(store_)};
    }
    [[nodiscard, gnu::always_inline]] quotient_table<written_lines> writable_table() noexcept {
        return {places_, writable_lines_of(store_)};
    }

    /// Calls `act(select)`, compiled for this processor.
    template <class Act>
    [[gnu::always_inline]] static inline auto in_best_code(Act act) noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep) [[likely]]
            return in_modern_code(act);
#endif
        return act(kernel::portable_select{});
    }
#if defined(EVERBLOOM_MODERN_X86)
    template <class Act>
    EVERBLOOM_MODERN static auto in_modern_code(Act& act) noexcept {
        // Each way of leaving it must say that vectors are done with.
        struct leaving {
            [[gnu::always_inline]] ~leaving() noexcept { kernel::pdep_select::leave_vectors(); }
        } const left;
        return act(kernel::pdep_select{});
    }
#endif

    /// Of at most `quotient_batch::most_keys` keys.
    template <class Select>
    [[gnu::always_inline]] void locate_group(std::span<const digest> items,
                                             quotient_batch::places& there) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (Select::compares_lines) return quotient_batch::locate(places_, items, there);
#endif
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto [one, other] = places_.template locate_packed<table_state::growing>(items[i]);
            there.put(i, one);
            there.put(i + quotient_batch::most_keys, other);
        }
    }
    using line_addresses = std::array<std::uint64_t*, 2 * quotient_batch::most_keys>;
    /// Locates the first keys, as many as a batch has, and prefetches their lines. How many.
    template <class Select>
    [[gnu::always_inline]] std::size_t begin_changes(std::span<const digest> items, quotient_batch::places& there,
                                                     line_addresses& at) noexcept {
        constexpr std::size_t most = quotient_batch::most_keys;
        const std::size_t count = std::min(most, items.size());
        const auto lines = writable_lines_of(store_);
        if (count == 1) {
            const auto [one, other] = places_.template locate_packed<table_state::growing>(items[0]);
            there.put(0, one);
            there.put(most, other);
        } else {
            locate_group<Select>(items.first(count), there);
        }
        for (std::size_t i = 0; i < count; ++i) {
            at[i] = lines[there.lines[i]];
            prefetch_line(at[i]);
            at[i + most] = lines[there.lines[i + most]];
            prefetch_line(at[i + most]);
        }
        return count;
    }
    [[gnu::always_inline]] static located located_in(const quotient_batch::places& there, const line_addresses& at,
                                                     std::size_t key) noexcept {
        constexpr std::size_t most = quotient_batch::most_keys;
        return {there[key], there[key + most], at[key], at[key + most]};
    }
    /// Calls `act(located, item)` for every item. After a change of the size items may be elsewhere, and are located again.
    template <class Select, class Act>
    [[gnu::always_inline]] void for_changes(std::span<const digest> items, Act act) noexcept {
        quotient_batch::places there;
        line_addresses at;
        while (!items.empty()) {
            const std::size_t count = begin_changes<Select>(items, there, at);
            const std::uint64_t resizes = resizes_;
            std::size_t key = 0;
            while (key < count && resizes_ == resizes) {
                act(located_in(there, at, key), items[key]);
                ++key;
            }
            items = items.subspan(key);
        }
    }
#if defined(EVERBLOOM_MODERN_X86)
    /// As many at once as fit before it grows; what is not easy goes the long way.
    void insert_in_vectors(std::span<const digest> items, insert_outcome* outcomes) noexcept {
        for_changes_in_vectors(
            items,
            [&](const auto& there, const auto& at, std::size_t key, std::size_t count) {
                const std::uint64_t room = items_ < comfortable_ ? comfortable_ - items_ : 0;
                const std::size_t end = key + static_cast<std::size_t>(std::min<std::uint64_t>(room, count - key));
                const std::size_t done = quotient_batch::insert(places_, there, at, key, end);
                items_ += done - key;
                outcomes = std::fill_n(outcomes, done - key, insert_outcome::inserted);
                return done;
            },
            [&](const located& there, const digest& item) { *outcomes++ = insert_one_by_one(there, item); });
    }
    void erase_in_vectors(std::span<const digest> items, erase_outcome* outcomes) noexcept {
        for_changes_in_vectors(
            items,
            [&](const auto& there, const auto& at, std::size_t key, std::size_t count) {
                const std::uint64_t most = items_ > sparse_ && copies_.total() == 0 ? items_ - sparse_ : 0;
                const std::size_t end = key + static_cast<std::size_t>(std::min<std::uint64_t>(most, count - key));
                const std::size_t done = quotient_batch::erase(places_, there, at, key, end);
                items_ -= done - key;
                outcomes = std::fill_n(outcomes, done - key, erase_outcome::removed);
                return done;
            },
            [&](const located& there, const digest& item) { *outcomes++ = erase_one_by_one(there, item); });
    }
    /// Calls `act_on_some(places, addresses, key, count)`, which returns up to where it came, and `act(located, item)` for the key there.
    template <class Some, class Act>
    [[gnu::always_inline]] void for_changes_in_vectors(std::span<const digest> items, Some act_on_some,
                                                       Act act) noexcept {
        quotient_batch::places there;
        line_addresses at;
        while (!items.empty()) {
            const std::size_t count = begin_changes<kernel::pdep_select>(items, there, at);
            const std::uint64_t resizes = resizes_;
            std::size_t key = 0;
            while (key < count && resizes_ == resizes) {
                key = act_on_some(there, at, key, count);
                if (key == count) break;
                act(located_in(there, at, key), items[key]);
                ++key;
            }
            items = items.subspan(key);
        }
    }
    EVERBLOOM_MODERN [[gnu::noinline]] insert_outcome insert_one_by_one(const located& there,
                                                                        const digest& item) noexcept {
        const insert_outcome outcome = insert_located<kernel::pdep_select>(there, item);
        kernel::pdep_select::leave_vectors();
        return outcome;
    }
    EVERBLOOM_MODERN [[gnu::noinline]] erase_outcome erase_one_by_one(const located& there,
                                                                      const digest& item) noexcept {
        const erase_outcome outcome = erase_located<kernel::pdep_select>(there, item);
        kernel::pdep_select::leave_vectors();
        return outcome;
    }
#endif

    template <class Select>
    [[gnu::always_inline]] insert_outcome insert_located(const located& there, const digest& item) noexcept {
        if (writable_table().template insert<Select>(there.one, there.other, there.line_of_one, there.line_of_other) ==
            stored_as::item) [[likely]] {
            ++items_;
            if (items_ <= comfortable_) [[likely]]
                return insert_outcome::inserted;
            return grow_a_little() ? insert_outcome::inserted_grew : insert_outcome::inserted;
        }
        return insert_slowly(places_.fingerprint(item));
    }
    template <class Select>
    [[gnu::always_inline]] insert_outcome insert_new_located(const located& there, const digest& item) noexcept {
        if (table().template holds<Select>(there.one.unpacked()) ||
            table().template holds<Select>(there.other.unpacked())) {
            return insert_outcome::already_present;
        }
        return insert_located<Select>(there, item);
    }

    /// A fifth copy, or two full lines: then lines are split until it fits. A refusal takes the splits back.
    [[gnu::noinline]] insert_outcome insert_slowly(const quotient_fingerprint& item) noexcept {
        using line_copy = std::array<std::uint64_t, line_words>;
        constexpr unsigned most_splits = 64;
        std::array<line_copy, most_splits> before;
        const std::uint64_t expansions = expansions_;
        unsigned splits = 0;
        const auto refuse = [&](insert_outcome why) {
            for (; splits > 0; --splits) {
                set_lines(spec_.with_lines(spec_.lines() - 1));
                std::copy(before[splits - 1].begin(), before[splits - 1].end(),
                          writable_lines_of(store_)[spec_.frontier]);
            }
            expansions_ = expansions;
            return why;
        };
        for (;;) {
            const quotient_pair there = locate(item);
            const auto [one, other] = places_.pack(item);
            switch (writable_table().template insert<kernel::portable_select>(one, other)) {
            case stored_as::item:
                ++items_;
                return splits != 0 ? insert_outcome::inserted_grew : insert_outcome::inserted;
            case stored_as::fifth_copy:
                if (!copies_.add(places_.class_number(item), 1)) return refuse(insert_outcome::full_counter);
                spec_.copy_slots = copies_.slots();
                return insert_outcome::inserted_counted;
            case stored_as::nothing: break;
            }
            // Once more with a much longer search, where a usual one has failed by bad luck.
            if ((splits == 0 || splits == most_splits) && writable_table().insert_far(there.one, there.other)) {
                ++items_;
                return splits != 0 ? insert_outcome::inserted_grew : insert_outcome::inserted;
            }
            // Keys that were chosen to collide must not make it grow without end.
            if (splits == most_splits || items_ < spec_.slots() / 2) return refuse(insert_outcome::full_bucket);
            const std::uint64_t* const line = lines_of(store_)[spec_.frontier];
            std::copy(line, line + line_words, before[splits].begin());
            if (!split_line()) return refuse(insert_outcome::growth_refused);
            ++splits;
        }
    }

    template <class Select>
    [[gnu::always_inline]] erase_outcome erase_located(const located& there, const digest& item) noexcept {
        if (copies_.total() != 0) [[unlikely]] {
            if (copies_.take(places_.class_number(places_.fingerprint(item)))) {
                spec_.copy_slots = copies_.slots();
                return erase_outcome::removed;
            }
        }
        if (!writable_table().template erase<Select>(there.one, there.line_of_one) &&
            !writable_table().template erase<Select>(there.other, there.line_of_other)) {
            return erase_outcome::not_present;
        }
        --items_;
        if (items_ < sparse_) [[unlikely]]
            shrink_a_little();
        return erase_outcome::removed;
    }

    // Growing and shrinking by itself. Two lines at a time catch up with whatever came before.
    [[gnu::noinline]] bool grow_a_little() noexcept {
        const bool begins = spec_.frontier == 0;
        const bool grew = split_line();
        if (grew && items_ > comfortable_) split_line();
        return grew && begins;
    }
    [[gnu::noinline]] void shrink_a_little() noexcept {
        for (int i = 0; i < 2 && items_ < sparse_; ++i) {
            if (!unite_line()) {
                sparse_ -= std::min<std::uint64_t>(sparse_, 64); // try again later
                return;
            }
        }
        // Two steps too many, or what it has would go back and forth.
        if (store_.lines() > spec_.lines() + 2 * memory_step()) store_.shrink(spec_.lines() + memory_step());
    }

    /// What there is memory for after the next step: a unit is completed before the next one is begun.
    [[nodiscard]] std::uint64_t next_memory(std::uint64_t lines) const noexcept {
        constexpr std::uint64_t unit = chunked_words::unit_lines;
        const std::uint64_t end = lines % unit == 0 ? lines + unit : (lines / unit + 1) * unit;
        return std::min(lines + memory_step(), end);
    }
    /// Lines by which memory grows and shrinks: no more than a unit, so that no operation takes long.
    [[nodiscard]] std::uint64_t memory_step() const noexcept {
        return std::min(spec_.lines() / 32 + 1, chunked_words::unit_lines);
    }

    [[nodiscard]] bool reserve(std::uint64_t lines) noexcept {
        if (store_.lines() >= lines) return true;
        return or_out_of_memory([&]() -> result<void> { return store_.extend(lines); }).has_value();
    }
    /// Returns the memory behind the last line.
    void give_back() noexcept { store_.shrink(spec_.lines()); }

    bool split_line() noexcept {
        const std::uint64_t lines = spec_.lines();
        if (lines >= spec_.largest_lines()) return false;
        if (store_.lines() <= lines && !reserve(std::min(next_memory(lines), spec_.largest_lines()))) return false;
        writable_table().split(spec_.frontier, lines);
        if (spec_.frontier == 0) ++expansions_;
        set_lines(spec_.with_lines(lines + 1));
        return true;
    }

    /// False if the items of the last two parts of a line do not fit into one, and have nowhere else to go.
    bool unite_line() noexcept {
        const std::uint64_t lines = spec_.lines();
        if (lines <= spec_.initial_lines) return false;
        const quotient_spec target = spec_.with_lines(lines - 1);
        // The geometry in which the line at the frontier is still split.
        quotient_spec before = target;
        before.frontier = target.frontier + 1;
        const quotient_places split_places(before);
        const quotient_table<written_lines> split_table(split_places, writable_lines_of(store_));
        const std::uint64_t first = target.frontier;
        const std::uint64_t second = lines - 1;
        const unsigned slots = split_places.shape(0).slots;
        while (split_table.line(first).count() + split_table.line(second).count() > slots) {
            const std::uint64_t fuller =
                split_table.line(first).count() > split_table.line(second).count() ? first : second;
            if (!split_table.template evict<kernel::portable_select>(fuller, first, second)) return false;
        }
        split_table.unite(first, second);
        set_lines(target);
        return true;
    }

    void set_lines(const quotient_spec& spec) noexcept {
        spec_ = spec;
        places_ = quotient_places(spec_);
        comfortable_ = spec_.comfortable_items();
        sparse_ = spec_.sparse_items();
        ++resizes_;
    }

    void clear_lines() noexcept {
        for (std::uint64_t line = 0; line < spec_.lines(); ++line) writable_table().line(line).clear();
    }

    [[nodiscard]] result<basic_quotient_filter> copy() const {
        auto lines = store_.copy();
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

    [[nodiscard]] result<void> check() {
        const auto damaged = [](const char* why) { return fail(failure_reason::damaged, why); };
        const std::uint64_t lines = spec_.lines();
        for (std::uint64_t number = 0; number < lines; ++number) {
            const auto line = table().line(number);
            if (!line.is_consistent()) return damaged("the ends of the buckets of a line do not match its items");
            items_ += line.count();
        }
        // Bits of a path that have become part of a line's number are not stored any more.
        if (spec_.level >= spec_.extension_bits()) {
            bool is_short = true;
            const quotient_places& places = places_;
            for_each([&](const quotient_fingerprint& item) { is_short &= places.is_possible(item); });
            if (!is_short) return damaged("a line holds a bit that its number has already");
        }
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

    quotient_spec spec_;
    quotient_places places_;
    section_store store_;
    quotient_copies<Store> copies_;
    std::uint64_t items_ = 0;
    std::uint64_t comfortable_ = spec_.comfortable_items();
    std::uint64_t sparse_ = spec_.sparse_items();
    std::uint64_t expansions_ = 0;
    std::uint64_t resizes_ = 0;
};

using quotient_filter = basic_quotient_filter<heap_words>;

} // namespace everbloom
