// command_flags: the flags of one command, as the commands declare them.
//
// A thin front for CLI11, which parses the command line and prints the help. CLI11 is one header of ten thousand lines, so it is
// included in a handful of files only; all others include this.
#pragma once

#include "frame/flag_selection.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace everbloom::cli {

/// The known values of a flag or an argument: shells complete them.
using value_words = std::map<const CLI::Option*, std::vector<std::string>>;

/// Flags of this group work, and messages name them, but the help of a command does not list them.
inline constexpr std::string_view group_not_in_help = "not in help";

/// What the flags of a command are declared into.
struct declaration {
    flag_selection selected;
    value_words words;
    bool lacks_required = false; // a required flag was not selected: it is not on the command line
    std::map<std::string, std::string> old_names = {}; // those on the command line, and what they are called now
};

/// A declared flag and its settings: command.add_option(...)->required()->type_name("N"). A flag that was not selected ignores them.
class flag {
public:
    /// Declares an option of the same type, with the same variable, under another name.
    using declare_other = std::function<CLI::Option*(std::string_view name)>;

    flag(CLI::App* command, std::string_view name, CLI::Option* option, declaration& into, declare_other other)
        : command_(command), name_(name), option_(option), into_(&into), other_(std::move(other)) {}

    flag* operator->() noexcept { return this; }
    /// An old name ("--items") that works as the flag does, and is in no help, completion script or manual page. It comes before the
    /// other settings, which hold for both names; not for required flags. Giving both names is an error. Who uses the old name is told the
    /// new one, once.
    flag* alias(std::string_view name);
    flag* required();
    flag* type_name(std::string_view name);
    flag* group(std::string_view name);
    /// Shows the value it has now as the default.
    flag* capture_default_str();
    /// The value may be left out.
    flag* value_optional();
    /// For a list: each value needs the flag before it, so that the flag does not take the arguments after it.
    flag* one_value_at_a_time();
    flag* one_of(const std::vector<std::string>& words);
    /// As one_of, but the command itself checks the value.
    flag* suggests(std::vector<std::string> words);
    flag* within(unsigned least, unsigned most);
    flag* excludes(std::string_view other);
    flag* excludes(const flag& other);

private:
    /// Calls body(option) for the option and its alias, those that were selected.
    template <class Body>
    void for_each(Body body);

    CLI::App* command_;
    std::string name_;
    CLI::Option* option_; // none: not selected
    CLI::Option* alias_ = nullptr;
    declaration* into_;
    declare_other other_;
};

class command_flags {
public:
    command_flags(CLI::App& command, declaration& into) noexcept : command_(&command), into_(&into) {}

    // The value goes to `into`, which must live as long as the command. A name without a dash is an argument.
    flag add_option(std::string_view name, std::string& into, std::string_view meaning);
    flag add_option(std::string_view name, std::optional<std::string>& into, std::string_view meaning);
    flag add_option(std::string_view name, std::vector<std::string>& into, std::string_view meaning);
    flag add_option(std::string_view name, unsigned& into, std::string_view meaning);
    flag add_flag(std::string_view name, bool& into, std::string_view meaning);

    /// Puts a text before the examples at the end of the help.
    void before_examples(std::string_view text);

    /// Which flags are selected: declaring many takes time.
    [[nodiscard]] const flag_selection& selected() const noexcept { return into_->selected; }

private:
    template <class Value>
    flag declare(std::string_view name, Value& into, std::string_view meaning);

    CLI::App* command_;
    declaration* into_;
};

} // namespace everbloom::cli
