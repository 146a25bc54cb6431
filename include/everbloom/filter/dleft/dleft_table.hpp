// dleft_table: the cells of a d-left table as a view, a value that loops keep in registers.
//
//      subtable 0: bucket 0 | cell 0 | cell 1 | ... | cell 7 |,  bucket 1 | ...
//      subtable 1: ...
//
// A cell is a remainder above a counter (kernel/bucket_scan.hpp); empty cells are all zeros. The template's numbers are the
// geometry where the compiler may know it, 0 where it is known at run time only.
#pragma once

#include <everbloom/filter/dleft/dleft_layout.hpp>
#include <everbloom/filter/kernel/bucket_line.hpp>
#include <everbloom/filter/kernel/bucket_scan.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace everbloom {

/// A remainder and how often it was put in; a count of zero is an empty cell.
struct dleft_cell {
    std::uint64_t remainder = 0;
    std::uint64_t count = 0;
};

template <class Word, unsigned FixedSubtables = 0, unsigned FixedCells = 0, unsigned FixedBits = 0>
class dleft_table {
public:
    static constexpr bool is_vector_shape = FixedBits == 16 && FixedCells != 0 && FixedCells % 8 == 0;
    /// Of 32 cells, so that the masks of both fit one number.
    static constexpr bool has_two_subtables = FixedSubtables == 2 && FixedCells == 32;

    dleft_table(const dleft_layout& layout, Word* words) noexcept
        : words_(words), view_(words, layout.cell_bits), places_(layout.places), buckets_(layout.buckets),
          subtables_(layout.subtables), bucket_cells_(layout.bucket_cells), counter_bits_(layout.counter_bits),
          layout_(&layout) {}
    dleft_table(const dleft_layout&&, Word*) = delete; // the layout must outlive the table

    [[nodiscard]] unsigned subtables() const noexcept { return FixedSubtables != 0 ? FixedSubtables : subtables_; }
    [[nodiscard]] unsigned bucket_cells() const noexcept { return FixedCells != 0 ? FixedCells : bucket_cells_; }
    [[nodiscard]] std::uint64_t buckets() const noexcept { return buckets_; }
    [[nodiscard]] std::uint64_t all_cells() const noexcept { return subtables() * buckets_ * bucket_cells(); }
    [[nodiscard]] const permuted_places& places() const noexcept { return places_; }
    /// The largest count of one cell.
    [[nodiscard]] std::uint64_t cell_copies() const noexcept { return low_mask(counter_bits_); }
    /// How often one fingerprint can be in: four times at least [Bonomi06 §5.1]. What a counter cannot hold takes a second cell.
    [[nodiscard]] std::uint64_t most_copies() const noexcept {
        return std::max<std::uint64_t>(4, std::uint64_t{1} << counter_bits_);
    }

    [[nodiscard]] std::uint64_t first_cell(unsigned subtable, std::uint64_t bucket) const noexcept {
        return (subtable * buckets_ + bucket) * bucket_cells();
    }
    [[nodiscard]] dleft_cell cell(std::uint64_t index) const noexcept {
        const std::uint64_t value = view_.get(index);
        return {value >> counter_bits_, value & low_mask(counter_bits_)};
    }
    void put(std::uint64_t index, const dleft_cell& content) const noexcept {
        write(index, content.remainder << counter_bits_ | content.count);
    }
    void clear(std::uint64_t index) const noexcept { write(index, 0); }

    void prefetch(std::uint64_t first) const noexcept {
        view_.prefetch(first);
        if (!fits_a_line) view_.prefetch(first + bucket_cells() - 1);
    }

