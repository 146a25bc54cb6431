// json_request: the JSON object of a request, with members by name. Members may be words, numbers, true, false or null; one of them may be
// an object of such members again (parameters). Every member has to be asked for: an unknown one is an error.
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::capi {

class json_request {
public:
    /// Members whose value is null are left out.
    [[nodiscard]] static result<json_request> parse(const char* text);

    // The value of a member, if it is there. Numbers as the command line reads them: 10000, "10k", 1e6.
    [[nodiscard]] result<std::optional<std::uint64_t>> size(std::string_view name);
    [[nodiscard]] result<std::optional<double>> number(std::string_view name);
    [[nodiscard]] result<std::optional<double>> rate(std::string_view name);
    [[nodiscard]] result<std::optional<bool>> truth(std::string_view name);
    [[nodiscard]] result<std::optional<std::string>> words(std::string_view name);

    struct member {
        std::string name;
        std::string value; // words without quotes, anything else as it was written
        bool is_words = false;
        bool asked_for = false;
    };
    /// The members of a member that is an object.
    [[nodiscard]] std::vector<member> object(std::string_view name);

    /// Fails if there is a member that was not asked for.
    [[nodiscard]] result<void> nothing_else() const;

private:
    [[nodiscard]] const member* find(std::string_view name);

    std::vector<member> members_; // those of an inner object are called "outer.inner"
};

} // namespace everbloom::capi
