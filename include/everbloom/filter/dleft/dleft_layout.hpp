// dleft_layout: what a d-left table needs of its spec, worked out once: its shape, and the code that suits its cells and this processor.
#pragma once

#include <everbloom/filter/dleft/dleft_spec.hpp>
#include <everbloom/filter/kernel/bucket_fields.hpp>
#include <everbloom/filter/kernel/packed_cells.hpp>

#include <cstdint>

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
[[nodiscard]] packed_calls packed_calls_for(const dleft_layout& layout) noexcept;
/// The same for wider cells, with AVX-512 (src/dleft_wide.cpp); none if that is not possible.
[[nodiscard]] packed_calls wide_packed_calls(const dleft_layout& layout) noexcept;
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
          fields(spec.cells(), bucket_cells, cell_bits, counter_bits), packed_call(packed_calls_for(*this))
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
    packed_calls packed_call;    // none if `packed` cannot be used
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

#if defined(EVERBLOOM_PACKED_KERNEL)
#include <everbloom/filter/dleft/dleft_packed.hpp>
#endif
