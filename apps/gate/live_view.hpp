// live_view: live counters of a gate on the terminal, redrawn once a second.
#pragma once

#include "gate/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace everbloom::cli {

class live_view {
public:
    /// `hint` stands at the end of the first line: "q: quit".
    explicit live_view(std::string source, std::string_view hint = {}) : source_(std::move(source)), hint_(hint) {}
    live_view(const live_view&) = delete;
    live_view& operator=(const live_view&) = delete;
    /// Erases the lines.
    ~live_view();

    /// `rate`: packets per second since the last view.
    void show(const gate_report& report, double rate);

private:
    void wipe() const;

    std::string source_;
    std::string_view hint_;
    std::size_t lines_ = 0;
};

/// The lines without cursor movements.
[[nodiscard]] std::string live_text(const gate_report& report, const std::string& source, double rate,
                                    std::string_view hint);

} // namespace everbloom::cli
