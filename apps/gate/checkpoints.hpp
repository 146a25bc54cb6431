// checkpoints: when the state of a live run is saved, by time, by packets, or both.
#pragma once

#include <everbloom/core/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace everbloom::cli {

struct checkpoint_rules {
    std::optional<double> seconds;
    std::optional<std::uint64_t> packets;
};

class checkpoints {
public:
    using clock = std::chrono::steady_clock;

    checkpoints() = default; // none
    checkpoints(const checkpoint_rules& rules, std::function<result<void>()> save)
        : rules_(rules), save_(std::move(save)) {}

    /// Saves if it is time to, and there are packets that the last save has not seen.
    [[nodiscard]] result<void> after(std::uint64_t packets) {
        if (!save_ || packets == saved_packets_ || !is_due(packets)) return {};
        saved_packets_ = packets;
        auto saved = save_();
        saved_at_ = clock::now();
        return saved;
    }

private:
    [[nodiscard]] bool is_due(std::uint64_t packets) const {
        if (rules_.packets && packets - saved_packets_ >= *rules_.packets) return true;
        return rules_.seconds && std::chrono::duration<double>(clock::now() - saved_at_).count() >= *rules_.seconds;
    }

    checkpoint_rules rules_;
    std::function<result<void>()> save_;
    std::uint64_t saved_packets_ = 0;
    clock::time_point saved_at_ = clock::now();
};

} // namespace everbloom::cli
