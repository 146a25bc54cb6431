// removal: removes keys from a filter, counts the outcomes, and estimates how many of the keys were never added.
//
// A filter without stored hashes cannot distinguish a member from a false positive, and removing a false positive clears cells of
// members, which may then be missed. But of the keys that were never added, all but the share of false positives are answered with
// not_present. So the number of these answers gives the expected number of removed keys that were never added. It is known before the file
// is saved, and a removal that would have cost members is refused.
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

    /// Removes the keys in order.
    [[nodiscard]] result<void> take(const hashed_keys& keys);

    [[nodiscard]] const erase_tally& tally() const noexcept { return tally_; }
    /// The probability that a key that was never added is removed; measured before the first key.
    [[nodiscard]] double risk() const noexcept { return risk_; }
    /// Does the filter verify each removal with its stored hashes?
    [[nodiscard]] bool is_verified() const noexcept { return verified_; }
    /// The expected number of removed keys that were never added, from the number of keys not present.
    [[nodiscard]] double never_added() const noexcept;

    /// A failure if at least one such key is expected.
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
