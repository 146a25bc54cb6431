// Every command that changes files, each with files to work on: for tests that ask the same of all of them.
//
// A new command that writes a file belongs into `changing_commands`.
#pragma once

#include "cli/workbench.hpp"

#include <sys/stat.h>

#include <map>

namespace everbloom::support {

struct changing_command {
    std::string name;
    std::vector<std::string> arguments;
};

inline void PrintTo(const changing_command& one, std::ostream* out) { *out << one.name; }

/// They run in a directory with the files of `prepare_files`. Seeds are fixed: the same run makes the same bytes.
[[nodiscard]] inline std::vector<changing_command> changing_commands() {
    return {
        {"create", {"create", "new.eb", "keys.txt", "--seed", "1", "--kind", "dleft", "--capacity", "100"}},
        {"create_force",
         {"create", "--force", "x.eb", "more.txt", "--seed", "1", "--kind", "bloom", "--capacity", "100"}},
        {"add", {"add", "x.eb", "more.txt"}},
        {"add_json", {"add", "--json", "x.eb", "more.txt"}},
        {"remove", {"remove", "x.eb", "keys.txt"}},
        {"remove_json", {"remove", "--json", "x.eb", "keys.txt"}},
        {"merge", {"merge", "new.eb", "x.eb", "y.eb"}},
        {"merge_in_place", {"merge", "x.eb", "x.eb", "y.eb"}},
        {"intersect", {"intersect", "new.eb", "e.eb", "f.eb"}},
        {"resize", {"resize", "e.eb", "--capacity", "4000"}},
        {"export", {"export", "s.eb", "new.eb", "--fpr", "1%"}},
        {"protect", {"protect", "x.eb", "more.txt"}},
        {"protect_drop", {"protect", "--drop", "p.eb"}},
        {"sync_new", {"sync", "new.eb", "keys.txt", "--seed", "1"}},
        {"sync", {"sync", "s.eb", "more.txt"}},
        {"sync_protect", {"sync", "s.eb", "keys.txt", "--protect", "more.txt"}},
        {"watch", {"watch", "s.eb", "more.txt", "--syncs", "1"}},
        {"delta", {"delta", "e.eb", "f.eb", "new.patch"}},
        {"apply", {"apply", "e.eb", "ef.patch"}},
        {"uniq_state", {"uniq", "keys.txt", "--state", "seen.eb", "--seed", "1"}},
        {"create_like", {"create", "new.eb", "keys.txt", "--like", "x.eb", "--unique"}},
        {"sync_rebuild", {"sync", "s.eb", "more.txt", "--rebuild", "--seed", "1"}},
        {"convert_to_bloom", {"convert", "d.eb", "new.bloom"}},
        {"convert_to_gzip", {"convert", "d.eb", "new.bloom.gz"}},
        {"convert_from_bloom", {"convert", "d.bloom", "new.eb"}},
        {"show_picture", {"show", "x.eb", "--picture", "x.svg"}},
        {"report", {"report", "x.eb", "--out", "x.html"}},
        {"route_picture", {"route", "ring", "--picture", "ring.svg"}},
        {"gate_generate", {"gate", "generate", "--packets", "20", "--senders", "3", "--out", "traffic"}},
        {"gate_state", {"gate", "--packets", "packets.txt", "--format", "text", "--state", "state", "--seed", "1"}},
        {"gate_outputs",
         {"gate", "--packets", "packets.txt", "--format", "text", "--blacklist", "bad.txt", "--verdicts",
          "verdicts.txt", "--export", "bans.txt", "--events", "events.json", "--metrics", "gate.prom", "--seed", "1"}},
    };
}

/// Bytes and mode of every file, by its name; directories of a command are read too.
using file_contents = std::map<std::string, std::string>;

[[nodiscard]] inline file_contents contents_of(const std::filesystem::path& directory) {
    file_contents found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        if (!entry.is_regular_file()) continue;
        const std::string name = std::filesystem::relative(entry.path(), directory).string();
        if (name.ends_with(".eb-new")) continue; // what a killed or failing writer leaves; the next one takes it over
        struct stat file {};
        EXPECT_EQ(::stat(entry.path().c_str(), &file), 0);
        std::ifstream bytes(entry.path(), std::ios::binary);
        found[name] = std::to_string(file.st_mode) + ":" +
                      std::string(std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>());
    }
    return found;
}

/// The names of the files that are not the same in both; empty if all are.
[[nodiscard]] inline std::string differences(const file_contents& one, const file_contents& other) {
    std::string names;
    for (const auto& [name, bytes] : one) {
        const auto found = other.find(name);
        if (found == other.end() || found->second != bytes) names += name + " ";
    }
    for (const auto& [name, bytes] : other) names += one.contains(name) ? "" : name + " ";
    return names;
}

/// The files that the commands work on.
inline void prepare_files(const workbench& here) {
    here.write("keys.txt", numbered_lines("key", 50));
    here.write("more.txt", numbered_lines("more", 30));
    here.write("bad.txt", "10.0.0.9\n");
    here.write("packets.txt", "10.0.0.1 01020304\n10.0.0.9 01020304\n10.0.0.2 aabbccdd\n");
    here.make("x.eb", numbered_lines("key", 50));
    here.make("y.eb", numbered_lines("key", 70));
    here.make("p.eb", numbered_lines("key", 50));
    here.make("e.eb", numbered_lines("key", 50), {"--kind", "elastic_blocked"});
    here.make("f.eb", numbered_lines("key", 30), {"--kind", "elastic_blocked"});
    here.make("d.eb", numbered_lines("key", 50), {"--kind", "bloom", "--hash", "dcso"});
    for (const std::vector<std::string>& one : std::vector<std::vector<std::string>>{
             {"protect", "p.eb", "more.txt"},
             {"sync", "s.eb", "keys.txt", "--seed", "1"},
             {"convert", "d.eb", "d.bloom"},
             {"delta", "e.eb", "f.eb", "ef.patch"},
             {"gate", "--packets", "packets.txt", "--format", "text", "--state", "state", "--seed", "1"}}) {
        const auto ran = here.run(one);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
    }
}

/// A directory in which the same command runs again and again, each time with the files as they were.
class repeated_change {
public:
    repeated_change() {
        prepare_files(template_);
        before_ = contents_of(template_.path());
        restore();
    }

    void restore() const {
        std::filesystem::remove_all(here_.path());
        std::filesystem::copy(template_.path(), here_.path(), std::filesystem::copy_options::recursive);
    }
    [[nodiscard]] const workbench& here() const noexcept { return here_; }
    [[nodiscard]] const file_contents& before() const noexcept { return before_; }
    [[nodiscard]] file_contents now() const { return contents_of(here_.path()); }

private:
    workbench template_;
    workbench here_;
    file_contents before_;
};

/// Each file is as it was or as it is to be.
inline void expect_old_or_new_files(const file_contents& now, const file_contents& before, const file_contents& after,
                                    const std::string& what) {
    for (const auto& [name, bytes] : now) {
        const auto old = before.find(name);
        const auto fresh = after.find(name);
        EXPECT_TRUE((old != before.end() && old->second == bytes) || (fresh != after.end() && fresh->second == bytes))
            << what << ": " << name << " is neither the old nor the new file";
    }
    for (const auto& [name, bytes] : before) {
        EXPECT_TRUE(now.contains(name) || !after.contains(name)) << what << ": " << name << " is gone";
    }
}

} // namespace everbloom::support
