#include "frame/usage_error.hpp"

#include "frame/nearest_word.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace everbloom::cli {
namespace {

/// The command at which parsing stopped, and how it is called.
struct reached_command {
    const CLI::App* app;
    std::string words;
};

reached_command reached_from(const CLI::App* program) {
    reached_command reached{program, "everbloom"};
    for (auto chosen = program->get_subcommands(); !chosen.empty(); chosen = reached.app->get_subcommands()) {
        reached.app = chosen.front();
        reached.words += " " + chosen.front()->get_name();
    }
    return reached;
}

std::string nearest_flag(const CLI::App& command, const std::string& written) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_group().empty()) continue; // an alias
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return nearest_word(written, names);
}

std::string nearest_command(const CLI::App& command, const std::string& written) {
    std::vector<std::string> names;
    for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(inner->get_name());
    }
    return nearest_word(written, names);
}

bool has_commands(const CLI::App& command) {
    return !command.get_subcommands([](const CLI::App*) { return true; }).empty();
}

/// The message for the first word that could not be parsed.
std::string about_word(const CLI::App& command, const std::string& word) {
    const auto question = [](const std::string& meant) { return meant.empty() ? "" : ", did you mean " + meant + "?"; };
    if (word.size() > 1 && word.starts_with('-')) {
        const std::string flag = word.substr(0, word.find('='));
        return fmt::format("unknown flag {}{}", flag, question(nearest_flag(command, flag)));
    }
    if (has_commands(command)) {
        return fmt::format("unknown command '{}'{}", word, question(nearest_command(command, word)));
    }
    return fmt::format("unexpected argument '{}'", word);
}

/// The names of the aliases of a command, "--items"; "--a or --b" of several.
std::string aliases_of(const CLI::App& command) {
    std::string names;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames()) names += (names.empty() ? "--" : " or --") + name;
    }
    return names;
}

/// "--new excludes --json". CLI11 leaves out the name of an alias, as it is hidden.
std::string about_pair(const std::string& sentence) {
    constexpr std::string_view verb = " excludes ";
    const std::size_t at = sentence.find(verb);
    if (at == std::string::npos) return sentence;
    const std::string one = sentence.substr(0, at);
    const std::string other = sentence.substr(at + verb.size());
    if (one.empty() || other.empty()) return one + other + " is given twice, once by its old name";
    return one + " cannot be used with " + other;
}

/// CLI11's own message, in one line. Only "--capacity: 1 required N missing" is replaced: it is hard to understand.
std::string sentence_of(const CLI::App& command, const CLI::Error& error) {
    std::string sentence = error.what();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExcludesError)) return about_pair(sentence);
    if (sentence.starts_with(':')) sentence.insert(0, aliases_of(command)); // CLI11 leaves out the name of an alias
    const std::size_t name_end = sentence.find(": 1 required ");
    if (name_end != std::string::npos && sentence.ends_with(" missing")) {
        return sentence.substr(0, name_end) + " needs a value";
    }
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    return sentence;
}

} // namespace

std::string usage_error(const CLI::App* app, const CLI::Error& error) {
    const reached_command reached = reached_from(app);
    const std::vector<std::string> left = app->remaining(true);
    const bool is_about_word = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !left.empty();
    const std::string sentence =
        is_about_word ? about_word(*reached.app, left.front()) : sentence_of(*reached.app, error);
    return fmt::format("everbloom: {}{} see '{} --help'\n", sentence, sentence.ends_with('?') ? "" : ";",
                       reached.words);
}

} // namespace everbloom::cli
