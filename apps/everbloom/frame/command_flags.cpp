#include "frame/command_flags.hpp"

#include "frame/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace everbloom::cli {
flag* flag::required() {
    if (option_ == nullptr) {
        into_->lacks_required = true;
    } else {
        option_->required();
    }
    return this;
}
flag* flag::type_name(std::string_view name) {
    if (option_ != nullptr) option_->type_name(std::string(name));
    return this;
}
flag* flag::group(std::string_view name) {
    if (option_ != nullptr) option_->group(std::string(name));
    return this;
}
flag* flag::capture_default_str() {
    if (option_ != nullptr) option_->capture_default_str();
    return this;
}
flag* flag::value_optional() {
    if (option_ != nullptr) option_->expected(0, 1);
    return this;
}
flag* flag::one_value_at_a_time() {
    if (option_ != nullptr) option_->allow_extra_args(false);
    return this;
}
flag* flag::one_of(const std::vector<std::string>& words) {
    if (option_ == nullptr) return this;
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    std::string in_help = "{" + list + "}";
    in_help.erase(std::remove(in_help.begin(), in_help.end(), ' '), in_help.end());
    option_->check(CLI::Validator(
        [words, list](const std::string& given) {
            const bool is_known = std::find(words.begin(), words.end(), given) != words.end();
            return is_known ? std::string() : "'" + given + "' is none of " + list;
        },
        in_help));
    return suggests(words);
}
flag* flag::suggests(std::vector<std::string> words) {
    if (option_ != nullptr) into_->words[option_] = std::move(words);
    return this;
}
flag* flag::within(unsigned least, unsigned most) {
    if (option_ == nullptr) return this;
    const std::string range = std::to_string(least) + " - " + std::to_string(most);
    option_->check(CLI::Validator(
        [least, most](const std::string& given) {
            unsigned value = 0;
            const bool fits = CLI::detail::lexical_cast(given, value) && least <= value && value <= most;
            return fits ? std::string()
                        : "'" + given + "' must be between " + std::to_string(least) + " and " + std::to_string(most);
        },
        "UINT in [" + range + "]"));
    return this;
}
flag* flag::excludes(std::string_view other) {
    if (option_ == nullptr) return this;
    CLI::Option* excluded = command_->get_option_no_throw(std::string(other));
    if (excluded != nullptr) option_->excludes(excluded);
    return this;
}
flag* flag::excludes(const flag& other) {
    if (option_ != nullptr && other.option_ != nullptr) option_->excludes(other.option_);
    return this;
}

template <class Value>
flag command_flags::declare(std::string_view name, Value& into, std::string_view meaning) {
    CLI::Option* option = nullptr;
    if (selected().covers(name)) option = command_->add_option(std::string(name), into, std::string(meaning));
    return {command_, option, *into_};
}

flag command_flags::add_option(std::string_view name, std::string& into, std::string_view meaning) {
    return declare(name, into, meaning);
}
flag command_flags::add_option(std::string_view name, std::optional<std::string>& into, std::string_view meaning) {
    return declare(name, into, meaning);
}
flag command_flags::add_option(std::string_view name, std::vector<std::string>& into, std::string_view meaning) {
    return declare(name, into, meaning);
}
flag command_flags::add_option(std::string_view name, unsigned& into, std::string_view meaning) {
    return declare(name, into, meaning);
}
flag command_flags::add_flag(std::string_view name, bool& into, std::string_view meaning) {
    CLI::Option* option = nullptr;
    if (selected().covers(name)) option = command_->add_flag(std::string(name), into, std::string(meaning));
    return {command_, option, *into_};
}
void command_flags::before_examples(std::string_view text) {
    if (selected().is_everything()) command_->footer(std::string(text) + command_->get_footer());
}

command_flags command_line::add(std::string_view name, std::string_view summary, std::string_view examples,
                                command_body body) {
    const std::size_t blank = name.find(' ');
    CLI::App* parent =
        blank == std::string_view::npos ? &app_ : app_.get_subcommand(std::string(name.substr(0, blank)));
    CLI::App* command = parent->add_subcommand(std::string(name.substr(blank + 1)), std::string(summary));
    command->group("Commands");
    if (into_.selected.is_everything()) {
        std::string footer = "\nExamples:\n";
        std::istringstream lines{std::string(examples)};
        for (std::string line; std::getline(lines, line);) {
            const bool is_complete = line.find("everbloom ") != std::string::npos;
            footer += (is_complete ? "  " : "  everbloom ") + line + "\n";
        }
        command->footer(footer);
    }
    // The inner one of two commands is called first, and is the one that was meant.
    command->callback([this, body = std::move(body)] {
        if (!chosen_) chosen_ = body;
    });
    return {*command, into_};
}

} // namespace everbloom::cli
