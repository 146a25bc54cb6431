// text_source: packets as people write them, one per line:
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
    [[nodiscard]] bool ended() const noexcept override { return ended_ && !trouble_; }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_.file_offset(); }
    [[nodiscard]] std::uint64_t file_bytes() const noexcept override { return file_.file_bytes(); }

private:
    /// The next line without its end; nothing at the end of the file, in trouble, or if it would have to be waited for while there
    /// are packets to hand out.
    [[nodiscard]] std::optional<std::string_view> next_line();
    /// Reads more behind what is there; false if there is no more.
    [[nodiscard]] bool read_on();
    void add_packet(std::string_view line);
    void stop_because(std::string_view what);

    input_file file_;
    std::vector<char> text_;
    std::size_t from_ = 0; // what was read and is no line yet: [from_, until_)
    std::size_t until_ = 0;
    std::uint64_t line_number_ = 0;
    std::vector<std::uint8_t> data_; // of one line
    packet_block block_;
    bool ended_ = false;
    std::optional<failure> trouble_; // told when the packets before it have been handed out
};

} // namespace everbloom::cli
