// state_manifest: gate.json of a saved gate, as a struct and as text.
#pragma once

#include "gate/gate.hpp"
#include "gate/totals.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace everbloom::cli {

struct state_file {
    std::string part; // bad_ips
    std::string name; // bad_ips.7.eb
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
};

struct machine_history {
    gate_counters counters;
    std::uint64_t evicted = 0;
    flow_counters flows;
};

/// Version 2 added byte patterns, networks and TCP connections. States of version 1 are read as states without them.
inline constexpr int state_version = 2;
inline constexpr int first_state_version = 1;

struct state_manifest {
    int version = state_version;
    std::uint64_t number = 0; // of the save
    gate_mode mode = gate_mode::filters;
    filter_options options;
    gate_totals totals;
    std::uint64_t blacklist_checksum = 0;
    machine_history filters;
    machine_history exact;
    std::uint64_t bad_count = 0;
    std::uint64_t good_count = 0;
    comparison_counts compared;
    std::vector<state_file> files;
};

[[nodiscard]] state_manifest manifest_of(const gate& current, const gate_totals& totals,
                                         std::uint64_t blacklist_checksum);
[[nodiscard]] std::string write_manifest(const state_manifest& manifest);
[[nodiscard]] result<state_manifest> read_manifest(std::span<const std::byte> text);

} // namespace everbloom::cli
