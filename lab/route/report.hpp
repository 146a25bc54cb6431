// Report of `route`, as text and as JSON.
#pragma once

#include "lab/route/delivery.hpp"
#include "lab/route/trials.hpp"
#include "output/json_output.hpp"

#include <optional>
#include <string>

namespace everbloom::cli {

/// A header of one kind, and the delivery of its packet.
struct sent_packet {
    header_code code;
    packet_bits packet;
    delivery outcome;
    std::optional<estimate> expected; // false positives over all trials, if there were any
};

enum class way_choice { longest, asked };
enum class header_origin { built, given };

struct route_report {
    network net;
    connectivity connected;
    packet_route way;
    way_choice choice = way_choice::longest;
    header_origin origin = header_origin::built;
    std::uint64_t hash_seed = 0;
    std::uint64_t trials = 0;
    std::optional<sent_packet> bloom;
    std::optional<sent_packet> yes_no;

    [[nodiscard]] bool is_tree() const noexcept { return way.destinations.size() > 1; }
    /// Did any packet miss a destination?
    [[nodiscard]] bool missed_somebody() const noexcept {
        return (bloom && !bloom->outcome.missed.empty()) || (yes_no && !yes_no->outcome.missed.empty());
    }
};

/// "192 + 2 x 32 bits" or "256 bits"
[[nodiscard]] std::string shape_text(const route::header_shape& shape);

[[nodiscard]] std::string route_text(const route_report& report);
[[nodiscard]] json route_document(const route_report& report);

} // namespace everbloom::cli
