// Rivals: filters of other authors, small and plain, to stand beside our kinds in figures. Each is written from the idea of its paper.
//
// They are not kinds: no files, no prefetching, no vector instructions. What is compared is space, false positives, cache lines per query
// and which operations succeed, and these do not depend on such things. A rival says what it cannot do: an insertion without room has an
// outcome, a construction without a solution is a failure.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/filter/outcomes.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace everbloom::lab::rivals {

/// Counts the different cache lines that a query reads. Each array of a filter has a number of its own.
class line_log {
public:
    static constexpr std::uint64_t bits_per_line = 512;

    void note_bits(std::uint64_t array, std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t line = first / bits_per_line; line <= (first + count - 1) / bits_per_line; ++line) {
            const std::uint64_t name = (array << 48) | line;
            if (std::find(lines_.begin(), lines_.end(), name) == lines_.end()) lines_.push_back(name);
        }
    }
    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_.size(); }
    void clear() noexcept { lines_.clear(); }

private:
    std::vector<std::uint64_t> lines_;
};

/// What every rival can do. `log` may be null.
class rival {
public:
    rival() = default;
    rival(const rival&) = delete;
    rival& operator=(const rival&) = delete;
    virtual ~rival() = default;

    [[nodiscard]] virtual bool contains(digest item, line_log* log = nullptr) const = 0;
    /// All memory that queries and changes need.
    [[nodiscard]] virtual std::uint64_t bits() const noexcept = 0;
};

/// A rival that takes keys one by one.
class growing_rival : public rival {
public:
    /// `full_bucket` or `growth_refused` if there is no room; then nothing has changed.
    [[nodiscard]] virtual insert_outcome insert(digest item) = 0;
    [[nodiscard]] virtual erase_outcome erase(digest) { return erase_outcome::unsupported; }
};

/// A built static rival, or the reason why there is none.
using built_rival = result<std::unique_ptr<rival>>;

} // namespace everbloom::lab::rivals
