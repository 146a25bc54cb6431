// kind_page: a kind of filter explained on one page: what it is for, what it can do, its parameters.
#pragma once

#include <everbloom/runtime/catalogue.hpp>

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string kind_page(const kind_info& kind);

/// What a parameter means, with its range and its default.
[[nodiscard]] std::string parameter_text_of(const parameter_info& parameter);

} // namespace everbloom::cli
