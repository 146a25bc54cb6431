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
// Threads: any number of threads may ask at the same time; everything else needs the filter alone. concurrent_slow_filter.hpp is for threads
// that ask and update at the same time.
#pragma once

#include <everbloom/door/slow_verbs.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace everbloom {

class slow_elastic;

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
    slow_core(std::unique_ptr<slow_elastic> filter, std::string path) noexcept;
    [[nodiscard]] static result<slow_core> held(result<slow_elastic> made, const std::string& path);
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
class slow_filter : public door::slow_verbs<slow_filter<KeyType>, KeyType, door::slow_core> {
    using verbs = door::slow_verbs<slow_filter, KeyType, door::slow_core>;
    friend verbs; // which makes filters of cores

    explicit slow_filter(door::slow_core made) noexcept : verbs(std::move(made)) {}
};

} // namespace everbloom
