// gate_flags: the command line options of `gate`, and the settings they stand for.
#pragma once

#include "filters/hasher_flags.hpp"
#include "frame/command.hpp"
#include "frame/summary.hpp"
#include "gate/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace everbloom::cli {

struct gate_flags {
    std::optional<std::string> blacklist;
    std::optional<std::string> patterns;
    std::optional<std::string> packets;
    std::optional<std::string> interface;
    std::optional<std::string> query;
    std::optional<std::string> state;
    std::optional<std::string> verdicts;
    std::optional<std::string> exported;
    std::optional<std::string> events;
    std::optional<std::string> metrics;
    std::optional<std::string> checkpoint;
    std::optional<std::string> checkpoint_packets;
    std::string format = "auto";
    std::string undecodable = "drop";
    std::string export_syntax = "nft";
    std::string export_name = "everbloom";
    bool exact = false;
    bool compare = false;
    bool watch = false;
    std::string fpr = "0.1%";
    std::string pattern_fpr = "1e-9";
    std::string good_kind = filter_options{}.good_kind;
    std::string bad_kind = filter_options{}.bad_kind;
    std::string senders = "10k";
    std::string most_senders = "1M";
    std::string most_flows = "100k";
    std::optional<std::string> count;
    std::optional<std::string> seconds;
    std::optional<std::string> every;
    hasher_flags hashing;
    summary_flags output;

    void declare(command_flags& command);

    /// Fails on combinations that cannot run. Before any work is done.
    [[nodiscard]] result<void> check() const;
    [[nodiscard]] result<gate_plan> plan() const;
    [[nodiscard]] result<run_options> options() const;
    [[nodiscard]] result<checkpoint_rules> checkpoint_plan() const;
    [[nodiscard]] packet_format format_of_packets() const;
    [[nodiscard]] ban_syntax syntax_of_bans() const;

    /// The files it reads.
    [[nodiscard]] std::vector<std::string> inputs() const;
    /// Do packets come as they are sent, so that there is no file to read again after an interruption?
    [[nodiscard]] bool is_live() const { return interface.has_value() || packets == "-"; }
    /// Is there a live view?
    [[nodiscard]] bool watched() const;
    /// One JSON line per report instead of one document at the end?
    [[nodiscard]] bool json_lines() const { return output.as_json && (interface || every || watch); }

private:
    [[nodiscard]] result<void> check_outputs() const;
    void declare_sources(command_flags& command);
    void declare_rules(command_flags& command);
    void declare_results(command_flags& command);
};

} // namespace everbloom::cli
