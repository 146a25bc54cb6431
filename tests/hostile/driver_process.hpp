// Runs the driver (driver/driver.cpp) with one of its system calls going wrong (shim/shim.cpp). Both lie beside the test program.
#pragma once

// This suite names its own program, and can be built where the command line tool is not.
#ifndef EVERBLOOM_CLI_PATH
#define EVERBLOOM_CLI_PATH ""
#endif
#include "hostile/small_file.hpp"
#include "support/rounds.hpp"
#include "support/run_program.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace everbloom::hostile {

/// Which call of the driver goes wrong, and how; the words are explained in shim/shim.cpp.
struct fault {
    std::string call;
    std::uint64_t at = 1;
    std::string how = "once";
    int error = 0;

    friend std::ostream& operator<<(std::ostream& out, const fault& one) {
        return out << one.call << " number " << one.at << ", " << one.how << ", errno " << one.error;
    }
};

struct driver_result {
    int exit_code = -1;
    std::string sentence;     // what it said on stderr
    std::uint64_t faults = 0; // how often the shim struck
};

[[nodiscard]] inline support::program_setting driver_setting(const std::optional<fault>& wrong = {}) {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    support::program_setting setting;
    setting.program = folder / "hostile_driver";
    if (wrong) {
        setting.extra = {{"LD_PRELOAD", folder / "libhostile_shim.so"},
                         {"FAIL_CALL", wrong->call},
                         {"FAIL_AT", std::to_string(wrong->at)},
                         {"FAIL_HOW", wrong->how},
                         {"FAIL_ERRNO", std::to_string(wrong->error)}};
    }
    return setting;
}

inline driver_result run_driver(const std::vector<std::string>& words, const std::optional<fault>& wrong = {}) {
    const auto ran = support::run_program(words, driver_setting(wrong));
    driver_result told{ran.exit_code, ran.err, 0};
    if (ran.out.rfind("faults ", 0) == 0) told.faults = std::stoull(ran.out.substr(7));
    return told;
}

/// The kinds that tests with many processes run over: all, or in a hurry the first few.
[[nodiscard]] inline std::vector<std::string> kinds_for_processes() {
    std::vector<std::string> names;
    for (const kind_info& kind : known_kinds()) {
        if (!kind.capabilities.has(capability::insert)) continue;
        names.emplace_back(kind.name);
        if (names.size() >= support::rounds(40)) break;
    }
    return names;
}

/// A file of one kind that the driver is going to change, as it is before and as it is to be afterwards.
class file_in_change {
public:
    static constexpr std::uint64_t keys = 100;

    explicit file_in_change(const std::string& kind, std::uint64_t items = 1000) {
        filter_file made = empty_filter(kind, items);
        insert_keys(made, 0, keys);
        before_ = text_of(made);
        insert_keys(made, keys, 2 * keys);
        after_ = text_of(made);
        restore();
    }

    void restore() const {
        std::filesystem::remove(here_ / ".x.eb.eb-new");
        std::filesystem::remove(here_ / "x.eb"); // writing over it makes some file systems flush it
        here_.write("x.eb", before_);
    }
    [[nodiscard]] std::string path() const { return here_ / "x.eb"; }
    [[nodiscard]] std::vector<std::string> change() const {
        return {"insert", path(), std::to_string(keys), std::to_string(2 * keys)};
    }
    [[nodiscard]] bool is_old() const { return here_.read("x.eb") == before_; }
    [[nodiscard]] bool is_new() const { return here_.read("x.eb") == after_; }
    [[nodiscard]] std::string listing() const { return here_.listing(); }

private:
    static std::string text_of(const filter_file& file) {
        const file_bytes bytes = write_filter(file);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    support::temporary_directory here_;
    std::string before_;
    std::string after_;
};

} // namespace everbloom::hostile
