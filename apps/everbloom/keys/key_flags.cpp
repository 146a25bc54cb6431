#include "keys/key_flags.hpp"

#include "frame/flag_values.hpp"

#include <algorithm>
#include <thread>

namespace everbloom::cli {
namespace {

constexpr unsigned most_threads = 1024;
constexpr const char* group = "Keys";

} // namespace

void key_flags::declare(command_flags& command) {
    command.add_flag("-0,--null", null_, "keys end with a NUL byte instead of a newline")->group(group);
    command.add_flag("--crlf", crlf_, "lines end with CR LF: a carriage return is not part of the key")->group(group);
    command
        .add_flag("--raw", raw_,
                  "read key files as raw bytes: do not decompress, do not refuse other formats, keep a byte order mark")
        ->group(group);
    command
        .add_option("--key-type", type_,
                    "type of the keys: text (the bytes as they are), u64 (42 or 0x2a), ip (IPv4 or IPv6), hex")
        ->type_name("TYPE")
        ->suggests({key_type_names.begin(), key_type_names.end()})
        ->group(group);
    command.add_option("--threads", threads_, "number of threads (default: one per processor)")
        ->type_name("N")
        ->group(group);
}

void key_flags::declare_files(command_flags& command) {
    command
        .add_option("KEYS", files_,
                    "files with one key per line, plain or compressed (gzip, zstd, xz, bzip2); none or '-': standard "
                    "input. An empty line is the empty key")
        ->type_name("");
}

result<unsigned> key_flags::threads() const {
    if (!threads_) return std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
    const auto wanted = size_of_flag("--threads", *threads_);
    if (!wanted) return fail(wanted.error());
    if (*wanted < 1 || *wanted > most_threads) {
        return fail(failure_reason::bad_parameter,
                    "--threads: '" + *threads_ + "' must be between 1 and " + std::to_string(most_threads));
    }
    return static_cast<unsigned>(*wanted);
}

reading_rules key_flags::rules() const noexcept {
    if (raw_) return as_it_is;
    reading_rules made;
    made.separator = null_ ? '\0' : '\n';
    made.way_out = "--raw reads its bytes as keys";
    return made;
}

key_format key_flags::format_of(key_type type) const noexcept { return {null_ ? '\0' : '\n', crlf_, type}; }

result<key_format> key_flags::format() const {
    if (!type_) return format_of(key_type::text);
    const auto named = key_type_named(*type_);
    if (!named) return fail(in(key_type_flag, named.error()));
    return format_of(*named);
}

result<key_format> key_flags::format_for(const std::string& path, key_type stored) const {
    if (type_) {
        const auto named = key_type_named(*type_);
        if (!named) return fail(in(key_type_flag, named.error()));
        if (*named != stored) {
            return fail(failure_reason::mismatch, "--key-type: " + path + " was created with keys of type " +
                                                      std::string(name_of(stored)) + ", not " +
                                                      std::string(name_of(*named)) + "; omit the flag");
        }
    }
    return format_of(stored);
}

} // namespace everbloom::cli
