#include "gate/patterns/byte_pattern_list.hpp"

#include <everbloom/core/hex_digits.hpp>

#include <algorithm>
#include <numeric>

namespace everbloom::cli {

std::string byte_pattern::text() const {
    std::string line = "hex:";
    for (const std::uint8_t byte : bytes) append_hex(line, byte);
    if (std::ranges::all_of(mask, [](std::uint8_t one) { return one == whole_byte; })) return line;
    line += '/';
    for (const std::uint8_t byte : mask) append_hex(line, byte);
    return line;
}

void byte_pattern_list::add(byte_pattern one) {
    for (std::size_t i = 0; i < one.size(); ++i) {
        bytes_.push_back(static_cast<std::uint8_t>(one.bytes[i] & one.mask[i]));
    }
    masks_.insert(masks_.end(), one.mask.begin(), one.mask.end());
    begins_.push_back(bytes_.size());
    longest_ = std::max(longest_, one.size());
}

void byte_pattern_list::remove_duplicates() {
    std::vector<std::uint32_t> order(count());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    const auto is_before = [this](std::uint32_t left, std::uint32_t right) {
        const byte_pattern a = (*this)[left];
        const byte_pattern b = (*this)[right];
        if (!std::ranges::equal(a.bytes, b.bytes)) return std::ranges::lexicographical_compare(a.bytes, b.bytes);
        return std::ranges::lexicographical_compare(a.mask, b.mask);
    };
    std::sort(order.begin(), order.end(), is_before);
    const auto end = std::unique(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
        return !is_before(left, right) && !is_before(right, left);
    });
    byte_pattern_list made;
    for (auto one = order.begin(); one != end; ++one) made.add((*this)[*one]);
    *this = std::move(made);
}

std::string byte_pattern_list::text() const {
    std::string lines;
    for (std::size_t i = 0; i < count(); ++i) lines += (*this)[i].text() + "\n";
    return lines;
}

} // namespace everbloom::cli
