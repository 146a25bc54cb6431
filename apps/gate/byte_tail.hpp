// byte_tail: the last bytes of a stream, in a buffer of fixed size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace everbloom::cli {

/// `buffer` has room for `most` bytes and holds `held`, oldest first. Appends `more`, dropping the oldest; returns how many it holds then.
[[nodiscard]] inline std::size_t append_to_tail(std::uint8_t* buffer, std::size_t held, std::size_t most,
                                                std::span<const std::uint8_t> more) noexcept {
    const std::size_t added = std::min(more.size(), most);
    if (added == 0) return held;
    const std::size_t kept = std::min(held, most - added);
    std::memmove(buffer, buffer + (held - kept), kept);
    std::memcpy(buffer + kept, more.data() + (more.size() - added), added);
    return kept + added;
}

} // namespace everbloom::cli
