// What --version prints: the version, and what one has to know about a build to explain how it behaves. No dates and no folders, so
// that the same sources make the same program.
#pragma once

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string version_and_build_facts();

} // namespace everbloom::cli
