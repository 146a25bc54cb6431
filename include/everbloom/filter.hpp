// filter<Key, Kind>: a set of keys in a few bits per key. "Surely not" is certain; "maybe" is wrong for a small share of absent keys.
//
//     everbloom::filter<std::string> seen({.capacity = 1'000'000, .fpr = 0.01});   // the planner chooses the kind
//     seen.insert("anna");
//     if (seen.may_contain("bert")) ...
//
//     everbloom::filter<std::uint64_t, everbloom::blocked> fast({.capacity = 100'000'000});   // the kind is fixed: all of it inlines
//
// Errors: what rarely fails (making, opening, saving, merging, resizing) throws everbloom::error, and has a form try_... that returns
// a result instead. What happens to one key is an outcome, never an exception.
//
// Threads: any number of threads may call const functions at the same time; a function that changes the filter needs it alone. For
// readers beside writers take concurrent_filter.
#pragma once

#include <everbloom/door/reader.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <utility>

namespace everbloom {

/// A filter in memory: it can be changed, copied, moved and saved. What `mapped_filter` offers as well comes from its base, `reader`.
template <class KeyType, class Kind>
class filter : public door::reader<KeyType, Kind, true> {
    using base = door::reader<KeyType, Kind, true>;
    using base::core_;
    using base::filter_;
    template <class, class, bool>
    friend class door::reader; // makes copies for queries

public:
    /// An empty filter; throws if the options make no sense or the memory does not suffice.
    explicit filter(const filter_options& wanted) : filter(try_make(wanted).value()) {}
    /// The same with a result.
    [[nodiscard]] static result<filter> try_make(const filter_options& wanted) {
        return from(door::filter_core::make(wanted, base::expected));
    }
    /// Reads a file into memory, where it can be changed.
    [[nodiscard]] static filter open(const std::string& path) { return try_open(path).value(); }
    /// `open` with a result.
    [[nodiscard]] static result<filter> try_open(const std::string& path) {
        return from(door::filter_core::open(path, base::expected));
    }
    /// Answers from a file without reading it first; the file must not be changed in place meanwhile.
    [[nodiscard]] static mapped_filter<KeyType, Kind> map(const std::string& path, verify how = verify::everything) {
        return try_map(path, how).value();
    }
    /// `map` with a result.
    [[nodiscard]] static result<mapped_filter<KeyType, Kind>> try_map(const std::string& path,
                                                                      verify how = verify::everything) {
        return mapped_filter<KeyType, Kind>::try_open(path, how);
    }
    /// From what `bytes` gave.
    [[nodiscard]] static filter read(std::span<const std::byte> bytes) { return try_read(bytes).value(); }
    /// `read` with a result.
    [[nodiscard]] static result<filter> try_read(std::span<const std::byte> bytes) {
        return from(door::filter_core::read(bytes, base::expected));
    }

    /// From what `write` gave, piece by piece.
    [[nodiscard]] static filter read(byte_source& from, std::uint64_t bytes) { return try_read(from, bytes).value(); }
    /// The same with a result.
    [[nodiscard]] static result<filter> try_read(byte_source& from, std::uint64_t bytes) {
        return from_file(read_filter(from, bytes));
    }

    filter(filter&&) noexcept = default;
    filter& operator=(filter&&) noexcept = default;
    /// Copies every cell; throws if the memory does not suffice.
    filter(const filter& other) : filter(other.try_copy().value()) {}
    /// Copies every cell; the old contents stay if that fails.
    filter& operator=(const filter& other) {
        if (this != &other) *this = other.try_copy().value();
        return *this;
    }
    ~filter() = default;
    /// A copy, or the failure that prevented it.
    [[nodiscard]] result<filter> try_copy() const { return from(core_.clone()); }
    /// Exchanges two filters; copies no cell.
    friend void swap(filter& a, filter& b) noexcept { std::swap(a, b); }

    /// Same kind, geometry, hash key and cells: filters that got the same keys in the same order are equal.
    [[nodiscard]] friend bool operator==(const filter& a, const filter& b) { return a.core_.equals(b.core_); }

