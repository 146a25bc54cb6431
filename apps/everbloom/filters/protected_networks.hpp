// protected_networks: known negatives of a filter of key type cidr.
//
// A query for an address asks for every network that contains it and has a prefix length in use. So an address is protected if none of these
// networks is a false positive, and a network if that holds for all addresses in it.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace everbloom::cli {

class protected_networks {
public:
    explicit protected_networks(const prefix_lengths& in_use) : in_use_(in_use) {}

    /// The networks that must not be false positives, so that the address or network `text` is none. Refuses what is too large.
    [[nodiscard]] result<std::vector<network>> keys_of(std::string_view text) const;

private:
    prefix_lengths in_use_;
};

} // namespace everbloom::cli
