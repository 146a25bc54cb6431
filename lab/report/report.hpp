// Self-contained HTML report about filters and results.
#pragma once

#include <everbloom/core/result.hpp>

#include <string>
#include <vector>

namespace everbloom::cli {

struct report_request {
    std::vector<std::string> paths; // filters, JSON documents, directories
    std::string title;              // empty: derived from the inputs
};

/// The page.
[[nodiscard]] result<std::string> make_report(const report_request& wanted);

} // namespace everbloom::cli
