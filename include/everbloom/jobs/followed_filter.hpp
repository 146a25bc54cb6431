// followed_filter: a filter that holds exactly the keys of a list, and is updated from one list to the next.
//
// Keys that left the list are removed, new keys are inserted: each once, and only true members are ever removed. With the list available
// the filter can also be rebuilt, and is rebuilt if
//
//   it cannot remove keys, or refuses keys      its FPR is above the target
//   more than a twentieth of its keys left      the list fell below half of the
//   the list and could not be removed           capacity of the filter
//
// After every change each member is queried. A filter that misses one is rebuilt.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/key_list.hpp>
#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace everbloom {

/// The options of a filter to be built.
struct followed_options {
    std::string kind;
    double fpr = 0;
    any_hasher hasher;
    key_type keys = key_type::text;
};

/// Those that an existing filter was built with.
[[nodiscard]] followed_options options_of(const filter_file& file);

class followed_filter {
public:
    /// A new filter. `why` it was rebuilt, if it existed before.
    [[nodiscard]] static result<followed_filter> make(const followed_options& options, const key_list& list,
                                                      const std::string& why);
    /// An existing filter that holds the keys of a list, and `undeletable` keys that left the list before. An exclusion list is dropped.
    followed_filter(filter_file file, followed_options options, std::uint64_t undeletable);

    /// Updates it to `list`, by `change`. After a failure it may hold neither list: discard it, or make it from a list again.
    [[nodiscard]] result<void> follow(const list_change& change, const key_list& list);

    /// Makes it answer no for known negatives, by an exclusion list that replaces an earlier one. Refuses if a key of `list` would be
    /// missed then: such a negative is a member. The exclusion list is dropped by the next change of the keys.
    [[nodiscard]] result<protection> protect(const key_list& negatives, const key_list& list);

    [[nodiscard]] const filter_file& file() const noexcept { return file_; }
    /// An application's own bytes, stored with the filter.
    void attach(std::vector<std::byte> bytes) noexcept { file_.attached = std::move(bytes); }
    [[nodiscard]] filter_file&& take_file() && noexcept { return std::move(file_); }
    [[nodiscard]] const measurement& now() const noexcept { return now_; }
    [[nodiscard]] std::uint64_t undeletable() const noexcept { return undeletable_; }
    /// The reason of each rebuild.
    [[nodiscard]] const std::vector<std::string>& rebuilt() const noexcept { return rebuilt_; }
    /// The outcomes of all keys so far, those of rebuilds among them.
    [[nodiscard]] const insert_tally& inserted() const noexcept { return inserted_; }
    [[nodiscard]] const erase_tally& erased() const noexcept { return erased_; }

private:
    explicit followed_filter(followed_options options) : options_(std::move(options)) {}

    [[nodiscard]] result<void> rebuild(const key_list& list, const std::string& why);
    [[nodiscard]] result<void> build(const key_list& list);
    [[nodiscard]] result<any_filter> plan(std::uint64_t items) const;
    [[nodiscard]] result<void> erase(const key_list& keys);
    /// A batch; adds the number of keys that were refused.
    [[nodiscard]] result<void> insert(std::span<const digest> keys, std::uint64_t& refused);
    [[nodiscard]] std::string reason_to_rebuild(std::uint64_t items) const;
    [[nodiscard]] bool misses_one_of(const key_list& list) const;

    followed_options options_;
    filter_file file_;
    measurement now_;
    std::uint64_t undeletable_ = 0;
    std::vector<std::string> rebuilt_;
    insert_tally inserted_;
    erase_tally erased_;
};

/// Refuses a list that is not sorted, has duplicates, or keys that are not in the canonical spelling of this type.
[[nodiscard]] result<void> check_list(key_type type, const key_list& list);

/// What an update did.
struct list_update {
    insert_tally inserted;
    erase_tally erased;
    std::uint64_t undeletable = 0;           // keys in the filter that are not in the list
    std::optional<std::string> rebuilt = {}; // why, if it was
};

/// The same in one call: `file` holds the keys of the list `before` (and `undeletable` others, of earlier updates), afterwards those of
/// `after`. A failure changes nothing.
[[nodiscard]] result<list_update> follow_list(filter_file& file, const key_list& before, const key_list& after,
                                              std::uint64_t undeletable = 0);

} // namespace everbloom
