// Which kinds are known to lose keys by design, and say so: they alone need not find what was inserted into a forged file.
#pragma once

#include <everbloom/runtime/kinds.hpp>

#include <string_view>

namespace everbloom::support {

[[nodiscard]] inline bool loses_members(std::string_view name) {
    bool loses = false;
    all_kinds::for_each([&]<class Kind>() {
        if constexpr (requires { requires Kind::filter::has_false_negatives; }) loses |= Kind::name == name;
    });
    return loses;
}

} // namespace everbloom::support
