// gap_code: sorted numbers in few bits, as the gaps between them.
//
// Of c random numbers below u, the gaps have u / c on average, and a Rice code of them comes within a twentieth of a bit of the least that is
// possible, log2(u / c) + 1.44 bits per number. One byte says how many low bits of each gap are written as they are; the rest is in unary.
//
//   | low bits r, one byte | per number: gap >> r ones, a zero, the r low bits of the gap | zeros up to a whole byte |
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace everbloom::gap_code {

/// `numbers` are sorted; equal ones may repeat.
void append(std::vector<std::byte>& into, std::span<const std::uint64_t> numbers);

/// Takes `count` numbers from the front of `from`. Nothing if they are cut off, or do not fit into 64 bits.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> take(std::span<const std::byte>& from, std::uint64_t count);

} // namespace everbloom::gap_code
