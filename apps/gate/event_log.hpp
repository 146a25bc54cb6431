// event_log: the output of --events, one JSON object per line for every strike and every ban, for fail2ban, nft and log collectors:
//
//     {"time":"2026-11-17T16:26:58Z","event":"strike","ip":"10.0.0.1","strikes":3,"packet":41,"pattern":"hex:474e55"}
//     {"time":"2026-11-17T16:26:58Z","event":"ban","ip":"10.0.0.1","strikes":3,"packet":41}
//
// Lines are appended, whole lines at a time, as programs that follow a log expect. A file that holds something else is refused.
#pragma once

#include "gate/gate.hpp"

#include <everbloom/core/result.hpp>

#include <span>
#include <string>

namespace everbloom::cli {

class event_log {
public:
    /// "-" is standard output. `inputs` are the files that the command reads. A file is made with the first flush.
    [[nodiscard]] static result<event_log> begin(const std::string& path, std::span<const std::string> inputs);

    event_log(event_log&& other) noexcept;
    event_log& operator=(event_log&&) = delete;
    ~event_log();

    /// `first_packet` is the number of the packet that strikes with index 0 refer to.
    [[nodiscard]] result<void> write(std::span<const strike> strikes, std::uint64_t first_packet,
                                     const gate_patterns& patterns);
    /// Writes the buffer out, and makes the file if it does not exist.
    [[nodiscard]] result<void> flush();

private:
    enum class target : std::uint8_t { file, standard_output };

    event_log(std::string path, int descriptor, target to)
        : path_(std::move(path)), descriptor_(descriptor), is_noted_(to == target::standard_output) {}

    std::string path_;
    int descriptor_; // negative: not yet opened
    bool is_noted_;  // in the record of changed files
    std::string buffer_;
};

} // namespace everbloom::cli
