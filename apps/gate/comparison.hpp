// gate_comparison: what filters said beside what is true, and what the models said they would say.
//
//   false rejection  the filters reject a packet that should pass, because bad_ips holds its sender by mistake. The model gives the
//                    rate of bad_ips at its size at that moment; packets of one sender share their fate, so senders are counted too.
//   false strike     the words of a packet are taken for a pattern that they are not. The model gives the rate of bad_data for each
//                    window of words that is asked for.
//   aftermath        what follows from false strikes: packets of a sender who was banned by mistake, bad data that is not seen because the
//                    words before it were forgotten, or because its sender was banned too early or too late.
#pragma once

#include "gate/hash_set_room.hpp"
#include "gate/ip_address.hpp"
#include "gate/verdict.hpp"

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <span>

namespace everbloom::cli {

struct comparison_counts {
    std::uint64_t honest_packets = 0; // of senders whom neither the truth nor false strikes have banned
    double expected_rejections = 0;   // of these, by the model
    std::uint64_t false_rejections = 0;
    std::uint64_t false_strikes = 0;
    std::uint64_t aftermath = 0;

    friend bool operator==(const comparison_counts&, const comparison_counts&) = default;
};

class gate_comparison {
public:
    /// The model has to be asked again when bad_ips holds more addresses than it was asked for. One in fifty more does not matter, and
    /// the model of a filter that grows takes a while.
    [[nodiscard]] bool model_is_stale(std::uint64_t bad_addresses) const noexcept {
        return bad_addresses > rate_holds_up_to_;
    }
    void take_model(double rejection_rate, std::uint64_t bad_addresses) noexcept {
        rejection_rate_ = rejection_rate;
        rate_holds_up_to_ = bad_addresses + bad_addresses / 50;
    }

    /// `banned`: whom the filters banned for their strikes.
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
    double rejection_rate_ = 0; // what the model said of bad_ips last
    std::uint64_t rate_holds_up_to_ = 0;
};

} // namespace everbloom::cli
