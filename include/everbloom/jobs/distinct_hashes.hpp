// distinct_hashes: a growing set of 60-bit hashes, to tell new keys from repetitions.
//
// Idea    A hash table of cache lines with eight slots each. The first bits of a hash name its line; if that is full, the hash is in the next
//         one with room. Most questions are one cache line, prefetched while the keys before it are answered.
// Growth  The first eight bits of a hash name one of 256 parts, each a table of its own that grows by half when it is nearly full. Their first
//         sizes differ, so they grow one after the other: memory follows the number of keys, about ten bytes for each, and a step moves
//         1/256 of them. Hashes are in their order, up to full lines, so a step reads and writes memory in order, too.
//
// A filter that grows (elastic_blocked) holds the same hashes in three quarters of the memory, and can remove them; adding one takes several
// times as long.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/core/result.hpp>
#include <everbloom/core/units.hpp>
#include <everbloom/probe/reduce.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace everbloom {

class distinct_hashes {
public:
    /// With the first 60 bits of a digest, as in filters of word_bits 60: the same keys are taken for each other.
    static constexpr unsigned hash_bits = 60;

    /// Empty, with parts that begin at this capacity. Memory is taken when it is needed.
    [[nodiscard]] static result<distinct_hashes> make(std::uint64_t capacity);

    /// is_new[i]: 1 if the hash was not there, otherwise 0. It is there now. Both spans have the same length. The failure `no_room` means that
    /// there is no memory for more of them.
    [[nodiscard]] result<void> add(std::span<const digest> keys, std::span<std::uint8_t> is_new);

    [[nodiscard]] std::uint64_t count() const noexcept;
    [[nodiscard]] std::uint64_t bytes() const noexcept;
    /// How often a part has grown.
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }

private:
    struct aligned_delete {
        void operator()(std::uint64_t* slots) const noexcept { ::operator delete(slots, std::align_val_t{line_bytes}); }
    };
    struct part {
        std::unique_ptr<std::uint64_t[], aligned_delete> slots;
        std::uint64_t lines = 0;
        std::uint64_t hashes = 0;
        std::uint64_t most_hashes = 0; // then it grows
    };
    static constexpr unsigned part_bits = 8;
    static constexpr std::size_t part_count = std::size_t{1} << part_bits;

    explicit distinct_hashes(std::uint64_t first_lines) noexcept : first_lines_(first_lines) {}

    [[nodiscard]] part& part_of(std::uint64_t hash) noexcept {
        return parts_[static_cast<std::size_t>(hash >> (64 - part_bits))];
    }
    /// The line that a hash belongs into, of a part that has lines.
    [[nodiscard]] static std::uint64_t* home_of(const part& in, std::uint64_t hash) noexcept {
        return in.slots.get() + reduce(hash << part_bits, in.lines) * line_words;
    }
    [[nodiscard]] bool grow(part& one) noexcept;
    [[nodiscard]] std::uint64_t lines_after(const part& one) const noexcept;

    std::array<part, part_count> parts_;
    std::uint64_t first_lines_; // of the smallest part
    std::uint64_t expansions_ = 0;
};

} // namespace everbloom
