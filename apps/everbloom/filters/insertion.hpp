// insertion: keys going into a filter, with an account of what became of each.
#pragma once

#include "keys/hash_keys.hpp"

#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <string>

namespace everbloom::cli {

class insertion {
public:
    enum class printing { nothing, new_keys };

    /// `path` names the filter in messages; `terminator` ends a printed key. The filter must outlive this.
    insertion(any_filter& filter, std::string path, printing wanted = printing::nothing, char terminator = '\n')
        : filter_(filter), path_(std::move(path)), wanted_(wanted), terminator_(terminator) {}

    /// Inserts the keys in order. The first few keys that the filter refuses are reported on stderr, by their numbers if the texts are
    /// gone; the others go on.
    [[nodiscard]] result<void> take(const hashed_keys& keys);
    /// After the last key: how many were refused beside those that were named, and what to do.
    void tell_refusals() const;

    [[nodiscard]] const insert_tally& tally() const noexcept { return tally_; }
    /// Keys that were surely not there before; counted only when they are printed.
    [[nodiscard]] std::uint64_t new_keys() const noexcept { return new_keys_; }

private:
    [[nodiscard]] result<void> take_and_print(std::span<const std::string_view> texts, std::span<const digest> digests,
                                              std::span<insert_outcome> outcomes);

    any_filter& filter_;
    std::string path_;
    printing wanted_;
    char terminator_;
    insert_tally tally_;
    std::uint64_t new_keys_ = 0;
    std::uint64_t refused_ = 0;
    std::string output_;
};

/// A failure if some keys were refused, for those who want all of them or none.
[[nodiscard]] result<void> refuse_partial(const std::string& path, const insert_tally& tally);

/// ", of which 2 were there already": what the successes were, beside plain insertions; and what was refused.
[[nodiscard]] std::string insert_remarks(const insert_tally& tally);

} // namespace everbloom::cli
