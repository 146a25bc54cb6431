// Captures that the gate judges with patterns given as text: the verdicts as letters, by filters and by exact sets, which must agree.
#pragma once

#include "cli/gate_samples.hpp"

#include <nlohmann/json.hpp>

namespace everbloom::support {

struct gate_bench : workbench {
    /// What the gate says about a capture: A(ccept), B(ad), R(eject), in order. `summary` is that of the filters.
    struct outcome {
        std::string letters;
        nlohmann::json summary;
        std::vector<gate_verdict> verdicts;
    };

    [[nodiscard]] outcome judge(const std::vector<std::string>& frames, const std::string& pattern_lines,
                                const std::vector<std::string>& more = {}, unsigned link = link_raw) const {
        write("packets.pcap", pcap_file(link, frames));
        return judge_file("packets.pcap", pattern_lines, more);
    }

    [[nodiscard]] outcome judge_file(const std::string& file, const std::string& pattern_lines,
                                     const std::vector<std::string>& more = {}) const {
        write("patterns.txt", pattern_lines);
        outcome said = judge_once(file, more, {});
        const outcome exact = judge_once(file, more, {"--exact"});
        EXPECT_EQ(said.letters, exact.letters);
        return said;
    }

private:
    [[nodiscard]] outcome judge_once(const std::string& file, const std::vector<std::string>& more,
                                     const std::vector<std::string>& mode) const {
        std::vector<std::string> arguments{"gate",   "--patterns", "patterns.txt", "--packets",  file,
                                           "--seed", "1",          "--json",       "--verdicts", "verdicts"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), mode.begin(), mode.end());
        const auto ran = run(arguments);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        if (ran.exit_code != 0) return {};
        outcome made{"", nlohmann::json::parse(ran.out), verdicts_in(read("verdicts"))};
        for (const gate_verdict& one : made.verdicts) made.letters += one.said[0];
        return made;
    }
};

/// Frames of raw IP from 10.0.0.1, or another sender.
[[nodiscard]] inline std::string udp_frame(const std::string& payload, const std::string& sender = "10.0.0.1") {
    return ipv4(sender, protocol_udp, udp(payload));
}
[[nodiscard]] inline std::string tcp_frame(const tcp_place& place, const std::string& payload,
                                           const std::string& sender = "10.0.0.1") {
    return ipv4(sender, protocol_tcp, tcp_at(place, payload));
}

} // namespace everbloom::support
