#include "keys/key_files.hpp"

#include "output/standard_output.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/runtime/slow/slow_layout.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace everbloom::cli {
failure unreadable(const std::string& name) {
    return {failure_reason::input_output, name + ": cannot read it: " + std::strerror(errno)};
}

namespace {

result<struct stat> look_at(const std::string& name) {
    struct stat found {};
    const bool is_input = name == "-";
    if ((is_input ? ::fstat(STDIN_FILENO, &found) : ::stat(name.c_str(), &found)) != 0) {
        return fail(unreadable(display_name(name)));
    }
    if (S_ISDIR(found.st_mode)) {
        return fail(failure_reason::input_output, display_name(name) + ": is a directory; name a file of keys");
    }
    if (!is_input && ::access(name.c_str(), R_OK) != 0) return fail(unreadable(name));
    struct stat output {};
    if (S_ISREG(found.st_mode) && found.st_size != 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
        output.st_dev == found.st_dev && output.st_ino == found.st_ino) {
        return fail(failure_reason::bad_parameter,
                    display_name(name) +
                        ": is also standard output, and would grow while it is read; redirect the output to "
                        "another file");
    }
    return found;
}

} // namespace

std::string display_name(const std::string& name) { return name == "-" ? "standard input" : name; }

result<key_files> find_key_files(std::vector<std::string> names, const reading_rules& rules) {
    key_files files;
    files.names = std::move(names);
    files.rules = rules;
    if (files.names.empty()) files.names.emplace_back("-");
    bool all_regular = true;
    for (const std::string& name : files.names) {
        const auto found = look_at(name);
        if (!found) return fail(found.error());
        if (auto fits = refuse_other_formats(name, rules); !fits) return fail(std::move(fits.error()));
        all_regular = all_regular && S_ISREG(found->st_mode);
        files.regular_bytes += static_cast<std::uint64_t>(found->st_size);
    }
    if (!all_regular) files.regular_bytes = 0;
    return files;
}

key_files keys_given(const std::vector<std::string>& keys) {
    key_files made;
    made.names.emplace_back("-e");
    made.given.emplace();
    for (const std::string& one : keys) {
        *made.given += one;
        *made.given += '\0';
    }
    return made;
}

result<std::vector<std::string>> files_below(const std::vector<std::string>& names) {
    std::vector<std::string> made;
    for (const std::string& name : names) {
        std::error_code error;
        if (name == "-" || !std::filesystem::is_directory(name, error)) {
            made.push_back(name);
            continue;
        }
        std::vector<std::string> found;
        // Links to directories are not followed: they may lead back.
        for (auto at = std::filesystem::recursive_directory_iterator(name, error);
             !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
            std::error_code unknown;
            if (at->is_regular_file(unknown)) found.push_back(at->path().string());
        }
        if (error) return fail(failure_reason::input_output, name + ": cannot read it: " + error.message());
        std::sort(found.begin(), found.end());
        made.insert(made.end(), found.begin(), found.end());
    }
    return made;
}

void greet_terminal(const key_files& files) {
    if (!input_is_terminal() || !messages_are_on_terminal()) return;
    if (std::find(files.names.begin(), files.names.end(), "-") == files.names.end()) return;
    std::fputs("everbloom: reading keys from the terminal, one per line; end with Ctrl-D\n", stderr);
}

bool looks_like_filter(const std::string& path) {
    struct stat found {};
    // Opening a pipe would consume its contents, or wait.
    if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    std::array<std::uint8_t, v1::magic.size()> start{};
    const ssize_t got = ::pread(file, start.data(), start.size(), 0);
    ::close(file);
    if (got != static_cast<ssize_t>(start.size())) return false;
    return start == v1::magic || slow_layout::has_magic(std::as_bytes(std::span(start)));
}

} // namespace everbloom::cli
