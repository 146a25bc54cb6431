#include "commands/convert/input.hpp"

#include "commands/convert/losses.hpp"
#include "filters/filter_argument.hpp"
#include "filters/foreign_file.hpp"
#include "keys/byte_stream.hpp"
#include "keys/key_files.hpp"

#include <everbloom/format/lookalike.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace everbloom::cli {
namespace {

constexpr std::string_view from_keys = "keys";

} // namespace

bool looks_like_list(const std::string& path) {
    const cancellation never;
    auto bytes = open_bytes(path, decompressed_only, never);
    if (!bytes) return false;
    std::array<char, 512> start{};
    const auto got = (*bytes)->read(start);
    return got && *got != 0 && lookalike_of(std::as_bytes(std::span(start).first(*got))) == lookalike::text;
}

std::vector<std::string> names_of_inputs() {
    std::vector<std::string> names = names_of_foreign_formats();
    names.emplace_back(from_keys);
    return names;
}

result<conversion_input> conversion_input::find(const std::string& path, std::string_view from) {
    if (path == "-" || from == from_keys) return conversion_input{.foreign = {}, .keys = true};
    if (::access(path.c_str(), R_OK) != 0) return fail(unreadable(path));
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
        return fail(failure_reason::input_output, path + ": is a directory; name a file");
    }
    if (const auto named = foreign_format_named(from)) return conversion_input{.foreign = named};
    if (looks_like_filter(path)) return conversion_input{.ours = true, .foreign = {}};
    if (const auto format = foreign_format_of(path)) return conversion_input{.foreign = format};
    return conversion_input{.foreign = {}, .keys = S_ISREG(found.st_mode) && looks_like_list(path)};
}

result<void> check_pair(const std::string& path, const conversion_input& from, const output_format& format,
                        const std::string& out) {
    const auto refuse = [&](const std::string& why) {
        return fail(failure_reason::bad_parameter, display_name(path) + ": " + why);
    };
    if (from.ours) {
        if (!format.foreign) return refuse("is an everbloom filter already; name a .bloom file as OUT");
        if (*format.foreign == foreign_format::dcso) return {};
        return refuse(fmt::format("is an everbloom filter: its cells cannot become those of {}, which has another hash "
                                  "and other places for the bits of a key; with the keys, 'everbloom convert KEYS {}' "
                                  "makes one",
                                  words_of(*format.foreign), shell_word(out)));
    }
    if (from.foreign) {
        if (!format.foreign) {
            return *from.foreign == foreign_format::dcso ? result<void>()
                                                         : refuse(why_not(*from.foreign, "an everbloom filter"));
        }
        const auto family = [](foreign_format one) {
            return one == foreign_format::parquet_bitset ? foreign_format::parquet : one;
        };
        if (family(*from.foreign) == family(*format.foreign)) return {};
        return refuse(why_not(*from.foreign, words_of(*format.foreign)));
    }
    if (from.keys && format.foreign) {
        if (*format.foreign != foreign_format::redisbloom) return {};
        return refuse("dumps of RedisBloom are read, not written; the Redis module of everbloom has its commands");
    }
    if (!format.foreign) return {}; // read as a .bloom file, whose reader says what is wrong
    if (auto filter = refuse_non_filter(path); !filter) return fail(std::move(filter.error()));
    return refuse("is neither a filter nor a list of keys");
}

} // namespace everbloom::cli
