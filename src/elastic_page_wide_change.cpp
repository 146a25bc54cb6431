// Changes of one page of stored hashes with AVX-512, also of a page that continues in one overflow page: a slot is found, put in and taken
// out.
#include "elastic_page_wide_shift.hpp"

#if defined(EVERBLOOM_MODERN_X86)

namespace everbloom::kernel::wide {
namespace {

using header = hash_page<const std::uint64_t>;

/// Whether a bin must be left to hash_page: it has a hash with a second copy.
[[nodiscard, gnu::always_inline]] inline bool has_copies(std::uint64_t second_word, unsigned bin) noexcept {
    return (second_word >> (header::link_bits + bin) & 1) != 0;
}

/// A slot of a bin: the first that is not below a remainder, and whether it has it.
struct found_slot {
    unsigned at;
    bool has;
};

/// Remainders are spread evenly: sixteen slots around the place that the value tells are compared at once, and hardly ever any others.
EVERBLOOM_WIDE_PAGES [[gnu::always_inline]] inline found_slot find_slot(const packed_slots& slots, const bin_slots& bin,
                                                                        std::uint64_t remainder) noexcept {
    const unsigned count = bin.end - bin.start;
    const unsigned near = bin.start + static_cast<unsigned>(((remainder >> (slots.width() - 20)) * count) >> 20);
    const unsigned group = (near - std::min(near, 4U)) / group_slots;
    const eight wanted = all(remainder);
    const eight low = slots.read(group);
    const eight high = slots.read(group + 1);
    const unsigned below = static_cast<unsigned>(_mm512_cmplt_epu64_mask(low, wanted)) |
                           static_cast<unsigned>(_mm512_cmplt_epu64_mask(high, wanted)) << group_slots;
    const unsigned same = static_cast<unsigned>(_mm512_cmpeq_epu64_mask(low, wanted)) |
                          static_cast<unsigned>(_mm512_cmpeq_epu64_mask(high, wanted)) << group_slots;
    const unsigned from = group * group_slots;
    const unsigned first = std::max(from, bin.start);
    const unsigned end = std::max(first, std::min(from + 2 * group_slots, bin.end));
    const unsigned in_bin = _bzhi_u32(~0U, end - from) & ~_bzhi_u32(~0U, first - from);
    const unsigned at = first + static_cast<unsigned>(_mm_popcnt_u32(below & in_bin));
    if ((same & in_bin) != 0) return {at, true};
    // No short cuts: whether the bin begins and ends within the sixteen cannot be foreseen, but that the slot does.
    const unsigned before = static_cast<unsigned>(at == first) & static_cast<unsigned>(first != bin.start);
    const unsigned behind = static_cast<unsigned>(at == end) & static_cast<unsigned>(end != bin.end);
    if ((before | behind) != 0) [[unlikely]] {
        unsigned exact = std::min(at, bin.end);
        while (exact > bin.start && slots.get(exact - 1) >= remainder) --exact;
        while (exact < bin.end && slots.get(exact) < remainder) ++exact;
        return {exact, exact < bin.end && slots.get(exact) == remainder};
    }
    return {at, false};
}

/// A page that continues in one overflow page, the slots of both one behind the other.
class page_of_two {
public:
    EVERBLOOM_WIDE_PAGES page_of_two(const page_to_change& page, const hash_geometry& geometry) noexcept
        : geometry_(geometry), first_(page.words),
          second_(page.overflow + (header::link(page.words) - 1) * geometry.page_words()),
          lines_(geometry.page_lines()), slots_(geometry.slots()), width_(geometry.slot_bits()),
          used_(used_slots(page.words[0])) {}

    /// No others can be changed so.
    [[nodiscard]] bool is_known() const noexcept {
        return header::link(second_) == 0 && used_ >= slots_ && used_ <= most_used;
    }
    [[nodiscard]] unsigned used() const noexcept { return used_; }
    [[nodiscard]] unsigned room() const noexcept { return std::min(2 * slots_, most_used); }

