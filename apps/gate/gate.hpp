// gate: a machine with filters, one with exact sets, or both side by side on the same packets.
#pragma once

#include "gate/comparison.hpp"
#include "gate/exact_sets.hpp"
#include "gate/filter_sets.hpp"
#include "gate/machine.hpp"
#include "gate/packet.hpp"
#include "gate/patterns/gate_patterns.hpp"

#include <array>
#include <memory>
#include <optional>

namespace everbloom::cli {

enum class gate_mode : std::uint8_t { filters, exact, compare };
inline constexpr std::array<std::string_view, 3> gate_mode_words{"filters", "exact", "compare"};

struct gate_plan {
    gate_mode mode = gate_mode::filters;
    filter_options filters;
    machine_limits limits;
};

class gate {
public:
    using filter_machine = gate_machine<filter_sets>;
    using exact_machine = gate_machine<exact_sets>;

    /// `saved`: the filters of a saved state; new ones are made without them.
    [[nodiscard]] static result<gate> make(const gate_plan& plan, const any_hasher& hash, gate_patterns patterns,
                                           std::optional<filter_sets> saved = {});

    /// Judges decodable packets, at most packets_at_once. Fills `verdicts` and, with both machines, `truths`.
    [[nodiscard]] result<void> judge(std::span<const packet> packets, std::span<verdict> verdicts,
                                     std::span<verdict> truths);
    /// Bans an address permanently, as a blacklist does.
    [[nodiscard]] result<void> ban(const ip_address& address);
    /// Bans networks. Senders in them that are known as good stay so, without effect: bad wins.
    void ban(std::span<const address_range> networks) { networks_->add(networks); }

    [[nodiscard]] standing ask(const ip_address& address) const;
    /// The answer of the exact sets, if both machines run.
    [[nodiscard]] std::optional<standing> truth(const ip_address& address) const;

    /// Strikes in the packets of the last call of `judge`, by the machine whose verdicts count.
    [[nodiscard]] std::span<const strike> strikes() const noexcept;

    [[nodiscard]] const gate_plan& plan() const noexcept { return plan_; }
    [[nodiscard]] const any_hasher& hash() const noexcept { return hash_; }
    [[nodiscard]] const gate_patterns& patterns() const noexcept { return *patterns_; }
    [[nodiscard]] const address_ranges& networks() const noexcept { return *networks_; }
    [[nodiscard]] filter_machine* filters() const noexcept { return filters_.get(); }
    [[nodiscard]] exact_machine* exact() const noexcept { return exact_.get(); }
    [[nodiscard]] gate_comparison& compared() noexcept { return compared_; }
    [[nodiscard]] const gate_comparison& compared() const noexcept { return compared_; }
    /// Senders banned by the filters for their strikes; kept with both machines.
    [[nodiscard]] absl::flat_hash_set<ip_address>& banned_by_filters() noexcept { return banned_by_filters_; }
    [[nodiscard]] const absl::flat_hash_set<ip_address>& banned_by_filters() const noexcept {
        return banned_by_filters_;
    }

    /// Of the machine whose verdicts count: the filters' if there are filters.
    [[nodiscard]] const gate_counters& counters() const noexcept;
    [[nodiscard]] const sender_table& senders() const noexcept;
    [[nodiscard]] const flow_table& flows() const noexcept;

    /// FPR of the filters in their current state, by their models.
    [[nodiscard]] double model_of_bad_ips() const;
    [[nodiscard]] double model_of_good_ips() const;
    [[nodiscard]] double model_of_bad_data() const;
    /// Expected number of false strikes in all windows of words that were queried.
    [[nodiscard]] double expected_strikes() const;

private:
    void hash_senders(std::span<const packet> packets);
    void compare(std::span<const packet> packets, std::span<const verdict> verdicts, std::span<const verdict> truths);

    gate_plan plan_;
    any_hasher hash_;
    // The machines refer to these two.
    std::unique_ptr<const gate_patterns> patterns_;
    std::unique_ptr<address_ranges> networks_ = std::make_unique<address_ranges>();
    std::unique_ptr<filter_machine> filters_;
    std::unique_ptr<exact_machine> exact_;
    gate_comparison compared_;
    absl::flat_hash_set<ip_address> banned_by_filters_;
    std::vector<sender_key> keys_;
};

} // namespace everbloom::cli
