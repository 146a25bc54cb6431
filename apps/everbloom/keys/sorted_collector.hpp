// sorted_collector: collects values with duplicates, in memory proportional to the distinct ones.
//
// Values are appended; each time their number has doubled they are sorted and duplicates are dropped. A file of sixteen million empty
// lines costs as much as one of a few thousand.
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
