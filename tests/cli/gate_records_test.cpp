// `gate`: the records of a classic pcap file, which the gate cuts itself, are those that libpcap reads.
//
// A file of version 2.3 has the same records as one of version 2.4, but is read by libpcap alone. So whatever is done to a file, both versions of
// it must have the same packets, the same end, and the same message.
#include "cli/gate_bench.hpp"
#include "support/rounds.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <ostream>

namespace everbloom::support {
namespace {

/// All that the gate says of a capture.
struct told {
    int exit_code = 0;
    std::string err;
    std::string verdicts;
    std::vector<nlohmann::json> counts;

    friend bool operator==(const told&, const told&) = default;
    friend std::ostream& operator<<(std::ostream& out, const told& one) {
        return out << one.exit_code << ", " << one.verdicts.size() << " bytes of verdicts, " << one.err;
    }
};

told told_of(const workbench& here, const program_result& ran) {
    told made{ran.exit_code, ran.err, here.read("verdicts"), {}};
    if (ran.exit_code != 0) return made;
    const auto summary = nlohmann::json::parse(ran.out);
    for (const char* one : {"packets", "accepted", "bad", "rejected", "undecodable", "cut_short", "strikes"})
        made.counts.push_back(summary[one]);
    return made;
}

const std::vector<std::string> judging{"gate",     "--exact", "--json",     "--patterns", "patterns",
                                       "--format", "pcap",    "--verdicts", "verdicts",   "--packets"};

told gate_tells(const workbench& here, const std::string& bytes) {
    here.write("patterns", gate_patterns);
    here.write("verdicts", "");
    here.write("packets", bytes);
    auto arguments = judging;
    arguments.emplace_back("packets");
    return told_of(here, here.run(arguments));
}

/// The same file in the version that libpcap reads alone.
std::string for_libpcap(std::string file, byte_order order) {
    file[order == byte_order::little ? 6 : 7] = 3;
    return file;
}

void expect_the_same(const workbench& here, const std::string& file, byte_order order, const std::string& what) {
    EXPECT_EQ(gate_tells(here, file), gate_tells(here, for_libpcap(file, order))) << what;
}

constexpr std::array orders{byte_order::little, byte_order::big};
constexpr std::array magics{0xa1b2c3d4U, 0xa1b23c4dU}; // the second one with nanoseconds

std::vector<std::string> some_frames() {
    return {ethernet(type_ipv4, ipv4("10.0.0.1", protocol_udp, udp("abcd"))), "",
            ethernet(type_ipv6, ipv6("2001:db8::1", protocol_tcp, tcp(bad_payload)))};
}

TEST(gate_records, every_kind_of_frame_is_read_as_by_libpcap) {
    const workbench here;
    for (const auto& [link, samples] : good_samples()) {
        for (const byte_order order : orders) {
            for (const std::uint32_t magic : magics) {
                expect_the_same(here, pcap_file(link, frames_of(samples), {.order = order, .magic = magic}), order,
                                std::to_string(link));
            }
        }
    }
}

TEST(gate_records, a_file_that_ends_anywhere_ends_as_for_libpcap) {
    const workbench here;
    const std::size_t bytes_apart = rounds(1) > 1 ? 1 : 7;
    for (const byte_order order : orders) {
        const std::string whole = pcap_file(link_ethernet, some_frames(), {.order = order});
        for (std::size_t kept = pcap_head(link_ethernet).size(); kept <= whole.size(); kept += bytes_apart)
            expect_the_same(here, whole.substr(0, kept), order, std::to_string(kept) + " bytes");
    }
}

TEST(gate_records, unusual_lengths_are_judged_by_libpcap) {
    const workbench here;
    const auto frames = some_frames();
    for (const byte_order order : orders) {
        const auto record = [&](std::uint64_t kept, std::uint64_t whole) {
            const auto number = [&](std::uint64_t value) { return number_bytes(value, 4, order); };
            return number(1) + number(1) + number(kept) + number(whole) + std::string(kept < 1000 ? kept : 300, 'x');
        };
        for (const std::uint32_t longest : {0U, 40U, 299U, 300U, 262144U, ~0U}) {
            const pcap_shape shape{.order = order, .longest_kept = longest};
            const std::string start = pcap_file(link_ethernet, frames, shape);
            const std::string rest = pcap_record(frames[0], 0, order) + pcap_record(frames[2], 1000, order);
            for (const std::uint32_t kept : {300U, 301U, 262144U, 262145U, ~0U}) {
                expect_the_same(here, start + record(kept, kept) + rest, order,
                                std::to_string(kept) + " of " + std::to_string(longest));
            }
        }
    }
}

/// Frames of IPv4 with any byte changed, and cut anywhere: what they carry, and how long each was.
std::vector<std::pair<std::string, std::size_t>> changed_packets() {
    std::vector<std::pair<std::string, std::size_t>> all;
    for (const std::string& payload : {bad_payload, std::string(), std::string("abcdefghij")}) {
        for (const std::string& carried : {udp_frame(payload), tcp_frame({.flags = tcp_syn}, payload),
                                           ipv4("10.0.0.2", protocol_tcp, tcp(payload, std::string(12, '\1')))}) {
            for (std::size_t kept = 0; kept <= carried.size(); ++kept) {
                all.emplace_back(carried.substr(0, kept), carried.size());
                all.emplace_back(carried.substr(0, kept), kept);
                if (kept == carried.size()) break;
                for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
                    std::string changed = carried;
                    changed[kept] = static_cast<char>(changed[kept] ^ change);
                    all.emplace_back(changed, changed.size());
                    all.emplace_back(changed + "padding", changed.size() + 7);
                }
            }
        }
    }
    return all;
}

TEST(gate_records, the_usual_frame_is_decoded_as_with_a_tag) {
    const workbench here;
    // Behind a tag the same packet is no usual frame, and decoded step by step.
    std::string usual = pcap_head(link_ethernet);
    std::string tagged = usual;
    for (const auto& [packet, bytes] : changed_packets()) {
        usual += pcap_record(ethernet(type_ipv4, packet), 14 + bytes);
        tagged += pcap_record(ethernet(type_vlan, vlan_tag(type_ipv4, packet)), 18 + bytes);
    }
    const told said = gate_tells(here, usual);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said, gate_tells(here, tagged));
    for (const std::size_t count : {1, 2, 4}) EXPECT_GT(said.counts[count], 0) << count; // of every kind some
}

