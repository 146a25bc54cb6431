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
        // libpcap also knows buses and log channels, which have no packets for us.
        const bool is_network = (one->flags & PCAP_IF_CONNECTION_STATUS) != PCAP_IF_CONNECTION_STATUS_NOT_APPLICABLE ||
                                (one->flags & PCAP_IF_LOOPBACK) != 0 || std::string_view(one->name) == "any";
        if (is_network) names += (names.empty() ? "" : ", ") + std::string(one->name);
    }
    ::pcap_freealldevs(found);
    return names;
}

failure cannot_listen(const std::string& name, int code, const std::string& message) {
    if (code == PCAP_ERROR_NO_SUCH_DEVICE) {
        const std::string names = interface_names();
        return {failure_reason::bad_parameter,
                "there is no network interface '" + name + "'" + (names.empty() ? "" : "; there are: " + names)};
    }
    if (code == PCAP_ERROR_PERM_DENIED || code == PCAP_ERROR_PROMISC_PERM_DENIED) {
        return {failure_reason::input_output,
                name +
                    ": only root may listen there, and programs with the right CAP_NET_RAW; run it as root, or give it "
                    "that right (setcap cap_net_raw+ep and the path of the program)"};
    }
    if (code == PCAP_ERROR_IFACE_NOT_UP) {
        return {failure_reason::input_output,
                name + ": the interface is down; switch it on (ip link set " + name + " up)"};
    }
    return {failure_reason::input_output,
            name + ": cannot listen there: " + (message.empty() ? ::pcap_statustostr(code) : message)};
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
    if (!listener_) return fail(cannot_listen(name_, PCAP_ERROR, message.data()));
    pcap_t* const listener = listener_.get();
    ::pcap_set_snaplen(listener, static_cast<int>(longest_frame_bytes));
    ::pcap_set_promisc(listener, 0); // what is sent to others is not ours to judge
    ::pcap_set_timeout(listener, listening_milliseconds);
    if (const int code = ::pcap_activate(listener); code < 0)
        return fail(cannot_listen(name_, code, ::pcap_geterr(listener)));
    link_type_ = ::pcap_datalink(listener);
    if (!knows_link_type(link_type_)) return fail(in(name_, unknown_link_type(link_type_)));
    // Where the system cannot tell coming from going we see both: more than asked for, never less.
    ::pcap_setdirection(listener, PCAP_D_IN);
    if (::pcap_setnonblock(listener, 1, message.data()) != 0)
        return fail(cannot_listen(name_, PCAP_ERROR, message.data()));
    return {};
}

void interface_source::wait() const {
    // A descriptor that is negative is one that poll does not look at: then it is the time that ends the wait.
    std::array<pollfd, 2> watched{
        {{::pcap_get_selectable_fd(listener_.get()), POLLIN, 0}, {cancel_.descriptor(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), listening_milliseconds);
}

result<std::span<const packet>> interface_source::next() {
    block_.clear();
    for (int attempt = 0; attempt < 2 && !cancel_.requested(); ++attempt) {
        // One packet at a time: a block may be full before it has as many packets as it can have.
        int got = 1;
        while (got > 0 && !block_.full())
            got = ::pcap_dispatch(listener_.get(), 1, take, reinterpret_cast<u_char*>(this));
        if (got < 0 && block_.empty()) return fail(cannot_listen(name_, got, ::pcap_geterr(listener_.get())));
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
