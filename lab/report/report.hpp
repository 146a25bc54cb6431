// A report: one HTML page about filters and results that needs no other file, so that it can be mailed around.
#pragma once

#include <everbloom/core/result.hpp>

#include <string>
#include <vector>

namespace everbloom::cli {

struct report_request {
    std::vector<std::string> paths; // filters, JSON documents, directories
    std::string title;              // empty: one is found
};

/// The page.
[[nodiscard]] result<std::string> make_report(const report_request& wanted);

} // namespace everbloom::cli
