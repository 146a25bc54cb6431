// slow_filter<Key>: a filter that lives in a file. Queries read 10 to 17 bits per key in memory; the hashes of the keys, with which
// keys are removed and the filter grows, stay on the disk.
//
//     auto seen = everbloom::slow_filter<std::string>::create("seen.eb", {.capacity = 100'000'000, .fpr = 0.001});
//     seen.insert("anna");
//     if (seen.may_contain("bert")) ...
//     seen.flush();      // everything before is durable now
//
// It is bound to its file as long as it exists: it is not saved, but flushed, and cannot be copied. One program writes it at a time;
// others may read it (open_for_reading). A removed key may answer "maybe" until its part of the filter is merged; a member never gets
// a "no". docs/slow.md has the story.
//
// Errors: as in filter.hpp. Whatever reads or writes the disk can fail, and then throws everbloom::error, or returns a result as
// try_...; insertions do not, they are refused (growth_refused), and `last_error` says why.
//
// Threads: any number of threads may ask at the same time; everything else needs the filter alone.
#pragma once

#include <everbloom/core/error.hpp>
#include <everbloom/door/key_batches.hpp>
#include <everbloom/key.hpp>
#include <everbloom/options.hpp>
#include <everbloom/runtime/outcome_tally.hpp>
#include <everbloom/runtime/slow/deferred_outcome.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace everbloom {

class slow_elastic;

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

/// The part that does not depend on the type of the keys; compiled once. Failures name the file.
class slow_core {
public:
    enum class existing { keep, replace };

    [[nodiscard]] static result<slow_core> create(const std::string& path, const filter_options& wanted, key_type keys,
                                                  existing what, std::uint64_t buffer_bytes);
    enum class use { write, read };
    [[nodiscard]] static result<slow_core> open(const std::string& path, std::optional<key_type> keys, use how,
                                                std::uint64_t buffer_bytes);
    slow_core(slow_core&&) noexcept;
    slow_core& operator=(slow_core&&) noexcept;
    ~slow_core();

    [[nodiscard]] bool may_contain(digest item) const noexcept;
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept;
    insert_outcome insert(digest item) noexcept;
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept;
    [[nodiscard]] result<erase_outcome> erase(digest item);
    deferred_outcome erase_later(digest item) noexcept;
    [[nodiscard]] result<std::uint64_t> count(digest item) const;
    [[nodiscard]] result<void> flush();
    [[nodiscard]] result<void> merge();
    [[nodiscard]] result<void> close();
    [[nodiscard]] result<void> resize(const slow_resize_options& wanted);
    [[nodiscard]] result<void> verify() const;
    [[nodiscard]] slow_stats stats() const;
    [[nodiscard]] std::optional<failure> last_error() const;
    [[nodiscard]] const any_hasher& hasher() const noexcept { return hasher_; }

private:
    slow_core(std::unique_ptr<slow_elastic> filter, std::string path) noexcept;
    [[nodiscard]] unexpected<failure> absent() const;
    template <class Result>
    [[nodiscard]] Result named(Result done) const;

    std::unique_ptr<slow_elastic> filter_;
    any_hasher hasher_;
    std::string path_;
};

} // namespace door

/// A filter that lives in a file: bits in memory, hashes on the disk.
template <class KeyType>
class slow_filter {
    static_assert((detail::explain_refusal<KeyType>(), true));
    using core = door::slow_core;

public:
    /// Memory for updates that are not merged yet, unless another number is given. More makes updates faster.
    static constexpr std::uint64_t usual_buffer_bytes = std::uint64_t{32} << 20;
    /// What to do with a file that exists.
    using existing = core::existing;

    /// A new, empty filter. Of the options, kind, geometry, negatives and lifetime are not used.
    [[nodiscard]] static slow_filter create(const std::string& path, const filter_options& wanted,
                                            existing what = existing::keep,
                                            std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return try_create(path, wanted, what, buffer_bytes).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<slow_filter> try_create(const std::string& path, const filter_options& wanted,
                                                        existing what = existing::keep,
                                                        std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return from(core::create(path, wanted, key_type_of<KeyType>(), what, buffer_bytes));
    }
    /// Reads the bits and the latest updates, not the hashes. Fails with `busy` if another program has it open for writing.
    [[nodiscard]] static slow_filter open(const std::string& path, std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return try_open(path, buffer_bytes).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<slow_filter> try_open(const std::string& path,
                                                      std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return from(core::open(path, key_type_of<KeyType>(), core::use::write, buffer_bytes));
    }
    /// What the file holds at this moment, beside a program that writes it; for queries only.
    [[nodiscard]] static slow_filter open_for_reading(const std::string& path) {
        return try_open_for_reading(path).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<slow_filter> try_open_for_reading(const std::string& path) {
        return from(core::open(path, key_type_of<KeyType>(), core::use::read, usual_buffer_bytes));
    }

    /// False: surely not in it. True: in it, a false positive, or removed lately. Never reads the disk.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    [[nodiscard]] bool may_contain(const Given& key) const {
        return core_.may_contain(item(key));
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

    /// Adds a key. It is durable after the next `flush`.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    insert_outcome insert(const Given& key) {
        return core_.insert(item(key));
    }
    /// Many keys; how many of them had which outcome.
    template <door::KeysOf<KeyType> Keys>
    insert_tally insert(const Keys& keys) {
        insert_tally tally;
        std::array<insert_outcome, batch_items> outcomes;
        door::hash_in_batches(core_.hasher(), keys, [&](std::span<const digest> items, std::size_t) {
            const auto some = std::span(outcomes).first(items.size());
            core_.insert(items, some);
            for (const insert_outcome one : some) tally.add(one);
        });
        return tally;
    }

    /// Removes a key, with a verdict at once: one read of the disk. Wrong about a key that was never added with a chance below 2^-20.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    erase_outcome erase(const Given& key) {
        return try_erase(key).value();
    }
    /// The same with a result.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    [[nodiscard]] result<erase_outcome> try_erase(const Given& key) {
        return core_.erase(item(key));
    }
    /// Removes a key without looking: the verdict falls at a merge. `stats().refused_removals` counts those that were not there.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    deferred_outcome erase_later(const Given& key) {
        return core_.erase_later(item(key));
    }

    /// The verified query: how often the key was inserted and not removed, by its hash on the disk. One read.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
    [[nodiscard]] std::uint64_t count(const Given& key) const {
        return try_count(key).value();
    }
    /// The same with a result.
    template <class Given = KeyType>
        requires door::OneKey<Given, KeyType>
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

private:
    explicit slow_filter(core made) noexcept : core_(std::move(made)) {}
    [[nodiscard]] static result<slow_filter> from(result<core> made) {
        if (!made) return fail(std::move(made.error()));
        return slow_filter(std::move(*made));
    }
    template <class Given>
    [[nodiscard]] digest item(const Given& key) const {
        return door::item_of<KeyType>(core_.hasher(), key);
    }

    core core_;
};

} // namespace everbloom
