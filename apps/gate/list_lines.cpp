#include "gate/list_lines.hpp"

#include "keys/byte_stream.hpp"
#include "keys/key_files.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <vector>

namespace everbloom::cli {
namespace {

constexpr std::size_t longest_list_line = 4096;

} // namespace

std::string_view without_comment(std::string_view line) {
    constexpr std::string_view blanks = " \t\r\f\v";
    line = line.substr(0, line.find('#'));
    const std::size_t from = line.find_first_not_of(blanks);
    if (from == std::string_view::npos) return {};
    return line.substr(from, line.find_last_not_of(blanks) + 1 - from);
}

result<void> read_lines(const std::string& file, std::string_view meaning, const cancellation& cancel,
                        const std::function<result<void>(std::string_view)>& take) {
    reading_rules rules;
    rules.meaning = meaning;
    auto stream = open_bytes(file, rules, cancel);
    if (!stream) return fail(std::move(stream.error()));
    std::string text;
    std::uint64_t line = 0;
    std::vector<char> buffer(1 << 16);
    const auto place = [&] { return fmt::format("{}:{}", display_name(file), line); };
    const auto give = [&](std::string_view one) -> result<void> {
        ++line;
        if (auto taken = take(one); !taken) return fail(in(place(), std::move(taken.error())));
        return {};
    };
    for (;;) {
        const auto got = (*stream)->read(buffer);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        text.append(buffer.data(), *got);
        std::size_t from = 0;
        for (std::size_t end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
            if (auto given = give(std::string_view(text).substr(from, end - from)); !given) return given;
        }
        text.erase(0, from);
        if (text.size() > longest_list_line) {
            ++line;
            return fail(failure_reason::bad_parameter,
                        fmt::format("{}: line longer than {} bytes; expected one entry per line", place(),
                                    grouped(longest_list_line)));
        }
    }
    return text.empty() ? result<void>{} : give(text);
}

} // namespace everbloom::cli
