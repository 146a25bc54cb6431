// The machine a run was made on: a number without it means nothing.
#pragma once

#include <cstdint>
#include <string>

namespace everbloom::bench {

/// Processor, clock and caches in one line.
[[nodiscard]] std::string machine_text();
/// Compiler and its version.
[[nodiscard]] std::string compiler_text();
/// What could be allocated without pushing anybody out.
[[nodiscard]] std::uint64_t available_memory_bytes();
/// How many processes wanted a processor in the last minute.
[[nodiscard]] double machine_load();

} // namespace everbloom::bench