    /// Inserts a key. Ignoring the outcome is fine while there is room: nothing but a full filter refuses a key.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    insert_outcome insert(const Given& key) {
        if constexpr (door::InLine<typename base::concrete_filter> && door::WholeNumber<Given, KeyType>) {
            if (this->in_line_.get() != nullptr && !core_.filter().exclusions()) [[likely]] {
                if (!core_.take_room()) [[unlikely]]
                    return insert_outcome::over_capacity;
                return this->in_line_.get()->insert_in_line(core_.hasher().of_integer(detail::number_of(key)));
            }
        }
        if constexpr (door::InLineTwice<typename base::concrete_filter> && door::WholeNumber<Given, KeyType>) {
            if (this->xxh3_in_line_.get() != nullptr && !core_.filter().exclusions()) [[likely]] {
                if (!core_.take_room()) [[unlikely]]
                    return insert_outcome::over_capacity;
                return this->xxh3_in_line_.get()->insert_in_line(core_.hasher().of_xxh3(detail::number_of(key)));
            }
        }
        return put(door::item_of<KeyType>(core_.hasher(), key));
    }
    /// Some keys, in braces.
    insert_tally insert(std::initializer_list<KeyType> keys) { return insert(std::span(keys.begin(), keys.size())); }
    /// Many keys; outcomes[i] is what happened to the i-th.
    template <door::KeysOf<KeyType> Keys>
    void insert(const Keys& keys, std::span<insert_outcome> outcomes) {
        door::hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t first) {
            door::check_count(first + items.size(), outcomes.size());
            put_all(items, outcomes.subspan(first, items.size()));
        });
    }
    /// Many keys; how many of them had which outcome.
    template <door::KeysOf<KeyType> Keys>
    insert_tally insert(const Keys& keys) {
        insert_tally tally;
        if (insert_at_once(keys)) {
            tally.add(insert_outcome::inserted,
                      static_cast<std::uint64_t>(std::distance(std::begin(keys), std::end(keys))));
            return tally;
        }
        std::array<insert_outcome, batch_items> outcomes;
        door::hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t) {
            const auto some = std::span(outcomes).first(items.size());
            put_all(items, some);
            tally.add(some);
        });
        return tally;
    }

    /// Exactly these keys instead of those that it had, for a kind that is built at once (fuse); the capacity becomes their number.
    template <door::KeysOf<KeyType> Keys>
    [[nodiscard]] result<void> try_build(const Keys& keys) {
        return changed(core_.build(door::digests_of(core_.hasher(), keys)));
    }
    /// The same; throws if it fails.
    template <door::KeysOf<KeyType> Keys>
    void build(const Keys& keys) {
        try_build(keys).value();
    }

    /// Inserts unless it is there already. For kinds that cannot remove, and for those that verify by stored hashes.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    [[nodiscard]] result<insert_outcome> try_insert_new(const Given& key) {
        const digest item = door::item_of<KeyType>(core_.hasher(), key);
        if (!core_.take_room()) return insert_outcome::over_capacity;
        return core_.filter().insert_new(item);
    }
    /// The same; throws for kinds that cannot tell.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    insert_outcome insert_new(const Given& key) {
        return try_insert_new(key).value();
    }

    /// Only a key that was inserted may be removed: removing another one can take away a member.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    erase_outcome erase(const Given& key) {
        if constexpr (door::WholeNumber<Given, KeyType>) {
            if constexpr (requires(digest item) { this->in_line_.get()->erase_in_line(item); }) {
                if (this->in_line_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                    return taken(
                        this->in_line_.get()->erase_in_line(core_.hasher().of_integer(detail::number_of(key))));
            }
        }
        if constexpr (door::InCall<typename base::concrete_filter> && door::WholeNumber<Given, KeyType>) {
            if (this->in_call_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                return taken(this->in_call_.get()->erase_in_call(core_.hasher().of_integer(detail::number_of(key))));
        }
        return take(door::item_of<KeyType>(core_.hasher(), key));
    }
    /// Many keys; how many of them had which outcome.
    template <door::KeysOf<KeyType> Keys>
    erase_tally erase(const Keys& keys) {
        erase_tally tally;
        std::array<erase_outcome, batch_items> outcomes;
        door::hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t) {
            const auto some = std::span(outcomes).first(items.size());
            tally.add(take_all(items, some));
        });
        return tally;
    }

    /// These known negatives are answered "surely not" from now on, without the members; replaces an earlier list.
    template <door::KeysOf<KeyType> Keys>
    [[nodiscard]] result<protection> try_exclude(const Keys& negatives) {
        return core_.filter().exclude(door::digests_of(core_.hasher(), negatives));
    }
    /// The same; throws if it fails.
    template <door::KeysOf<KeyType> Keys>
    protection exclude(const Keys& negatives) {
        return try_exclude(negatives).value();
    }
    /// The same by the kind's own means (kind yes_no), given all members, so that none of them is lost.
    template <door::KeysOf<KeyType> Members, door::KeysOf<KeyType> Keys>
    [[nodiscard]] result<protection> try_protect(const Members& members, const Keys& negatives) {
        return core_.filter().protect(door::digests_of(core_.hasher(), members),
                                      door::digests_of(core_.hasher(), negatives));
    }
    /// The same; throws if it fails.
    template <door::KeysOf<KeyType> Members, door::KeysOf<KeyType> Keys>
    protection protect(const Members& members, const Keys& negatives) {
        return try_protect(members, negatives).value();
    }

    /// Adds the keys of another filter with the same hash key.
    [[nodiscard]] result<void> try_merge(const filter& other) { return changed(core_.merge(other.core_)); }
    /// The same with a filter in a file.
    [[nodiscard]] result<void> try_merge(const mapped_filter<KeyType, Kind>& other) {
        return changed(core_.merge(other.core_));
    }
    /// The same; throws if the filters do not fit together.
    template <class Other>
    filter& operator|=(const Other& other) {
        static_assert(combines_with<Other>, "everbloom: only filters of the same key type and kind can be merged");
        try_merge(other).value();
        return *this;
    }
    /// Keeps the keys that the other one holds as well.
    [[nodiscard]] result<void> try_intersect(const filter& other) { return changed(core_.intersect(other.core_)); }
    /// The same with a filter in a file.
    [[nodiscard]] result<void> try_intersect(const mapped_filter<KeyType, Kind>& other) {
        return changed(core_.intersect(other.core_));
    }
    /// The same; throws if the filters do not fit together.
    template <class Other>
    filter& operator&=(const Other& other) {
        static_assert(combines_with<Other>, "everbloom: only filters of the same key type and kind can be intersected");
        try_intersect(other).value();
        return *this;
    }

    /// Another capacity, FPR or size, without the keys, for kinds that can.
    [[nodiscard]] result<void> try_resize(const resize_options& wanted) { return changed(core_.resize(wanted)); }
    /// The same; throws if the kind cannot, or the keys do not fit.
    void resize(const resize_options& wanted) { try_resize(wanted).value(); }

    /// Removes all keys; size and hash key stay.
    [[nodiscard]] result<void> try_clear() { return core_.clear(); }
    /// The same; throws if it fails.
    void clear() { try_clear().value(); }

    /// For code below the front door; the capacity is not watched there.
    using base::untyped;
    /// The same, to be changed.
    [[nodiscard]] any_filter& untyped() noexcept { return core_.filter(); }

