// Batches over cells of 1, 2 or 4 bits by vectors: bloom, the kinds with its bits, dfp, counting. Compiled in src/.
//
// Each function answers or changes a whole batch, or returns false: not on this processor, or not with these positions. Then the portable
// code (filter/batch.hpp) does it, with the same outcomes and the same cells.
#pragma once

#include <everbloom/filter/outcomes.hpp>
#include <everbloom/probe/positions.hpp>

namespace everbloom::kernel {

/// Inserts or removes a single key: what a batch leaves to the code for one key.
template <class Outcome>
struct one_key {
    template <class Filter>
    explicit one_key(Filter& act) noexcept
        : act_([](void* of, digest item) noexcept { return (*static_cast<Filter*>(of))(item); }), of_(&act) {}

    Outcome operator()(digest item) const noexcept { return act_(of_, item); }

private:
    Outcome (*act_)(void* of, digest item) noexcept;
    void* of_;
};

struct cell_batches {
    using words = const std::uint64_t*;
    using changed_words = std::uint64_t*;
    using keys = std::span<const digest>;
    using answer_list = std::span<std::uint8_t>;
    using insertions = std::span<insert_outcome>;
    using removals = std::span<erase_outcome>;
    using one_insertion = const one_key<insert_outcome>&;
    using one_removal = const one_key<erase_outcome>&;

    static bool ask_bits(words, keys, answer_list, const probing&) noexcept;
    static bool ask_pairs(words, keys, answer_list, const probing&) noexcept; // cells of two bits
    static bool ask_fingerprints(words, keys, answer_list, const probing&) noexcept;
    static bool ask_counters(words, keys, answer_list, const probing&) noexcept;
    static bool set_bits(changed_words, keys, const probing&) noexcept;
    static bool insert_fingerprints(changed_words, keys, insertions, const probing&, one_insertion) noexcept;
    static bool insert_counters(changed_words, keys, insertions, const probing&, one_insertion) noexcept;
    static bool erase_fingerprints(changed_words, keys, removals, const probing&, one_removal) noexcept;
    static bool erase_counters(changed_words, keys, removals, const probing&, one_removal) noexcept;
    // Cells of two bits that count to `stuck`.
    static bool insert_pairs(changed_words, unsigned stuck, keys, insertions, const probing&, one_insertion) noexcept;
    static bool erase_pairs(changed_words, unsigned stuck, keys, removals, const probing&, one_removal) noexcept;
    // Bits with a flag each: `changed_words` twice.
    static bool insert_flagged(changed_words bits, changed_words flags, keys, insertions, const probing&,
                               one_insertion) noexcept;
    static bool erase_flagged(changed_words bits, changed_words flags, keys, removals, const probing&,
                              one_removal) noexcept;
};

} // namespace everbloom::kernel
