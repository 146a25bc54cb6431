// key_filtering: decides, key by key, which lines of a stream `uniq` prints in one pass.
#pragma once

#include "commands/uniq/seen_keys.hpp"
#include "commands/uniq/time_window.hpp"
#include "keys/hash_keys.hpp"
#include "keys/line_copier.hpp"

#include <optional>
#include <vector>

namespace everbloom::cli {

/// Which occurrences are printed.
enum class occurrence { first, second, repeated };

/// Where the time of a line is, if not its arrival.
struct time_place {
    std::vector<std::size_t> fields;
    delimiter split;
};

class key_filtering {
public:
    key_filtering(occurrence wanted, seen_keys seen, key_window window, std::optional<time_place> times)
        : wanted_(wanted), seen_(std::move(seen)), window_(std::move(window)), times_(std::move(times)) {}

    /// For `occurrence::second`: the keys that were seen twice.
    void use_second(seen_keys twice) { twice_.emplace(std::move(twice)); }

    /// Appends the lines to be printed.
    [[nodiscard]] result<void> take(const hashed_keys& keys, char separator, std::string& output);

    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    [[nodiscard]] std::uint64_t firsts() const noexcept { return firsts_; }
    [[nodiscard]] std::uint64_t printed() const noexcept { return printed_; }
    [[nodiscard]] seen_keys& seen() noexcept { return seen_; }
    [[nodiscard]] key_window& window() noexcept { return window_; }

private:
    [[nodiscard]] result<void> choose(const hashed_keys& keys, line_copier& printer);
    /// If it is not the first occurrence that is wanted.
    [[nodiscard]] result<bool> is_wanted(const digest& key, bool is_first);
    [[nodiscard]] result<void> classify_in_window(const hashed_keys& keys, std::size_t key, std::uint8_t& is_first);
    [[nodiscard]] result<void> forget(const digest& key);
    [[nodiscard]] result<std::uint64_t> time_of(std::string_view line);

    occurrence wanted_;
    seen_keys seen_;
    std::optional<seen_keys> twice_;
    key_window window_;
    std::optional<time_place> times_;
    text_arena arena_;
    std::uint64_t keys_ = 0;
    std::uint64_t firsts_ = 0;
    std::uint64_t printed_ = 0;
};

} // namespace everbloom::cli