private:
    template <class Other>
    static constexpr bool combines_with =
        std::same_as<Other, filter> || std::same_as<Other, mapped_filter<KeyType, Kind>>;

    explicit filter(door::filter_core core) noexcept : base(std::move(core)) {}
    [[nodiscard]] static result<filter> from(result<door::filter_core> made) {
        if (!made) return fail(std::move(made.error()));
        return filter(std::move(*made));
    }
    [[nodiscard]] static result<filter> from_file(result<filter_file>&& loaded) {
        return from(door::filter_core::from_file(std::move(loaded), base::expected));
    }
    [[nodiscard]] result<void> changed(result<void> done) {
        this->find_concrete();
        return done;
    }

    /// All keys in one loop that hashes them itself, where there is one, and room for all; false: in batches.
    template <class Keys>
    bool insert_at_once(const Keys& keys) {
        bool done = false;
        if constexpr (base::fixed && InsertsItself<typename base::concrete_filter>) {
            if (filter_.get() != nullptr && !core_.filter().exclusions()) {
                door::hash_on_demand(core_.hasher(), keys, [&](const auto& items) {
                    if (!core_.has_room(items.size())) return;
                    filter_.get()->insert(items);
                    done = true;
                });
            }
        } else if constexpr (!base::fixed && door::NumbersInARow<Keys>) {
            const std::span<const std::uint64_t> numbers(std::data(keys), std::size(keys));
            const any_hasher& hash = core_.hasher();
            done = core_.filter().can_insert_numbers(hash) && core_.has_room(numbers.size());
            if (done) core_.filter().insert(hash, numbers);
        }
        return done;
    }
    insert_outcome put(digest item) noexcept {
        if (!core_.take_room()) [[unlikely]]
            return insert_outcome::over_capacity;
        if constexpr (base::fixed) {
            if constexpr (requires { filter_.get()->insert(item); }) {
                if (filter_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                    return filter_.get()->insert(item);
            }
        }
        return core_.filter().insert_one(item);
    }
    void put_all(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
        // Near the capacity key by key, so that each is refused for itself.
        if (!core_.has_room(items.size())) {
            for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = put(items[i]);
            return;
        }
        if constexpr (base::fixed) {
            if constexpr (requires { filter_.get()->insert(items, outcomes); }) {
                if (filter_.get() != nullptr && !core_.filter().exclusions())
                    return filter_.get()->insert(items, outcomes);
            }
        }
        if (!core_.filter().insert(items, outcomes)) {
            for (insert_outcome& one : outcomes) one = insert_outcome::not_writable;
        }
    }
    erase_outcome take(digest item) noexcept { return taken(erase_from_filter(item)); }
    erase_outcome taken(erase_outcome outcome) noexcept {
        if (succeeded(outcome)) core_.give_room();
        return outcome;
    }
    erase_tally take_all(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept {
        bool done = false;
        if constexpr (base::fixed) {
            if constexpr (requires { filter_.get()->erase(items, outcomes); }) {
                done = filter_.get() != nullptr && !core_.filter().exclusions();
                if (done) filter_.get()->erase(items, outcomes);
            }
        }
        if (!done) {
            if (core_.filter().can(capability::erase)) {
                (void)core_.filter().erase(items, outcomes);
            } else {
                std::fill(outcomes.begin(), outcomes.end(), erase_outcome::unsupported);
            }
        }
        erase_tally tally;
        tally.add(outcomes);
        core_.give_room(tally.successes());
        return tally;
    }
    erase_outcome erase_from_filter(digest item) noexcept {
        if constexpr (base::fixed) {
            if constexpr (requires { filter_.get()->erase(item); }) {
                if (filter_.get() != nullptr && !core_.filter().exclusions()) [[likely]]
                    return filter_.get()->erase(item);
            }
        }
        return core_.filter().erase_one(item);
    }
};

/// A filter that stays in its file: opens at once however large it is, is shared between processes, and cannot be changed.
template <class KeyType, class Kind>
class mapped_filter : public door::reader<KeyType, Kind, false> {
    using base = door::reader<KeyType, Kind, false>;
    friend class filter<KeyType, Kind>;

public:
    /// Maps the file; throws if it is damaged or another kind of filter.
    explicit mapped_filter(const std::string& path, verify how = verify::everything)
        : mapped_filter(try_open(path, how).value()) {}
    /// The same with a result.
    [[nodiscard]] static result<mapped_filter> try_open(const std::string& path, verify how = verify::everything) {
        auto made = door::filter_core::map(path, base::expected, how);
        if (!made) return fail(std::move(made.error()));
        return mapped_filter(std::move(*made));
    }
    mapped_filter(mapped_filter&&) noexcept = default;
    mapped_filter& operator=(mapped_filter&&) noexcept = default;
    mapped_filter(const mapped_filter&) = delete;
    mapped_filter& operator=(const mapped_filter&) = delete;
    ~mapped_filter() = default;

private:
    explicit mapped_filter(door::filter_core core) noexcept : base(std::move(core)) {}
};

} // namespace everbloom
