// The half of slow_filter and of concurrent_slow_filter that does not depend on the type of the keys; compiled once for each. Failures name
// the file.
#pragma once

#include <everbloom/door/slow_verbs.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace everbloom {

class slow_elastic;
class shared_slow_elastic;

namespace door {

enum class existing_file { keep, replace };
enum class slow_use { write, read };

/// `Held` is the filter: slow_elastic or shared_slow_elastic.
template <class Held>
class basic_slow_core {
public:
    using existing = existing_file;
    using use = slow_use;

    [[nodiscard]] static result<basic_slow_core> create(const std::string& path, const filter_options& wanted,
                                                        key_type keys, existing what, std::uint64_t buffer_bytes);
    [[nodiscard]] static result<basic_slow_core> open(const std::string& path, std::optional<key_type> keys, use how,
                                                      std::uint64_t buffer_bytes);
    basic_slow_core(basic_slow_core&&) noexcept;
    basic_slow_core& operator=(basic_slow_core&&) noexcept;
    ~basic_slow_core();

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
    basic_slow_core(std::unique_ptr<Held> filter, std::string path) noexcept;
    [[nodiscard]] static result<basic_slow_core> held(result<slow_elastic> made, const std::string& path);
    [[nodiscard]] unexpected<failure> absent() const;
    template <class Result>
    [[nodiscard]] Result named(Result done) const;

    std::unique_ptr<Held> filter_;
    any_hasher hasher_;
    std::string path_;
};

using slow_core = basic_slow_core<slow_elastic>;
using concurrent_slow_core = basic_slow_core<shared_slow_elastic>;

} // namespace door
} // namespace everbloom
