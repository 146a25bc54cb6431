// followed_filter: a filter that holds exactly the keys of a list, and goes with it from one list to the next.
//
// What left the list is removed, what is new is inserted: each key once, and only true members are ever removed. Because the list is at
// hand the filter can also be built anew, and that is the answer to everything a filter cannot do by itself:
//
//   it cannot remove, or has no room            the rate is above what was agreed
//   more than a twentieth of the keys in it     the list fell below half of what
//   are gone from the list and undeletable      the filter was made for
//
// At the end of every change each member is asked for. A filter that misses one is built anew.
#pragma once

#include "commands/sync/key_list.hpp"

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace everbloom::cli {

/// What a filter is to be like, when it is built.
struct filter_wish {
    std::string kind;
    double fpr = 0;
    any_hasher hasher;
    key_type keys = key_type::text;
};

class followed_filter {
public:
    /// A new one. `why` it had to be made again, if it was there before.
    [[nodiscard]] static result<followed_filter> make(const filter_wish& wish, const key_list& list,
                                                      const std::string& why);
    /// One that is known to hold the keys of a list; so many keys that left the list before are still in it.
    followed_filter(filter_file file, filter_wish wish, std::uint64_t undeletable);

    /// From the list it holds to `list`, by `change`.
    [[nodiscard]] result<void> follow(const list_change& change, const key_list& list);

    [[nodiscard]] const filter_file& file() const noexcept { return file_; }
    [[nodiscard]] const measurement& now() const noexcept { return now_; }
    [[nodiscard]] std::uint64_t undeletable() const noexcept { return undeletable_; }
    /// Why it was built anew, each time.
    [[nodiscard]] const std::vector<std::string>& rebuilt() const noexcept { return rebuilt_; }

private:
    explicit followed_filter(filter_wish wish) : wish_(std::move(wish)) {}

    [[nodiscard]] result<void> rebuild(const key_list& list, const std::string& why);
    [[nodiscard]] result<void> build(const key_list& list);
    [[nodiscard]] result<any_filter> plan(std::uint64_t items) const;
    [[nodiscard]] result<void> erase(const key_list& keys);
    /// How many keys were refused.
    [[nodiscard]] result<std::uint64_t> insert(const key_list& keys);
    [[nodiscard]] std::string reason_to_rebuild(std::uint64_t items) const;
    [[nodiscard]] bool misses_one_of(const key_list& list) const;

    filter_wish wish_;
    filter_file file_;
    measurement now_;
    std::uint64_t undeletable_ = 0;
    std::vector<std::string> rebuilt_;
};

} // namespace everbloom::cli
