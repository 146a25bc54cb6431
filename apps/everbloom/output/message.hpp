// message: prints to standard error, ignoring failures.
//
// fmt::print(stderr, ...) throws if the stream is closed or its disk is full. A command that is done, or reports an error, must not fail
// because of that: the message is lost, and the exit code stays.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace everbloom::cli {

inline void say_text(std::string_view text) noexcept {
    [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
}

template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
    fmt::memory_buffer made;
    fmt::format_to(std::back_inserter(made), text, std::forward<Values>(values)...);
    say_text({made.data(), made.size()});
}

} // namespace everbloom::cli
