// key_flags: the flags of commands that read keys: files, format of the keys, threads.
#pragma once

#include "frame/command_flags.hpp"
#include "keys/key_batches.hpp"
#include "keys/key_files.hpp"

#include <everbloom/core/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

class key_flags {
public:
    key_flags() = default;
    key_flags(const key_flags&) = delete; // the flags of the command point into it
    key_flags& operator=(const key_flags&) = delete;

    /// Declares the flags. This object must live as long as the command.
    void declare(command_flags& command);
    /// Declares [KEYS...], for commands in which all further arguments are key files.
    void declare_files(command_flags& command);

    [[nodiscard]] const std::vector<std::string>& file_names() const noexcept { return files_; }
    [[nodiscard]] result<unsigned> threads() const;

    /// The expected contents of the key files, and how they are read.
    [[nodiscard]] reading_rules rules() const noexcept;
    /// The files by name, or standard input without names; checked before anything is read.
    [[nodiscard]] result<key_files> find(std::vector<std::string> names) const;
    /// Is a key only a part of its line?
    [[nodiscard]] bool are_in_lines() const noexcept;
    /// Are lines without a valid key skipped on request?
    [[nodiscard]] bool skips_invalid() const noexcept { return skip_invalid_; }
    /// How fields are separated, for printing some of them.
    [[nodiscard]] result<delimiter> split() const;

    /// For a new filter: the type of --key-type, or text.
    [[nodiscard]] result<key_format> format() const;
    /// For an existing filter: its type; another --key-type is refused.
    [[nodiscard]] result<key_format> format_for(const std::string& path, key_type stored) const;

private:
    [[nodiscard]] result<key_format> format_of(key_type type) const;
    [[nodiscard]] result<line_rules> rules_for(key_type type) const;
    [[nodiscard]] result<list_format> list() const;
    /// The key type that the format of a list implies.
    [[nodiscard]] result<key_type> implied_type() const;

    std::vector<std::string> files_;
    bool crlf_ = false;
    bool null_ = false;
    bool raw_ = false;
    std::optional<std::string> type_;
    std::optional<std::string> threads_;
    std::optional<std::string> list_;
    std::optional<std::string> field_;
    std::optional<std::string> delimiter_;
    std::optional<std::string> json_field_;
    std::optional<std::string> regex_;
    bool lower_ = false;
    bool header_ = false;
    bool skip_invalid_ = false;
};

} // namespace everbloom::cli
