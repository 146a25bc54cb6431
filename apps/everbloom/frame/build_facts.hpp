// build_facts: the output of --version: the version, and the facts about a build that explain its behaviour. No dates and no
// directories: builds are reproducible.
#pragma once

#include <string>

namespace everbloom::cli {

[[nodiscard]] std::string version_and_build_facts();

} // namespace everbloom::cli
