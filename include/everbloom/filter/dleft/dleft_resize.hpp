// dleft_resize: copies the cells of one d-left table into another, to grow, shrink and merge without the keys.
//
// What a cell holds and where it lies is P_i(f), the permuted fingerprint. The new table reads the same bits in another way
// (more of them choose the bucket), or drops the highest one: since a_i f mod 2^(q-1) is what a_i f mod 2^q becomes without its
// highest bit, the fingerprints of the smaller table are those of the larger one without theirs.
#pragma once

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/cells/fixed_width.hpp>
#include <everbloom/filter/dleft/dleft_operations.hpp>

#include <string>
#include <utility>

namespace everbloom {

/// The table that receives the cells.
struct dleft_target {
    dleft_spec spec;
    heap_words words;

    [[nodiscard]] static result<dleft_target> empty(const dleft_spec& spec) {
        if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
        auto words = heap_words::make(lines_for_cells(spec.cells(), spec.cell_bits()));
        if (!words) return fail(std::move(words.error()));
        return dleft_target{spec, std::move(*words)};
    }

    /// Twice the buckets: a bit of the remainder becomes a bit of the bucket, and leaves its place to the counter.
    [[nodiscard]] static result<dleft_target> grown(dleft_spec spec) {
        if (spec.remainder_bits <= dleft_spec::least_remainder_bits) {
            return fail(failure_reason::unsupported, "the filter cannot grow: its remainders have only " +
                                                         std::to_string(spec.remainder_bits) +
                                                         " bits left; create a new one with more remainder_bits");
        }
        spec.buckets *= 2;
        spec.remainder_bits -= 1;
        spec.counter_bits = std::min(spec.counter_bits + 1, dleft_spec::most_counter_bits);
        return empty(spec);
    }

    /// Half the buckets: the counter returns a bit to the remainder if it had taken one and no count needs it; otherwise
    /// fingerprints lose a bit.
    [[nodiscard]] static result<dleft_target> shrunk(dleft_spec spec, std::uint64_t largest_count) {
        if (spec.buckets == 1) {
            return fail(failure_reason::unsupported, "the filter cannot shrink: it has one bucket in each subtable");
        }
        const std::uint64_t usual_bits = dleft_spec{}.counter_bits;
        const bool can_give_back = spec.counter_bits > usual_bits && largest_count <= spec.cell_copies() / 2;
        spec.buckets /= 2;
        if (can_give_back) {
            spec.remainder_bits += 1;
            spec.counter_bits -= 1;
        }
        return empty(spec);
    }
};

/// Whether the cells are the same keys in a table of another size, or more keys for a table that has some.
enum class carrying { resizing, merging };

/// False if some cell found no room; the target is then unusable.
[[nodiscard]] inline bool copy_cells(dleft_target& target, const dleft_spec& from, const std::uint64_t* words,
                                     carrying why, dleft_history& history) noexcept {
    // Longer chains of moves than the filter's own setting: for a whole table they are worth the search.
    constexpr std::uint64_t least_moves = 3;
    const auto moves = static_cast<unsigned>(std::max(target.spec.move, least_moves));
    const unsigned bits = target.spec.fingerprint_bits();
    const dleft_layout layout(from);
    const dleft_table<const std::uint64_t> old(layout, words);
    return with_dleft_table(dleft_layout(target.spec), target.words.data(), [&](const auto& table) {
        const dleft_operations operations(table);
        for (unsigned i = 0; i < old.subtables(); ++i) {
            for (std::uint64_t bucket = 0; bucket < old.buckets(); ++bucket) {
                const std::uint64_t first = old.first_cell(i, bucket);
                for (unsigned c = 0; c < old.bucket_cells(); ++c) {
                    const dleft_cell cell = old.cell(first + c);
                    if (cell.count == 0) continue;
                    const std::uint64_t fingerprint = old.places().fingerprint_at({bucket, cell.remainder}, i);
                    const auto done =
                        why == carrying::merging
                            ? operations.insert(fingerprint, cell.count, moves, history)
                            : operations.carry_over(fingerprint & low_mask(bits), i, cell.count, moves, history);
                    if (!succeeded(done)) return false;
                }
            }
        }
        return true;
    });
}

} // namespace everbloom
