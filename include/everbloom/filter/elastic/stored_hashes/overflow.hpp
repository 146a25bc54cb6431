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
#include <everbloom/filter/elastic/stored_hashes/page.hpp>

#include <cstring>
#include <span>
#include <utility>

namespace everbloom {

/// At least this number of lines, the first ones as they are; false if there is no memory for them.
[[nodiscard]] bool provide_lines(heap_words& words, std::uint64_t lines) noexcept;
/// Gives back memory behind the lines that are needed, if it is much.
void forget_lines(heap_words& words, std::uint64_t needed) noexcept;

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
    [[nodiscard]] auto* data() noexcept { return words_.data(); }
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
        return provide_lines(words_, (used_ + more) * page_words_ / line_words);
    }

    /// One more behind the last one of a page, which has this number. There is memory for it.
    void add(std::uint64_t* page, std::uint64_t number) noexcept
        requires WritableWordStore<Store>
    {
        std::uint64_t owner = number + 1;
        std::uint64_t* last = page;
        while (const std::uint64_t next = header::link(last)) {
            owner = next | is_overflow_page;
            last = words_of(next - 1);
        }
        words_of(used_)[0] = owner;
        header::set_link(last, ++used_);
    }

    /// Frees those behind a page that its slots in use do not need. `page_of` gives the words of any page.
    template <class PageOf>
    void release_unneeded(std::uint64_t* page, unsigned used_slots, PageOf page_of) noexcept
        requires WritableWordStore<Store>
    {
        unsigned chunks = 1;
        for (const std::uint64_t* at = page; header::link(at) != 0; at = words_of(header::link(at) - 1)) ++chunks;
        for (; chunks > 1 && used_slots <= (chunks - 1) * slots_; --chunks) {
            std::uint64_t* before = page;
            for (unsigned i = 2; i < chunks; ++i) before = words_of(header::link(before) - 1);
            const std::uint64_t freed = header::link(before) - 1;
            header::set_link(before, 0);
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
        forget_lines(words_, used_ * page_words_ / line_words);
    }

private:
    using header = hash_page<std::uint64_t>;

    [[nodiscard]] std::uint64_t* words_of(std::uint64_t index) noexcept { return words_.data() + index * page_words_; }

    /// The last one takes the number of one that has become free.
    template <class PageOf>
    void fill_hole(std::uint64_t freed, PageOf page_of) noexcept {
        const std::uint64_t last = --used_;
        if (freed != last) {
            std::uint64_t* const moved = words_of(freed);
            std::memcpy(moved, words_of(last), page_words_ * sizeof(std::uint64_t));
            const std::uint64_t owner = moved[0] & ~is_overflow_page;
            header::set_link((moved[0] & is_overflow_page) != 0 ? words_of(owner - 1) : page_of(owner - 1), freed + 1);
            if (const std::uint64_t next = header::link(moved)) words_of(next - 1)[0] = (freed + 1) | is_overflow_page;
        }
        std::memset(words_of(last), 0, page_words_ * sizeof(std::uint64_t));
    }

    std::uint64_t page_words_ = 0;
    unsigned slots_ = 0; // of one of them
    std::uint64_t used_ = 0;
    Store words_;
};

} // namespace everbloom