    EVERBLOOM_WIDE_PAGES [[nodiscard]] std::uint64_t get(unsigned slot) const noexcept {
        const unsigned bit = slot < slots_ ? slot * width_ : (slot - slots_) * width_;
        std::uint64_t loaded = 0;
        std::memcpy(&loaded,
                    reinterpret_cast<const std::uint8_t*>(slot < slots_ ? first_ : second_) + header_bytes + bit / 8,
                    sizeof loaded);
        return _bzhi_u64(loaded >> (bit % 8), width_);
    }
    EVERBLOOM_WIDE_PAGES [[nodiscard, gnu::always_inline]] found_slot find(bin_slots bin,
                                                                           std::uint64_t remainder) const noexcept {
        const bool is_second = bin.start >= slots_;
        if (is_second || bin.end <= slots_) [[likely]] {
            const unsigned before = is_second ? slots_ : 0;
            bin.start -= before;
            bin.end -= before;
            found_slot found = find_slot({is_second ? second_ : first_, geometry_}, bin, remainder);
            found.at += before;
            return found;
        }
        unsigned at = bin.start + static_cast<unsigned>(((remainder >> (width_ - 20)) * (bin.end - bin.start)) >> 20);
        while (at > bin.start && get(at - 1) >= remainder) --at;
        while (at < bin.end && get(at) < remainder) ++at;
        return {at, at < bin.end && get(at) == remainder};
    }
    EVERBLOOM_WIDE_PAGES void insert(unsigned at, std::uint64_t value) const noexcept {
        if (at < slots_) {
            const std::uint64_t pushed = get(slots_ - 1);
            insert_bits(first_, lines_, bit_of(at), width_, value);
            clear_behind();
            insert_bits(second_, lines_, bit_of(0), width_, pushed);
        } else {
            insert_bits(second_, lines_, bit_of(at - slots_), width_, value);
        }
    }
    /// More slots are in use than the page has.
    EVERBLOOM_WIDE_PAGES void erase(unsigned at) const noexcept {
        if (at < slots_) {
            const std::uint64_t pulled = get(slots_);
            erase_bits(first_, lines_, bit_of(at), width_);
            insert_bits(first_, lines_, bit_of(slots_ - 1), width_, pulled);
            erase_bits(second_, lines_, bit_of(0), width_);
        } else {
            erase_bits(second_, lines_, bit_of(at - slots_), width_);
        }
    }

private:
    [[nodiscard]] unsigned bit_of(unsigned slot) const noexcept { return header_bits + slot * width_; }
    /// The slot that was moved out of the first page.
    EVERBLOOM_WIDE_PAGES void clear_behind() const noexcept {
        const unsigned end = bit_of(slots_);
        first_[end / 64] = _bzhi_u64(first_[end / 64], end % 64);
        for (std::uint64_t word = end / 64 + 1; word < lines_ * line_words; ++word) first_[word] = 0;
    }

    const hash_geometry& geometry_;
    std::uint64_t* first_;
    std::uint64_t* second_;
    std::uint64_t lines_;
    unsigned slots_;
    unsigned width_;
    unsigned used_;
};

EVERBLOOM_WIDE_PAGES [[gnu::noinline]] bool insert_into_two(const page_to_change& page, const hash_geometry& geometry,
                                                            unsigned bin, std::uint64_t remainder) noexcept {
    const page_of_two both(page, geometry);
    if (!both.is_known() || both.used() >= both.room() || has_copies(page.words[1], bin)) return false;
    const found_slot found = both.find({page.words[0], bin}, remainder);
    if (found.has) return false;
    both.insert(found.at, remainder);
    page.words[0] += std::uint64_t{1} << (8 * bin);
    return true;
}

EVERBLOOM_WIDE_PAGES [[gnu::noinline]] bool erase_from_two(const page_to_change& page, const hash_geometry& geometry,
                                                           unsigned bin, std::uint64_t remainder) noexcept {
    const page_of_two both(page, geometry);
    // The overflow page is given back with its last slot: by hash_pages.
    if (!both.is_known() || both.used() <= geometry.slots() + 1 || has_copies(page.words[1], bin)) return false;
    const found_slot found = both.find({page.words[0], bin}, remainder);
    if (!found.has) return false;
    both.erase(found.at);
    page.words[0] -= std::uint64_t{1} << (8 * bin);
    return true;
}

} // namespace

EVERBLOOM_WIDE_PAGES bool insert_into_page(page_to_change page, const hash_geometry& geometry, unsigned bin,
                                           std::uint64_t remainder) noexcept {
    std::uint64_t* const words = page.words;
    if (header::link(words) != 0) [[unlikely]]
        return insert_into_two(page, geometry, bin, remainder);
    const std::uint64_t counts = words[0];
    if (has_copies(words[1], bin) || used_slots_of_one(counts) >= geometry.slots()) [[unlikely]]
        return false;
    const packed_slots slots(words, geometry);
    const unsigned width = slots.width();
    const found_slot found = find_slot(slots, {counts, bin}, remainder);
    if (found.has) [[unlikely]]
        return false;
    insert_bits(words, geometry.page_lines(), header_bits + found.at * width, width, remainder);
    words[0] = counts + (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_WIDE_PAGES bool erase_from_page(page_to_change page, const hash_geometry& geometry, unsigned bin,
                                          std::uint64_t remainder) noexcept {
    std::uint64_t* const words = page.words;
    if (header::link(words) != 0) [[unlikely]]
        return erase_from_two(page, geometry, bin, remainder);
    const std::uint64_t counts = words[0];
    if (has_copies(words[1], bin)) [[unlikely]]
        return false;
    const packed_slots slots(words, geometry);
    const unsigned width = slots.width();
    const found_slot found = find_slot(slots, {counts, bin}, remainder);
    if (!found.has) [[unlikely]]
        return false;
    erase_bits(words, geometry.page_lines(), header_bits + found.at * width, width);
    words[0] = counts - (std::uint64_t{1} << (8 * bin));
    return true;
}

EVERBLOOM_WIDE_PAGES page_answer find_in_page(const std::uint64_t* page, const hash_geometry& geometry, unsigned bin,
                                              std::uint64_t remainder) noexcept {
    if (header::link(page) != 0 || has_copies(page[1], bin)) [[unlikely]]
        return page_answer::unknown;
    return find_slot({page, geometry}, {page[0], bin}, remainder).has ? page_answer::present : page_answer::absent;
}

} // namespace everbloom::kernel::wide
#endif
