// dleft_layout: what a d-left table needs of its spec, worked out once: its shape, and the code that suits its cells and this processor.
#pragma once

#include <everbloom/filter/dleft/dleft_spec.hpp>
#include <everbloom/filter/kernel/bucket_fields.hpp>
#include <everbloom/filter/kernel/packed_cells.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace everbloom {

/// The shapes for which loops are compiled with constants, and all others.
enum class dleft_shape : std::uint8_t {
    four_by_8,
    two_by_32,
    by_8,
    by_16,
    by_32,
    packed_four_by_8,
    packed_two_by_32,
    any
};

#if defined(EVERBLOOM_PACKED_KERNEL)
struct dleft_layout;
/// A query of packed cells; it leaves the buckets at the end of the table, and a remainder of 0, to others.
enum class packed_answer : std::uint8_t { lacks, holds, cannot_tell };
struct packed_calls {
    packed_answer (*hold)(const dleft_layout& layout, const std::uint64_t* words,
                          std::uint64_t fingerprint) noexcept = nullptr;
    /// The marks of the fingerprint's bucket in each subtable; false if it cannot tell.
    bool (*scan)(const dleft_layout& layout, const std::uint64_t* words, std::uint64_t fingerprint,
                 kernel::bucket_marks* marks) noexcept = nullptr;
};
/// Those that suit (src/dleft_packed.cpp).
[[nodiscard]] packed_calls packed_calls_for(const dleft_layout& layout) noexcept;
/// The same for wider cells, with AVX-512 (src/dleft_wide.cpp); none if that is not possible.
[[nodiscard]] packed_calls wide_packed_calls(const dleft_layout& layout) noexcept;

/// Operations on the digest's low half for two subtables of buckets of 32 cells, with AVX-512 (src/dleft_pair.cpp). Insertions and
/// removals that they leave to others return false, and have changed nothing.
struct dleft_pair_calls {
    packed_answer (*hold)(const dleft_layout& layout, const std::uint64_t* words, std::uint64_t low) noexcept = nullptr;
    bool (*insert_lone)(const dleft_layout& layout, std::uint64_t* words, std::uint64_t low) noexcept = nullptr;
    bool (*erase_lone)(const dleft_layout& layout, std::uint64_t* words, std::uint64_t low) noexcept = nullptr;
    void (*hold_all)(const dleft_layout& layout, const std::uint64_t* words, std::span<const digest> items,
                     std::uint8_t* answers) noexcept = nullptr;
};
/// What they need, worked out once. No calls if the table or the processor does not suit.
struct dleft_pair_layout {
    explicit dleft_pair_layout(const dleft_layout& layout) noexcept;

    using vector = std::array<std::uint8_t, 64>;
    alignas(64) vector byte{};     // which bytes a word of eight bytes gets
    alignas(64) vector bit{};      // with which of its bits each byte of a lane begins
    alignas(64) vector cells{};    // the bits of a cell in its lane
    alignas(64) vector compared{}; // those of them that tell remainders apart
    std::uint64_t loaded = 0;      // the bytes of a vector
    std::uint64_t fingerprint = 0; // its bits
    std::uint64_t cell = 0;        // its bits
    std::uint64_t compared_bits = 0;
    std::uint64_t bucket_bytes = 0;
    std::uint64_t right_byte = 0; // where the second subtable begins
    std::uint64_t last_bucket_byte = 0;
    unsigned cell_bits = 0;
    unsigned counter_bits = 0;
    unsigned remainder_bits = 0;
    unsigned vector_bytes = 0;
    dleft_pair_calls calls;
};
#endif

/// What a table needs of its spec, worked out once.
struct dleft_layout {
    explicit dleft_layout(const dleft_spec& spec) noexcept
        : places(spec.bucket_bits(), static_cast<unsigned>(spec.remainder_bits)), buckets(spec.buckets),
          subtables(static_cast<unsigned>(spec.subtables)), bucket_cells(static_cast<unsigned>(spec.bucket_cells)),
          counter_bits(static_cast<unsigned>(spec.counter_bits)), cell_bits(static_cast<unsigned>(spec.cell_bits())),
          shape(shape_of(spec))
#if defined(EVERBLOOM_MODERN_X86)
          ,
          is_modern(kernel::is_modern())
#endif
#if defined(EVERBLOOM_PACKED_KERNEL)
          ,
          packed(spec.cells(), bucket_cells, cell_bits, counter_bits),
          fields(spec.cells(), bucket_cells, cell_bits, counter_bits), pair(*this), packed_call(packed_calls_for(*this))
#endif
    {
    }

    permuted_places places;
    std::uint64_t buckets;
    unsigned subtables;
    unsigned bucket_cells;
    unsigned counter_bits;
    unsigned cell_bits;
    dleft_shape shape;
#if defined(EVERBLOOM_MODERN_X86)
    bool is_modern; // this processor
#endif
#if defined(EVERBLOOM_PACKED_KERNEL)
    kernel::packed_cells packed; // for cells that are not 16 bits wide
    kernel::cell_fields fields;  // for those that are too wide for that, and for other numbers of cells
    dleft_pair_layout pair;
    packed_calls packed_call; // none if `packed` cannot be used
#endif

private:
    [[nodiscard]] static dleft_shape shape_of(const dleft_spec& spec) noexcept {
        if (spec.cell_bits() != 16) {
            if (spec.bucket_cells == 8 && spec.subtables == 4) return dleft_shape::packed_four_by_8;
            if (spec.bucket_cells == 32 && spec.subtables == 2) return dleft_shape::packed_two_by_32;
            return dleft_shape::any;
        }
        if (spec.bucket_cells == 8) return spec.subtables == 4 ? dleft_shape::four_by_8 : dleft_shape::by_8;
        if (spec.bucket_cells == 32) return spec.subtables == 2 ? dleft_shape::two_by_32 : dleft_shape::by_32;
        return spec.bucket_cells == 16 ? dleft_shape::by_16 : dleft_shape::any;
    }
};

} // namespace everbloom
