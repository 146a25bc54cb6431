// contender: a filter in a figure, one of our kinds or a rival, behind one interface.
#pragma once

#include "lab/papers/laboratory.hpp"
#include "lab/rivals/rival.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/simulation/trial_randomness.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace everbloom::lab::today {

using rivals::growing_rival;
using rivals::rival;

/// One of our kinds as a rival. Its cache lines are not logged: they follow from its layout.
class our_filter final : public growing_rival {
public:
    explicit our_filter(any_filter filter) : filter_(std::move(filter)) {}

    [[nodiscard]] bool contains(digest item, rivals::line_log* = nullptr) const override {
        return filter_.may_contain(item);
    }
    /// Everything it holds, also memory that only changes touch.
    [[nodiscard]] std::uint64_t bits() const noexcept override;
    [[nodiscard]] insert_outcome insert(digest item) override { return filter_.insert_one(item); }
    [[nodiscard]] erase_outcome erase(digest item) override { return filter_.erase_one(item); }
    [[nodiscard]] any_filter& filter() noexcept { return filter_; }

private:
    any_filter filter_;
};

/// A growing rival that takes `keys`, empty; or why there is none.
using maker = std::function<result<std::unique_ptr<growing_rival>>()>;

/// Our kind, planned for a capacity and a target FPR, and to grow to `growth` times that; 0: as much as by default.
[[nodiscard]] maker ours(const std::string& kind, std::uint64_t items, double fpr, double growth = 1);

/// A filter that holds all members, or why it cannot.
using builder = std::function<rivals::built_rival(std::span<const digest> members)>;

/// Inserts the members one by one; a refused one is a failure that names how many were taken.
[[nodiscard]] builder filled(maker make);

/// Our kind fuse, built from all keys at once.
[[nodiscard]] builder built_fuse(unsigned fingerprint_bits);

/// What was measured of a filter.
struct seen_filter {
    double bits_per_key = 0;
    estimate fpr;
    double lines = 0; // cache lines that a query for an absent key reads, mean; 0: not logged
    std::uint64_t false_negatives = 0;
    std::optional<std::string> refusal; // the first failure; then the rest is of the trials that succeeded, if any
    std::uint64_t trials = 0;           // that succeeded
};

/// Builds it over different keys and asks it for absent ones. `expected_fpr` only chooses the number of queries.
[[nodiscard]] seen_filter examine(const laboratory& lab, const builder& build, std::uint64_t members,
                                  double expected_fpr);

/// The members, and other keys, of a trial.
[[nodiscard]] std::vector<digest> keys_of(const laboratory& lab, std::uint64_t trial, random_stream from,
                                          std::uint64_t count, std::uint64_t first = 0);

/// log2(1 / FPR): no filter has fewer bits per key.
[[nodiscard]] double least_bits(double fpr);
/// The curve of that bound between two rates, as x = bits per key.
[[nodiscard]] series bound_curve(double factor, std::string label, look drawn, double from_fpr, double to_fpr);

} // namespace everbloom::lab::today
