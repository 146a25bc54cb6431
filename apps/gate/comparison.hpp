// gate_comparison: errors of the filters against exact sets, and the numbers that the models predict.
//
//   false rejection  the filters reject a packet that should pass, because its sender is a false positive of bad_ips. The model is the
//                    FPR of bad_ips at its current size; all packets of a sender share the error, so senders are counted too.
//   false strike     the words of a packet are a false positive of bad_data. The model is the FPR of bad_data, for each window of words
//                    that is queried.
//   aftermath        consequences of false strikes: packets of a sender who was falsely banned, bad data that is missed because the
//                    words before it were cleared, or because its sender was banned too early or too late.
#pragma once

#include "gate/hash_set_room.hpp"
#include "gate/ip_address.hpp"
#include "gate/verdict.hpp"

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <span>

namespace everbloom::cli {

struct comparison_counts {
    std::uint64_t honest_packets = 0; // of senders banned neither by exact sets nor by false strikes
    double expected_rejections = 0;   // predicted by the model
    std::uint64_t false_rejections = 0;
    std::uint64_t false_strikes = 0;
    std::uint64_t aftermath = 0;

    friend bool operator==(const comparison_counts&, const comparison_counts&) = default;
};

class gate_comparison {
public:
    /// The model is evaluated again when bad_ips has grown by 2 %: the model of a growing filter is slow.
    [[nodiscard]] bool model_is_stale(std::uint64_t bad_addresses) const noexcept {
        return bad_addresses > rate_holds_up_to_;
    }
    void take_model(double rejection_rate, std::uint64_t bad_addresses) noexcept {
        rejection_rate_ = rejection_rate;
        rate_holds_up_to_ = bad_addresses + bad_addresses / 50;
    }

    /// `banned`: senders banned by the filters for their strikes.
    void note(const ip_address& sender, verdict said, verdict truth, const absl::flat_hash_set<ip_address>& banned) {
        if (truth == verdict::reject || (said == verdict::reject && banned.contains(sender))) {
            if (said != truth) ++counts_.aftermath;
            return;
        }
        ++counts_.honest_packets;
        counts_.expected_rejections += rejection_rate_;
        if (said == truth) return;
        if (said == verdict::reject) {
            ++counts_.false_rejections;
            make_room(rejected_);
            rejected_.insert(sender);
        } else if (said == verdict::bad) {
            ++counts_.false_strikes;
        } else {
            ++counts_.aftermath;
        }
    }

    [[nodiscard]] const comparison_counts& counts() const noexcept { return counts_; }
    [[nodiscard]] const absl::flat_hash_set<ip_address>& rejected_senders() const noexcept { return rejected_; }
    void restore(const comparison_counts& counts, std::span<const ip_address> rejected) {
        counts_ = counts;
        insert_all(rejected_, rejected);
    }

private:
    comparison_counts counts_;
    absl::flat_hash_set<ip_address> rejected_;
    double rejection_rate_ = 0; // last FPR of bad_ips by the model
    std::uint64_t rate_holds_up_to_ = 0;
};

} // namespace everbloom::cli
