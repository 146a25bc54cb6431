// demo: `everbloom` without arguments: the real commands, on made-up lists in a temporary directory.
//
// Each command is run by the shell and its output is shown as it is, so that everybody who repeats the commands gets the same. The
// directory is removed at the end.
#include "commands/demo.hpp"

#include "filters/filter_argument.hpp"
#include "frame/command.hpp"
#include "frame/program_path.hpp"

#include <fmt/format.h>
#include <stdlib.h> // NOLINT(*-deprecated-headers): mkdtemp is not in cstdlib

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace everbloom::cli {
namespace {

class demo_directory {
public:
    /// In TMPDIR, or in /tmp. The program is in it, under its own name.
    [[nodiscard]] static result<demo_directory> make() {
        const char* named = std::getenv("TMPDIR");
        const std::string parent = named != nullptr && *named != '\0' ? named : "/tmp";
        std::string wanted = parent + "/everbloom-demo-XXXXXX";
        if (::mkdtemp(wanted.data()) == nullptr) {
            return fail(
                failure_reason::input_output,
                fmt::format(
                    "the demo cannot create a temporary directory in {} ({}); set TMPDIR to a writable directory",
                    parent, std::strerror(errno)));
        }
        demo_directory made(std::move(wanted));
        std::error_code error;
        const std::string program = path_of_program(error);
        if (!error) std::filesystem::create_symlink(program, made.path_ + "/everbloom", error);
        if (error)
            return fail(failure_reason::input_output, "the demo cannot find its own program: " + error.message());
        return made;
    }
    demo_directory(demo_directory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    demo_directory& operator=(demo_directory&&) = delete;
    ~demo_directory() {
        if (path_.empty()) return;
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    /// Runs a line of the shell here, and shows both.
    [[nodiscard]] result<void> run(std::string_view line) const {
        fmt::print("  $ {}\n", line);
        std::fflush(stdout);
        const std::string command =
            fmt::format("cd {} && PATH=\"$PWD:$PATH\" && {{ {}; }} 2>&1", shell_word(path_), line);
        struct close_pipe {
            void operator()(std::FILE* pipe) const noexcept { ::pclose(pipe); }
        };
        const std::unique_ptr<std::FILE, close_pipe> pipe(::popen(command.c_str(), "r"));
        if (!pipe)
            return fail(failure_reason::input_output,
                        std::string("the demo cannot run a shell: ") + std::strerror(errno));
        std::array<char, 4096> shown{};
        while (std::fgets(shown.data(), static_cast<int>(shown.size()), pipe.get()) != nullptr) {
            fmt::print("  {}", shown.data());
        }
        return {};
    }

private:
    explicit demo_directory(std::string path) noexcept : path_(std::move(path)) {}

    std::string path_;
};

/// What is shown; a line that begins with a blank is a command.
constexpr std::array<std::string_view, 29> steps{
    "1. Create a filter from a list, one key per line. An FPR of 1 % is allowed.",
    " seq -f 'member%g.example' 1 100000 > names.txt",
    " everbloom create names.eb names.txt --fpr 1% --seed 1",
    "",
    "2. Query it. `check` prints lines that may be in the filter, as grep prints matching lines; -c counts them. A",
    "   member is never missed. Of 100,000 absent keys hardly any is found: bits that are reserved for growth are "
    "used.",
    " everbloom check -c names.eb names.txt",
    " seq -f 'absent%g.example' 1 100000 | everbloom check -c names.eb",
    "",
    "3. Query a log: the key is field 2 of its lines.",
    " printf '7:01 member7.example GET\\n7:02 other.example GET\\n' | everbloom check names.eb --field 2",
    "",
    "4. Remove keys, with a verdict for each, and query again.",
    " printf 'member7.example\\nother.example\\n' | everbloom remove names.eb",
    " everbloom check -c names.eb names.txt",
    "",
    "5. Add five times as many keys as it was made for. It grows; the FPR stays below 1 %.",
    " seq -f 'new%g.example' 1 500000 | everbloom add names.eb",
    "",
    "6. Export a copy for programs that only query, in the fewest bits for 1 %. Now about that share of the absent "
    "keys",
    "   is found: the false positives.",
    " everbloom export names.eb small.eb --fpr 1%",
    " seq -f 'absent%g.example' 1 100000 | everbloom check -c small.eb",
    "",
    "7. Exclude a known negative: it never matches, whatever is added later.",
    " echo partner.example | everbloom protect names.eb",
    "",
    "`everbloom show names.eb` describes a filter, `everbloom plan --capacity 1M` finds one for your set, `everbloom "
    "--help`",
    "lists all commands. The commands above can be repeated as they are.",
};

} // namespace

result<int> run_demo() {
    const auto here = demo_directory::make();
    if (!here) return fail(here.error());
    fmt::print(
        "A membership filter stores a set in a few bits per key. It answers \"surely not\" or \"maybe\": \"surely "
        "not\"\n"
        "is always right, \"maybe\" is wrong for a small share of absent keys, the false positive rate (FPR). With "
        "everbloom\n"
        "keys can also be removed, and filters grow. This demo runs in a temporary directory.\n\n");
    for (const std::string_view step : steps) {
        if (!step.starts_with(' ') || step.starts_with("  ")) {
            fmt::print("{}\n", step);
        } else if (auto ran = here->run(step.substr(1)); !ran) {
            return fail(std::move(ran.error()));
        }
    }
    return exit_done;
}

} // namespace everbloom::cli
