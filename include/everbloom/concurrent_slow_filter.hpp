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
    void erase_later(std::span<const digest> items, std::span<deferred_outcome> outcomes) noexcept;
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
class concurrent_slow_filter
    : public door::slow_verbs<concurrent_slow_filter<KeyType>, KeyType, door::concurrent_slow_core> {
    using verbs = door::slow_verbs<concurrent_slow_filter, KeyType, door::concurrent_slow_core>;
    friend verbs; // which makes filters of cores

    explicit concurrent_slow_filter(door::concurrent_slow_core made) noexcept : verbs(std::move(made)) {}
};

} // namespace everbloom