    [[nodiscard, gnu::always_inline]] kernel::bucket_marks scan(std::uint64_t first,
                                                                std::uint64_t remainder) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (is_vector_shape && FixedCells == 32) {
            if (layout_->is_modern) return kernel::scan_bucket_line(words_ + first / 4, counter_bits_, remainder);
        }
#endif
#if defined(EVERBLOOM_SSE2_KERNEL)
        if constexpr (is_vector_shape) {
            return kernel::scan_bucket_sse2<FixedCells>(words_ + first / 4, counter_bits_, remainder);
        }
#endif
#if defined(EVERBLOOM_PACKED_KERNEL)
        if constexpr (!is_vector_shape) {
            const kernel::packed_cells& packed = layout_->packed;
            if (const std::uint64_t bucket = first / bucket_cells(); packed.can_read(bucket))
                return kernel::scan_packed(packed.first_byte(words_, bucket), packed, remainder);
            if (layout_->fields.can_read(first)) return kernel::scan_fields(words_, first, layout_->fields, remainder);
        }
#endif
        return kernel::scan_bucket(view_, first, bucket_cells(), counter_bits_, remainder);
    }

    /// Calls `use(subtable, marks)` for the bucket of a fingerprint in each subtable.
    template <class Use>
    [[gnu::always_inline]] void scan_all(std::uint64_t fingerprint, Use use) const noexcept {
#if defined(EVERBLOOM_PACKED_KERNEL)
        if constexpr (!is_vector_shape) {
            std::array<kernel::bucket_marks, FixedSubtables != 0 ? FixedSubtables : max_subtables> marks;
            if (layout_->packed_call.scan != nullptr &&
                layout_->packed_call.scan(*layout_, words_, fingerprint, marks.data())) [[likely]] {
                for (unsigned i = 0; i < subtables(); ++i) use(i, marks[i]);
                return;
            }
        }
#endif
        for (unsigned i = 0; i < subtables(); ++i) {
            const bucket_place where = places_.place(fingerprint, i);
            use(i, scan(first_cell(i, where.bucket), where.remainder));
        }
    }

    /// The cells of a bucket with this remainder, as a mask.
    [[nodiscard, gnu::always_inline]] std::uint64_t equal(std::uint64_t first, std::uint64_t remainder) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (is_vector_shape && FixedCells == 32) {
            if (layout_->is_modern && remainder != 0) [[likely]]
                return kernel::equal_in_bucket_line(words_ + first / 4, counter_bits_, remainder);
        }
#endif
        return scan(first, remainder).equal;
    }

    /// Is this fingerprint in one of its buckets?
    [[nodiscard, gnu::always_inline]] bool holds(std::uint64_t fingerprint) const noexcept {
#if defined(EVERBLOOM_MODERN_X86)
        if constexpr (is_vector_shape && FixedSubtables == 2 && FixedCells == 32) {
            const bucket_place first = places_.place(fingerprint, 0);
            const bucket_place second = places_.place(fingerprint, 1);
            if (first.remainder != 0 && second.remainder != 0 && layout_->is_modern) [[likely]] {
                return kernel::two_lines_hold(words_ + first_cell(0, first.bucket) / 4, first.remainder,
                                              words_ + first_cell(1, second.bucket) / 4, second.remainder,
                                              counter_bits_);
            }
            return holds_slowly(*layout_, words_, fingerprint);
        }
#endif
        return holds_in_vectors(fingerprint);
    }

    /// The first empty cell of a bucket, or `bucket_cells()` if it is full.
    [[nodiscard]] unsigned first_empty(const kernel::bucket_marks& marks) const noexcept {
        return static_cast<unsigned>(std::countr_one(marks.occupied));
    }
    [[nodiscard]] bool is_full(const kernel::bucket_marks& marks) const noexcept {
        return first_empty(marks) >= bucket_cells();
    }

