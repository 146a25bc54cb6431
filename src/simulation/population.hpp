// The members of a trial by their numbers. As long as they are 0, 1, 2, ... none of them is stored; the first one that leaves, or
// was refused by the filter, makes a list of them.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace everbloom {

class population {
public:
    [[nodiscard]] std::uint64_t count() const noexcept { return listed_ ? numbers_.size() : count_; }
    [[nodiscard]] std::uint64_t at(std::uint64_t index) const noexcept { return listed_ ? numbers_[index] : index; }

    void add(std::uint64_t number) {
        if (!listed_ && number == count_) {
            ++count_;
            return;
        }
        make_list();
        numbers_.push_back(number);
    }

    /// Takes out the member at `index` and says its number; the last one takes its place.
    std::uint64_t take(std::uint64_t index) {
        make_list();
        const std::uint64_t number = numbers_[index];
        numbers_[index] = numbers_.back();
        numbers_.pop_back();
        return number;
    }

private:
    void make_list() {
        if (listed_) return;
        numbers_.resize(count_);
        std::iota(numbers_.begin(), numbers_.end(), std::uint64_t{0});
        listed_ = true;
    }

    std::uint64_t count_ = 0;
    std::vector<std::uint64_t> numbers_;
    bool listed_ = false;
};

} // namespace everbloom
