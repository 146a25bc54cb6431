// interface_source: live packets of a network interface, captured by libpcap.
#pragma once

#include "gate/packet_block.hpp"

#include <pcap/pcap.h>

#include <memory>
#include <string>

namespace everbloom::cli {

class interface_source final : public packet_source {
public:
    [[nodiscard]] static result<std::unique_ptr<packet_source>> open(const std::string& name,
                                                                     const cancellation& cancel);

    [[nodiscard]] result<std::span<const packet>> next() override;
    [[nodiscard]] bool ended() const noexcept override { return cancel_.requested(); }
    [[nodiscard]] std::uint64_t dropped_by_system() const override;

private:
    interface_source(const std::string& name, const cancellation& cancel) : name_(name), cancel_(cancel) {}

    [[nodiscard]] result<void> listen();
    /// Waits for a packet, cancellation, or a quarter of a second.
    void wait() const;
    static void take(u_char* source, const pcap_pkthdr* header, const u_char* bytes);

    std::string name_;
    const cancellation& cancel_;
    std::unique_ptr<pcap_t, decltype(&pcap_close)> listener_{nullptr, pcap_close};
    int link_type_ = -1;
    packet_block block_;
};

} // namespace everbloom::cli
