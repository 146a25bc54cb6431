// filter_sets: the three sets of a gate as filters: banned addresses, known senders, patterns of bad data.
//
//   bad_ips   only grows; queried for every packet.
//   good_ips  a sender is inserted once, when it is first seen, and removed when it is banned: a kind with deletion and growth.
//   bad_data  fixed. It is queried for every word of every packet, and three false positives ban a harmless sender: its FPR is much lower.
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

struct filter_options {
    std::string bad_kind = "elastic_blocked";
    std::string good_kind = "elastic_blocked";
    std::uint64_t bad_addresses = 1000; // initial capacity
    std::uint64_t senders = 10000;
    double fpr = 0.001;
    double pattern_fpr = 1e-9;
};

class filter_sets {
public:
    [[nodiscard]] static result<filter_sets> make(const filter_options& options, const any_hasher& hash,
                                                  const pattern_list& patterns);
    /// From the files of a saved state.
    [[nodiscard]] static filter_sets from(filter_file bad, filter_file good, pattern_filter patterns);

    /// answers[i]: 1 if senders[i] may be banned.
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
    /// False if the filter could not delete it. It may then remain positive, which is harmless: bad_ips takes precedence.
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
    std::optional<pattern_filter> patterns_; // always set; a concrete type is queried faster
    std::uint64_t bad_count_ = 0;            // insertions minus deletions
    std::uint64_t good_count_ = 0;
};

} // namespace everbloom::cli
