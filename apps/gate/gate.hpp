// gate: a machine that judges by filters, one that judges by exact sets, or both side by side on the same packets.
#pragma once

#include "gate/comparison.hpp"
#include "gate/exact_sets.hpp"
#include "gate/filter_sets.hpp"
#include "gate/machine.hpp"
#include "gate/packet.hpp"

#include <array>
#include <memory>
#include <optional>

namespace everbloom::cli {

enum class gate_mode : std::uint8_t { filters, exact, compare };
inline constexpr std::array<std::string_view, 3> gate_mode_words{"filters", "exact", "compare"};

struct gate_plan {
    gate_mode mode = gate_mode::filters;
    filter_wishes filters;
    std::uint64_t most_senders = 1'000'000;
};

class gate {
public:
    using filter_machine = gate_machine<filter_sets>;
    using exact_machine = gate_machine<exact_sets>;

    /// `saved`: the filters of a saved state; without them new ones are made.
    [[nodiscard]] static result<gate> make(const gate_plan& plan, const any_hasher& hash, pattern_list patterns,
                                           std::optional<filter_sets> saved = {});

    /// Packets that could be decoded, at most packets_at_once. Fills verdicts and, when both machines judge, truths.
    [[nodiscard]] result<void> judge(std::span<const packet> packets, std::span<verdict> verdicts,
                                     std::span<verdict> truths);
    /// Refuses an address for ever, as a blacklist does.
    [[nodiscard]] result<void> ban(const ip_address& address);

    [[nodiscard]] standing ask(const ip_address& address) const;
    /// What is true of it, if exact sets judge beside the filters.
    [[nodiscard]] std::optional<standing> truth(const ip_address& address) const;

    /// Those who were banned for their strikes since the last call, by the machine whose verdicts count.
    [[nodiscard]] std::vector<ip_address> take_moved() { return std::exchange(moved_, {}); }

    [[nodiscard]] const gate_plan& plan() const noexcept { return plan_; }
    [[nodiscard]] const any_hasher& hash() const noexcept { return hash_; }
    [[nodiscard]] const pattern_list& patterns() const noexcept { return patterns_; }
    [[nodiscard]] filter_machine* filters() const noexcept { return filters_.get(); }
    [[nodiscard]] exact_machine* exact() const noexcept { return exact_.get(); }
    [[nodiscard]] gate_comparison& compared() noexcept { return compared_; }
    [[nodiscard]] const gate_comparison& compared() const noexcept { return compared_; }
    /// Whom the filters banned for their strikes; kept when both judge.
    [[nodiscard]] absl::flat_hash_set<ip_address>& banned_by_filters() noexcept { return banned_by_filters_; }
    [[nodiscard]] const absl::flat_hash_set<ip_address>& banned_by_filters() const noexcept {
        return banned_by_filters_;
    }

    /// Of the machine whose verdicts count: the filters' if there are filters.
    [[nodiscard]] const gate_counters& counters() const noexcept;
    [[nodiscard]] const sender_table& senders() const noexcept;

    /// What the models say of the filters as they are now.
    [[nodiscard]] double model_of_bad_ips() const;
    [[nodiscard]] double model_of_good_ips() const;
    [[nodiscard]] double model_of_bad_data() const;
    /// So many strikes of the innocent, in all the windows of words that were asked for.
    [[nodiscard]] double expected_strikes() const;

private:
    void compare(std::span<const packet> packets, std::span<const verdict> verdicts, std::span<const verdict> truths);

    gate_plan plan_;
    any_hasher hash_;
    pattern_list patterns_;
    std::unique_ptr<filter_machine> filters_;
    std::unique_ptr<exact_machine> exact_;
    gate_comparison compared_;
    absl::flat_hash_set<ip_address> banned_by_filters_;
    std::vector<ip_address> moved_;
    std::vector<sender_key> keys_;
};

} // namespace everbloom::cli
