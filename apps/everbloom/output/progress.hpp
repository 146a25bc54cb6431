// progress: one line on stderr about work that takes longer than a second, for people who watch.
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

    /// `total_bytes` of input are to be read; 0: nobody knows.
    progress(mode wanted, std::uint64_t total_bytes, std::string_view noun = "keys");
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    /// Wipes the line away: what is left on the screen is the result.
    ~progress();

    /// So many keys and bytes more are done.
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
