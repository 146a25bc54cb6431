// gate_state: a gate on disk, in a directory of its own, so that a run can be resumed as if it had never ended.
//
//     gate.json                the whole that belongs together: counters, and the names and checksums of the files below
//     bad_ips.7.eb             filters, as every other command reads them
//     good_ips.7.eb
//     senders.7.bin            see sender_records.hpp
//     patterns.7.txt           lists in the forms that the gate reads
//
// and, for exact sets, exact_bad_ips.7.txt and the like. The files of a save carry its number. They are written first; then gate.json is
// replaced in one step, which makes them the state; then those of earlier saves are removed. Other files in the directory are left alone. Whenever the power fails, gate.json names
// files that are whole. While a gate runs nobody else can use the directory.
#pragma once

#include "gate/gate.hpp"
#include "gate/totals.hpp"

#include <everbloom/runtime/file_update.hpp>

#include <optional>
#include <string>

namespace everbloom::cli {

/// What is not in the gate itself.
struct gate_history {
    gate_totals totals;
    std::uint64_t blacklist_checksum = 0; // of the last list that was taken in
};

struct saved_gate {
    gate state;
    gate_history history;
};

class gate_state {
public:
    /// Makes the directory if there is none, and becomes its only user.
    [[nodiscard]] static result<gate_state> open(const std::string& directory);

    /// Is there a gate in it?
    [[nodiscard]] bool holds_gate() const;

    /// The gate as it was saved; `patterns`, if given, replace those it had. `fresh` hashes where no filter does.
    [[nodiscard]] result<saved_gate> load(gate_mode mode, std::uint64_t most_senders,
                                          std::optional<pattern_list> patterns, const any_hasher& fresh) const;

    /// Saves, and ends the use of the directory: the next one may have it.
    [[nodiscard]] result<void> save(const gate& current, const gate_history& history);

private:
    gate_state(std::string directory, file_update lock) : directory_(std::move(directory)) {
        lock_.emplace(std::move(lock));
    }

    [[nodiscard]] std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
    /// Removes files that saves have made, of those saves that `wanted` says true for.
    template <class Wanted>
    void remove_files_of_saves(Wanted wanted) const noexcept;

    std::string directory_;
    std::optional<file_update> lock_;
};

} // namespace everbloom::cli
