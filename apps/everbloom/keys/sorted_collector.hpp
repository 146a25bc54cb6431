// sorted_collector: gathers many values that repeat, in memory that follows the different ones.
//
// Values are only appended. When twice as many are there as were left the last time, they are sorted and repetitions go. A file of sixteen
// million empty lines costs as much as one of a few thousand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace everbloom::cli {

template <class Value>
class sorted_collector {
public:
    void add(const Value& one) {
        if (values_.size() >= limit_) compact();
        values_.push_back(one);
    }

    /// Sorted, each value once.
    [[nodiscard]] std::vector<Value> finish() && {
        compact();
        return std::move(values_);
    }

private:
    static constexpr std::size_t least = std::size_t{1} << 16;

    void compact() {
        if (!std::is_sorted(values_.begin(), values_.end())) std::sort(values_.begin(), values_.end());
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        limit_ = std::max(least, 2 * values_.size());
        values_.reserve(limit_);
    }

    std::vector<Value> values_;
    std::size_t limit_ = least;
};

} // namespace everbloom::cli
