#include "filters/kind_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::cli {

std::string joined(const std::vector<std::string_view>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
        text += names[i];
    }
    return text;
}

std::string flag_of(std::string_view parameter) {
    std::string flag = "--" + std::string(parameter);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

std::vector<std::string> list_of_kinds() {
    std::vector<std::string> names;
    for (const kind_info& kind : known_kinds()) names.emplace_back(kind.name);
    return names;
}

std::string names_of_kinds() {
    std::vector<std::string_view> names;
    for (const kind_info& kind : known_kinds()) names.push_back(kind.name);
    return joined(names);
}

std::string kinds_section() {
    std::string section = "\nKinds:\n";
    for (const kind_info& kind : known_kinds()) {
        section += fmt::format("  {:<26}{}\n", kind.name, kind.summary);
    }
    return section;
}

std::string names_of_kinds_that_can(capability wanted) {
    std::vector<std::string_view> names;
    for (const kind_info& kind : known_kinds()) {
        if (kind.capabilities.has(wanted)) names.push_back(kind.name);
    }
    return joined(names);
}

} // namespace everbloom::cli
