#include "gate/interface_source.hpp"

#include "gate/frame_decoder.hpp"
#include "gate/link_type.hpp"

#include <poll.h>

#include <algorithm>
#include <array>

namespace everbloom::cli {
namespace {

constexpr int listening_milliseconds = 250;

std::string interface_names() {
    std::array<char, PCAP_ERRBUF_SIZE> message{};
    pcap_if_t* found = nullptr;
    if (::pcap_findalldevs(&found, message.data()) != 0) return {};
    std::string names;
    for (const pcap_if_t* one = found; one != nullptr; one = one->next) {
        // libpcap also lists buses and log channels, which have no IP packets.
        const bool is_network = (one->flags & PCAP_IF_CONNECTION_STATUS) != PCAP_IF_CONNECTION_STATUS_NOT_APPLICABLE ||
                                (one->flags & PCAP_IF_LOOPBACK) != 0 || std::string_view(one->name) == "any";
        if (is_network) names += (names.empty() ? "" : ", ") + std::string(one->name);
    }
    ::pcap_freealldevs(found);
    return names;
}

failure cannot_capture(const std::string& name, int code, const std::string& message) {
    if (code == PCAP_ERROR_NO_SUCH_DEVICE) {
        const std::string names = interface_names();
        return {failure_reason::bad_parameter,
                "no network interface '" + name + "'" + (names.empty() ? "" : "; available: " + names)};
    }
    if (code == PCAP_ERROR_PERM_DENIED || code == PCAP_ERROR_PROMISC_PERM_DENIED) {
        return {failure_reason::input_output,
                name + ": permission denied; capturing needs root or CAP_NET_RAW: run as root, or grant it with "
                       "'setcap cap_net_raw+ep' and the path of the everbloom binary"};
    }
    if (code == PCAP_ERROR_IFACE_NOT_UP) {
        return {failure_reason::input_output,
                name + ": the interface is down; bring it up with 'ip link set " + name + " up'"};
    }
    return {failure_reason::input_output,
            name + ": cannot capture: " + (message.empty() ? ::pcap_statustostr(code) : message)};
}

} // namespace

result<std::unique_ptr<packet_source>> interface_source::open(const std::string& name, const cancellation& cancel) {
    std::unique_ptr<interface_source> made(new interface_source(name, cancel));
    if (auto begun = made->listen(); !begun) return fail(std::move(begun.error()));
    return made;
}

result<void> interface_source::listen() {
    std::array<char, PCAP_ERRBUF_SIZE> message{};
    listener_.reset(::pcap_create(name_.c_str(), message.data()));
    if (!listener_) return fail(cannot_capture(name_, PCAP_ERROR, message.data()));
    pcap_t* const listener = listener_.get();
    ::pcap_set_snaplen(listener, static_cast<int>(longest_frame_bytes));
    ::pcap_set_promisc(listener, 0); // only packets addressed to this machine are judged
    ::pcap_set_timeout(listener, listening_milliseconds);
    if (const int code = ::pcap_activate(listener); code < 0)
        return fail(cannot_capture(name_, code, ::pcap_geterr(listener)));
    link_type_ = ::pcap_datalink(listener);
    if (!knows_link_type(link_type_)) return fail(in(name_, unknown_link_type(link_type_)));
    // Where the system cannot filter by direction, outgoing packets are seen too.
    ::pcap_setdirection(listener, PCAP_D_IN);
    if (::pcap_setnonblock(listener, 1, message.data()) != 0)
        return fail(cannot_capture(name_, PCAP_ERROR, message.data()));
    return {};
}

void interface_source::wait() const {
    // poll ignores a negative descriptor; then the timeout ends the wait.
    std::array<pollfd, 2> watched{
        {{::pcap_get_selectable_fd(listener_.get()), POLLIN, 0}, {cancel_.descriptor(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), listening_milliseconds);
}

result<std::span<const packet>> interface_source::next() {
    block_.clear();
    for (int attempt = 0; attempt < 2 && !cancel_.requested(); ++attempt) {
        // One packet at a time: a block may be full of bytes before it is full of packets.
        int got = 1;
        while (got > 0 && !block_.full())
            got = ::pcap_dispatch(listener_.get(), 1, take, reinterpret_cast<u_char*>(this));
        if (got < 0 && block_.empty()) return fail(cannot_capture(name_, got, ::pcap_geterr(listener_.get())));
        if (!block_.empty()) break;
        if (attempt == 0) wait();
    }
    return block_.packets();
}

void interface_source::take(u_char* source, const pcap_pkthdr* header, const u_char* bytes) {
    auto& self = *reinterpret_cast<interface_source*>(source);
    self.block_.add(decode_frame(self.link_type_, {bytes, header->caplen}, header->len));
}

std::uint64_t interface_source::dropped_by_system() const {
    pcap_stat counted{};
    return ::pcap_stats(listener_.get(), &counted) == 0 ? counted.ps_drop : 0;
}

} // namespace everbloom::cli
