// Insertion into a quotient filter and removal from it, one by one and in batches.
//
// A batch is located and its lines are prefetched, 32 keys at a time; then the keys are stored one after the other. Where there is AVX2 and
// a fast pdep that is done by quotient_batch, up to the first key that is not easy: it needs a move, may be a fifth copy, or makes the
// table grow. That one goes the long way, which is the only one elsewhere.
#pragma once

#include <everbloom/filter/outcomes.hpp>
#include <everbloom/filter/quotient/quotient_copies.hpp>
#include <everbloom/filter/quotient/quotient_lines.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace everbloom {

/// A part of basic_quotient_filter (quotient.hpp).
template <WordStore Store>
class quotient_changes : protected quotient_lines<Store> {
public:
    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        if (kernel::fast_pdep) [[likely]] {
            const located there = locate_with_lines(item);
            if (items_ >= comfortable_ || !quotient_batch::insert(places_, there))
                return insert_one_by_one(there, item);
            ++items_;
            return insert_outcome::inserted;
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
            const located there = locate_with_lines(item);
            if (items_ <= sparse_ || copies_.total() != 0 || !quotient_batch::erase(places_, there)) {
                return erase_one_by_one(there, item);
            }
            --items_;
            return erase_outcome::removed;
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

protected:
    using lines = quotient_lines<Store>;
    using lines::comfortable_;
    using lines::expansions_;
    using lines::items_;
    using lines::moves_;
    using lines::places_;
    using lines::resizes_;
    using lines::sparse_;
    using lines::spec_;
    using lines::store_;
    using lines::table;
    using lines::writable_table;

    quotient_changes(const quotient_spec& spec, typename lines::line_store store, Store copies) noexcept
        : lines(spec, std::move(store)), copies_(std::move(copies), spec.copy_slots) {}

    using located = quotient_batch::located;

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
            items, quotient_batch::look_to_insert,
            [&](const quotient_batch::group& keys, std::size_t key) {
                const std::uint64_t room = items_ < comfortable_ ? comfortable_ - items_ : 0;
                const std::size_t end = key + static_cast<std::size_t>(std::min<std::uint64_t>(room, keys.count - key));
                const std::size_t done = quotient_batch::insert(places_, keys, key, end);
                items_ += done - key;
                outcomes = std::fill_n(outcomes, done - key, insert_outcome::inserted);
                return done;
            },
            [&](const located& there, const digest& item) { *outcomes++ = insert_one_by_one(there, item); });
    }
    void erase_in_vectors(std::span<const digest> items, erase_outcome* outcomes) noexcept {
        for_changes_in_vectors(
            items, quotient_batch::look_to_erase,
            [&](const quotient_batch::group& keys, std::size_t key) {
                const std::uint64_t most = items_ > sparse_ && copies_.total() == 0 ? items_ - sparse_ : 0;
                const std::size_t end = key + static_cast<std::size_t>(std::min<std::uint64_t>(most, keys.count - key));
                const std::size_t done = quotient_batch::erase(places_, keys, key, end);
                items_ -= done - key;
                outcomes = std::fill_n(outcomes, done - key, erase_outcome::removed);
                return done;
            },
            [&](const located& there, const digest& item) { *outcomes++ = erase_one_by_one(there, item); });
    }
    /// Calls `act_on_some(group, key)`, which returns up to where it came, and `act(located, item)` for the key there. While the lines of
    /// some keys are changed, those of the next ones are on the way: their first lines, then, after `look`, those of their second lines that
    /// are needed.
    template <class Look, class Some, class Act>
    [[gnu::always_inline]] void for_changes_in_vectors(std::span<const digest> items, Look look, Some act_on_some,
                                                       Act act) noexcept {
        std::array<quotient_batch::group, 3> groups;
        quotient_batch::group* now = &groups[0];
        quotient_batch::group* next = &groups[1];
        quotient_batch::group* last = &groups[2];
        const auto start = [&](std::span<const digest> some, quotient_batch::group& keys) {
            quotient_batch::start(places_, writable_line_units(store_), moves_, some, keys);
        };
        const auto renew = [&](std::span<const digest> some, quotient_batch::group& keys) {
            quotient_batch::renew(places_, writable_line_units(store_), moves_, some, keys);
        };
        start(items, *now);
        start(items.subspan(now->count), *next);
        look(places_, *now);
        while (!items.empty()) {
            const auto behind = items.subspan(now->count);
            const auto far_behind = behind.subspan(next->count);
            start(far_behind, *last);
            look(places_, *next);
            for (std::size_t key = 0;;) {
                key = act_on_some(*now, key);
                if (key == now->count) break;
                const std::uint64_t resizes = resizes_;
                act(located_in(now->found, now->at, key), items[key]);
                ++key;
                // It may have moved items: a batch leaves the same lines behind as its keys one by one.
                now->second = 0;
                next->second = 0;
                if (resizes_ == resizes) continue;
                renew(items, *now);
                renew(behind, *next);
                renew(far_behind, *last);
            }
            items = behind;
            std::swap(now, next);
            std::swap(next, last);
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
            return this->grow_a_little() ? insert_outcome::inserted_grew : insert_outcome::inserted;
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
                this->set_lines(spec_.with_lines(spec_.lines() - 1));
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
            if (!this->split_line()) return refuse(insert_outcome::growth_refused);
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
            this->shrink_a_little();
        return erase_outcome::removed;
    }

    quotient_copies<Store> copies_;
};

} // namespace everbloom
