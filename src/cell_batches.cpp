// Which code does a batch: that for AVX-512 (src/wide_cells.hpp), that for AVX2 (filter/kernel/cell_batch.hpp), or none of them.
#include "wide_cells.hpp"

#include <everbloom/filter/cells/dfp_batch.hpp>

namespace everbloom::kernel {

bool cell_batches::ask_bits(words bits, keys items, answer_list answers, const probing& how) noexcept {
    return wide_cells::ask_bits(bits, items, answers, how);
}
bool cell_batches::ask_pairs(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return wide_cells::ask_pairs(cells, items, answers, how);
}
bool cell_batches::set_bits(changed_words bits, keys items, const probing& how) noexcept {
    return wide_cells::set_bits(bits, items, how);
}

bool cell_batches::insert_pairs(changed_words cells, unsigned stuck, keys items, insertions outcomes,
                                const probing& how, one_insertion one) noexcept {
    return wide_cells::insert_pairs(cells, stuck, items, outcomes, how, one);
}
bool cell_batches::erase_pairs(changed_words cells, unsigned stuck, keys items, removals outcomes, const probing& how,
                               one_removal one) noexcept {
    return wide_cells::erase_pairs(cells, stuck, items, outcomes, how, one);
}
bool cell_batches::insert_flagged(changed_words bits, changed_words flags, keys items, insertions outcomes,
                                  const probing& how, one_insertion one) noexcept {
    return wide_cells::insert_flagged(bits, flags, items, outcomes, how, one);
}
bool cell_batches::erase_flagged(changed_words bits, changed_words flags, keys items, removals outcomes,
                                 const probing& how, one_removal one) noexcept {
    return wide_cells::erase_flagged(bits, flags, items, outcomes, how, one);
}

#if defined(EVERBLOOM_CELL_KERNEL)
bool cell_batches::ask_fingerprints(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return wide_cells::ask_fingerprints(cells, items, answers, how) ||
           with_fours(how, [&]<unsigned Fours>() { kernel::ask_fingerprints<Fours>(cells, items, answers, how); });
}
bool cell_batches::ask_counters(words cells, keys items, answer_list answers, const probing& how) noexcept {
    return wide_cells::ask_counters(cells, items, answers, how) ||
           with_fours(how, [&]<unsigned Fours>() { kernel::ask_counters<Fours>(cells, items, answers, how); });
}
bool cell_batches::insert_fingerprints(changed_words cells, keys items, insertions outcomes, const probing& how,
                                       one_insertion one) noexcept {
    return wide_cells::insert_fingerprints(cells, items, outcomes, how, one) || with_fours(how, [&]<unsigned Fours>() {
               kernel::insert_fingerprints<Fours>(cells, items, outcomes, how, one);
           });
}
bool cell_batches::insert_counters(changed_words cells, keys items, insertions outcomes, const probing& how,
                                   one_insertion one) noexcept {
    return wide_cells::insert_counters(cells, items, outcomes, how, one) ||
           with_fours(how, [&]<unsigned Fours>() { kernel::insert_counters<Fours>(cells, items, outcomes, how, one); });
}
bool cell_batches::erase_fingerprints(changed_words cells, keys items, removals outcomes, const probing& how,
                                      one_removal one) noexcept {
    return wide_cells::erase_fingerprints(cells, items, outcomes, how, one) || with_fours(how, [&]<unsigned Fours>() {
               kernel::erase_fingerprints<Fours>(cells, items, outcomes, how, one);
           });
}
bool cell_batches::erase_counters(changed_words cells, keys items, removals outcomes, const probing& how,
                                  one_removal one) noexcept {
    return wide_cells::erase_counters(cells, items, outcomes, how, one) ||
           with_fours(how, [&]<unsigned Fours>() { kernel::erase_counters<Fours>(cells, items, outcomes, how, one); });
}
#else
bool cell_batches::ask_fingerprints(words, keys, answer_list, const probing&) noexcept { return false; }
bool cell_batches::ask_counters(words, keys, answer_list, const probing&) noexcept { return false; }
bool cell_batches::insert_fingerprints(changed_words, keys, insertions, const probing&, one_insertion) noexcept {
    return false;
}
bool cell_batches::insert_counters(changed_words, keys, insertions, const probing&, one_insertion) noexcept {
    return false;
}
bool cell_batches::erase_fingerprints(changed_words, keys, removals, const probing&, one_removal) noexcept {
    return false;
}
bool cell_batches::erase_counters(changed_words, keys, removals, const probing&, one_removal) noexcept { return false; }
#endif

} // namespace everbloom::kernel
