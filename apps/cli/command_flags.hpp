// command_flags: the flags of one command, as the commands see them.
//
// A thin front for CLI11, which reads the command line and writes the help. CLI11 is one header of ten thousand lines, so it is
// included in a handful of files only; everybody else includes this.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace everbloom::cli {

/// The words that a flag or an argument may have as its value, as far as they are known: for shells that complete them.
using value_words = std::map<const CLI::Option*, std::vector<std::string>>;

/// A flag that was declared, to say more about it: command.add_option(...)->required()->type_name("N").
class flag {
public:
    flag(CLI::Option* option, value_words& words) noexcept : option_(option), words_(&words) {}

    flag* operator->() noexcept { return this; }
    flag* required();
    flag* type_name(const std::string& name);
    flag* group(const std::string& name);
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
    flag* excludes(const std::string& other);
    flag* excludes(const flag& other);

private:
    CLI::Option* option_;
    value_words* words_;
};

class command_flags {
public:
    command_flags(CLI::App& command, value_words& words) noexcept : command_(&command), words_(&words) {}

    // What is read goes to `into`, which must live as long as the command. A name without a dash is an argument.
    flag add_option(const std::string& name, std::string& into, const std::string& meaning);
    flag add_option(const std::string& name, std::optional<std::string>& into, const std::string& meaning);
    flag add_option(const std::string& name, std::vector<std::string>& into, const std::string& meaning);
    flag add_option(const std::string& name, unsigned& into, const std::string& meaning);
    flag add_flag(const std::string& name, bool& into, const std::string& meaning);

    /// Puts a text before the examples at the end of the help.
    void before_examples(const std::string& text);

private:
    CLI::App* command_;
    value_words* words_;
};

} // namespace everbloom::cli
