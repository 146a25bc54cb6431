// Keys on their way to standard output: whole buffers, written at once, without stdio in between.
#pragma once

#include <everbloom/core/result.hpp>

#include <string_view>

namespace everbloom::cli {

[[nodiscard]] result<void> write_output(std::string_view bytes);

/// Is standard output (or error, or input) somebody's screen?
[[nodiscard]] bool output_is_terminal() noexcept;
[[nodiscard]] bool messages_are_on_terminal() noexcept;
[[nodiscard]] bool input_is_terminal() noexcept;

} // namespace everbloom::cli
