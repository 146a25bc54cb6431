// raw_source: packets of eight bytes, the sender's IPv4 address and a word of data, both big-endian.
#pragma once

#include "gate/input_file.hpp"
#include "gate/packet_source.hpp"

#include <array>
#include <vector>

namespace everbloom::cli {

class raw_source final : public packet_source {
public:
    explicit raw_source(input_file file);

    [[nodiscard]] result<std::span<const packet>> next() override;
    [[nodiscard]] bool ended() const noexcept override { return ended_; }
    [[nodiscard]] std::uint64_t file_offset() const noexcept override { return file_.file_offset(); }
    [[nodiscard]] std::uint64_t file_bytes() const noexcept override { return file_.file_bytes(); }
    [[nodiscard]] std::string cut_off() const override;

private:
    /// Reads until there is a complete packet, or the end.
    [[nodiscard]] result<void> read_on();

    input_file file_;
    std::vector<char> bytes_;
    std::size_t from_ = 0; // read and not yet returned: [from_, until_)
    std::size_t until_ = 0;
    std::array<packet, packets_at_once> packets_;
    std::size_t left_over_bytes_ = 0;
    bool ended_ = false;
};

} // namespace everbloom::cli
