#include "gate/capture_source.hpp"

#include "gate/callback_file.hpp"
#include "gate/frame_decoder.hpp"
#include "gate/link_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace everbloom::cli {
namespace {

constexpr std::size_t capture_buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t classic_head_bytes = 24;

/// Does a capture begin as the classic ones of today do, in any byte order?
bool begins_as_classic(std::string_view start) noexcept {
    using namespace std::string_view_literals;
    return start.starts_with("\xd4\xc3\xb2\xa1"sv) || start.starts_with("\xa1\xb2\xc3\xd4"sv) ||
           start.starts_with("\x4d\x3c\xb2\xa1"sv) || start.starts_with("\xa1\xb2\x3c\x4d"sv); // with nanoseconds
}

/// Of what libpcap has opened.
std::endian byte_order_of(pcap_t* capture) noexcept {
    constexpr auto other = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    return ::pcap_is_swapped(capture) != 0 ? other : std::endian::native;
}

/// libpcap has no error code for a truncated file, only this text.
bool says_cut_off(std::string_view message) noexcept { return message.starts_with("truncated"); }

} // namespace

capture_source::capture_source(input_file file)
    : file_(std::move(file)), buffer_(std::make_unique_for_overwrite<char[]>(capture_buffer_bytes)) {}

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
    std::setvbuf(file, buffer_.get(), _IOFBF, capture_buffer_bytes);
    const bool is_classic = begins_as_classic(*beginning);
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
    // Older versions have other records.
    cuts_records_ = is_classic && ::pcap_major_version(capture_.get()) == 2 &&
                    ::pcap_minor_version(capture_.get()) == 4 && handed_over_bytes_ == classic_head_bytes;
    if (cuts_records_) {
        records_.emplace(byte_order_of(capture_.get()),
                         static_cast<std::size_t>(std::max(0, ::pcap_snapshot(capture_.get()))));
    }
    return {};
}

result<std::span<const packet>> capture_source::next() {
    block_.clear();
    if (cuts_records_) cuts_records_ = cut_records();
    while (!cuts_records_ && !ended_ && !block_.full()) {
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

bool capture_source::cut_records() {
    for (;;) {
        next_record next = records_->look();
        while (next == next_record::whole && !block_.full()) {
            const auto [kept, whole_bytes] = records_->take();
            ++packets_read_;
            block_.add_in_place(decode_frame(link_type_, kept, whole_bytes));
            next = records_->look();
        }
        // The packets are in the buffer: it is filled again only without any.
        if (!block_.empty()) return true;
        if (next == next_record::strange) return false;
        const auto got = records_->read_on([this](std::span<char> into) { return file_.read(into); });
        if (got && *got != 0) continue;
        if (got)
            input_ended_ = true;
        else
            unreadable_ = got.error();
        return false; // libpcap says whether that is in the middle of a record
    }
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
    // The header of a classic file comes alone: the records behind it are not for libpcap.
    const std::size_t most = handed_over_bytes_ < classic_head_bytes
                                 ? std::min<std::size_t>(bytes, classic_head_bytes - handed_over_bytes_)
                                 : bytes;
    std::size_t count = records_ ? records_->move_out({into, most}) : 0;
    if (count == 0 && !unreadable_ && !input_ended_) {
        auto got = file_.read({into, most});
        if (got)
            count = *got;
        else
            unreadable_ = std::move(got.error());
    }
    if (count == 0 && unreadable_) {
        errno = EIO;
        return -1;
    }
    handed_over_bytes_ += count;
    return static_cast<ssize_t>(count);
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
