// report: the figures of a conversion, for people or as JSON.
#pragma once

#include "frame/summary.hpp"

#include <everbloom/foreign/foreign_filter.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

struct converted {
    std::uint64_t items = 0;
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    capacity_target target;
    double fpr_now = 0;
    std::uint64_t data_bytes = 0;
    std::vector<std::string> lost = {};
};

[[nodiscard]] converted figures_of(const dcso_header& header, std::uint64_t data_bytes, double fpr_now);
[[nodiscard]] converted figures_of(const foreign_filter& filter);

/// For a .bloom file with linked positions, which raise its FPR.
void warn_of_power_of_two(const std::string& path, const converted& made);

/// The files as the user named them.
struct conversion_names {
    std::string from;
    std::string to;
    std::string_view format;
};
void report_conversion(const summary_flags& output, const conversion_names& names, const converted& made);

} // namespace everbloom::cli
