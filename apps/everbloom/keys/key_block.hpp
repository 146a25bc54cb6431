// key_block: a piece of a key file that ends where a key ends.
//
// Reading cuts files into blocks; workers cut blocks into keys. A block is used again and again: the memory for one is taken
// once, whatever the number of keys, and grows only for a key longer than a block.
#pragma once

#include <everbloom/core/failure.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace everbloom::cli {

/// Large enough that the work per block vanishes, small enough that it is still in the second-level cache when it is cut up.
inline constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// What workers make of a key (a digest, a line of output) takes memory as well, 32 bytes and more; of a block of empty lines that would
/// be a hundred times the block. Keys of 8 bytes still fill a block.
inline constexpr std::size_t most_block_keys = block_bytes / 8;

/// A longer key is refused: a file without line ends would otherwise be read into memory as a whole.
inline constexpr std::size_t longest_key_bytes = std::size_t{64} << 20;

/// Of compressed input, where a few bytes can become such a key, and of every block in flight.
inline constexpr std::size_t longest_decompressed_key_bytes = std::size_t{2} << 20;

class key_block {
public:
    [[nodiscard]] std::string_view text() const noexcept { return {buffer_.get(), used_}; }

    /// Where the reader may write next.
    [[nodiscard]] std::span<char> free_space() noexcept { return {buffer_.get() + used_, room_ - used_}; }
    void use(std::size_t more) noexcept { used_ += more; }

    /// Empty, of the usual size.
    void reset();
    /// More room; what was read stays.
    void grow(std::size_t room);
    /// Keeps the first bytes only.
    void shorten(std::size_t keep) noexcept { used_ = keep; }

    std::size_t file = 0;             // which of the key files
    std::uint64_t file_bytes = 0;     // of it lie before the end of this block, as on the disk
    std::optional<failure> trouble;   // why reading stopped behind this block
    bool trouble_is_in_a_key = false; // its place is a line, which only who counts lines can name

private:
    std::unique_ptr<char[]> buffer_;
    std::size_t room_ = 0;
    std::size_t used_ = 0;
};

} // namespace everbloom::cli
