#include "frame/flag_values.hpp"

#include <everbloom/runtime/quantity.hpp>

#include <fmt/format.h>

namespace everbloom::cli {

result<std::uint64_t> size_of_flag(const std::string& flag, const std::string& text) {
    auto parsed = parse_size(text);
    if (!parsed) return fail(in(flag, std::move(parsed.error())));
    return parsed;
}

result<std::uint64_t> size_of_flag(const std::string& flag, const std::string& text, std::uint64_t least,
                                   std::uint64_t most) {
    auto parsed = parse_size(text);
    // A number beyond 64 bits is too large as well, and gets the same message.
    const auto number = parse_number(text);
    if (parsed ? *parsed < least || *parsed > most : number && *number > static_cast<double>(most)) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: '{}' must be between {} and {}", flag, text, least, most));
    }
    if (!parsed) return fail(in(flag, parsed.error()));
    return parsed;
}

result<double> rate_of_flag(const std::string& flag, const std::string& text) {
    auto parsed = parse_rate(text);
    if (!parsed) return fail(in(flag, std::move(parsed.error())));
    return parsed;
}

result<double> number_of_flag(const std::string& flag, const std::string& text) {
    auto parsed = parse_number(text);
    if (!parsed) return fail(in(flag, std::move(parsed.error())));
    return parsed;
}

result<double> share_of_flag(const std::string& flag, const std::string& text) {
    if (auto rate = parse_rate(text)) return rate;
    return number_of_flag(flag, text);
}

} // namespace everbloom::cli
