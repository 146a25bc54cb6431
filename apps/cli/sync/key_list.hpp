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

private:
    std::vector<std::unique_ptr<char[]>> chunks_;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
};

/// Sorted by their bytes, no two equal.
using key_list = std::vector<std::string_view>;

/// Makes any keys a list. How many were there already, it says in `repeated`.
struct made_list {
    key_list keys;
    std::uint64_t repeated = 0;
};
[[nodiscard]] made_list make_list(std::vector<std::string_view> keys);

/// What turns one list into another.
struct list_change {
    key_list added;
    key_list removed;

    [[nodiscard]] bool is_nothing() const noexcept { return added.empty() && removed.empty(); }
};
[[nodiscard]] list_change change_between(const key_list& before, const key_list& after);
[[nodiscard]] key_list changed(const key_list& before, const list_change& change);

} // namespace everbloom::cli
