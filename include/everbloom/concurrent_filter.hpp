// concurrent_filter<Key>: one filter for many threads. Readers never wait; writers wait only for writers of the same shard. It deletes
// and grows like the elastic blocked filter it is made of.
//
//     everbloom::concurrent_filter<std::string> seen({.capacity = 1'000'000});
//     // from any thread
//     seen.insert("anna");
//     seen.may_contain("bert");
//
// A key whose insertion has returned is seen by every query that begins afterwards. Every function may be called by any thread at any
// time, except moving and destroying it.
//
// Files are those of an elastic_blocked filter and open everywhere.
#pragma once

#include <everbloom/core/error.hpp>
#include <everbloom/door/key_batches.hpp>
#include <everbloom/key.hpp>
#include <everbloom/options.hpp>
#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/outcome_tally.hpp>
#include <everbloom/stats.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <string>

namespace everbloom {

class shared_elastic_filter;

namespace door {

/// The part that does not depend on the type of the keys; compiled once.
class concurrent_core {
public:
    concurrent_core(concurrent_core&&) noexcept;
    concurrent_core& operator=(concurrent_core&&) noexcept;
    ~concurrent_core();

    [[nodiscard]] static result<concurrent_core> make(const filter_options& wanted, unsigned shards, key_type keys);
    [[nodiscard]] static result<concurrent_core> open(const std::string& path, unsigned shards, key_type keys);
    [[nodiscard]] result<void> save(const std::string& path) const;

    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept;
    insert_outcome insert(digest item) noexcept;
    erase_outcome erase(digest item) noexcept;
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept;
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept;
    [[nodiscard]] std::uint64_t keys() const;
    [[nodiscard]] filter_stats stats() const;
    [[nodiscard]] const any_hasher& hasher() const noexcept { return hasher_; }

private:
    concurrent_core(std::unique_ptr<shared_elastic_filter> filter, const any_hasher& hasher, key_type keys,
                    capacity_target target) noexcept;

    std::unique_ptr<shared_elastic_filter> filter_;
    any_hasher hasher_;
    key_type keys_;
    capacity_target target_;
};

} // namespace door

/// One filter for many threads: readers never wait.
template <class KeyType>
class concurrent_filter {
    static_assert((detail::explain_refusal<KeyType>(), true));

public:
    /// Enough for four threads that write all the time.
    static constexpr unsigned default_shards = 16;

    /// `shards`: a power of two up to 256; about four times as many as there are writing threads.
    explicit concurrent_filter(const filter_options& wanted, unsigned shards = default_shards)
        : concurrent_filter(try_make(wanted, shards).value()) {}
    /// The same with a result.
    [[nodiscard]] static result<concurrent_filter> try_make(const filter_options& wanted,
                                                            unsigned shards = default_shards) {
        return from(door::concurrent_core::make(wanted, shards, key_type_of<KeyType>()));
    }
    /// Reads a file of an elastic_blocked filter.
    [[nodiscard]] static concurrent_filter open(const std::string& path, unsigned shards = default_shards) {
        return try_open(path, shards).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<concurrent_filter> try_open(const std::string& path, unsigned shards = default_shards) {
        return from(door::concurrent_core::open(path, shards, key_type_of<KeyType>()));
    }
    /// Keys whose insertion has returned before this is called are in the file; of others each is in it or not.
    void save(const std::string& path) const { try_save(path).value(); }
    /// The same with a result.
    [[nodiscard]] result<void> try_save(const std::string& path) const { return core_.save(path); }

    /// False: surely not in it. True: in it, or a false positive.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    [[nodiscard]] bool may_contain(const Given& key) const {
        return core_.may_contain(door::item_of<KeyType>(core_.hasher(), key));
    }
    /// Many keys; answers[i] is 1 for "maybe" and 0 for "surely not".
    template <door::KeysOf<KeyType> Keys>
    void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
        door::hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t first) {
            door::check_count(first + items.size(), answers.size());
            core_.may_contain(items, answers.subspan(first, items.size()));
        });
    }
    /// The same with a vector of answers, as long as the range.
    template <door::KeysOf<KeyType> Keys>
    [[nodiscard]] std::vector<std::uint8_t> may_contain(const Keys& keys) const {
        std::vector<std::uint8_t> answers(static_cast<std::size_t>(std::distance(std::begin(keys), std::end(keys))));
        may_contain(keys, std::span(answers));
        return answers;
    }
    /// Adds a key, or says why not.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    insert_outcome insert(const Given& key) {
        return core_.insert(door::item_of<KeyType>(core_.hasher(), key));
    }
    /// Many keys; how many of them had which outcome.
    template <door::KeysOf<KeyType> Keys>
    insert_tally insert(const Keys& keys) {
        return change<insert_tally, insert_outcome>(keys,
                                                    [&](auto items, auto outcomes) { core_.insert(items, outcomes); });
    }
    /// Removes a key that was inserted, with a verdict.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    erase_outcome erase(const Given& key) {
        return core_.erase(door::item_of<KeyType>(core_.hasher(), key));
    }
    /// Many keys; how many of them had which outcome.
    template <door::KeysOf<KeyType> Keys>
    erase_tally erase(const Keys& keys) {
        return change<erase_tally, erase_outcome>(keys,
                                                  [&](auto items, auto outcomes) { core_.erase(items, outcomes); });
    }

    /// Different keys; exact while no thread writes.
    [[nodiscard]] std::uint64_t keys() const { return core_.keys(); }
    /// Keys, fill level, current FPR: copies and reads every shard.
    [[nodiscard]] filter_stats stats() const { return core_.stats(); }

private:
    explicit concurrent_filter(door::concurrent_core core) noexcept : core_(std::move(core)) {}
    [[nodiscard]] static result<concurrent_filter> from(result<door::concurrent_core> made) {
        if (!made) return fail(std::move(made.error()));
        return concurrent_filter(std::move(*made));
    }
    template <class Tally, class Outcome, class Keys, class Act>
    Tally change(const Keys& keys, Act act) {
        Tally tally;
        std::array<Outcome, batch_items> outcomes;
        door::hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t) {
            const auto some = std::span(outcomes).first(items.size());
            act(items, some);
            tally.add(some);
        });
        return tally;
    }

    door::concurrent_core core_;
};

} // namespace everbloom
