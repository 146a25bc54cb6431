// Files of a saved gate: their names, writing them for a save, reading them back with checks.
#pragma once

#include "gate/flows/flow_table.hpp"
#include "gate/lists.hpp"
#include "gate/patterns/gate_patterns.hpp"
#include "gate/sender_table.hpp"
#include "gate/state_manifest.hpp"

#include <everbloom/runtime/filter_file.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

inline constexpr std::string_view manifest_name = "gate.json";

/// The number of the save that wrote a file of this name ("bad_ips.7.eb": save 7); nullopt if no save did.
[[nodiscard]] std::optional<std::uint64_t> number_of_saved_file(std::string_view name) noexcept;

/// Writes the files of one save and records them for the manifest.
class save_in_progress {
public:
    save_in_progress(const std::string& directory, std::uint64_t number) : directory_(directory), number_(number) {}
    save_in_progress(const save_in_progress&) = delete;
    save_in_progress& operator=(const save_in_progress&) = delete;
    /// Removes the files unless `keep` was called.
    ~save_in_progress();

    [[nodiscard]] result<void> add(std::string_view part, std::string_view ending, std::span<const std::byte> bytes);
    [[nodiscard]] const std::vector<state_file>& files() const noexcept { return files_; }
    /// Keeps the files: gate.json names them now.
    void keep() noexcept { paths_.clear(); }

private:
    const std::string& directory_;
    std::uint64_t number_;
    std::vector<state_file> files_;
    std::vector<std::string> paths_; // removed if the save is not completed
};

/// Reads the files of a save; a size or checksum that differs from gate.json is an error.
class saved_files {
public:
    saved_files(const std::string& directory, const std::vector<state_file>& files)
        : directory_(directory), files_(files) {}

    [[nodiscard]] result<filter_file> filter(std::string_view part) const;
    [[nodiscard]] result<gate_patterns> patterns(std::string_view part) const;
    [[nodiscard]] result<std::vector<address_range>> networks(std::string_view part) const;
    [[nodiscard]] result<std::vector<ip_address>> addresses(std::string_view part) const;
    [[nodiscard]] result<void> senders(std::string_view part, sender_table& into, const any_hasher& hash) const;
    [[nodiscard]] result<void> flows(std::string_view part, flow_table& into) const;

private:
    struct content {
        std::string path;
        std::vector<std::byte> bytes;
    };
    [[nodiscard]] result<content> read(std::string_view part) const;

    const std::string& directory_;
    const std::vector<state_file>& files_;
};

} // namespace everbloom::cli
