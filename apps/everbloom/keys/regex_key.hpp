// regex_key: the key of a line as the one group of a regular expression (RE2: time linear in the line, whatever the expression).
#pragma once

#include <everbloom/core/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
} // namespace re2

namespace everbloom::cli {

class regex_key {
public:
    /// Refuses an expression that RE2 does not understand, and one without exactly one group.
    [[nodiscard]] static result<regex_key> parse(const std::string& expression);

    /// The text of the group, a part of the line; nothing if the line does not match. Threads may share it.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view line) const;

private:
    explicit regex_key(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

    std::shared_ptr<const re2::RE2> compiled_;
};

} // namespace everbloom::cli
