// skipped_lines: names the first lines without a valid key on standard error, and counts all of them.
#pragma once

#include "keys/key_batches.hpp"
#include "output/progress.hpp"

#include <cstdint>
#include <string>

namespace everbloom::cli {

class skipped_lines {
public:
    explicit skipped_lines(progress::mode wanted) noexcept : shown_(wanted == progress::mode::shown) {}

    /// The lines of a block, of which the first is number `first_line` of the file.
    void take(const std::string& file, std::uint64_t first_line, const line_account& account);
    /// The summary: "everbloom: 12 lines without a valid key were skipped"
    void report() const;

    [[nodiscard]] std::uint64_t invalid() const noexcept { return invalid_; }
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

private:
    bool shown_;
    std::uint64_t invalid_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t named_ = 0;
};

} // namespace everbloom::cli
