#include "json_request.hpp"

#include <everbloom/core/printable.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <algorithm>
#include <utility>

namespace everbloom::capi {
namespace {

constexpr std::size_t most_members = 1000; // a request has about ten

class parser {
public:
    explicit parser(std::string_view text) : text_(text) {}

    result<std::vector<json_request::member>> whole() {
        if (auto read = object(""); !read) return fail(std::move(read.error()));
        skip_spaces();
        if (at_ != text_.size()) return wrong("the end");
        return std::move(members_);
    }

private:
    unexpected<failure> wrong(std::string_view expected) const {
        return fail(failure_reason::bad_parameter,
                    "the request is not a JSON object as described: " + std::string(expected) +
                        " is expected at byte " + std::to_string(at_));
    }
    void skip_spaces() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    /// The next character that is no space; NUL at the end.
    char next() {
        skip_spaces();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char wanted) {
        if (next() != wanted) return false;
        ++at_;
        return true;
    }

    result<void> object(const std::string& prefix) {
        if (!take('{')) return wrong("'{'");
        if (take('}')) return {};
        do {
            if (next() != '"') return wrong("the name of a member");
            auto name = words();
            if (!name) return fail(std::move(name.error()));
            if (!take(':')) return wrong("':'");
            if (auto read = value(prefix + *name, prefix.empty()); !read) return read;
        } while (take(','));
        if (!take('}')) return wrong("',' or '}'");
        return {};
    }

    result<void> value(std::string name, bool may_be_object) {
        if (next() == '{' && may_be_object) return object(name + ".");
        const bool is_words = next() == '"';
        auto read = is_words ? words() : token();
        if (!read) return fail(std::move(read.error()));
        if (!is_words && *read == "null") return {};
        const bool again =
            std::any_of(members_.begin(), members_.end(), [&](const auto& one) { return one.name == name; });
        if (again) return fail(failure_reason::bad_parameter, "the request has two members '" + printable(name) + "'");
        if (members_.size() == most_members)
            return fail(failure_reason::bad_parameter, "the request has too many members");
        members_.push_back({std::move(name), std::move(*read), is_words, false});
        return {};
    }

    /// A number, true, false or null.
    result<std::string> token() {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n,{}[]:\"", at_), text_.size());
        std::string made(text_.substr(at_, end - at_));
        const bool number = !made.empty() && (made[0] == '-' || (made[0] >= '0' && made[0] <= '9'));
        if (!number && made != "true" && made != "false" && made != "null") return wrong("a number or words");
        at_ = end;
        return made;
    }

    result<std::string> words() {
        std::string made;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (static_cast<unsigned char>(text_[at_]) < 0x20) return wrong("no control character");
            if (text_[at_] != '\\') {
                made += text_[at_];
                continue;
            }
            ++at_;
            constexpr std::string_view letters = "\"\\/bfnrt";
            constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
            const std::size_t found = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
            // Names, kinds and numbers are ASCII: nothing in a request needs \u.
            if (found == std::string_view::npos) return wrong("one of \" \\ / b f n r t");
            made += meanings[found];
        }
        if (at_ == text_.size()) return wrong("'\"'");
        ++at_;
        return made;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<json_request::member> members_;
};

} // namespace

result<json_request> json_request::parse(const char* text) {
    if (text == nullptr) return fail(failure_reason::bad_parameter, "request is NULL");
    auto members = parser(text).whole();
    if (!members) return fail(std::move(members.error()));
    json_request made;
    made.members_ = std::move(*members);
    return made;
}

const json_request::member* json_request::find(std::string_view name) {
    const auto found =
        std::find_if(members_.begin(), members_.end(), [&](const member& one) { return one.name == name; });
    if (found == members_.end()) return nullptr;
    found->asked_for = true;
    return &*found;
}

namespace {

template <class Value, class Parse>
result<std::optional<Value>> parsed(const json_request::member* found, Parse parse) {
    if (found == nullptr) return std::optional<Value>();
    auto value = parse(found->value);
    if (!value) return fail(in(found->name, std::move(value.error())));
    return std::optional<Value>(*value);
}

} // namespace

result<std::optional<std::uint64_t>> json_request::size(std::string_view name) {
    return parsed<std::uint64_t>(find(name), parse_size);
}
result<std::optional<double>> json_request::number(std::string_view name) {
    return parsed<double>(find(name), parse_number);
}
result<std::optional<double>> json_request::rate(std::string_view name) {
    return parsed<double>(find(name), parse_rate);
}
result<std::optional<bool>> json_request::truth(std::string_view name) {
    return parsed<bool>(find(name), [](std::string_view text) -> result<bool> {
        if (text == "true") return true;
        if (text == "false") return false;
        return fail(failure_reason::bad_parameter, "'" + printable(text) + "' is neither true nor false");
    });
}
result<std::optional<std::string>> json_request::words(std::string_view name) {
    const member* found = find(name);
    if (found == nullptr) return std::optional<std::string>();
    if (!found->is_words) return fail(failure_reason::bad_parameter, found->name + ": words in quotes are expected");
    return std::optional(found->value);
}

std::vector<json_request::member> json_request::object(std::string_view name) {
    std::vector<member> made;
    for (member& one : members_) {
        if (!one.name.starts_with(name) || one.name.size() <= name.size() || one.name[name.size()] != '.') continue;
        one.asked_for = true;
        made.push_back({one.name.substr(name.size() + 1), one.value, one.is_words, true});
    }
    return made;
}

result<void> json_request::nothing_else() const {
    for (const member& one : members_) {
        if (one.asked_for) continue;
        return fail(failure_reason::bad_parameter,
                    "the request has a member '" + printable(one.name) + "', which is not known here");
    }
    return {};
}

} // namespace everbloom::capi
