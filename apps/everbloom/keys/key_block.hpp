// key_block: a part of a key file that ends at the end of a key.
//
// The reader splits files into blocks; workers split blocks into keys. Blocks are reused: their memory is allocated once, and grows only for
// a key longer than a block.
#pragma once

#include "keys/list_format.hpp"

#include <everbloom/core/failure.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace everbloom::cli {

/// Large enough that the work per block is negligible, small enough for the second-level cache.
inline constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// The result for a key (a digest, a line of output) takes 32 bytes and more; for a block of empty lines that would be a hundred times
/// the block. Keys of 8 bytes still fill a block.
inline constexpr std::size_t most_block_keys = block_bytes / 8;

/// The length limit of a key: a file without line ends would otherwise be read into memory as a whole.
inline constexpr std::size_t longest_key_bytes = std::size_t{64} << 20;

/// The limit in compressed input, where a few bytes can expand to such a key, in every block in flight.
inline constexpr std::size_t longest_decompressed_key_bytes = std::size_t{2} << 20;

class key_block {
public:
    [[nodiscard]] std::string_view text() const noexcept { return {buffer_.get(), used_}; }

    /// The space for the reader.
    [[nodiscard]] std::span<char> free_space() noexcept { return {buffer_.get() + used_, room_ - used_}; }
    void use(std::size_t more) noexcept { used_ += more; }

    /// Empties it, and restores the usual size.
    void reset();
    /// More space; the contents stay.
    void grow(std::size_t room);
    /// Keeps the first bytes only.
    void shorten(std::size_t keep) noexcept { used_ = keep; }

    std::size_t file = 0;                  // which of the key files
    bool begins_file = false;              // it is the first block of its file
    list_format format = list_format::raw; // of the file, if it was to be detected
    std::uint64_t file_bytes = 0;          // position in that file on disk after this block
    std::optional<failure> error;          // why reading stopped after this block
    bool error_is_in_a_key = false;        // its position is a line number, which is counted later

private:
    std::unique_ptr<char[]> buffer_;
    std::size_t room_ = 0;
    std::size_t used_ = 0;
};

} // namespace everbloom::cli
