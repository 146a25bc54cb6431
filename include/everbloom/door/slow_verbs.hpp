// What programs do with a filter that lives in a file, for one thread at a time (slow_filter) or many (concurrent_slow_filter): the part
// that both have in common. `Core` is the untyped half of `Filter`, which derives from this.
#pragma once

#include <everbloom/core/error.hpp>
#include <everbloom/door/key_batches.hpp>
#include <everbloom/key.hpp>
#include <everbloom/options.hpp>
#include <everbloom/runtime/outcome_tally.hpp>
#include <everbloom/runtime/slow/deferred_outcome.hpp>

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace everbloom {

/// The state of a slow filter.
struct slow_stats {
    /// Different keys: exact if nothing is pending, otherwise not fewer than there are inserted ones.
    std::uint64_t keys = 0;
    /// Keys with updates that wait for a merge.
    std::uint64_t pending = 0;
    /// Removals by `erase_later` that turned out to be of keys that were not there, since the file was created.
    std::uint64_t refused_removals = 0;
    std::uint64_t capacity = 0;
    double fpr = 0;        // current FPR
    double target_fpr = 0; // what it was made for
    /// The bits that queries read, in memory.
    std::uint64_t fast_bytes = 0;
    /// Updates that wait for a merge, in memory.
    std::uint64_t buffer_bytes = 0;
    std::uint64_t file_bytes = 0;
    double bits_per_key = 0; // of the fast part; 0 while it is empty
};

/// Another capacity or target FPR; what is not given stays as it is.
struct slow_resize_options {
    std::optional<std::uint64_t> capacity = {};
    std::optional<double> fpr = {};
};

namespace door {

template <class Filter, class KeyType, class Core>
class slow_verbs {
    static_assert((detail::explain_refusal<KeyType>(), true));

public:
    /// Memory for updates that are not merged yet, unless another number is given: a byte per key of the capacity, or of the keys if they are
    /// more; at least 1 MB, at most 32 MB. More makes updates faster.
    static constexpr std::uint64_t buffer_by_size = 0;
    /// What to do with a file that exists.
    using existing = typename Core::existing;

    /// A new, empty filter. Of the options, kind, geometry, negatives and lifetime are not used.
    [[nodiscard]] static Filter create(const std::string& path, const filter_options& wanted,
                                       existing what = existing::keep, std::uint64_t buffer_bytes = buffer_by_size) {
        return try_create(path, wanted, what, buffer_bytes).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<Filter> try_create(const std::string& path, const filter_options& wanted,
                                                   existing what = existing::keep,
                                                   std::uint64_t buffer_bytes = buffer_by_size) {
        return from(Core::create(path, wanted, key_type_of<KeyType>(), what, buffer_bytes));
    }
    /// Reads the bits and the latest updates, not the hashes. Fails with `busy` if another program has it open for writing.
    [[nodiscard]] static Filter open(const std::string& path, std::uint64_t buffer_bytes = buffer_by_size) {
        return try_open(path, buffer_bytes).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<Filter> try_open(const std::string& path, std::uint64_t buffer_bytes = buffer_by_size) {
        return from(Core::open(path, key_type_of<KeyType>(), Core::use::write, buffer_bytes));
    }
    /// What the file holds at this moment, beside a program that writes it; for queries only.
    [[nodiscard]] static Filter open_for_reading(const std::string& path) { return try_open_for_reading(path).value(); }
    /// The same with a result.
    [[nodiscard]] static result<Filter> try_open_for_reading(const std::string& path) {
        return from(Core::open(path, key_type_of<KeyType>(), Core::use::read, buffer_by_size));
    }

    /// False: surely not in it. True: in it, a false positive, or removed lately. Never reads the disk.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] bool may_contain(const Given& key) const {
        return core_.may_contain(item(key));
    }
    /// Many keys; answers[i] is 1 for "maybe" and 0 for "surely not".
    template <KeysOf<KeyType> Keys>
    void may_contain(const Keys& keys, std::span<std::uint8_t> answers) const {
        hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t first) {
            check_count(first + items.size(), answers.size());
            core_.may_contain(items, answers.subspan(first, items.size()));
        });
    }
    /// The same with a vector of answers, as long as the range.
    template <KeysOf<KeyType> Keys>
    [[nodiscard]] std::vector<std::uint8_t> may_contain(const Keys& keys) const {
        std::vector<std::uint8_t> answers(static_cast<std::size_t>(std::distance(std::begin(keys), std::end(keys))));
        may_contain(keys, std::span(answers));
        return answers;
    }

    /// Adds a key. It is durable after the next `flush`.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    insert_outcome insert(const Given& key) {
        return core_.insert(item(key));
    }
    /// Many keys; how many of them had which outcome.
    template <KeysOf<KeyType> Keys>
    insert_tally insert(const Keys& keys) {
        insert_tally tally;
        std::array<insert_outcome, batch_items> outcomes;
        hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t) {
            const auto some = std::span(outcomes).first(items.size());
            core_.insert(items, some);
            tally.add(some);
        });
        return tally;
    }

    /// Removes a key, with a verdict at once: one read of the disk. Wrong about a key that was never added with a chance below 2^-20.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    erase_outcome erase(const Given& key) {
        return try_erase(key).value();
    }
    /// The same with a result.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] result<erase_outcome> try_erase(const Given& key) {
        return core_.erase(item(key));
    }
    /// Removes a key without looking: the verdict falls at a merge. `stats().refused_removals` counts those that were not there.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    deferred_outcome erase_later(const Given& key) {
        return core_.erase_later(item(key));
    }
    /// Many keys; how many of them had which outcome.
    template <KeysOf<KeyType> Keys>
    deferred_tally erase_later(const Keys& keys) {
        deferred_tally tally;
        std::array<deferred_outcome, batch_items> outcomes;
        hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t) {
            const auto some = std::span(outcomes).first(items.size());
            core_.erase_later(items, some);
            tally.add(some);
        });
        return tally;
    }

    /// The verified query: how often the key was inserted and not removed, by its hash on the disk. One read.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] std::uint64_t count(const Given& key) const {
        return try_count(key).value();
    }
    /// The same with a result.
    template <class Given = KeyType>
        requires OneKey<Given, KeyType>
    [[nodiscard]] result<std::uint64_t> try_count(const Given& key) const {
        return core_.count(item(key));
    }

    /// Everything before is durable: it survives kill -9 and a power cut.
    void flush() { try_flush().value(); }
    /// The same with a result.
    [[nodiscard]] result<void> try_flush() { return core_.flush(); }
    /// Merges all pending updates, also durably: the numbers of `stats` are exact, and removed keys are gone.
    void merge() { try_merge().value(); }
    /// The same with a result.
    [[nodiscard]] result<void> try_merge() { return core_.merge(); }
    /// Another capacity or FPR, in both directions, without the keys: reads and writes the whole file, part by part.
    void resize(const slow_resize_options& wanted) { try_resize(wanted).value(); }
    /// The same with a result.
    [[nodiscard]] result<void> try_resize(const slow_resize_options& wanted) { return core_.resize(wanted); }
    /// Flushes, and gives up the file. The destructor does the same, but cannot tell whether it worked.
    void close() { try_close().value(); }
    /// The same with a result.
    [[nodiscard]] result<void> try_close() { return core_.close(); }
    /// Compares everything in the file with its checksums, and the bits with the hashes.
    [[nodiscard]] result<void> try_verify() const { return core_.verify(); }

    /// Keys, FPR, sizes. Reads every bit of the fast part.
    [[nodiscard]] slow_stats stats() const { return core_.stats(); }
    /// Why keys are refused or merges postponed, for example a full disk; nothing if all is well.
    [[nodiscard]] std::optional<failure> last_error() const { return core_.last_error(); }

protected:
    explicit slow_verbs(Core made) noexcept : core_(std::move(made)) {}

private:
    [[nodiscard]] static result<Filter> from(result<Core> made) {
        if (!made) return fail(std::move(made.error()));
        return Filter(std::move(*made));
    }
    template <class Given>
    [[nodiscard]] digest item(const Given& key) const {
        return item_of<KeyType>(core_.hasher(), key);
    }

    Core core_;
};

} // namespace door

} // namespace everbloom
