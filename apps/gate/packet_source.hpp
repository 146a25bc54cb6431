// packet_source: where packets come from, some hundreds at a time: a file in one of the formats, standard input, or a network interface.
#pragma once

#include "frame/cancellation.hpp"
#include "gate/packet.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace everbloom::cli {

/// As many packets as a source hands out at once, at most.
inline constexpr std::size_t packets_at_once = 256;

class packet_source {
public:
    packet_source() = default;
    packet_source(const packet_source&) = delete;
    packet_source& operator=(const packet_source&) = delete;
    virtual ~packet_source() = default;

    /// The next packets, valid until the next call. None at the end (`ended` is true then), and, at an interface, when nothing
    /// came for a quarter of a second. A failure says which file and which line or packet.
    [[nodiscard]] virtual result<std::span<const packet>> next() = 0;
    [[nodiscard]] virtual bool ended() const noexcept = 0;

    /// How far into the file, as it lies on the disk, the source is; and how long the file is, 0 if nobody knows.
    [[nodiscard]] virtual std::uint64_t file_offset() const noexcept { return 0; }
    [[nodiscard]] virtual std::uint64_t file_bytes() const noexcept { return 0; }
    /// A packet that was cut off by the end of the file, in words for a warning; empty if there was none. It is not among the packets.
    [[nodiscard]] virtual std::string cut_off() const { return {}; }
    /// How many packets the system dropped because we were too slow (interfaces only).
    [[nodiscard]] virtual std::uint64_t dropped_by_system() const { return 0; }
};

enum class packet_format { automatic, raw, text, capture };

/// A file ("-": standard input), compressed or not. `automatic` looks at its first bytes. `cancel` must outlive the source.
[[nodiscard]] result<std::unique_ptr<packet_source>> open_packet_file(const std::string& name, packet_format format,
                                                                      const cancellation& cancel);

/// A network interface, by name; "any" is all of them.
[[nodiscard]] result<std::unique_ptr<packet_source>> open_interface(const std::string& name,
                                                                    const cancellation& cancel);

} // namespace everbloom::cli
