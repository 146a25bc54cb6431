#include <everbloom/bits/const_words.hpp>
#include <everbloom/filter/elastic/stored_hashes/check.hpp>

#include <algorithm>
#include <string>

namespace everbloom {
namespace {

template <WordStore Store>
class page_checker {
public:
    page_checker(const hash_pages<Store>& pages, std::uint64_t held, const hash_range& range) noexcept
        : pages_(pages), held_(held), range_(range) {}

    /// Every held page, every overflow page; all hashes lie within the range.
    [[nodiscard]] result<void> check() const {
        const std::uint64_t page_words = pages_.geometry().page_words();
        std::uint64_t links = 0;
        for (std::uint64_t i = 0; i < held_; ++i) {
            const std::uint64_t* const words = pages_.page_store().data() + i * page_words;
            std::uint64_t owner = pages_.first_page() + i + 1;
            for (const std::uint64_t* at = words; link_of(at) != 0; at = overflow_page(link_of(at))) {
                if (link_of(at) > pages_.overflow().used() || overflow_page(link_of(at))[0] != owner) {
                    return damaged(i, "has an overflow page that is not its own");
                }
                owner = link_of(at) | overflow_pages<Store>::is_overflow_page;
                ++links;
            }
            if (auto checked = check_page(i, words); !checked) return checked;
        }
        // Every owner named by an overflow page was seen to be linked to it, so equal numbers mean that none is left over.
        if (links != pages_.overflow().used())
            return fail(failure_reason::damaged, "an overflow page belongs to no page");
        return {};
    }

private:
    [[nodiscard]] static std::uint64_t link_of(const std::uint64_t* page) noexcept {
        return hash_page<const std::uint64_t>::link(page);
    }
    [[nodiscard]] const std::uint64_t* overflow_page(std::uint64_t link) const noexcept {
        return pages_.overflow().words_in_use().data() + (link - 1) * pages_.geometry().page_words();
    }

    [[nodiscard]] unexpected<failure> damaged(std::uint64_t page, const std::string& how) const {
        return fail(failure_reason::damaged,
                    "page " + std::to_string(pages_.first_page() + page) + " of the stored hashes " + how);
    }

    [[nodiscard]] result<void> check_page(std::uint64_t index, const std::uint64_t* words) const {
        const hash_geometry& geometry = pages_.geometry();
        const auto page = pages_.page(pages_.first_page() + index);
        const unsigned used = page.used_slots();
        const unsigned chunks = page.chunks();
        if (used > geometry.slots() * chunks) return damaged(index, "has more slots in use than it has");
        if (chunks > 1 && used <= geometry.slots() * (chunks - 1))
            return damaged(index, "has an overflow page it does not need");
        const std::uint64_t* last = words;
        for (unsigned left = used;; left -= geometry.slots(), last = overflow_page(link_of(last))) {
            if (last != words && last[1] != link_of(last))
                return damaged(index, "has an overflow page with repeat bits of its own");
            if (!rest_is_zero(last, std::min(left, geometry.slots()))) {
                return damaged(index, "holds something behind its last hash");
            }
            if (link_of(last) == 0) break;
        }
        for (unsigned bin = 0; bin < hash_geometry::page_bins; ++bin) {
            if (page.has_repeats(bin) != page.repeats(bin))
                return damaged(index, "has repeat bits that do not match its slots");
            const unsigned end = page.bin_start(bin) + page.bin_slots(bin);
            bool first = true;
            std::uint64_t before = 0;
            for (unsigned at = page.bin_start(bin); at < end;) {
                const std::uint64_t remainder = page.get(at);
                unsigned equal = 1;
                while (equal < 3 && at + equal < end && page.get(at + equal) == remainder) ++equal;
                if (equal == 3 && at + 3 >= end) return damaged(index, "ends in the middle of a count");
                if (equal == 3 && page.get(at + 3) > low_mask(hash_geometry::counter_bits)) {
                    return damaged(index, "counts more copies than a counter can hold");
                }
                if (!first && remainder <= before) return damaged(index, "is not sorted");
                const hash_place place{(pages_.first_page() + index) * hash_place::page_bins + bin, remainder};
                const std::uint64_t hash = geometry.hash_at(place);
                if (geometry.place_of(hash) != place || hash < range_.lowest || hash > range_.highest) {
                    return damaged(index, "holds a hash that cannot be there");
                }
                first = false;
                before = remainder;
                at += equal == 3 ? 4 : equal;
            }
        }
        return {};
    }

    [[nodiscard]] bool rest_is_zero(const std::uint64_t* page, unsigned used) const noexcept {
        const std::uint64_t bits =
            hash_geometry::header_words * 64 + std::uint64_t{used} * pages_.geometry().slot_bits();
        const std::uint64_t all = pages_.geometry().page_words() * 64;
        for (std::uint64_t bit = bits; bit < all; bit = (bit / 64 + 1) * 64) {
            if (page[bit / 64] >> (bit % 64) != 0) return false;
        }
        return true;
    }

    const hash_pages<Store>& pages_;
    std::uint64_t held_;
    hash_range range_;
};

} // namespace

/// Old and new pages, each with the hashes of its side of the frontier.
template <WordStore Store>
result<void> check_stored_hashes(const stored_hashes<Store>& hashes) {
    const std::uint64_t frontier = hashes.frontier();
    const std::uint64_t left = hashes.now().geometry().pages() - hashes.moved_pages();
    const page_checker<Store> old_pages(hashes.now(), left, {.lowest = frontier});
    if (auto checked = old_pages.check(); !checked || !hashes.is_resizing()) return checked;
    const hash_range below{0, frontier == 0 ? 0 : frontier - 1};
    return page_checker<Store>(hashes.next(), hashes.progress().begun_pages(), below).check();
}

template result<void> check_stored_hashes(const stored_hashes<heap_words>&);
template result<void> check_stored_hashes(const stored_hashes<const_words>&);

} // namespace everbloom
