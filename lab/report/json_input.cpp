#include "lab/report/json_input.hpp"

#include "filters/whole_file.hpp"

#include <fmt/format.h>

namespace everbloom::cli::html {
namespace {

/// Walks through the text without building anything, and stops where there is too much of it.
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
        trouble_ = fmt::format("is not JSON from byte {} on; write it anew with the command that made it", at);
        return false;
    }

    [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

private:
    bool count() {
        if (++values_ <= most_json_values) return true;
        trouble_ = fmt::format("has more than {} values; a report is made of less", most_json_values);
        return false;
    }
    bool enter() {
        if (++depth_ <= most_json_depth) return count();
        trouble_ = fmt::format("is nested more than {} deep; nothing that everbloom writes is", most_json_depth);
        return false;
    }
    bool leave() {
        --depth_;
        return true;
    }

    std::uint64_t values_ = 0;
    std::uint64_t depth_ = 0;
    std::string trouble_;
};

constexpr reading_rules json_rules{.meaning = "JSON", .wanted = {}, .way_out = ""};

} // namespace

result<document> read_json_file(const std::string& path) {
    const auto text = read_bounded_file(path, json_rules, most_json_bytes);
    if (!text) return fail(text.error());
    value_counter counter;
    if (!document::sax_parse(*text, &counter)) {
        return fail(failure_reason::damaged, path + ": " +
                                                 (counter.trouble().empty() ? "is not JSON; write it anew with the "
                                                                              "command that made it"
                                                                            : counter.trouble()));
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