TEST(gate_records, a_long_file_is_read_to_its_end) {
    const workbench here;
    std::string whole = pcap_head(link_ethernet, {.longest_kept = 262144});
    std::uint64_t packets = 0;
    // Lengths without a pattern, so that records end at every place of a buffer; some are longer than what is read at once.
    for (std::size_t length = 0; whole.size() < 3'000'000; length = (length * 7 + 13) % 1009, ++packets) {
        const std::size_t bytes = packets % 1000 == 999 ? 200'000 : length;
        const std::string carried = udp(std::string(std::min<std::size_t>(bytes, 60'000), static_cast<char>(packets)));
        std::string frame =
            ethernet(type_ipv4, ipv4("10.0." + std::to_string(packets % 250) + ".1", protocol_udp, carried));
        if (bytes > frame.size()) frame.resize(bytes, 'p');
        whole += pcap_record(frame);
    }
    const told all = gate_tells(here, whole);
    ASSERT_EQ(all.exit_code, 0) << all.err;
    EXPECT_EQ(all.counts[0], packets);
    EXPECT_EQ(all, gate_tells(here, for_libpcap(whole, byte_order::little)));
    for (const std::size_t less : {1, 15, 1000, 1'000'000, 1'234'567})
        expect_the_same(here, whole.substr(0, whole.size() - less), byte_order::little, std::to_string(less));

    here.write("packets", whole);
    std::string line = "everbloom";
    for (const std::string& word : judging) line += " " + word;
    for (const char* input :
         {"cat packets", "head -c 100 packets; sleep 0.1; tail -c +101 packets", "gzip -c packets"}) {
        here.write("verdicts", "");
        EXPECT_EQ(told_of(here, here.shell("(" + std::string(input) + ") | " + line + " -")), all) << input;
    }
}

} // namespace
} // namespace everbloom::support
