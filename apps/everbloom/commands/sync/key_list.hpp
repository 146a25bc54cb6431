// A list of keys in memory: sorted, each key once. Lists share an arena that holds the bytes of all keys ever seen, so a list is only
// an array of views, and the next day's list costs what is new in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace everbloom::cli {

/// Bytes of keys that stay where they are until the arena goes.
class key_arena {
public:
    [[nodiscard]] std::string_view keep(std::string_view key);
    /// Takes over what another one holds; its keys stay where they are.
    void absorb(key_arena&& other);

private:
    std::vector<std::unique_ptr<char[]>> chunks_;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
};

/// Sorted by their bytes, no two equal.
using key_list = std::vector<std::string_view>;

/// Makes any keys a list, in memory that follows the different ones: when twice as many keys (or bytes of them) are there as were left
/// the last time, repetitions go. A list of sixteen million empty lines is a list of one key, also while it is read.
class list_builder {
public:
    void add(std::string_view key);
    /// Sorted, each once. The bytes of the keys go into `arena`.
    [[nodiscard]] key_list finish(key_arena& arena) &&;

    /// How many have been added.
    [[nodiscard]] std::uint64_t added() const noexcept { return added_; }

private:
    static constexpr std::size_t least_keys = std::size_t{1} << 16;
    static constexpr std::size_t least_bytes = std::size_t{1} << 22;

    void compact();

    key_arena own_;
    key_list keys_;
    std::size_t bytes_ = 0;
    std::size_t most_keys_ = least_keys;
    std::size_t most_bytes_ = least_bytes;
    std::uint64_t added_ = 0;
};

/// What turns one list into another.
struct list_change {
    key_list added;
    key_list removed;

    [[nodiscard]] bool is_nothing() const noexcept { return added.empty() && removed.empty(); }
};
/// How many keys two lists have in common.
[[nodiscard]] std::uint64_t count_shared(const key_list& one, const key_list& other);
[[nodiscard]] list_change change_between(const key_list& before, const key_list& after);
[[nodiscard]] key_list changed(const key_list& before, const list_change& change);

} // namespace everbloom::cli
