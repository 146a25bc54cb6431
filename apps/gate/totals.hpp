// gate_totals: packet counts by decoding result.
#pragma once

#include "gate/packet.hpp"

#include <array>
#include <cstdint>

namespace everbloom::cli {

struct gate_totals {
    std::uint64_t packets = 0;
    std::array<std::uint64_t, decodings> by_decoding{};

    [[nodiscard]] std::uint64_t of(decoding how) const noexcept { return by_decoding[static_cast<std::size_t>(how)]; }
    [[nodiscard]] std::uint64_t undecodable() const noexcept {
        return packets - of(decoding::whole) - of(decoding::cut_short);
    }
    void note(const packet& one) noexcept {
        ++packets;
        ++by_decoding[static_cast<std::size_t>(one.how)];
    }
};

} // namespace everbloom::cli
