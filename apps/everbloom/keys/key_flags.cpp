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
        .add_option(
            "--key-type", type_,
            "type of the keys: text (the bytes as they are), u64 (42 or 0x2a), ip (IPv4 or IPv6), hex, domain (any "
            "spelling and script), cidr (addresses and networks)")
        ->type_name("TYPE")
        ->suggests({key_type_names.begin(), key_type_names.end()})
        ->group(group);
    std::vector<std::string> formats;
    formats.reserve(list_formats.size());
    for (const auto& one : list_formats) formats.emplace_back(one.first);
    command
        .add_option(
            "--format", list_,
            "a list as it is published: lines, hosts (0.0.0.0 NAME), adblock (||NAME^), csv, cidr, or auto: by the "
            "first lines of each file. Comments, empty lines and blanks at both ends are left out")
        ->type_name("FORMAT")
        ->suggests(std::move(formats))
        ->group(group);
    command.add_option("--field", field_, "the key is field N of its line, or several fields joined")
        ->type_name("N[,N]")
        ->group(group);
    command
        .add_option(
            "--delimiter", delimiter_,
            "what separates fields: spaces (blanks and tabs, the default), tab, comma (with CSV quoting), or one "
            "character")
        ->type_name("C")
        ->group(group);
    command
        .add_option("--json-field", json_field_, "lines are JSON, and the key is the value at this path: .request.host")
        ->type_name(".PATH")
        ->group(group);
    command
        .add_option("--regex", regex_,
                    "the key is what the one group of this expression (RE2) matches; lines without a match have none")
        ->type_name("RE")
        ->group(group);
    command.add_flag("--header", header_, "the first line of each file is not a key")->group(group);
    command.add_flag("--lower", lower_, "keys in lower case (A-Z only; domains always are)")->group(group);
    command
        .add_flag("--skip-invalid", skip_invalid_,
                  "skip lines without a valid key, name the first few and count them (default: an error)")
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

result<key_files> key_flags::find(std::vector<std::string> names) const {
    auto files = find_key_files(std::move(names), rules());
    if (files && list_ == "auto") files->detects_format = true;
    if (files && !null_ && (list_ == "auto" || list_ == "csv")) {
        const auto between = split();
        if (!between) return fail(between.error());
        if (between->is_blanks) files->csv_delimiter = ','; // as line_keys reads a file that turns out to be CSV
        if (between->is_quoted) files->csv_delimiter = between->byte;
    }
    return files;
}

bool key_flags::are_in_lines() const noexcept { return field_ || json_field_ || regex_ || list_; }

result<delimiter> key_flags::split() const {
    if (delimiter_) return delimiter::parse(*delimiter_);
    return list_ == "csv" ? delimiter{',', false, true} : delimiter{};
}

result<list_format> key_flags::list() const {
    if (!list_) return list_format::raw;
    std::string names;
    for (const auto& [name, format] : list_formats) {
        if (*list_ == name) return format;
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return fail(failure_reason::bad_parameter, "--format: unknown format '" + *list_ + "'; known formats: " + names);
}

result<key_type> key_flags::implied_type() const {
    const auto format = list();
    if (!format) return fail(format.error());
    if (*format == list_format::hosts || *format == list_format::adblock) return key_type::domain;
    return *format == list_format::cidr ? key_type::cidr : key_type::text;
}

result<line_rules> key_flags::rules_for(key_type type) const {
    const auto refuse = [](std::string why) { return fail(failure_reason::bad_parameter, std::move(why)); };
    line_rules made;
    made.type = type;
    made.lower = lower_;
    made.header = header_;
    made.separator = null_ ? '\0' : '\n';
    const auto format = list();
    if (!format) return fail(format.error());
    made.format = *format;
    const int ways = (field_ ? 1 : 0) + (json_field_ ? 1 : 0) + (regex_ ? 1 : 0);
    if (ways > 1) return refuse("--field, --json-field and --regex: a key is found in one of these ways");
    if (ways == 1 && *format != list_format::raw && (*format != list_format::csv || !field_)) {
        return refuse(
            "--format " + *list_ +
            (*format == list_format::csv
                 ? " goes with --field only"
                 : ": the format says where the key is; --field, --json-field and --regex are for logs and tables"));
    }
    if (delimiter_ && !field_ && *format != list_format::csv) {
        return refuse("--delimiter separates fields; --field N says which one is the key");
    }
    if (field_) {
        auto fields = parse_fields("--field", *field_);
        if (!fields) return fail(std::move(fields.error()));
        made.fields = std::move(*fields);
    }
    const auto how = split();
    if (!how) return fail(how.error());
    made.split = *how;
    if (json_field_) {
        auto path = json_path::parse(*json_field_);
        if (!path) return fail(std::move(path.error()));
        made.json = std::move(*path);
    }
    if (regex_) {
        auto expression = regex_key::parse(*regex_);
        if (!expression) return fail(std::move(expression.error()));
        made.regex = std::move(*expression);
    }
    return made;
}

result<key_format> key_flags::format_of(key_type type) const {
    key_format made{null_ ? '\0' : '\n', crlf_, type};
    made.invalid = skip_invalid_ ? bad_lines::skip : bad_lines::stop;
    auto rules = rules_for(type);
    if (!rules) return fail(std::move(rules.error()));
    // A name in another script has another form as a key.
    if (are_in_lines() || lower_ || header_ || type == key_type::domain) {
        made.rules = std::make_shared<const line_rules>(std::move(*rules));
    }
    return made;
}

result<key_format> key_flags::format() const {
    const auto named = type_ ? key_type_named(*type_) : implied_type();
    if (!named) return fail(type_ ? in(key_type_flag, named.error()) : named.error());
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
