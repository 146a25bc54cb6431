// capture_source: the packets of a capture, pcap or pcapng, as tcpdump and Wireshark write them; libpcap reads them.
//
// libpcap reads from a FILE; ours is made of the bytes of an input_file (fopencookie), so that compressed files and pipes are read
// like all other input. A capture that comes through a pipe from tcpdump is handed on as far as it has come.
#pragma once

#include "gate/input_file.hpp"
#include "gate/packet_block.hpp"

#include <pcap/pcap.h>

#include <memory>
#include <optional>
#include <vector>

namespace everbloom::cli {

class capture_source final : public packet_source {
public:
    /// Reads the head of the file. Refuses link types that we cannot decode.
    [[nodiscard]] static result<std::unique_ptr<packet_source>> open(input_file file);

    [[nodiscard]] result<std::span<const packet>> next() override;
    [[nodiscard]] bool ended() const noexcept override { return ended_ && !trouble_; }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_.file_offset(); }
    [[nodiscard]] std::uint64_t file_bytes() const noexcept override { return file_.file_bytes(); }
    [[nodiscard]] std::string cut_off() const override;

private:
    explicit capture_source(input_file file);

    [[nodiscard]] result<void> read_head();
    /// One packet more in the block; or the end, or trouble.
    void read_packet();
    void stop_because(const failure& why);
    /// Is there nothing in the FILE's buffer, and nothing more to be had at once?
    [[nodiscard]] bool would_wait() const;
    // How the FILE reads, and where it is told to be when it is asked; `source` is a capture_source.
    static ssize_t hand_over(void* source, char* into, std::size_t bytes);
    static int tell_position(void* source, off64_t* offset, int from_where);

    input_file file_;
    std::vector<char> buffer_; // of the FILE, which pcap_close closes
    std::uint64_t handed_over_bytes_ = 0;
    std::unique_ptr<pcap_t, decltype(&pcap_close)> capture_{nullptr, pcap_close};
    int link_type_ = -1;
    packet_block block_;
    std::uint64_t packets_read_ = 0;
    bool ended_ = false;
    bool is_cut_off_ = false;
    std::optional<failure> unreadable_; // what the file said while libpcap was reading
    std::optional<failure> trouble_;    // told when the packets before it have been handed out
};

} // namespace everbloom::cli
