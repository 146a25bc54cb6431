// server_reply: one answer of a server, as a value.
#pragma once

#include <string>
#include <vector>

namespace everbloom::cli {

struct server_reply {
    enum class type { nothing, text, error, integer, list };

    type is = type::nothing;
    long long number = 0;
    std::string text = {}; // also of an error
    std::vector<server_reply> items = {};

    [[nodiscard]] bool is_error() const noexcept { return is == type::error; }
};

} // namespace everbloom::cli
