// geometry_text: the parameters of a geometry as text, in the form that `build` reads.
#pragma once

#include <everbloom/runtime/any_filter.hpp>

#include <cstdint>
#include <string>

namespace everbloom {

/// 12 or 0.2, without separators.
[[nodiscard]] std::string number_text(std::uint64_t value, field_form form);

/// The same, or the name of a choice.
[[nodiscard]] std::string value_text(const geometry_value& one);

} // namespace everbloom
