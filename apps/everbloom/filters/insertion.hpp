// insertion: adds keys to a filter and counts the outcomes.
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

    /// Inserts the keys in order. The first few refused keys are printed to stderr, by their numbers if the texts are not available;
    /// the other keys are still added.
    [[nodiscard]] result<void> take(const hashed_keys& keys);
    /// After the last key: how many more were refused than were named, and what to do.
    void report_refusals() const;

    [[nodiscard]] const insert_tally& tally() const noexcept { return tally_; }
    /// Keys that were surely not in the filter before; counted only if they are printed.
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

/// A failure if keys were refused, for --all-or-none.
[[nodiscard]] result<void> refuse_partial(const std::string& path, const insert_tally& tally);

/// " (2 already in the filter)": the outcomes other than plain insertions.
[[nodiscard]] std::string insert_remarks(const insert_tally& tally);

} // namespace everbloom::cli
