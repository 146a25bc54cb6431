// Writes synthetic traffic to files: packets in one of the gate's formats, blacklist.txt, patterns.txt, queries.txt.
#pragma once

#include "gate/traffic.hpp"

#include <everbloom/core/result.hpp>

#include <functional>
#include <string>

namespace everbloom::cli {

enum class traffic_format { raw, text, pcap };
enum class existing_files { keep, replace };

struct traffic_files {
    std::string packets;
    std::string blacklist;
    std::string patterns;
    std::string queries;
};

/// Fails if a number is out of range.
[[nodiscard]] result<void> check(const traffic_plan& plan);

/// `progress` is called every few thousand packets with their number; a failure stops the run.
[[nodiscard]] result<traffic_files> write_traffic(const traffic_plan& plan, traffic_format format,
                                                  const std::string& directory, existing_files existing,
                                                  const std::function<result<void>(std::uint64_t)>& progress);

} // namespace everbloom::cli
