// filter_sets: the three sets of a gate as filters: refused addresses, addresses seen, patterns of bad data.
//
//   bad_ips   grows for ever, nobody leaves it; asked for every packet.
//   good_ips  a sender enters once, when it is first seen, and leaves if it goes bad: a kind that can remove and grow.
//   bad_data  fixed. It is asked for every word of every packet, and three wrong answers ban an innocent sender: its rate is much lower.
#pragma once

#include "gate/lists.hpp"
#include "gate/pattern_filter.hpp"
#include "gate/rolling_hash.hpp"
#include "gate/sender_key.hpp"

#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

struct filter_wishes {
    std::string bad_kind = "elastic_blocked";
    std::string good_kind = "elastic_blocked";
    std::uint64_t bad_addresses = 1000; // to make room for at first
    std::uint64_t senders = 10000;
    double fpr = 0.001;
    double pattern_fpr = 1e-9;
};

class filter_sets {
public:
    [[nodiscard]] static result<filter_sets> make(const filter_wishes& wishes, const any_hasher& hash,
                                                  const pattern_list& patterns);
    /// From the files of a saved state.
    [[nodiscard]] static filter_sets from(filter_file bad, filter_file good, pattern_filter patterns);

    /// answers[i]: 1 if senders[i] may be refused for ever.
    void are_bad(std::span<const sender_key> senders, std::span<std::uint8_t> answers) const noexcept;
    [[nodiscard]] bool is_bad(const sender_key& sender) const noexcept {
        return bad_.filter().may_contain(sender.hashed);
    }
    [[nodiscard]] bool is_good(const sender_key& sender) const noexcept {
        return good_.filter().may_contain(sender.hashed);
    }
    [[nodiscard]] bool is_pattern(digest hashed, word_span /*words*/) const noexcept {
        return patterns_->may_contain(hashed);
    }

    [[nodiscard]] result<void> add_bad(const sender_key& sender);
    [[nodiscard]] result<void> add_good(const sender_key& sender);
    /// False if the filter could not let it go. It may then still answer "maybe" for it, which does no harm: bad wins.
    [[nodiscard]] result<bool> remove_good(const sender_key& sender);

    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] const filter_file& bad_ips() const noexcept { return bad_; }
    [[nodiscard]] const filter_file& good_ips() const noexcept { return good_; }
    [[nodiscard]] const pattern_filter& bad_data() const noexcept { return *patterns_; }
    [[nodiscard]] std::uint64_t bad_count() const noexcept { return bad_count_; }
    [[nodiscard]] std::uint64_t good_count() const noexcept { return good_count_; }
    void set_counts(std::uint64_t bad, std::uint64_t good) noexcept { bad_count_ = bad, good_count_ = good; }

private:
    filter_file bad_;
    filter_file good_;
    std::optional<pattern_filter> patterns_; // always there; a type that is known is asked faster
    std::uint64_t bad_count_ = 0;            // insertions less removals
    std::uint64_t good_count_ = 0;
};

} // namespace everbloom::cli
