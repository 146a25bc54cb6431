// progress: a line on stderr for work that takes longer than a second, on a terminal.
//
//     1.2 M keys, 8.3 M keys/s, 41 %, 3 s left
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace everbloom::cli {

class progress {
public:
    enum class mode { shown, silent };

    /// `total_bytes`: the size of the input; 0 if unknown.
    progress(mode wanted, std::uint64_t total_bytes, std::string_view noun = "keys");
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    /// Clears the line.
    ~progress();

    /// Adds to the keys and bytes processed.
    void advance(std::uint64_t keys, std::uint64_t bytes);

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] std::string line(double seconds) const;

    bool shown_;
    bool visible_ = false;
    std::uint64_t total_bytes_;
    std::string_view noun_;
    std::uint64_t keys_ = 0;
    std::uint64_t bytes_ = 0;
    clock::time_point begun_;
    clock::time_point next_;
};

} // namespace everbloom::cli
