// program_path: the file of the running program.
#pragma once

#include <string>
#include <system_error>

namespace everbloom::cli {

/// main says how it was called, for systems that cannot tell.
void remember_call_name(const char* name) noexcept;

/// An absolute path; empty with an error if the system does not know.
[[nodiscard]] std::string path_of_program(std::error_code& error);

} // namespace everbloom::cli