private:
    [[nodiscard, gnu::noinline]] static bool holds_slowly(const dleft_layout& layout, Word* words,
                                                          std::uint64_t fingerprint) noexcept {
        return dleft_table(layout, words).holds_in_vectors(fingerprint);
    }
    [[nodiscard, gnu::always_inline]] bool holds_in_vectors(std::uint64_t fingerprint) const noexcept {
#if defined(EVERBLOOM_SSE2_KERNEL)
        if constexpr (is_vector_shape) {
            kernel::eight_verdicts found{};
            bool is_plain = true; // no remainder is 0, which empty cells would seem to hold
            for (unsigned i = 0; i < subtables(); ++i) {
                const bucket_place where = places_.place(fingerprint, i);
                is_plain &= where.remainder != 0;
                found |= kernel::equal_cells_sse2<FixedCells>(words_ + first_cell(i, where.bucket) / 4, counter_bits_,
                                                              where.remainder);
            }
            if (is_plain) [[likely]]
                return kernel::mask_of(found, found) != 0;
        }
#endif
#if defined(EVERBLOOM_PACKED_KERNEL)
        if constexpr (!is_vector_shape) {
            if (layout_->packed_call.hold != nullptr) {
                const packed_answer answer = layout_->packed_call.hold(*layout_, words_, fingerprint);
                if (answer != packed_answer::cannot_tell) [[likely]]
                    return answer == packed_answer::holds;
            }
        }
#endif
        return one_bucket_holds(fingerprint);
    }

    /// Bucket by bucket.
    [[nodiscard]] bool one_bucket_holds(std::uint64_t fingerprint) const noexcept {
        for (unsigned i = 0; i < subtables(); ++i) {
            const bucket_place where = places_.place(fingerprint, i);
            if (bucket_holds(first_cell(i, where.bucket), where.remainder)) return true;
        }
        return false;
    }

    [[nodiscard, gnu::always_inline]] bool bucket_holds(std::uint64_t first, std::uint64_t remainder) const noexcept {
#if defined(EVERBLOOM_PACKED_KERNEL)
        if constexpr (!is_vector_shape) {
            if (remainder != 0 && layout_->fields.can_read(first))
                return kernel::bucket_holds(words_, first, layout_->fields, remainder);
        }
#endif
        return scan(first, remainder).equal != 0;
    }

    void write(std::uint64_t index, std::uint64_t value) const noexcept {
        if constexpr (FixedBits == 16) {
            // A plain store of two bytes; words are little-endian.
            const auto bytes = static_cast<std::uint16_t>(value);
            std::memcpy(reinterpret_cast<char*>(words_) + index * 2, &bytes, 2);
        } else {
#if defined(EVERBLOOM_PACKED_KERNEL)
            if (index < layout_->packed.readable_cells) {
                // Four bytes hold any cell of up to 25 bits: one store, and no branch on where it lies.
                const std::uint64_t bit = index * layout_->cell_bits;
                char* const at = reinterpret_cast<char*>(words_) + bit / 8;
                std::uint32_t bytes;
                std::memcpy(&bytes, at, sizeof bytes);
                const auto mask = static_cast<std::uint32_t>(low_mask(layout_->cell_bits) << (bit % 8));
                bytes = (bytes & ~mask) | static_cast<std::uint32_t>(value << (bit % 8));
                std::memcpy(at, &bytes, sizeof bytes);
                return;
            }
#endif
            view_.set(index, value);
        }
    }

    static constexpr bool fits_a_line = is_vector_shape && FixedCells <= 32 && 32 % FixedCells == 0;

    Word* words_;
    cell_view<Word, FixedBits> view_;
    permuted_places places_;
    std::uint64_t buckets_;
    unsigned subtables_;
    unsigned bucket_cells_;
    unsigned counter_bits_;
    [[maybe_unused]] const dleft_layout* layout_; // which code this processor and other widths take
};

/// Calls `body(table)` with a table whose shape is a constant for the paper's shape (four subtables of buckets of eight cells) and for buckets of
/// 32 cells in two subtables, and, where cells have 16 bits, for other subtables of such buckets.
template <class Word, class Body>
[[gnu::always_inline]] inline auto with_dleft_table(const dleft_layout& layout, Word* words, Body body) {
#if !defined(EVERBLOOM_SMALL)
    switch (layout.shape) {
    case dleft_shape::four_by_8: return body(dleft_table<Word, 4, 8, 16>(layout, words));
    case dleft_shape::two_by_32: return body(dleft_table<Word, 2, 32, 16>(layout, words));
    case dleft_shape::by_8: return body(dleft_table<Word, 0, 8, 16>(layout, words));
    case dleft_shape::by_16: return body(dleft_table<Word, 0, 16, 16>(layout, words));
    case dleft_shape::by_32: return body(dleft_table<Word, 0, 32, 16>(layout, words));
    case dleft_shape::packed_four_by_8: return body(dleft_table<Word, 4, 8>(layout, words));
    case dleft_shape::packed_two_by_32: return body(dleft_table<Word, 2, 32>(layout, words));
    case dleft_shape::any: break;
    }
#endif
    return body(dleft_table<Word>(layout, words));
}

} // namespace everbloom
