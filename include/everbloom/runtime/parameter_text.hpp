// A parameter of a filter's geometry, named and set in text.
#pragma once

#include <string>

namespace everbloom {

/// A named value as text, from a command line, a binding or a server.
struct parameter_text {
    std::string name;
    std::string value;
};

} // namespace everbloom
