#include "keys/json_field.hpp"

#include <everbloom/core/printable.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace everbloom::cli {
namespace {

/// Follows the path through the events of the parser. `matched_` counts the steps that the open containers agree with.
class path_follower {
public:
    using json = nlohmann::json;

    path_follower(const json_path& path, text_arena& arena) noexcept : steps_(path.steps()), arena_(arena) {}

    [[nodiscard]] const json_value& found() const noexcept { return found_; }
    [[nodiscard]] bool is_done() const noexcept { return done_; }

    // The interface of nlohmann::json_sax; false ends the parse.
    bool null() { return no_key(); }
    bool boolean(bool value) { return scalar(value ? "true" : "false"); }
    bool number_integer(json::number_integer_t value) { return number(value); }
    bool number_unsigned(json::number_unsigned_t value) { return number(value); }
    bool number_float(json::number_float_t /*value*/, const std::string& written) { return scalar(written); }
    bool string(std::string& value) { return scalar(value); }
    bool binary(json::binary_t& /*value*/) { return no_key(); }
    bool start_object(std::size_t /*members*/) { return open(container::object); }
    bool end_object() { return close(); }
    bool start_array(std::size_t /*elements*/) { return open(container::array); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        if (!on_path()) return true;
        const auto* wanted = std::get_if<std::string>(&steps_[matched_]);
        is_next_ = wanted != nullptr && *wanted == name;
        return true;
    }
    bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& /*what*/) {
        found_.fault = json_fault::not_json;
        return false;
    }

private:
    enum class container { object, array };

    /// Is the container that is open now the one that the next step leads out of?
    [[nodiscard]] bool on_path() const noexcept { return depth_ == matched_ + 1; }

    /// Is the value that comes now the one of the next step? Called once for each value.
    [[nodiscard]] bool is_wanted() {
        const bool was_named = std::exchange(is_next_, false);
        if (!on_path()) return false;
        if (kind_ == container::object) return was_named;
        const auto* wanted = std::get_if<std::size_t>(&steps_[matched_]);
        return wanted != nullptr && *wanted == element_++;
    }

    template <class Number>
    bool number(Number value) {
        std::array<char, 24> text{};
        const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
        return scalar({text.data(), static_cast<std::size_t>(end - text.data())});
    }

    bool scalar(std::string_view text) {
        if (!is_wanted()) return true;
        if (matched_ + 1 != steps_.size()) return end_without_value(); // the path goes on, the document does not
        found_.text = arena_.keep(text);
        done_ = true;
        return false;
    }

    bool no_key() { return is_wanted() ? end_without_value() : true; }

    bool open(container kind) {
        if (is_wanted() && ++matched_ == steps_.size()) return end_without_value(); // the value is a container
        ++depth_;
        if (on_path()) {
            kind_ = kind;
            element_ = 0;
        }
        return true;
    }

    bool close() {
        // What the last step led into is over, and the value was not in it.
        if (on_path() && matched_ != 0) return end_without_value();
        --depth_;
        return true;
    }

    bool end_without_value() {
        found_.fault = json_fault::no_value;
        done_ = true;
        return false;
    }

    const std::vector<json_path::step>& steps_;
    text_arena& arena_;
    json_value found_;
    std::size_t depth_ = 0;   // containers that are open
    std::size_t matched_ = 0; // steps that led into one of them
    container kind_ = container::object;
    std::size_t element_ = 0; // of an array on the path
    bool is_next_ = false;    // the member that comes now is the one of the next step
    bool done_ = false;
};

failure not_a_path(const std::string& text) {
    return {failure_reason::bad_parameter,
            "--json-field: '" + printable(text) +
                "' is not a path; write it like .host, .request.host or .answers[0].name"};
}

} // namespace

result<json_path> json_path::parse(const std::string& text) {
    json_path made;
    made.text_ = text;
    std::string_view rest = text;
    if (!rest.starts_with('.') && !rest.starts_with('[')) return fail(not_a_path(text));
    while (!rest.empty()) {
        if (rest.starts_with(".[")) rest.remove_prefix(1);
        if (rest.starts_with("[\"")) {
            const std::size_t close = rest.find("\"]", 2);
            if (close == std::string_view::npos) return fail(not_a_path(text));
            made.steps_.emplace_back(std::string(rest.substr(2, close - 2)));
            rest.remove_prefix(close + 2);
        } else if (rest.starts_with('[')) {
            const std::size_t close = rest.find(']');
            std::size_t element = 0;
            const std::string_view digits = rest.substr(1, close == std::string_view::npos ? 0 : close - 1);
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), element);
            if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) {
                return fail(not_a_path(text));
            }
            made.steps_.emplace_back(element);
            rest.remove_prefix(close + 1);
        } else if (rest.starts_with('.')) {
            rest.remove_prefix(1);
            const std::string_view name = rest.substr(0, rest.find_first_of(".["));
            if (name.empty()) return fail(not_a_path(text));
            made.steps_.emplace_back(std::string(name));
            rest.remove_prefix(name.size());
        } else {
            return fail(not_a_path(text));
        }
    }
    return made;
}

json_value find_json_field(std::string_view line, const json_path& path, text_arena& arena) {
    path_follower follower(path, arena);
    nlohmann::json::sax_parse(line, &follower);
    if (follower.is_done() || follower.found().fault == json_fault::not_json) return follower.found();
    return {{}, json_fault::no_value};
}

} // namespace everbloom::cli
