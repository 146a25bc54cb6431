// gate_state: a saved gate in a directory, from which a run can be resumed.
//
//     gate.json                the manifest: counters, and the names and checksums of the files below
//     bad_ips.7.eb             filters, readable by every other command
//     good_ips.7.eb
//     senders.7.bin            see sender_records.hpp
//     flows.7.bin              see flows/flow_records.hpp
//     patterns.7.txt           lists in the input formats of the gate
//     networks.7.txt
//
// and, for exact sets, exact_bad_ips.7.txt and so on. The files of a save carry its number. They are written first; then gate.json is
// replaced atomically, which makes them the state; then the files of earlier saves are removed. Other files in the directory are not
// touched. After a power failure gate.json names complete files. The directory is locked while a gate runs.
#pragma once

#include "gate/gate.hpp"
#include "gate/totals.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

/// State outside of the gate itself.
struct gate_history {
    gate_totals totals;
    std::uint64_t blacklist_checksum = 0; // of the last blacklist that was loaded
};

struct saved_gate {
    gate state;
    gate_history history;
};

class gate_state {
public:
    /// Creates the directory if necessary, and locks it.
    [[nodiscard]] static result<gate_state> open(const std::string& directory);

    /// Does it hold a saved gate?
    [[nodiscard]] bool holds_gate() const;

    /// Loads the saved gate; `patterns`, if given, replace the saved ones. `fresh` is the hasher if there are no filters.
    [[nodiscard]] result<saved_gate> load(gate_mode mode, const machine_limits& limits,
                                          std::optional<gate_patterns> patterns, const any_hasher& fresh) const;

    /// Saves, and unlocks the directory.
    [[nodiscard]] result<void> save(const gate& current, const gate_history& history);
    /// Saves in the middle of a run, and locks the directory again. (The lock is the file that becomes gate.json: another gate that is
    /// started at this very moment may win it; then this fails, with the state saved.)
    [[nodiscard]] result<void> checkpoint(const gate& current, const gate_history& history);

private:
    gate_state(std::string directory, file_update lock) : directory_(std::move(directory)) {
        lock_.emplace(std::move(lock));
    }

    [[nodiscard]] std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
    /// Removes the files of those saves for which `wanted(number)` is true.
    template <class Wanted>
    void remove_files_of_saves(Wanted wanted) const noexcept;

    std::string directory_;
    std::optional<file_update> lock_;
};

} // namespace everbloom::cli
