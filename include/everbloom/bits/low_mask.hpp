// A word whose lowest `width` bits are set; width 0 to 64.
#pragma once

#include <cstdint>

namespace everbloom {

[[nodiscard]] constexpr std::uint64_t low_mask(unsigned width) noexcept {
    return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

} // namespace everbloom
