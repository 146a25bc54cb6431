// Removals of an elastic blocked filter, some at a time, by vector code (stored_hashes/page_kernel.hpp).
//
// Where a hash is, and where the hashes of its block are, is worked out for the next removals while the present ones are done; their pages and
// blocks are on their way then. It is done without branches: on which side of the frontier a hash is, and whether its block lies in two pages,
// cannot be foreseen, and each wrong guess of the processor takes as long as fifty instructions.
#pragma once

#include <everbloom/filter/elastic/elastic_blocks.hpp>

#if defined(EVERBLOOM_MODERN_X86)

#include <algorithm>
#include <array>
#include <span>

namespace everbloom {

template <WordStore Store, class Access>
class elastic_removals {
public:
    elastic_removals(stored_hashes<Store>& stored, const elastic_blocks<Store>& blocks,
                     const elastic_block_view<const std::uint64_t>& query) noexcept
        : stored_(stored), blocks_(blocks), query_(query), functions_(stored.removing_functions()) {
        if (query.hashes > kernel::lanes && functions_ == &kernel::modern_page_functions) functions_ = nullptr;
    }

    [[nodiscard]] bool are_possible() const noexcept { return functions_ != nullptr; }

    /// Whether it was there: calls `note(0, was there)`, or changes nothing and calls `otherwise(0)`, if it has to be removed by other means.
    template <class Note, class Otherwise>
    void run_one(std::uint64_t hash, Note note, Otherwise otherwise) noexcept {
        window<1> one;
        find(one, 0, hash);
        const kernel::removal_setting setting = stored_.removal_setting(query_.hashes, one.what[0]);
        take_out([&]() -> const kernel::removal_setting& { return setting; }, one, 1, note, otherwise);
    }
    /// The same for `count` hashes, in order.
    template <class HashOf, class Note, class Otherwise>
    void run(std::size_t count, HashOf hash_of, Note note, Otherwise otherwise) noexcept {
        std::array<window<at_once>, 2> windows;
        const std::uint64_t page_lines =
            std::max(stored_.now().geometry().page_lines(), stored_.next().geometry().page_lines());
        // In the second-level cache nothing is gained by sending for neighbours, and with ten million keys a sixth of the time.
        const bool are_far = stored_.now().geometry().pages() * page_lines > kernel::near_lines;
        const auto find_some = [&](std::size_t from) __attribute__((always_inline)) {
            window<at_once>& some = windows[from / at_once % 2];
            const std::size_t end = std::min(from + at_once, count);
            for (std::size_t i = from; i < end; ++i) {
                find(some, i - from, hash_of(i));
                prefetch(some, i - from, page_lines);
                if (are_far) prefetch_neighbour(some.what[i - from], page_lines);
            }
        };
        find_some(0);
        for (std::size_t from = 0; from < count; from += at_once) {
            find_some(from + at_once);
            take_out([&] { return stored_.removal_setting(query_.hashes); }, windows[from / at_once % 2],
                     std::min(at_once, count - from), [&](std::size_t i, bool was_there) { note(from + i, was_there); },
                     [&](std::size_t i) { otherwise(from + i); });
        }
    }

private:
    static constexpr std::size_t at_once = 16; // eight take longer, and 32 as long

    /// Some hashes that are to be removed. Blocks with readers are not changed by vectors: the bits to be kept are collected beside.
    template <std::size_t Count>
    struct window {
        static constexpr std::size_t beside = Access::has_readers ? Count : 0;

        std::array<kernel::hash_in_block, Count> what;
        std::array<std::uint64_t*, beside> blocks;
        alignas(line_bytes) std::array<kernel::line_mask, beside> kept;
    };

    template <std::size_t Count>
    [[gnu::always_inline]] void find(window<Count>& some, std::size_t i, std::uint64_t hash) noexcept {
        kernel::hash_in_block& what = some.what[i];
        const std::uint64_t frontier = stored_.frontier();
        const bool has_moved = hash < frontier;
        stored_.find_removal(what, hash, blocks_.in_block(hash, has_moved, frontier));
        // The old block that the frontier cuts has bits to be cleared, too.
        const bool is_cut = reduce(hash, query_.now_blocks) == reduce(frontier, query_.now_blocks);
        what.is_simple &= (has_moved & is_cut) ? 0 : 1;
        what.seed = query_.seed_of(hash);
        what.block = const_cast<std::uint64_t*>(query_.block_of(hash)); // the words are the filter's own
        if constexpr (Access::has_readers) {
            some.blocks[i] = std::exchange(what.block, some.kept[i].data());
            some.kept[i].fill(~std::uint64_t{0});
        }
    }
    template <std::size_t Count>
    [[gnu::always_inline]] void prefetch(const window<Count>& some, std::size_t i,
                                         std::uint64_t page_lines) const noexcept {
        const kernel::hash_in_block& what = some.what[i];
        if constexpr (Access::has_readers) {
            prefetch_line(some.blocks[i]);
        } else {
            prefetch_line(what.block);
        }
        for (std::uint64_t line = 0; line < page_lines; line += 3) { // most pages have nine
            prefetch_line(what.page + line * line_words);
            prefetch_line(what.page + (line + 1) * line_words);
            prefetch_line(what.page + (line + 2) * line_words);
        }
    }

    /// The header, and the first lines or the last ones.
    [[gnu::always_inline]] static void prefetch_neighbour(const kernel::hash_in_block& what,
                                                          std::uint64_t page_lines) noexcept {
        constexpr std::uint64_t few = 4;
        const std::uint64_t first = choose(what.neighbour_index < what.index, page_lines - few, 0);
        prefetch_line(what.neighbour);
        for (std::uint64_t line = 0; line < few; ++line) prefetch_line(what.neighbour + (first + line) * line_words);
    }

    template <class Setting, std::size_t Count, class Note, class Otherwise>
    [[gnu::always_inline]] void take_out(Setting setting, window<Count>& some, std::size_t count, Note note,
                                         Otherwise otherwise) noexcept {
        std::array<std::uint8_t, Count> removed;
        for (std::size_t at = 0; at < count; ++at) {
            const std::size_t end =
                at + functions_->remove(setting(), std::span(some.what).subspan(at, count - at), removed.data() + at);
            for (; at < end; ++at) {
                if constexpr (Access::has_readers) {
                    if (removed[at] != 0) Access::keep(some.blocks[at], some.kept[at]);
                }
                note(at, removed[at] != 0);
            }
            if (at < count) [[unlikely]]
                otherwise(at);
        }
    }

    stored_hashes<Store>& stored_;
    const elastic_blocks<Store>& blocks_;
    const elastic_block_view<const std::uint64_t>& query_;
    const kernel::page_functions* functions_;
};

} // namespace everbloom
#endif
