// standard_output: writes whole buffers to standard output, without stdio.
#pragma once

#include <everbloom/core/result.hpp>

#include <string_view>

namespace everbloom::cli {

[[nodiscard]] result<void> write_output(std::string_view bytes);

/// Is standard output (or error, or input) a terminal?
[[nodiscard]] bool output_is_terminal() noexcept;
[[nodiscard]] bool messages_are_on_terminal() noexcept;
[[nodiscard]] bool input_is_terminal() noexcept;

} // namespace everbloom::cli
