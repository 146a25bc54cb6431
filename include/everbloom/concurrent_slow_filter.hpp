// concurrent_slow_filter<Key>: a filter that lives in a file, for many threads. Queries never wait, and never read the disk; updates wait
// only for those of the same part of the filter, of which there are 64, and not for merges.
//
//     auto seen = everbloom::concurrent_slow_filter<std::string>::create("seen.eb", {.capacity = 100'000'000, .fpr = 0.001});
//     // from any thread
//     seen.insert("anna");
//     if (seen.may_contain("bert")) ...
//     seen.flush();      // every update that has returned is durable now
//
// A key whose insertion has returned is found by every query that begins afterwards. Every function may be called by any thread at any
// time, except moving and destroying it. Files, verbs and errors are those of slow_filter; what waits for what is in docs/slow.md.
//
// `close` makes updates of other threads fail from its beginning on; queries go on with the bits that are in memory.
#pragma once

#include <everbloom/slow_filter.hpp>

namespace everbloom {

class shared_slow_elastic;

namespace door {

/// The part that does not depend on the type of the keys; compiled once. Failures name the file.
class concurrent_slow_core {
public:
    using existing = slow_core::existing;
    using use = slow_core::use;

    [[nodiscard]] static result<concurrent_slow_core> create(const std::string& path, const filter_options& wanted,
                                                             key_type keys, existing what, std::uint64_t buffer_bytes);
    [[nodiscard]] static result<concurrent_slow_core> open(const std::string& path, std::optional<key_type> keys,
                                                           use how, std::uint64_t buffer_bytes);
    concurrent_slow_core(concurrent_slow_core&&) noexcept;
    concurrent_slow_core& operator=(concurrent_slow_core&&) noexcept;
    ~concurrent_slow_core();

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
    concurrent_slow_core(std::unique_ptr<shared_slow_elastic> filter, std::string path) noexcept;
    [[nodiscard]] static result<concurrent_slow_core> held(result<slow_elastic> made, const std::string& path);
    [[nodiscard]] unexpected<failure> absent() const;
    template <class Result>
    [[nodiscard]] Result named(Result done) const;

    std::unique_ptr<shared_slow_elastic> filter_;
    any_hasher hasher_;
    std::string path_;
};

} // namespace door

/// A filter that lives in a file, for many threads: readers never wait.
template <class KeyType>
class concurrent_slow_filter : public door::slow_verbs<KeyType, door::concurrent_slow_core> {
    using core = door::concurrent_slow_core;

public:
    using typename door::slow_verbs<KeyType, core>::existing;
    using door::slow_verbs<KeyType, core>::usual_buffer_bytes;

    /// A new, empty filter. Of the options, kind, geometry, negatives and lifetime are not used.
    [[nodiscard]] static concurrent_slow_filter create(const std::string& path, const filter_options& wanted,
                                                       existing what = existing::keep,
                                                       std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return try_create(path, wanted, what, buffer_bytes).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<concurrent_slow_filter> try_create(const std::string& path,
                                                                   const filter_options& wanted,
                                                                   existing what = existing::keep,
                                                                   std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return from(core::create(path, wanted, key_type_of<KeyType>(), what, buffer_bytes));
    }
    /// Reads the bits and the latest updates, not the hashes. Fails with `busy` if another program has it open for writing.
    [[nodiscard]] static concurrent_slow_filter open(const std::string& path,
                                                     std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return try_open(path, buffer_bytes).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<concurrent_slow_filter> try_open(const std::string& path,
                                                                 std::uint64_t buffer_bytes = usual_buffer_bytes) {
        return from(core::open(path, key_type_of<KeyType>(), core::use::write, buffer_bytes));
    }
    /// What the file holds at this moment, beside a program that writes it; for queries only.
    [[nodiscard]] static concurrent_slow_filter open_for_reading(const std::string& path) {
        return try_open_for_reading(path).value();
    }
    /// The same with a result.
    [[nodiscard]] static result<concurrent_slow_filter> try_open_for_reading(const std::string& path) {
        return from(core::open(path, key_type_of<KeyType>(), core::use::read, usual_buffer_bytes));
    }

private:
    explicit concurrent_slow_filter(core made) noexcept : door::slow_verbs<KeyType, core>(std::move(made)) {}
    [[nodiscard]] static result<concurrent_slow_filter> from(result<core> made) {
        if (!made) return fail(std::move(made.error()));
        return concurrent_slow_filter(std::move(*made));
    }
};

} // namespace everbloom
