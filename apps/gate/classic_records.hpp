// classic_records: cuts the records of a classic pcap file out of a large buffer, without a copy or a call for each.
//
//     | seconds 4 | micro- or nanoseconds 4 | bytes kept 4 | bytes of the frame 4 | kept bytes ... | next record
//
// libpcap reads the header of the file, and every record that is not plain: a length over the limits of the file, a file that ends in the
// middle of one. Such bytes stay here until libpcap takes them, so that its rules and its messages are the only ones (capture_source.hpp).
#pragma once

#include "gate/frame_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace everbloom::cli {

/// What comes next in the buffer.
enum class next_record { whole, incomplete, strange };

class classic_records {
public:
    /// `most_kept`: the longest record that is plain. `order`: of the numbers in the file.
    classic_records(std::endian order, std::size_t most_kept)
        : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(room_bytes)), is_swapped_(order != std::endian::native),
          most_kept_(static_cast<std::uint32_t>(std::min(most_kept, longest_frame_bytes))) {}

    [[nodiscard]] next_record look() const noexcept {
        if (until_ - from_ < head_bytes) return next_record::incomplete;
        const std::uint32_t kept = number_at(8);
        if (kept > most_kept_) return next_record::strange;
        return until_ - from_ - head_bytes < kept ? next_record::incomplete : next_record::whole;
    }

    struct frame {
        std::span<const std::uint8_t> kept; // valid until the next `read_on`
        std::size_t whole_bytes;
    };
    /// Precondition: it is whole.
    [[nodiscard]] frame take() noexcept {
        const frame taken{{bytes_.get() + from_ + head_bytes, number_at(8)}, number_at(12)};
        from_ += head_bytes + taken.kept.size();
        return taken;
    }

    /// Makes room, and adds the bytes that `read` puts there: a result with their number. Precondition: no record is whole.
    template <class Read>
    [[nodiscard]] auto read_on(Read read) {
        std::memmove(bytes_.get(), bytes_.get() + from_, until_ - from_);
        until_ -= from_;
        from_ = 0;
        const std::size_t some = std::min(room_bytes - until_, read_bytes);
        auto got = read(std::span(reinterpret_cast<char*>(bytes_.get()) + until_, some));
        if (got) until_ += *got;
        return got;
    }

    /// Bytes that were not cut; moves up to `into.size()` of them there.
    [[nodiscard]] std::size_t move_out(std::span<char> into) noexcept {
        const std::size_t count = std::min(into.size(), until_ - from_);
        if (count != 0) std::memcpy(into.data(), bytes_.get() + from_, count);
        from_ += count;
        return count;
    }

private:
    static constexpr std::size_t head_bytes = 16;
    static constexpr std::size_t read_bytes = std::size_t{1}
                                              << 17; // at once: packets are judged while they are in the cache
    static constexpr std::size_t room_bytes = longest_frame_bytes + 2 * read_bytes; // any record fits

    [[nodiscard]] std::uint32_t number_at(std::size_t offset) const noexcept {
        std::uint32_t number = 0;
        std::memcpy(&number, bytes_.get() + from_ + offset, sizeof number);
        if (is_swapped_) number = number << 24 | (number & 0xff00U) << 8 | (number >> 8 & 0xff00U) | number >> 24;
        return number;
    }

    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t from_ = 0; // read and not yet taken: [from_, until_)
    std::size_t until_ = 0;
    bool is_swapped_;
    std::uint32_t most_kept_;
};

} // namespace everbloom::cli
