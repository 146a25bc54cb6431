#include "lab/report/json_input.hpp"

#include "filters/whole_file.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

namespace everbloom::cli::html {
namespace {

/// Parses without building a document, and stops at the limits.
class value_counter {
public:
    bool null() { return count(); }
    bool boolean(bool) { return count(); }
    bool number_integer(document::number_integer_t) { return count(); }
    bool number_unsigned(document::number_unsigned_t) { return count(); }
    bool number_float(document::number_float_t, const std::string&) { return count(); }
    bool string(std::string&) { return count(); }
    bool binary(document::binary_t&) { return false; }
    bool start_object(std::size_t) { return enter(); }
    bool start_array(std::size_t) { return enter(); }
    bool key(std::string&) { return true; }
    bool end_object() { return leave(); }
    bool end_array() { return leave(); }
    bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) {
        error_ = fmt::format("not valid JSON at byte {}; run the command that wrote it again", at);
        return false;
    }

    [[nodiscard]] const std::string& error() const noexcept { return error_; }

private:
    bool count() {
        if (++values_ <= most_json_values) return true;
        error_ = fmt::format("has more than {} values, the limit for a report", grouped(most_json_values));
        return false;
    }
    bool enter() {
        if (++depth_ <= most_json_depth) return count();
        error_ = fmt::format("is nested more than {} levels deep, the limit for a report", most_json_depth);
        return false;
    }
    bool leave() {
        --depth_;
        return true;
    }

    std::uint64_t values_ = 0;
    std::uint64_t depth_ = 0;
    std::string error_;
};

constexpr reading_rules json_rules{.meaning = "JSON", .wanted = {}, .way_out = ""};

} // namespace

result<document> read_json_file(const std::string& path) {
    const auto text = read_bounded_file(path, json_rules, most_json_bytes);
    if (!text) return fail(text.error());
    value_counter counter;
    if (!document::sax_parse(*text, &counter)) {
        return fail(
            failure_reason::damaged,
            path + ": " +
                (counter.error().empty() ? "not valid JSON; run the command that wrote it again" : counter.error()));
    }
    return document::parse(*text, nullptr, false);
}

const document& member_of(const document& from, std::string_view name) {
    static const document nothing;
    if (!from.is_object()) return nothing;
    const auto found = from.find(std::string(name));
    return found == from.end() ? nothing : *found;
}

std::optional<double> number_of(const document& from, std::string_view name) {
    const document& found = member_of(from, name);
    if (!found.is_number()) return std::nullopt;
    return found.get<double>();
}

std::string text_of(const document& from, std::string_view name) {
    const document& found = member_of(from, name);
    return found.is_string() ? found.get_ref<const std::string&>() : std::string();
}

const std::vector<document>& list_of(const document& from, std::string_view name) {
    static const std::vector<document> nothing;
    const document& found = member_of(from, name);
    return found.is_array() ? found.get_ref<const document::array_t&>() : nothing;
}

} // namespace everbloom::cli::html
