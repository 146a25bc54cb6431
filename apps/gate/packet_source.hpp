// packet_source: packets of a file, standard input or a network interface, in batches.
#pragma once

#include "frame/cancellation.hpp"
#include "gate/packet.hpp"

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace everbloom::cli {

/// Maximum size of a batch.
inline constexpr std::size_t packets_at_once = 256;

class packet_source {
public:
    packet_source() = default;
    packet_source(const packet_source&) = delete;
    packet_source& operator=(const packet_source&) = delete;
    virtual ~packet_source() = default;

    /// The next packets, valid until the next call. Empty at the end (`ended` is true then) and, on an interface, when nothing
    /// arrived for a quarter of a second. A failure names the file and the line or packet.
    [[nodiscard]] virtual result<std::span<const packet>> next() = 0;
    [[nodiscard]] virtual bool ended() const noexcept = 0;

    /// Position in the file on disk, and its size; 0 if unknown.
    [[nodiscard]] virtual std::uint64_t file_offset() const noexcept { return 0; }
    [[nodiscard]] virtual std::uint64_t file_bytes() const noexcept { return 0; }
    /// A warning about a packet truncated by the end of the file, which is not returned by `next`; empty if there was none.
    [[nodiscard]] virtual std::string cut_off() const { return {}; }
    /// Packets dropped by the kernel because reading was too slow (interfaces only).
    [[nodiscard]] virtual std::uint64_t dropped_by_system() const { return 0; }
};

enum class packet_format { automatic, raw, text, capture };

/// A file ("-": standard input), compressed or not. `automatic` looks at its first bytes. `cancel` must outlive the source.
[[nodiscard]] result<std::unique_ptr<packet_source>> open_packet_file(const std::string& name, packet_format format,
                                                                      const cancellation& cancel);

/// Does a file, decompressed, begin as captures do? False also if it cannot be read.
[[nodiscard]] bool begins_as_capture(const std::string& name, const cancellation& cancel);

/// A network interface by name; "any" captures on all of them.
[[nodiscard]] result<std::unique_ptr<packet_source>> open_interface(const std::string& name,
                                                                    const cancellation& cancel);

} // namespace everbloom::cli
