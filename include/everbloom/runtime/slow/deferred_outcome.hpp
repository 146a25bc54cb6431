// deferred_outcome: what a removal did whose verdict falls later.
#pragma once

#include <cstdint>

namespace everbloom {

/// What `erase_later` did.
enum class deferred_outcome : std::uint8_t {
    accepted,    // removed at the next merge, if it is there
    not_present, // surely not there: nothing was done
    refused,     // not accepted: no memory, a failing disk, or read-only
};

} // namespace everbloom
