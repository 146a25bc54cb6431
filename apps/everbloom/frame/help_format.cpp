#include "frame/help_format.hpp"

#include "frame/command_flags.hpp"
#include "frame/help_colours.hpp"

#include <sstream>

namespace everbloom::cli {
namespace {

constexpr std::size_t page_columns = 100;
constexpr std::size_t name_columns = 28;

std::string wrapped(const std::string& text, std::size_t columns) {
    std::istringstream words(text);
    std::string made;
    std::size_t used = 0;
    for (std::string word; words >> word;) {
        const bool fits = used + 1 + word.size() <= columns;
        if (used != 0) made += fits ? ' ' : '\n';
        used = (used != 0 && fits ? used + 1 : 0) + word.size();
        made += word;
    }
    return made;
}

} // namespace

help_format::help_format() {
    column_width(name_columns);
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
}

std::string help_format::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return output_wants_colours() ? with_colours(text) : text;
}

std::string help_format::make_group(std::string group, bool is_positional,
                                    std::vector<const CLI::Option*> options) const {
    if (group == group_not_in_help) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string help_format::make_option_opts(const CLI::Option* option) const {
    if (option->get_positional() || option->get_type_size() == 0 || option->get_type_name().empty()) return "";
    return " " + option->get_type_name();
}

std::string help_format::make_option_desc(const CLI::Option* option) const {
    std::string text = option->get_description();
    if (!option->get_default_str().empty()) text += " (default: " + option->get_default_str() + ")";
    return wrapped(text, page_columns - name_columns);
}

} // namespace everbloom::cli
