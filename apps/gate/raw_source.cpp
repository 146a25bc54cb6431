#include "gate/raw_source.hpp"

#include <algorithm>
#include <cstring>

namespace everbloom::cli {
namespace {

constexpr std::size_t raw_address_bytes = 4;
constexpr std::size_t raw_packet_bytes = 8;
constexpr std::size_t raw_buffer_bytes = std::size_t{1} << 18;

} // namespace

raw_source::raw_source(input_file file) : file_(std::move(file)), bytes_(raw_buffer_bytes) {}

result<void> raw_source::read_on() {
    std::memmove(bytes_.data(), bytes_.data() + from_, until_ - from_);
    until_ -= from_;
    from_ = 0;
    while (until_ < raw_packet_bytes) {
        const auto got = file_.read(std::span(bytes_).subspan(until_));
        if (!got) return fail(got.error());
        if (*got == 0) {
            ended_ = true;
            if (!file_.cancelled()) left_over_bytes_ = until_;
            until_ = 0;
            return {};
        }
        until_ += *got;
    }
    return {};
}

result<std::span<const packet>> raw_source::next() {
    if (!ended_ && until_ - from_ < raw_packet_bytes) {
        if (auto done = read_on(); !done) return fail(std::move(done.error()));
    }
    const std::size_t count = std::min((until_ - from_) / raw_packet_bytes, packets_.size());
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes_.data() + from_);
    for (std::size_t i = 0; i < count; ++i, at += raw_packet_bytes) {
        const std::uint32_t sender = std::uint32_t{at[0]} << 24U | std::uint32_t{at[1]} << 16U |
                                     std::uint32_t{at[2]} << 8U | std::uint32_t{at[3]};
        packets_[i].sender = ip_address::v4(sender);
        packets_[i].payload = {at + raw_address_bytes, raw_packet_bytes - raw_address_bytes};
    }
    from_ += count * raw_packet_bytes;
    return std::span<const packet>(packets_).first(count);
}

std::string raw_source::cut_off() const {
    if (left_over_bytes_ == 0) return {};
    return file_.name() + ": the last " + std::to_string(left_over_bytes_) +
           " bytes are an incomplete packet (a raw packet has 8 bytes), which is counted as undecodable";
}

} // namespace everbloom::cli
