// The machine that speeds were measured on: without it they mean nothing.
#pragma once

#include <string>

namespace everbloom::cli {

struct machine_facts {
    std::string processor;
    unsigned cores = 0;
    double load = 0;  // processes that wanted a processor in the last minute
    std::string date; // UTC

    [[nodiscard]] static machine_facts of_now();
    /// "Intel Xeon, 2 cores, load 1.3, 2026-11-17 13:00 UTC"
    [[nodiscard]] std::string words() const;
};

} // namespace everbloom::cli
