// Overflow pages of stored hashes: where pages that are full continue.
//
// An overflow page is as long as a page, and names its owner where a page has the counts of its bins:
//
//      page 17  | counts | link: 3 | slots |        overflow page 3  | owner: page 17      | link: 8 | slots |
//                                                   overflow page 8  | owner: overflow 3   | link: 0 | slots |
//
// They have no order and no holes: when one becomes free, the last one takes its number, and the owner tells where it must be linked anew.
// Numbers are stored one higher than they are, so that 0 is none.
#pragma once

#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/elastic/growing_words.hpp>
#include <everbloom/filter/elastic/stored_hashes/page.hpp>

#include <cstring>
#include <span>
#include <utility>

namespace everbloom {

template <WordStore Store>
class overflow_pages {
public:
    /// In the place of the owner: it is an overflow page, not a page.
    static constexpr std::uint64_t is_overflow_page = std::uint64_t{1} << 62;

    overflow_pages() noexcept = default;
    /// The first `used` of them have an owner.
    overflow_pages(const hash_geometry& geometry, Store words, std::uint64_t used) noexcept
        : page_words_(geometry.page_words()), slots_(geometry.slots()), used_(used), words_(std::move(words)) {}

    [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return words_.data(); }
    [[nodiscard]] std::uint64_t* data() noexcept
        requires WritableWordStore<Store>
    {
        return words_.data();
    }
    [[nodiscard]] std::span<const std::uint64_t> words_in_use() const noexcept {
        return {words_.data(), static_cast<std::size_t>(used_ * page_words_)};
    }
    /// Memory, in use or not.
    [[nodiscard]] std::uint64_t memory_words() const noexcept { return held_words_of(words_); }

    /// Whether one more can be taken.
    [[nodiscard]] bool has_room() const noexcept { return (used_ + 1) * page_words_ <= words_.words(); }

    /// Allocates `more` of them, so that taking them cannot fail; false if there is no memory for them.
    [[nodiscard]] bool reserve(std::uint64_t more) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t wanted = (used_ + more) * page_words_;
        if (wanted <= words_.words()) return true;
        try {
            if (words_.words() < few_growing_lines * line_words) {
                // Few: they are copied. Many are never copied again.
                auto made = make_growing_words(wanted / line_words);
                if (!made) return false;
                if (words_.words() != 0) {
                    std::memcpy(made->data(), words_.data(), words_.words() * sizeof(std::uint64_t));
                }
                words_ = std::move(*made);
                return true;
            }
            return words_.extend(wanted / line_words).has_value();
        } catch (const std::bad_alloc&) {
            return false; // for the text of the failure
        }
    }

    /// One more behind the last one of a page, which has this number. There is memory for it.
    void add(std::uint64_t* page, std::uint64_t number) noexcept
        requires WritableWordStore<Store>
    {
        std::uint64_t owner = number + 1;
        std::uint64_t* last = page;
        while (const std::uint64_t next = link(last)) {
            owner = next | is_overflow_page;
            last = words_of(next - 1);
        }
        words_of(used_)[0] = owner;
        set_link(last, ++used_);
    }

    /// Frees those behind a page that its slots in use do not need. `page_of` gives the words of any page.
    template <class PageOf>
    void release_unneeded(std::uint64_t* page, unsigned used_slots, PageOf page_of) noexcept
        requires WritableWordStore<Store>
    {
        unsigned chunks = 1;
        for (const std::uint64_t* at = page; link(at) != 0; at = words_of(link(at) - 1)) ++chunks;
        for (; chunks > 1 && used_slots <= (chunks - 1) * slots_; --chunks) {
            std::uint64_t* before = page;
            for (unsigned i = 2; i < chunks; ++i) before = words_of(link(before) - 1);
            const std::uint64_t freed = link(before) - 1;
            set_link(before, 0);
            fill_hole(freed, page_of);
        }
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (words_.words() != 0) std::memset(words_.data(), 0, words_.words() * sizeof(std::uint64_t));
        used_ = 0;
    }

    /// Gives back the memory of those that are not in use any more, some of them at a time.
    void forget_unused() noexcept
        requires std::same_as<Store, heap_words>
    {
        // Where memory is not mapped, what stays is copied.
        const std::uint64_t step = heap_words::has_huge_pages() ? few_growing_lines : heap_words::huge_page_lines;
        const std::uint64_t needed = ceil_divide(used_ * page_words_ / line_words, step) * step;
        if (words_.words() / line_words >= needed + 2 * step) words_.shrink(needed + step);
    }

private:
    [[nodiscard]] static std::uint64_t link(const std::uint64_t* page) noexcept {
        return hash_page<const std::uint64_t>::link(page);
    }
    static void set_link(std::uint64_t* page, std::uint64_t link) noexcept {
        hash_page<std::uint64_t>::set_link(page, link);
    }
    [[nodiscard]] std::uint64_t* words_of(std::uint64_t index) noexcept { return words_.data() + index * page_words_; }

    /// The last one takes the number of one that has become free.
    template <class PageOf>
    void fill_hole(std::uint64_t freed, PageOf page_of) noexcept {
        const std::uint64_t last = --used_;
        if (freed != last) {
            std::uint64_t* const moved = words_of(freed);
            std::memcpy(moved, words_of(last), page_words_ * sizeof(std::uint64_t));
            const std::uint64_t owner = moved[0] & ~is_overflow_page;
            set_link((moved[0] & is_overflow_page) != 0 ? words_of(owner - 1) : page_of(owner - 1), freed + 1);
            if (const std::uint64_t next = link(moved)) words_of(next - 1)[0] = (freed + 1) | is_overflow_page;
        }
        std::memset(words_of(last), 0, page_words_ * sizeof(std::uint64_t));
    }

    std::uint64_t page_words_ = 0;
    unsigned slots_ = 0; // of one of them
    std::uint64_t used_ = 0;
    Store words_;
};

} // namespace everbloom
