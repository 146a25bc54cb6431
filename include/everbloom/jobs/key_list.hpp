// key_list: a list of keys in memory, sorted, without duplicates. Lists share an arena with the bytes of all keys, so a list is an array
// of views, and another list costs only its new keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace everbloom {

/// Storage for the bytes of keys; they do not move until the arena is destroyed.
class key_arena {
public:
    [[nodiscard]] std::string_view keep(std::string_view key);
    /// Takes over the storage of another arena; its keys do not move.
    void absorb(key_arena&& other);

private:
    std::vector<std::unique_ptr<char[]>> chunks_;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
};

/// Sorted by their bytes, no two equal.
using key_list = std::vector<std::string_view>;

/// Builds a list from any keys, in memory proportional to the distinct ones: duplicates are dropped each time the number of keys (or
/// bytes) has doubled. Sixteen million empty lines are a list of one key, also while they are read.
class list_builder {
public:
    void add(std::string_view key);
    /// Sorted, each once. The bytes of the keys go into `arena`.
    [[nodiscard]] key_list finish(key_arena& arena) &&;

    /// The number of keys added.
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

/// The difference of two lists.
struct list_change {
    key_list added;
    key_list removed;

    [[nodiscard]] bool is_nothing() const noexcept { return added.empty() && removed.empty(); }
};
/// How many keys two lists have in common.
[[nodiscard]] std::uint64_t count_shared(const key_list& one, const key_list& other);
[[nodiscard]] list_change change_between(const key_list& before, const key_list& after);
[[nodiscard]] key_list changed(const key_list& before, const list_change& change);

} // namespace everbloom
