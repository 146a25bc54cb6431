// Memory of overflow pages: a few are copied when there are more of them, many are not.
#include <everbloom/filter/elastic/growing_words.hpp>
#include <everbloom/filter/elastic/stored_hashes/overflow.hpp>

namespace everbloom {

bool provide_lines(heap_words& words, std::uint64_t lines) noexcept {
    if (lines * line_words <= words.words()) return true;
    try {
        if (words.words() >= few_growing_lines * line_words) return words.extend(lines).has_value();
        auto made = make_growing_words(lines);
        if (!made) return false;
        if (words.words() != 0) std::memcpy(made->data(), words.data(), words.words() * sizeof(std::uint64_t));
        words = std::move(*made);
        return true;
    } catch (const std::bad_alloc&) {
        return false; // for the text of the failure
    }
}

void forget_lines(heap_words& words, std::uint64_t needed) noexcept {
    // Where memory is not mapped, what stays is copied.
    const std::uint64_t step = heap_words::has_huge_pages() ? few_growing_lines : heap_words::huge_page_lines;
    const std::uint64_t kept = ceil_divide(needed, step) * step;
    if (words.words() / line_words >= kept + 2 * step) words.shrink(kept + step);
}

} // namespace everbloom
