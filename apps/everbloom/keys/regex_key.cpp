#include "keys/regex_key.hpp"

#include <everbloom/core/printable.hpp>

#include <re2/re2.h>

#include <algorithm>

namespace everbloom::cli {

result<regex_key> regex_key::parse(const std::string& expression) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    // Logs may hold any bytes. Only an expression with letters beyond ASCII needs lines in UTF-8.
    const bool is_ascii = std::all_of(expression.begin(), expression.end(),
                                      [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
    if (is_ascii) options.set_encoding(re2::RE2::Options::EncodingLatin1);
    auto compiled = std::make_shared<const re2::RE2>(expression, options);
    const std::string what = "--regex: '" + printable(expression) + "'";
    if (!compiled->ok()) return fail(failure_reason::bad_parameter, what + ": " + compiled->error());
    if (compiled->NumberOfCapturingGroups() != 1) {
        return fail(failure_reason::bad_parameter,
                    what + " has " + std::to_string(compiled->NumberOfCapturingGroups()) +
                        " groups; put the key, and nothing else, into one: (...), and (?:...) around other parts");
    }
    return regex_key(std::move(compiled));
}

std::optional<std::string_view> regex_key::find(std::string_view line) const {
    re2::StringPiece groups[2];
    if (!compiled_->Match({line.data(), line.size()}, 0, line.size(), re2::RE2::UNANCHORED, groups, 2)) {
        return std::nullopt;
    }
    if (groups[1].data() == nullptr) return std::nullopt; // the group is in a part that did not take part
    return std::string_view(groups[1].data(), groups[1].size());
}

} // namespace everbloom::cli
