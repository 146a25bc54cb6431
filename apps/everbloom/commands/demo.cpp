#include "commands/demo.hpp"

#include "filters/agreed_rate.hpp"
#include "filters/defaults.hpp"
#include "frame/command.hpp"
#include "output/wording.hpp"

#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/filter_file.hpp>
#include <everbloom/runtime/planner.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace everbloom::cli {
namespace {

constexpr std::uint64_t members = 1000;
constexpr std::uint64_t strangers = 100'000;
constexpr std::uint64_t leavers = 400;

/// Three syllables for a member, four for a stranger: all names differ.
std::string made_up_name(std::uint64_t number, unsigned syllables) {
    constexpr std::array<std::string_view, 10> parts{"ka", "lo", "mi", "ra", "ne", "su", "ti", "vo", "ba", "el"};
    std::string name;
    for (; syllables != 0; --syllables, number /= parts.size()) name += parts[number % parts.size()];
    return name;
}
std::string member(std::uint64_t number) { return made_up_name(number, 3); }
std::string stranger(std::uint64_t number) { return made_up_name(number, 5); }

class demo_directory {
public:
    /// In TMPDIR, or where the system wants temporary files.
    [[nodiscard]] static result<demo_directory> make() {
        const char* named = std::getenv("TMPDIR");
        const std::string parent = named != nullptr && *named != '\0' ? named : "/tmp";
        std::string wanted = parent + "/everbloom-demo-XXXXXX";
        if (::mkdtemp(wanted.data()) == nullptr) {
            return fail(
                failure_reason::input_output,
                fmt::format("the demo needs a directory for temporary files, and {} does not take one ({}); set "
                            "TMPDIR to a directory that you may write to",
                            parent, std::strerror(errno)));
        }
        return demo_directory(std::move(wanted));
    }
    demo_directory(demo_directory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    demo_directory& operator=(demo_directory&&) = delete;
    ~demo_directory() {
        if (path_.empty()) return;
        std::error_code nobody_cares;
        std::filesystem::remove_all(path_, nobody_cares);
    }
    [[nodiscard]] std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
    explicit demo_directory(std::string path) noexcept : path_(std::move(path)) {}

    std::string path_;
};

result<void> create(const std::string& path) {
    const auto ranked = rank_kinds({.wanted = {members, 0.01}});
    if (!ranked) return fail(ranked.error());
    auto built = build(ranked->candidates.front().request);
    if (!built) return fail(std::move(built.error()));
    filter_file file;
    file.handle = keyed(std::move(*built), any_hasher(default_hash, hash_key::from_seed(1)));
    file.agreed = {members, 0.01};
    for (std::uint64_t i = 0; i < members; ++i) {
        if (auto added = file.handle.insert(std::string_view(member(i))); !added) return fail(std::move(added.error()));
    }
    return save_filter(file, path);
}

std::uint64_t maybes(const filter_file& file, std::string (*name)(std::uint64_t), std::uint64_t from,
                     std::uint64_t to) {
    std::uint64_t count = 0;
    for (std::uint64_t i = from; i < to; ++i) count += file.handle.may_contain(std::string_view(name(i))) ? 1 : 0;
    return count;
}

result<std::uint64_t> remove_first(const std::string& path, std::uint64_t count) {
    auto file = open_filter(path);
    if (!file) return fail(std::move(file.error()));
    std::uint64_t removed = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto outcome = file->handle.erase(std::string_view(member(i)));
        if (!outcome) return fail(outcome.error());
        removed += succeeded(*outcome) ? 1 : 0;
    }
    if (auto saved = save_filter(*file, path); !saved) return fail(std::move(saved.error()));
    return removed;
}

std::string state_text(const filter_file& file, const std::string& path) {
    const auto now = file.filter().measure();
    return fmt::format("{} filter, {} on disk, about {:.0f} keys, {} false positives now", file.filter().kind(),
                       bytes_text(std::filesystem::file_size(path)), now.items, rate_text(now.fpr));
}

void step(std::string_view what, std::string_view command) { fmt::print("\n{}\n  $ {}\n", what, command); }

} // namespace

result<int> run_demo() {
    const auto here = demo_directory::make();
    if (!here) return fail(here.error());
    const std::string path = here->file("names.eb");
    fmt::print("A filter is a set in a few bits per key. Asked for a key it says \"surely not\" or \"maybe\"; the "
               "\"maybe\" is wrong\n"
               "for a small, chosen share of strangers, the \"surely not\" never. With everbloom keys can leave the "
               "set, too.\n"
               "This demo does it live, with {} made-up names in a temporary directory.\n",
               members);

    if (auto made = create(path); !made) return fail(std::move(made.error()));
    auto file = map_filter(path);
    if (!file) return fail(std::move(file.error()));
    step("1. Make a filter from a list, one key per line, right for 99 % of strangers.",
         "everbloom create names.eb --fpr 1% names.txt");
    fmt::print("  {}\n", state_text(*file, path));

    step("2. Ask it. `check` prints the keys that may be in, as grep prints lines.",
         "everbloom check names.eb names.txt");
    fmt::print("  {} of {} names of the list: maybe in. None is ever missed.\n", maybes(*file, member, 0, members),
               members);
    fmt::print("  $ everbloom check names.eb strangers.txt\n");
    const auto fooled = maybes(*file, stranger, 0, strangers);
    fmt::print("  {} of {} strangers: maybe in. That is {}; 1 % was agreed.\n", fooled, strangers,
               rate_text(static_cast<double>(fooled) / static_cast<double>(strangers)));

    const auto removed = remove_first(path, leavers);
    if (!removed) return fail(removed.error());
    file = map_filter(path);
    if (!file) return fail(std::move(file.error()));
    step("3. Take keys out. Remove only what was added: most kinds cannot know.",
         "everbloom remove names.eb leavers.txt");
    fmt::print("  {} of {} removed\n", *removed, leavers);

    step("4. Ask again.", "everbloom check names.eb names.txt");
    fmt::print("  {} of the {} who left: maybe in, by chance. {} of the {} who stayed: maybe in.\n",
               maybes(*file, member, 0, leavers), leavers, maybes(*file, member, leavers, members), members - leavers);

    step("5. Look at it.", "everbloom show names.eb");
    fmt::print("  {}\n", state_text(*file, path));
    fmt::print("\nNow with your own list:  everbloom create my.eb my-list.txt\n"
               "                         everbloom check my.eb other-list.txt\n"
               "All commands:            everbloom --help\n");
    return exit_done;
}

} // namespace everbloom::cli
