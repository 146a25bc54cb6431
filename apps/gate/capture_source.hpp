// capture_source: packets of a pcap or pcapng file, as written by tcpdump and Wireshark, read by libpcap.
//
// libpcap reads from a FILE. This one is backed by an input_file (callback_file.hpp), so that compressed files and pipes work as for all
// other input. Packets that arrive through a pipe from tcpdump are returned as they come. Of a classic pcap file libpcap reads the header, and
// whatever follows the first record that is not plain; the records before that one are cut here (classic_records.hpp), in an eighth of the
// instructions.
#pragma once

#include "gate/classic_records.hpp"
#include "gate/input_file.hpp"
#include "gate/packet_block.hpp"

#include <pcap/pcap.h>

#include <memory>
#include <optional>

namespace everbloom::cli {

class capture_source final : public packet_source {
public:
    /// Reads the file header. Refuses link types that cannot be decoded.
    [[nodiscard]] static result<std::unique_ptr<packet_source>> open(input_file file);

    [[nodiscard]] result<std::span<const packet>> next() override;
    [[nodiscard]] bool ended() const noexcept override { return ended_ && !error_; }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_.file_offset(); }
    [[nodiscard]] std::uint64_t file_bytes() const noexcept override { return file_.file_bytes(); }
    [[nodiscard]] std::string cut_off() const override;

    // For the FILE (callback_file.hpp).
    ssize_t read(char* into, std::size_t bytes);
    bool position(long long& offset, int from_where) const;

private:
    explicit capture_source(input_file file);

    [[nodiscard]] result<void> read_head();
    /// Adds the plain records that are in the buffer, or else those of the next bytes. False from the first record on that libpcap must read.
    [[nodiscard]] bool cut_records();
    /// Adds one packet to the block, or sets ended_ or error_.
    void read_packet();
    void stop_because(const failure& why);
    /// Is the FILE's buffer empty, and would reading more block?
    [[nodiscard]] bool would_wait() const;
    input_file file_;
    std::unique_ptr<char[]> buffer_; // of the FILE, which pcap_close closes
    std::uint64_t handed_over_bytes_ = 0;
    std::optional<classic_records> records_; // of a classic pcap file
    bool cuts_records_ = false;
    bool input_ended_ = false; // seen while cutting records: a terminal must not be asked again
    std::unique_ptr<pcap_t, decltype(&pcap_close)> capture_{nullptr, pcap_close};
    int link_type_ = -1;
    packet_block block_;
    std::uint64_t packets_read_ = 0;
    bool ended_ = false;
    bool is_cut_off_ = false;
    std::optional<failure> unreadable_; // read error of the file below libpcap
    std::optional<failure> error_;      // reported after the packets before it have been returned
};

} // namespace everbloom::cli
