#include "measurements.hpp"

#include <algorithm>
#include <regex>

namespace everbloom::bench {

measurement_name measurement_name::parse(std::string_view text) {
    const auto first = std::min(text.find('/'), text.size());
    const auto last = std::max(first, text.rfind('/'));
    if (last >= text.size()) return {std::string(text), "", ""};
    return {std::string(text.substr(0, first)), std::string(text.substr(first + 1, last - first - 1)),
            std::string(text.substr(last + 1))};
}

std::vector<std::string>& added_measurements() {
    static std::vector<std::string> all;
    return all;
}

std::size_t count_matching(std::string_view filter) {
    const bool inverted = !filter.empty() && filter.front() == '-';
    if (inverted) filter.remove_prefix(1);
    if (filter.empty() || filter == "all") filter = ".";
    const auto& all = added_measurements();
    try {
        const std::regex wanted(filter.begin(), filter.end());
        return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const std::string& name) {
            return std::regex_search(name, wanted) != inverted;
        }));
    } catch (const std::regex_error&) {
        return all.size(); // Google Benchmark will say what is wrong with it
    }
}

} // namespace everbloom::bench
