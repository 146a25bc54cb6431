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

    /// For a new filter: the type of --key-type, or text.
    [[nodiscard]] result<key_format> format() const;
    /// For an existing filter: its type; another --key-type is refused.
    [[nodiscard]] result<key_format> format_for(const std::string& path, key_type stored) const;

private:
    [[nodiscard]] key_format format_of(key_type type) const noexcept;

    std::vector<std::string> files_;
    bool crlf_ = false;
    bool null_ = false;
    bool raw_ = false;
    std::optional<std::string> type_;
    std::optional<std::string> threads_;
};

} // namespace everbloom::cli
