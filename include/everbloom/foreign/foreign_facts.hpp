// foreign_facts: what can be said about a filter of another program, from its header and its bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace everbloom {

struct foreign_facts {
    std::uint64_t file_bytes = 0; // uncompressed
    std::uint64_t bits = 0;
    std::uint64_t occupied = 0;                // bits that are set
    double items = 0;                          // estimated from the bits, unless the file says it
    std::optional<std::uint64_t> stated_items; // the number of keys that the file says
    double fpr = 0;                            // from the bits
    std::uint64_t capacity = 0;                // 0: the file does not say it
    double target_fpr = 0;
    std::string_view hash; // in words
    /// Name and value of its parameters, in the order of the file.
    std::vector<std::pair<std::string_view, std::string>> parameters;

    [[nodiscard]] std::uint64_t whole_items() const noexcept {
        return stated_items ? *stated_items : static_cast<std::uint64_t>(std::llround(items));
    }
};

} // namespace everbloom
