// What a stranger would write first. Compiled against an installed tree only, by CMake and by pkg-config.
#include <everbloom/core/result.hpp>
#include <everbloom/version.hpp>

#include <iostream>

int main() { std::cout << "everbloom " << everbloom::version_text << '\n'; }
