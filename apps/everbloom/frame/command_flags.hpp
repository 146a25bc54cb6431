// command_flags: the flags of one command, as the commands see them.
//
// A thin front for CLI11, which reads the command line and writes the help. CLI11 is one header of ten thousand lines, so it is
// included in a handful of files only; everybody else includes this.
#pragma once

#include "frame/flag_selection.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace everbloom::cli {

/// The words that a flag or an argument may have as its value, as far as they are known: for shells that complete them.
using value_words = std::map<const CLI::Option*, std::vector<std::string>>;

/// What the flags of a command are declared into.
struct declaration {
    flag_selection selected;
    value_words words;
    bool lacks_required = false; // a flag that must be given was not selected: the command line does not have it
};

/// A flag that was declared, to say more about it: command.add_option(...)->required()->type_name("N"). One that was not selected
/// takes all that is said about it and forgets it.
class flag {
public:
    flag(CLI::App* command, CLI::Option* option, declaration& into) noexcept
        : command_(command), option_(option), into_(&into) {}

    flag* operator->() noexcept { return this; }
    flag* required();
    flag* type_name(std::string_view name);
    flag* group(std::string_view name);
    /// Shows the value it has now as the default.
    flag* capture_default_str();
    /// The flag may stand alone, without a value.
    flag* value_optional();
    /// For a list: every value stands behind the flag again, so that it does not swallow the arguments behind it.
    flag* one_value_at_a_time();
    flag* one_of(const std::vector<std::string>& words);
    /// As one_of, but the command itself looks whether the value is one of them.
    flag* suggests(std::vector<std::string> words);
    flag* within(unsigned least, unsigned most);
    flag* excludes(std::string_view other);
    flag* excludes(const flag& other);

private:
    CLI::App* command_;
    CLI::Option* option_; // none: not selected
    declaration* into_;
};

class command_flags {
public:
    command_flags(CLI::App& command, declaration& into) noexcept : command_(&command), into_(&into) {}

    // What is read goes to `into`, which must live as long as the command. A name without a dash is an argument.
    flag add_option(std::string_view name, std::string& into, std::string_view meaning);
    flag add_option(std::string_view name, std::optional<std::string>& into, std::string_view meaning);
    flag add_option(std::string_view name, std::vector<std::string>& into, std::string_view meaning);
    flag add_option(std::string_view name, unsigned& into, std::string_view meaning);
    flag add_flag(std::string_view name, bool& into, std::string_view meaning);

    /// Puts a text before the examples at the end of the help.
    void before_examples(std::string_view text);

    /// For those who declare many flags: which of them are worth the trouble.
    [[nodiscard]] const flag_selection& selected() const noexcept { return into_->selected; }

private:
    template <class Value>
    flag declare(std::string_view name, Value& into, std::string_view meaning);

    CLI::App* command_;
    declaration* into_;
};

} // namespace everbloom::cli
