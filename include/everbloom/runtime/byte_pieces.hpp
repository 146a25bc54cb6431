// byte_sink and byte_source: a filter goes to a host (a server's dump, a socket) and comes back piece by piece, so that there is never a
// second copy of it in memory.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstddef>
#include <span>

namespace everbloom {

class byte_sink {
public:
    virtual ~byte_sink() = default;
    /// Takes all of these bytes, which follow the ones before.
    [[nodiscard]] virtual result<void> write(std::span<const std::byte> piece) = 0;
};

class byte_source {
public:
    virtual ~byte_source() = default;
    /// Fills all of `into` with the bytes that come next, or fails.
    [[nodiscard]] virtual result<void> read(std::span<std::byte> into) = 0;
};

} // namespace everbloom
