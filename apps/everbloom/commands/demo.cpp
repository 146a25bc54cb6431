#include "commands/demo.hpp"

#include "filters/defaults.hpp"
#include "frame/command.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
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
constexpr std::uint64_t absent_keys = 100'000;
constexpr std::uint64_t removed_members = 400;

/// Three syllables for a member, five for an absent key: all names differ.
std::string made_up_name(std::uint64_t number, unsigned syllables) {
    constexpr std::array<std::string_view, 10> parts{"ka", "lo", "mi", "ra", "ne", "su", "ti", "vo", "ba", "el"};
    std::string name;
    for (; syllables != 0; --syllables, number /= parts.size()) name += parts[number % parts.size()];
    return name;
}
std::string member(std::uint64_t number) { return made_up_name(number, 3); }
std::string absent_key(std::uint64_t number) { return made_up_name(number, 5); }

class demo_directory {
public:
    /// In TMPDIR, or in /tmp.
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
        return demo_directory(std::move(wanted));
    }
    demo_directory(demo_directory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    demo_directory& operator=(demo_directory&&) = delete;
    ~demo_directory() {
        if (path_.empty()) return;
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
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
    file.target = {members, 0.01};
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
    return fmt::format("{} filter, {}, current FPR {}, {}", with_article(file.filter().kind()),
                       estimated_keys(now.items), rate_text(now.fpr),
                       size_text(std::filesystem::file_size(path), now.items));
}

void step(std::string_view what, std::string_view command) { fmt::print("\n{}\n  $ {}\n", what, command); }

} // namespace

result<int> run_demo() {
    const auto here = demo_directory::make();
    if (!here) return fail(here.error());
    const std::string path = here->file("names.eb");
    fmt::print(
        "A membership filter stores a set in a few bits per key. It answers \"surely not\" or \"maybe\": \"surely "
        "not\"\n"
        "is always right, \"maybe\" is wrong for a small share of absent keys, the false positive rate (FPR). With "
        "everbloom\n"
        "keys can also be removed. This demo uses {} made-up names in a temporary directory.\n",
        grouped(members));

    if (auto made = create(path); !made) return fail(std::move(made.error()));
    auto file = map_filter(path);
    if (!file) return fail(std::move(file.error()));
    step("1. Create a filter from a list, one key per line, with a target FPR of 1 %.",
         "everbloom create names.eb --fpr 1% names.txt");
    fmt::print("  {}\n", state_text(*file, path));

    step("2. Query it. `check` prints the keys that may be in the filter, as grep prints matching lines.",
         "everbloom check names.eb names.txt");
    fmt::print("  {} of {} members: maybe. A member is never missed.\n", grouped(maybes(*file, member, 0, members)),
               grouped(members));
    fmt::print("  $ everbloom check names.eb absent.txt\n");
    const auto false_positives = maybes(*file, absent_key, 0, absent_keys);
    fmt::print("  {} of {} absent keys: maybe. That is an FPR of {}; the target is 1 %.\n", grouped(false_positives),
               grouped(absent_keys),
               rate_text(static_cast<double>(false_positives) / static_cast<double>(absent_keys)));

    const auto removed = remove_first(path, removed_members);
    if (!removed) return fail(removed.error());
    file = map_filter(path);
    if (!file) return fail(std::move(file.error()));
    step("3. Remove keys. Remove only keys that were added: most kinds cannot check that.",
         "everbloom remove names.eb old.txt");
    fmt::print("  {} of {} removed\n", *removed, removed_members);

    step("4. Query it again.", "everbloom check names.eb names.txt");
    fmt::print("  {} of {} removed keys: maybe (false positives). {} of {} members: maybe.\n",
               maybes(*file, member, 0, removed_members), removed_members,
               maybes(*file, member, removed_members, members), members - removed_members);

    step("5. Inspect it.", "everbloom show names.eb");
    fmt::print("  {}\n", state_text(*file, path));
    fmt::print("\nWith your own list:      everbloom create my.eb my-list.txt\n"
               "                         everbloom check my.eb other-list.txt\n"
               "All commands:            everbloom --help\n");
    return exit_done;
}

} // namespace everbloom::cli
