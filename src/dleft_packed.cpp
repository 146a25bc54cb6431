// All buckets of a fingerprint in one call, for packed cells (kernel/packed_scan.hpp).
//
// The functions are compiled for newer processors and so cannot be inlined where a program is compiled for all of them; a call per bucket took
// as long as scanning it. The layout of a table holds the two that suit its shape.
#include <everbloom/filter/dleft/dleft_layout.hpp>
#include <everbloom/filter/kernel/packed_scan.hpp>

#if defined(EVERBLOOM_PACKED_KERNEL)

namespace everbloom {
namespace {

/// All buckets of a fingerprint at once; the numbers are 0 where they are known at run time only.
template <kernel::packed_form Form, unsigned FixedSubtables, unsigned Eights>
struct packed_buckets {
    EVERBLOOM_MODERN static packed_answer hold(const dleft_layout& layout, const std::uint64_t* words,
                                               std::uint64_t fingerprint) noexcept {
        bool is_plain = true;
        kernel::packed_bytes found = in_bucket(layout, words, fingerprint, 0, is_plain);
        if constexpr (FixedSubtables != 0) {
            if constexpr (FixedSubtables > 1) found |= in_bucket(layout, words, fingerprint, 1, is_plain);
            if constexpr (FixedSubtables > 2) found |= in_bucket(layout, words, fingerprint, 2, is_plain);
            if constexpr (FixedSubtables > 3) found |= in_bucket(layout, words, fingerprint, 3, is_plain);
        } else {
            for (unsigned i = 1; i < layout.subtables; ++i) found |= in_bucket(layout, words, fingerprint, i, is_plain);
        }
        if (!is_plain) [[unlikely]]
            return packed_answer::cannot_tell;
        return kernel::any_packed(found) ? packed_answer::holds : packed_answer::lacks;
    }

    EVERBLOOM_MODERN static bool scan(const dleft_layout& layout, const std::uint64_t* words, std::uint64_t fingerprint,
                                      kernel::bucket_marks* marks) noexcept {
        if constexpr (FixedSubtables == 2) {
            return mark(layout, words, fingerprint, 0, marks) && mark(layout, words, fingerprint, 1, marks);
        } else if constexpr (FixedSubtables == 4) {
            return mark(layout, words, fingerprint, 0, marks) && mark(layout, words, fingerprint, 1, marks) &&
                   mark(layout, words, fingerprint, 2, marks) && mark(layout, words, fingerprint, 3, marks);
        } else {
            for (unsigned i = 0; i < layout.subtables; ++i) {
                if (!mark(layout, words, fingerprint, i, marks)) return false;
            }
            return true;
        }
    }

private:
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] static bool mark(const dleft_layout& layout,
                                                                        const std::uint64_t* words,
                                                                        std::uint64_t fingerprint, unsigned subtable,
                                                                        kernel::bucket_marks* marks) noexcept {
        const bucket_place where = layout.places.place(fingerprint, subtable);
        const std::uint64_t bucket = subtable * layout.buckets + where.bucket;
        if (!layout.packed.can_read(bucket)) [[unlikely]]
            return false;
        marks[subtable] = kernel::marks_of_packed<Form, Eights>(layout.packed.first_byte(words, bucket), layout.packed,
                                                                where.remainder);
        return true;
    }
    EVERBLOOM_MODERN [[nodiscard, gnu::always_inline]] static kernel::packed_bytes
    in_bucket(const dleft_layout& layout, const std::uint64_t* words, std::uint64_t fingerprint, unsigned subtable,
              bool& is_plain) noexcept {
        const bucket_place where = layout.places.place(fingerprint, subtable);
        const std::uint64_t bucket = subtable * layout.buckets + where.bucket;
        if (where.remainder == 0 || !layout.packed.can_read(bucket)) [[unlikely]] {
            is_plain = false;
            return kernel::packed_bytes{};
        }
        return kernel::equal_packed<Form, Eights>(layout.packed.first_byte(words, bucket), layout.packed,
                                                  where.remainder);
    }
};

template <kernel::packed_form Form, unsigned FixedSubtables, unsigned Eights>
constexpr packed_calls calls_of{packed_buckets<Form, FixedSubtables, Eights>::hold,
                                packed_buckets<Form, FixedSubtables, Eights>::scan};

packed_calls packed_scans_for(const dleft_layout& layout) noexcept {
    using enum kernel::packed_form;
    if (const packed_calls wide = wide_packed_calls(layout); wide.hold != nullptr) return wide;
    if (layout.packed.readable == 0 || layout.cell_bits == 16) return {};
    const bool in_pairs = layout.packed.form == two_bytes;
    if (layout.shape == dleft_shape::packed_two_by_32)
        return in_pairs ? calls_of<two_bytes, 2, 4> : calls_of<four_bytes, 2, 4>;
    if (layout.shape == dleft_shape::packed_four_by_8) return calls_of<four_bytes, 4, 1>;
    return in_pairs ? calls_of<two_bytes, 0, 0> : calls_of<four_bytes, 0, 0>;
}

} // namespace

packed_calls packed_calls_for(const dleft_layout& layout) noexcept {
    packed_calls chosen = packed_scans_for(layout);
    if (layout.pair.calls.hold != nullptr) chosen.hold = layout.pair.calls.hold;
    return chosen;
}

EVERBLOOM_MODERN kernel::bucket_marks kernel::scan_packed(const char* first_byte, const packed_cells& of,
                                                          std::uint64_t remainder) noexcept {
    if (of.form == packed_form::two_bytes) return marks_of_packed<packed_form::two_bytes, 0>(first_byte, of, remainder);
    return marks_of_packed<packed_form::four_bytes, 0>(first_byte, of, remainder);
}

} // namespace everbloom
#endif
