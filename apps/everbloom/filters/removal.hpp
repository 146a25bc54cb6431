// removal: keys going out of a filter, with an account of what became of each, and of what that says about the keys.
//
// A filter that does not keep its keys cannot tell a member from a false positive, and removing a false positive takes away cells of
// members, which may then be missed. But the keys as a whole give themselves away: of those that were never added, all but the share of
// false positives are answered with not_present. So from the number of these follows how many of the keys that were removed had never been
// added. It is known before the file is saved, and a removal that would have cost members is refused.
#pragma once

#include "keys/hash_keys.hpp"

#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <string>

namespace everbloom::cli {

class removal {
public:
    enum class printing { nothing, verdicts };

    /// The filter must outlive this.
    removal(any_filter& filter, printing wanted);

    /// Takes the keys out, in order.
    [[nodiscard]] result<void> take(const hashed_keys& keys);

    [[nodiscard]] const erase_tally& tally() const noexcept { return tally_; }
    /// The chance that a key that was never added is removed all the same; measured before the first key.
    [[nodiscard]] double risk() const noexcept { return risk_; }
    /// Does the filter look at what it keeps of the keys before it removes one?
    [[nodiscard]] bool is_verified() const noexcept { return verified_; }
    /// How many of the keys removed had never been added, as the keys that are not present say.
    [[nodiscard]] double never_added() const noexcept;

    /// A failure if at least one such key is to be expected.
    [[nodiscard]] result<void> check(const std::string& path) const;

private:
    void print(std::string_view text, erase_outcome outcome);

    any_filter& filter_;
    printing wanted_;
    bool verified_;
    double risk_;
    erase_tally tally_;
    std::string output_;
};

} // namespace everbloom::cli
