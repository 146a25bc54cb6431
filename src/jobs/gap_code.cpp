#include "gap_code.hpp"

#include <bit>

namespace everbloom::gap_code {
namespace {

constexpr unsigned most_low_bits = 63;

/// The low bits that suit an average gap: half of the gaps are below 0.69 times their average.
unsigned low_bits_for(std::span<const std::uint64_t> numbers) {
    if (numbers.empty()) return 0;
    const double usual = 0.69 * static_cast<double>(numbers.back()) / static_cast<double>(numbers.size());
    unsigned bits = 0;
    while (bits < most_low_bits && static_cast<double>(std::uint64_t{1} << bits) < usual) ++bits;
    return bits;
}

class bit_writer {
public:
    explicit bit_writer(std::vector<std::byte>& into) : into_(into) {}

    void put(unsigned bit) {
        pending_ |= bit << bits_;
        if (++bits_ == 8) finish();
    }
    void finish() {
        if (bits_ != 0) into_.push_back(static_cast<std::byte>(pending_));
        pending_ = bits_ = 0;
    }

private:
    std::vector<std::byte>& into_;
    unsigned pending_ = 0;
    unsigned bits_ = 0;
};

} // namespace

void append(std::vector<std::byte>& into, std::span<const std::uint64_t> numbers) {
    const unsigned low_bits = low_bits_for(numbers);
    into.push_back(static_cast<std::byte>(low_bits));
    bit_writer bits(into);
    std::uint64_t last = 0;
    for (const std::uint64_t number : numbers) {
        const std::uint64_t gap = number - last;
        last = number;
        for (std::uint64_t ones = gap >> low_bits; ones != 0; --ones) bits.put(1);
        bits.put(0);
        for (unsigned bit = 0; bit < low_bits; ++bit) bits.put(static_cast<unsigned>(gap >> bit & 1));
    }
    bits.finish();
}

std::optional<std::vector<std::uint64_t>> take(std::span<const std::byte>& from, std::uint64_t count) {
    if (from.empty()) return std::nullopt;
    const auto low_bits = std::to_integer<unsigned>(from.front());
    from = from.subspan(1);
    const std::uint64_t all_bits = 8 * static_cast<std::uint64_t>(from.size());
    if (low_bits > most_low_bits || count > all_bits / (low_bits + 1)) return std::nullopt;
    std::uint64_t at = 0;
    const auto next = [&]() -> std::uint64_t {
        const auto byte = std::to_integer<std::uint64_t>(from[static_cast<std::size_t>(at / 8)]);
        return byte >> at++ % 8 & 1;
    };
    std::vector<std::uint64_t> made;
    made.reserve(static_cast<std::size_t>(count));
    std::uint64_t last = 0;
    for (; count != 0; --count) {
        std::uint64_t ones = 0;
        while (at < all_bits && next() == 1) ++ones;
        if (at + low_bits > all_bits || ones > ~std::uint64_t{0} >> low_bits) return std::nullopt;
        std::uint64_t gap = ones << low_bits;
        for (unsigned bit = 0; bit < low_bits; ++bit) gap |= next() << bit;
        if (gap > ~last) return std::nullopt;
        made.push_back(last += gap);
    }
    from = from.subspan(static_cast<std::size_t>((at + 7) / 8));
    return made;
}

} // namespace everbloom::gap_code
