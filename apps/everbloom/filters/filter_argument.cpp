#include "filters/filter_argument.hpp"

#include "filters/foreign_file.hpp"
#include "frame/completion/completion.hpp"
#include "keys/key_files.hpp"

#include <everbloom/format/lookalike.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace everbloom::cli {
namespace {

bool exists(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0;
}

/// What a regular file looks like; nothing for other files, which have their own messages.
std::optional<lookalike> look_of(const std::string& path) {
    struct stat found {};
    // Opening a pipe would consume its contents, or wait.
    if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::array<std::byte, 512> start{};
    const ssize_t got = ::pread(file, start.data(), start.size(), 0);
    ::close(file);
    if (got < 0) return std::nullopt;
    return lookalike_of(std::span(start).first(static_cast<std::size_t>(got)));
}

/// names.txt.gz -> names.eb; also the filter beside its list, names.eb.list.zst -> names.eb
std::string filter_name_for(std::string path) {
    const auto cut = [&](std::initializer_list<std::string_view> endings) {
        for (const std::string_view ending : endings) {
            if (path.size() > ending.size() && path.ends_with(ending) && path[path.size() - ending.size() - 1] != '/') {
                path.resize(path.size() - ending.size());
                return;
            }
        }
    };
    cut({".gz", ".zst", ".xz", ".bz2"});
    cut({".txt", ".list", ".lst", ".csv", ".bloom"});
    return path.ends_with(".eb") ? path : path + ".eb";
}

/// What to do with a file that looks like this.
std::string advice_for(const std::string& path, lookalike guess) {
    const std::string filter = filter_name_for(path);
    const bool is_bloom = guess == lookalike::bloom || (guess == lookalike::gzip && path.ends_with(".bloom.gz"));
    const bool may_hold_keys = guess == lookalike::text || guess == lookalike::gzip || guess == lookalike::zstd ||
                               guess == lookalike::xz || guess == lookalike::bzip2;
    if (guess == lookalike::nothing) {
        return fmt::format(": 'everbloom create --force {} KEYS' creates a filter of that name", shell_word(path));
    }
    if (!is_bloom && !may_hold_keys) return ": name a filter made by 'everbloom create'";
    if (looks_like_filter(filter)) return fmt::format(": did you mean {}?", shell_word(filter));
    if (exists(filter)) return ": name a filter made by 'everbloom create'";
    if (is_bloom) return fmt::format(": did you mean 'everbloom convert {} {}'?", shell_word(path), shell_word(filter));
    return fmt::format(": did you mean 'everbloom create {} {}'?", shell_word(filter), shell_word(path));
}

failure not_a_filter(const std::string& path, lookalike guess) {
    const auto foreign = foreign_format_of(path);
    if (foreign && *foreign != foreign_format::dcso) {
        return {failure_reason::unsupported,
                fmt::format("{}: is {}, not an everbloom filter; commands that read it: check, show, convert", path,
                            words_of(*foreign))};
    }
    return {failure_reason::damaged,
            fmt::format("{}: is not an everbloom filter (bad magic number); it looks like {}{}", path, words_of(guess),
                        advice_for(path, guess))};
}

result<filter_file> with_advice(const std::string& path, result<filter_file> opened) {
    if (opened || looks_like_filter(path)) return opened;
    if (const auto guess = look_of(path)) return fail(not_a_filter(path, *guess));
    return opened;
}

} // namespace

std::string shell_word(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char one) {
        return std::isalnum(one) != 0 ||
               std::string_view("_./@%+=:,-").find(static_cast<char>(one)) != std::string_view::npos;
    });
    return plain ? word : shell_quoted(word);
}

std::string look_in_words(const std::string& path) {
    const auto guess = look_of(path);
    return guess ? std::string(words_of(*guess)) : std::string();
}

result<filter_file> open_filter_argument(const std::string& path) {
    if (auto ordinary = refuse_slow(path); !ordinary) return fail(std::move(ordinary.error()));
    return with_advice(path, open_filter(path));
}
result<filter_file> map_filter_argument(const std::string& path) {
    if (auto ordinary = refuse_slow(path); !ordinary) return fail(std::move(ordinary.error()));
    return with_advice(path, map_filter(path));
}
result<filter_file> map_any_filter_argument(const std::string& path, slow_queries queries) {
    if (!is_slow_filter(path)) return map_filter_argument(path);
    auto opened = open_slow_filter(path, slow_access::read, queries);
    if (!opened) return fail(std::move(opened.error()));
    return std::move(opened->file);
}

result<void> refuse_slow(const std::string& path) {
    if (!is_slow_filter(path)) return {};
    return fail(failure_reason::unsupported,
                path + ": is a slow filter, made with 'create --slow'; this command needs one in memory. Commands for "
                       "slow filters: create, add, remove, check, show, verify, resize");
}

result<void> refuse_non_filter(const std::string& path) {
    if (looks_like_filter(path)) return {};
    if (const auto guess = look_of(path)) return fail(not_a_filter(path, *guess));
    return {};
}

result<void> refuse_foreign_output(const std::string& path) {
    if (looks_like_filter(path)) return {};
    const auto guess = look_of(path);
    if (!guess || *guess == lookalike::nothing) return {};
    return fail(failure_reason::bad_parameter,
                fmt::format("{}: is not an everbloom filter, so it is not overwritten; it looks like {}{}", path,
                            words_of(*guess), advice_for(path, *guess)));
}

result<void> refuse_swapped(std::string_view command, const std::string& path, std::span<const std::string> lists) {
    if (lists.size() != 1 || lists.front() == "-" || !looks_like_filter(lists.front()) || looks_like_filter(path)) {
        return {};
    }
    const auto guess = look_of(path);
    if (!guess || *guess == lookalike::nothing) return {};
    return fail(
        failure_reason::bad_parameter,
        fmt::format(
            "{}: is not an everbloom filter (bad magic number); it looks like {}, and {} is a filter: did you mean "
            "'everbloom {} {} {}'?",
            path, words_of(*guess), lists.front(), command, shell_word(lists.front()), shell_word(path)));
}

} // namespace everbloom::cli
