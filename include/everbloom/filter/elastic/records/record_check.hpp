// Checks of records that come from a file, before anybody believes them: every page is one that insertions and removals can make.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/filter/elastic/records/moving_records.hpp>

#include <string>

namespace everbloom {

/// The ranges and the agreement of the numbers a spec tells.
[[nodiscard]] inline result<void> check_progress(const record_progress& progress) {
    const auto refuse = [](const std::string& sentence) { return fail(failure_reason::bad_parameter, sentence); };
    // Eight full bins of 255 slots take a page and fifteen spares.
    constexpr std::uint64_t most_spares = 15;
    const auto is_count = [](std::uint64_t pages) { return pages >= 1 && pages <= record_geometry::most_pages; };
    if (!is_count(progress.pages))
        return refuse("pages is " + std::to_string(progress.pages) + "; that is no number of pages");
    if (progress.next_pages != 0 && !is_count(progress.next_pages)) {
        return refuse("next_pages is " + std::to_string(progress.next_pages) + "; that is no number of pages");
    }
    if (progress.spares > most_spares * progress.pages) return refuse("spares is larger than the pages can need");
    if (progress.next_spares > most_spares * progress.next_pages) {
        return refuse("next_spares is larger than the next pages can need");
    }
    if (progress.next_pages == 0 ? progress.moved != 0 : progress.moved >= progress.pages) {
        return refuse("moved is " + std::to_string(progress.moved) + "; so many pages cannot have moved");
    }
    return {};
}

template <WordStore Store>
class record_checker {
public:
    record_checker(const record_pages<Store>& pages, std::uint64_t held, std::uint64_t lowest,
                   std::uint64_t highest) noexcept
        : pages_(pages), held_(held), lowest_(lowest), highest_(highest) {}

    /// Every held page, every spare; all records lie between the lowest and the highest.
    [[nodiscard]] result<void> check() const {
        const std::uint64_t page_words = pages_.geometry().page_words();
        std::uint64_t links = 0;
        for (std::uint64_t i = 0; i < held_; ++i) {
            const std::uint64_t* const words = pages_.page_store().data() + i * page_words;
            std::uint64_t owner = pages_.first_page() + i + 1;
            for (const std::uint64_t* at = words; link_of(at) != 0; at = spare(link_of(at) - 1)) {
                if (link_of(at) > pages_.used_spares() || spare(link_of(at) - 1)[0] != owner) {
                    return damaged(i, "has a spare page that is not its own");
                }
                owner = link_of(at) | record_pages<Store>::owned_by_spare;
                ++links;
            }
            if (auto checked = check_page(i, words); !checked) return checked;
        }
        // Every owner named by a spare was seen to be linked to it, so equal numbers mean that none is left over.
        if (links != pages_.used_spares()) return fail(failure_reason::damaged, "a spare page belongs to no page");
        return {};
    }

private:
    [[nodiscard]] static std::uint64_t link_of(const std::uint64_t* page) noexcept {
        return record_page<const std::uint64_t>::link(page);
    }
    [[nodiscard]] const std::uint64_t* spare(std::uint64_t index) const noexcept {
        return pages_.spare_words_in_use().data() + index * pages_.geometry().page_words();
    }

    [[nodiscard]] tl::unexpected<failure> damaged(std::uint64_t page, const std::string& how) const {
        return fail(failure_reason::damaged,
                    "page " + std::to_string(pages_.first_page() + page) + " of the records " + how);
    }

    [[nodiscard]] result<void> check_page(std::uint64_t index, const std::uint64_t* words) const {
        const record_geometry& geometry = pages_.geometry();
        const auto page = pages_.page(pages_.first_page() + index);
        const unsigned used = page.used_slots();
        const unsigned chunks = page.chunks();
        if (used > geometry.slots() * chunks) return damaged(index, "has more slots in use than it has");
        if (chunks > 1 && used <= geometry.slots() * (chunks - 1))
            return damaged(index, "has a spare page it does not need");
        const std::uint64_t* last = words;
        for (unsigned left = used;; left -= geometry.slots(), last = spare(link_of(last) - 1)) {
            if (last != words && last[1] != link_of(last))
                return damaged(index, "has a spare page with repeats of its own");
            if (!rest_is_zero(last, std::min(left, geometry.slots()))) {
                return damaged(index, "holds something behind its last record");
            }
            if (link_of(last) == 0) break;
        }
        for (unsigned bin = 0; bin < record_geometry::page_bins; ++bin) {
            if (page.has_repeats(bin) != page.repeats(bin)) return damaged(index, "is wrong about its repeats");
            const unsigned end = page.bin_start(bin) + page.bin_slots(bin);
            bool first = true;
            std::uint64_t before = 0;
            for (unsigned at = page.bin_start(bin); at < end;) {
                const std::uint64_t stored = page.get(at);
                unsigned equal = 1;
                while (equal < 3 && at + equal < end && page.get(at + equal) == stored) ++equal;
                if (equal == 3 && at + 3 >= end) return damaged(index, "ends in the middle of a count");
                if (equal == 3 && page.get(at + 3) > low_mask(record_geometry::counter_bits)) {
                    return damaged(index, "counts more copies than can be");
                }
                if (!first && stored <= before) return damaged(index, "is not sorted");
                const record_place place{(pages_.first_page() + index) * record_geometry::page_bins + bin, stored};
                const std::uint64_t record = geometry.record_at(place);
                if (geometry.place_of(record) != place || record < lowest_ || record > highest_) {
                    return damaged(index, "holds a record that cannot be there");
                }
                first = false;
                before = stored;
                at += equal == 3 ? 4 : equal;
            }
        }
        return {};
    }

    [[nodiscard]] bool rest_is_zero(const std::uint64_t* page, unsigned used) const noexcept {
        const std::uint64_t bits =
            record_geometry::header_words * 64 + std::uint64_t{used} * pages_.geometry().slot_bits();
        const std::uint64_t all = pages_.geometry().page_words() * 64;
        for (std::uint64_t bit = bits; bit < all; bit = (bit / 64 + 1) * 64) {
            if (page[bit / 64] >> (bit % 64) != 0) return false;
        }
        return true;
    }

    const record_pages<Store>& pages_;
    std::uint64_t held_;
    std::uint64_t lowest_;
    std::uint64_t highest_;
};

/// Old and new pages, each with the records of its side of the frontier.
template <WordStore Store>
[[nodiscard]] result<void> check_records(const moving_records<Store>& records) {
    const std::uint64_t frontier = records.frontier();
    const auto& now = records.now();
    if (auto checked =
            record_checker<Store>(now, now.geometry().pages() - records.moved_pages(), frontier, ~std::uint64_t{0})
                .check();
        !checked) {
        return checked;
    }
    if (!records.is_moving()) return {};
    const std::uint64_t highest = frontier == 0 ? 0 : frontier - 1;
    return record_checker<Store>(records.next(), records.progress().begun_pages(), 0, highest).check();
}

} // namespace everbloom
