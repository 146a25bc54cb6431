// What the person at the keyboard asked for: our own flags, taken out of the arguments before Google Benchmark reads the rest.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::bench {

enum class haste { normal, quick };
enum class wish { measure, explain };

struct settings {
    std::uint64_t items = 0;
    double fpr = 0.01;
    std::vector<std::string> kinds; // empty: all of them
    std::string json_path;          // empty: no file
    haste pace = haste::normal;
    wish wanted = wish::measure;
    std::vector<std::string> passed_on; // for Google Benchmark, in order

    [[nodiscard]] bool includes(std::string_view kind) const noexcept;
    /// Whether a flag of Google Benchmark was given, as `--name` or `--name=value`.
    [[nodiscard]] bool passes_on(std::string_view flag) const noexcept;
};

/// Reads the arguments behind the program's name.
[[nodiscard]] result<settings> read_settings(const std::vector<std::string>& arguments);

/// What --help prints.
[[nodiscard]] std::string help_text();

/// The settings of this run; they are set once, before the first benchmark is registered.
[[nodiscard]] const settings& run_settings() noexcept;
void set_run_settings(settings chosen);

} // namespace everbloom::bench
