// dice: random choices that are the same on every machine, unlike the standard library's distributions.
#pragma once

#include <everbloom/probe/reduce.hpp>

#include <cstdint>
#include <random>

namespace everbloom::support {

class dice {
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}

    [[nodiscard]] std::uint64_t word() { return engine_(); }
    /// A number from 0 to `limit` - 1.
    [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return reduce(engine_(), limit); }
    [[nodiscard]] bool one_in(std::uint64_t many) { return below(many) == 0; }

private:
    std::mt19937_64 engine_;
};

} // namespace everbloom::support
