// live_view: a gate at work, for people who watch: a few lines on the terminal that are written over, once a second.
#pragma once

#include "gate/report.hpp"

#include <cstddef>
#include <string>

namespace everbloom::cli {

class live_view {
public:
    explicit live_view(std::string source) : source_(std::move(source)) {}
    live_view(const live_view&) = delete;
    live_view& operator=(const live_view&) = delete;
    /// Wipes the lines away: what is left on the screen is the result.
    ~live_view();

    /// `rate`: packets per second lately.
    void show(const gate_report& report, double rate);

private:
    void wipe() const;

    std::string source_;
    std::size_t lines_ = 0;
};

/// The lines themselves, without the movements of the cursor.
[[nodiscard]] std::string live_text(const gate_report& report, const std::string& source, double rate);

} // namespace everbloom::cli
