// text_source: packets as text, one per line:
//
//     # comment
//     10.0.0.7 deadbeef 0x00c0ffee                                              an address and words of up to 8 hexadecimal digits
//     00001010000000000000000000000111 11011110101011011011111011101111         address and data as 32 binary digits each,
//     0000101000000000000000000000011111011110101011011011111011101111          or both in one
#pragma once

#include "gate/input_file.hpp"
#include "gate/packet_block.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace everbloom::cli {

class text_source final : public packet_source {
public:
    explicit text_source(input_file file);

    [[nodiscard]] result<std::span<const packet>> next() override;
    [[nodiscard]] bool ended() const noexcept override { return ended_ && !error_; }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_.file_offset(); }
    [[nodiscard]] std::uint64_t file_bytes() const noexcept override { return file_.file_bytes(); }

private:
    /// The next line without its line ending; nullopt at the end of the file, after an error, or if reading would block while there
    /// are packets to return.
    [[nodiscard]] std::optional<std::string_view> next_line();
    /// Reads more into the buffer; false at the end.
    [[nodiscard]] bool read_on();
    void add_packet(std::string_view line);
    void stop_because(std::string_view what);

    input_file file_;
    std::vector<char> text_;
    std::size_t from_ = 0; // read and not yet split into lines: [from_, until_)
    std::size_t until_ = 0;
    std::uint64_t line_number_ = 0;
    std::vector<std::uint8_t> data_; // of one line
    packet_block block_;
    bool ended_ = false;
    std::optional<failure> error_; // reported after the packets before it have been returned
};

} // namespace everbloom::cli
