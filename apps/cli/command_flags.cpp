#include "command_flags.hpp"

#include "command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace everbloom::cli {
namespace {

template <class Value>
CLI::Option* declare(CLI::App& command, const std::string& name, Value& into, const std::string& meaning) {
    return command.add_option(name, into, meaning);
}

} // namespace

flag* flag::required() {
    option_->required();
    return this;
}
flag* flag::type_name(const std::string& name) {
    option_->type_name(name);
    return this;
}
flag* flag::group(const std::string& name) {
    option_->group(name);
    return this;
}
flag* flag::capture_default_str() {
    option_->capture_default_str();
    return this;
}
flag* flag::value_optional() {
    option_->expected(0, 1);
    return this;
}
flag* flag::one_value_at_a_time() {
    option_->allow_extra_args(false);
    return this;
}
flag* flag::one_of(const std::vector<std::string>& words) {
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
    (*words_)[option_] = std::move(words);
    return this;
}
flag* flag::within(unsigned least, unsigned most) {
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
flag* flag::excludes(const std::string& other) {
    option_->excludes(other);
    return this;
}
flag* flag::excludes(const flag& other) {
    option_->excludes(other.option_);
    return this;
}

flag command_flags::add_option(const std::string& name, std::string& into, const std::string& meaning) {
    return {declare(*command_, name, into, meaning), *words_};
}
flag command_flags::add_option(const std::string& name, std::optional<std::string>& into, const std::string& meaning) {
    return {declare(*command_, name, into, meaning), *words_};
}
flag command_flags::add_option(const std::string& name, std::vector<std::string>& into, const std::string& meaning) {
    return {declare(*command_, name, into, meaning), *words_};
}
flag command_flags::add_option(const std::string& name, unsigned& into, const std::string& meaning) {
    return {declare(*command_, name, into, meaning), *words_};
}
flag command_flags::add_flag(const std::string& name, bool& into, const std::string& meaning) {
    return {command_->add_flag(name, into, meaning), *words_};
}
void command_flags::before_examples(const std::string& text) { command_->footer(text + command_->get_footer()); }

command_flags command_line::add(const std::string& name, const std::string& summary, const std::string& examples,
                                command_body body) {
    const std::size_t blank = name.find(' ');
    CLI::App* parent = blank == std::string::npos ? &app_ : app_.get_subcommand(name.substr(0, blank));
    CLI::App* command = parent->add_subcommand(name.substr(blank + 1), summary)->group("Commands");
    std::string footer = "\nExamples:\n";
    std::istringstream lines(examples);
    for (std::string line; std::getline(lines, line);) {
        const bool is_complete = line.find("everbloom ") != std::string::npos;
        footer += (is_complete ? "  " : "  everbloom ") + line + "\n";
    }
    command->footer(footer);
    // The inner one of two commands is called first, and is the one that was meant.
    command->callback([this, body = std::move(body)] {
        if (!chosen_) chosen_ = body;
    });
    return {*command, words_};
}

} // namespace everbloom::cli
