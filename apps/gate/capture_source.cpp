#include "gate/capture_source.hpp"

#include "gate/callback_file.hpp"
#include "gate/frame_decoder.hpp"
#include "gate/link_type.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace everbloom::cli {
namespace {

constexpr std::size_t capture_buffer_bytes = std::size_t{1} << 18;

/// libpcap has no error code for a truncated file, only this text.
bool says_cut_off(std::string_view message) noexcept { return message.starts_with("truncated"); }

} // namespace

capture_source::capture_source(input_file file) : file_(std::move(file)), buffer_(capture_buffer_bytes) {}

result<std::unique_ptr<packet_source>> capture_source::open(input_file file) {
    std::unique_ptr<capture_source> made(new capture_source(std::move(file)));
    if (auto read = made->read_head(); !read) return fail(std::move(read.error()));
    return made;
}

result<void> capture_source::read_head() {
    const auto beginning = file_.beginning();
    if (!beginning) return fail(beginning.error());
    if (beginning->empty()) {
        ended_ = true;
        return {};
    }
    std::FILE* file = open_for_reading(*this);
    if (file == nullptr) return fail(failure_reason::out_of_memory, file_.name() + ": " + std::strerror(errno));
    std::setvbuf(file, buffer_.data(), _IOFBF, buffer_.size());
    std::array<char, PCAP_ERRBUF_SIZE> message{};
    capture_.reset(::pcap_fopen_offline(file, message.data()));
    if (!capture_) {
        std::fclose(file);
        if (unreadable_) return fail(std::move(*unreadable_));
        return fail(failure_reason::damaged, file_.name() + ": not a readable capture (" + message.data() +
                                                 "); expected pcap or pcapng, as written by tcpdump or Wireshark");
    }
    link_type_ = ::pcap_datalink(capture_.get());
    if (!knows_link_type(link_type_)) return fail(in(file_.name(), unknown_link_type(link_type_)));
    return {};
}

result<std::span<const packet>> capture_source::next() {
    block_.clear();
    while (!ended_ && !block_.full()) {
        if (!block_.empty() && would_wait()) break;
        read_packet();
    }
    if (block_.empty() && error_) {
        failure reported = std::move(*error_);
        error_.reset();
        return fail(std::move(reported));
    }
    return block_.packets();
}

void capture_source::read_packet() {
    pcap_pkthdr* header = nullptr;
    const u_char* bytes = nullptr;
    const int got = ::pcap_next_ex(capture_.get(), &header, &bytes);
    if (got == 1) {
        ++packets_read_;
        if (header->caplen > longest_frame_bytes) {
            return stop_because({failure_reason::damaged, "has a length of " + std::to_string(header->caplen) +
                                                              " bytes, over the limit of " +
                                                              std::to_string(longest_frame_bytes)});
        }
        block_.add(decode_frame(link_type_, {bytes, header->caplen}, header->len));
        return;
    }
    ended_ = true;
    if (got == PCAP_ERROR_BREAK || file_.cancelled()) return;
    ++packets_read_;
    const std::string_view message = ::pcap_geterr(capture_.get());
    if (unreadable_)
        error_ = std::move(unreadable_);
    else if (says_cut_off(message))
        is_cut_off_ = true;
    else
        stop_because({failure_reason::damaged, "cannot be read (" + std::string(message) + ")"});
}

void capture_source::stop_because(const failure& why) {
    ended_ = true;
    error_ = in(file_.name(), {why.reason, "packet " + std::to_string(packets_read_) + " " + why.sentence +
                                               "; the capture is damaged from there on"});
}

bool capture_source::would_wait() const {
    if (file_.file_bytes() != 0) return false; // a regular file never blocks
    const off_t position = ::ftello(::pcap_file(capture_.get()));
    return position >= 0 && static_cast<std::uint64_t>(position) == handed_over_bytes_ && !file_.ready();
}

ssize_t capture_source::read(char* into, std::size_t bytes) {
    auto got = file_.read({into, bytes});
    if (!got) {
        unreadable_ = std::move(got.error());
        errno = EIO;
        return -1;
    }
    handed_over_bytes_ += *got;
    return static_cast<ssize_t>(*got);
}

bool capture_source::position(long long& offset, int from_where) const {
    if (from_where != SEEK_CUR || offset != 0) return false; // streams cannot seek
    offset = static_cast<long long>(handed_over_bytes_);
    return true;
}

std::string capture_source::cut_off() const {
    if (!is_cut_off_) return {};
    return file_.name() + ": truncated in packet " + std::to_string(packets_read_) +
           ", which is counted as undecodable";
}

} // namespace everbloom::cli
