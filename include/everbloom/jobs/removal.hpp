// removal: removes keys unless some of them were never added, estimated from the outcomes of all.
//
// A filter without stored hashes cannot distinguish a member from a false positive, and removing a false positive clears cells of
// members, which may then be missed. But of the keys that were never added, all but the share of false positives are answered with
// not_present. So the number of these answers gives the expected number of removed keys that were never added. A removal that would cost
// members can be refused as a whole.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/outcome_tally.hpp>

#include <span>

namespace everbloom {

/// Counts the outcomes of `erase` or `can_erase`, and judges them.
class removal_evidence {
public:
    /// Measures the filter, so it is made before the first key is removed.
    explicit removal_evidence(const any_filter& filter);

    void add(erase_outcome outcome) noexcept { tally_.add(outcome); }

    [[nodiscard]] const erase_tally& tally() const noexcept { return tally_; }
    /// The probability that a key that was never added is removed.
    [[nodiscard]] double risk() const noexcept { return risk_; }
    /// Does the filter verify each removal with its stored hashes?
    [[nodiscard]] bool is_verified() const noexcept { return verified_; }
    /// The expected number of removed keys that were never added, from the number of keys not present.
    [[nodiscard]] double never_added() const noexcept;

    /// A failure if at least one such key is expected.
    [[nodiscard]] result<void> check() const;

private:
    bool verified_;
    double risk_;
    erase_tally tally_;
};

/// Removes the keys in order. First a dry run: if it shows that some of them were never added, the failure `mismatch`, and nothing is
/// changed.
[[nodiscard]] result<erase_tally> remove_members(any_filter& filter, std::span<const digest> keys);

} // namespace everbloom
