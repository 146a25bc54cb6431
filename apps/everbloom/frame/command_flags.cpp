#include "frame/command_flags.hpp"

#include "frame/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace everbloom::cli {

template <class Body>
void flag::for_each(Body body) {
    if (option_ != nullptr) body(*option_);
    if (alias_ != nullptr) body(*alias_);
}

flag* flag::alias(std::string_view name) {
    if (!into_->selected.covers(name)) return this;
    alias_ = other_(name);
    alias_->group(""); // CLI11 hides options without a group; so do command_description and usage_error
    if (option_ != nullptr) alias_->excludes(option_);
    alias_->each([used = &into_->old_names, old_name = std::string(name), new_name = name_](const std::string&) {
        used->try_emplace(old_name, new_name);
    });
    return this;
}
flag* flag::required() {
    if (option_ == nullptr) {
        into_->lacks_required = true;
    } else {
        option_->required();
    }
    return this;
}
flag* flag::type_name(std::string_view name) {
    for_each([&](CLI::Option& one) { one.type_name(std::string(name)); });
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
    for_each([](CLI::Option& one) { one.expected(0, 1); });
    return this;
}
flag* flag::one_value_at_a_time() {
    for_each([](CLI::Option& one) { one.allow_extra_args(false); });
    return this;
}
flag* flag::one_of(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    std::string in_help = "{" + list + "}";
    in_help.erase(std::remove(in_help.begin(), in_help.end(), ' '), in_help.end());
    for_each([&](CLI::Option& one) {
        one.check(CLI::Validator(
            [words, list](const std::string& given) {
                const bool is_known = std::find(words.begin(), words.end(), given) != words.end();
                return is_known ? std::string() : "'" + given + "' is none of " + list;
            },
            in_help));
    });
    return suggests(words);
}
flag* flag::suggests(std::vector<std::string> words) {
    if (option_ != nullptr) into_->words[option_] = std::move(words);
    return this;
}
flag* flag::within(unsigned least, unsigned most) {
    const std::string range = std::to_string(least) + " - " + std::to_string(most);
    for_each([&](CLI::Option& one) {
        one.check(CLI::Validator(
            [least, most](const std::string& given) {
                unsigned value = 0;
                const bool fits = CLI::detail::lexical_cast(given, value) && least <= value && value <= most;
                return fits ? std::string()
                            : "'" + given + "' must be between " + std::to_string(least) + " and " +
                                  std::to_string(most);
            },
            "UINT in [" + range + "]"));
    });
    return this;
}
flag* flag::excludes(std::string_view other) {
    CLI::Option* excluded = command_->get_option_no_throw(std::string(other));
    for_each([&](CLI::Option& one) {
        if (excluded != nullptr) one.excludes(excluded);
    });
    return this;
}
flag* flag::excludes(const flag& other) {
    for_each([&](CLI::Option& one) {
        for (CLI::Option* excluded : {other.option_, other.alias_}) {
            if (excluded != nullptr) one.excludes(excluded);
        }
    });
    return this;
}

template <class Value>
flag command_flags::declare(std::string_view name, Value& into, std::string_view meaning) {
    CLI::Option* option = nullptr;
    if (selected().covers(name)) option = command_->add_option(std::string(name), into, std::string(meaning));
    return {command_, name, option, *into_, [command = command_, &into](std::string_view other) {
                return command->add_option(std::string(other), into);
            }};
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
    return {command_, name, option, *into_, [command = command_, &into](std::string_view other) {
                return command->add_flag(std::string(other), into);
            }};
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
    // CLI11 calls the inner one of two commands first: it is the chosen one.
    command->callback([this, body = std::move(body)] {
        if (!chosen_) chosen_ = body;
    });
    return {*command, into_};
}

} // namespace everbloom::cli
