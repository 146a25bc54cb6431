// Blocks of an elastic blocked filter: the fast part, all that queries read, 512 bits each.
//
// The stored hash of a key selects its block and the k bits of its pattern in it. During a resize there are two arrays of blocks; a
// query compares its hash with the frontier: below it the new blocks answer, otherwise the old ones. So a query is one memory access
// at any size and at any moment.
//
//      hashes in order    0 ........... frontier ............................ 2^64
//                         | new blocks | old blocks                          |
//
// Block and pattern come from the stored hash alone: blocks can be rebuilt from stored hashes at any size. A cache line of memory and
// a block are the same thing; the kernels (filter/kernel/), which all blocked kinds share, call it a line.
#pragma once

#include <everbloom/bits/choose.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/filter/elastic/growing_words.hpp>
#include <everbloom/filter/elastic/stored_hashes/stored_hashes.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace everbloom {

/// Access to blocks without concurrent readers, which gives memory back at once. The other one is in shared_access.hpp.
struct exclusive_access {
    static constexpr bool has_readers = false;

    [[nodiscard]] static bool contains(const std::uint64_t* block, std::uint64_t seed, unsigned hashes) noexcept {
        return kernel::contains(block, seed, hashes);
    }
    static void set(std::uint64_t* block, std::uint64_t seed, unsigned hashes) noexcept {
        kernel::insert(block, seed, hashes);
    }
    static void replace(std::uint64_t* block, const kernel::line_mask& by) noexcept {
        std::memcpy(block, by.data(), sizeof by);
    }
    static void unite(std::uint64_t* block, const kernel::line_mask& with) noexcept {
        for (unsigned i = 0; i < line_words; ++i) block[i] |= with[i];
    }
};

/// From digests to stored hashes, and from a stored hash to the seed of its pattern.
struct block_hashing {
    static constexpr std::uint64_t seed_factor = 0x9e3779b97f4a7c15;

    std::uint64_t mask = 0;
    unsigned unused_bits = 0; // at the low end of a stored hash

    explicit block_hashing(unsigned word_bits = 64) noexcept
        : mask(stored_mask(word_bits)), unused_bits(64 - word_bits) {}

    [[nodiscard]] std::uint64_t stored_hash(digest item) const noexcept { return item.low & mask; }
    /// One multiplication by an odd number: the pattern is taken from the middle and the top of the product, which depend on
    /// all the bits that tell hashes of one block apart.
    [[nodiscard]] std::uint64_t seed_of(std::uint64_t hash) const noexcept {
        return (hash >> unused_bits) * seed_factor;
    }
    /// The seed, by the name that the kernels ask for.
    [[nodiscard]] std::uint64_t hash_of(digest item) const noexcept { return seed_of(item.low); }
};

/// What a query reads, as a value that a loop keeps in registers.
template <class Word>
struct elastic_block_view : block_hashing {
    Word* now = nullptr; // where block 0 would be, even if the first blocks are gone
    std::uint64_t now_blocks = 0;
    Word* next = nullptr;
    std::uint64_t next_blocks = 0;
    std::uint64_t frontier = 0;
    unsigned hashes = 0;
    std::uint64_t lines = 0; // of the larger array: tells how far ahead batches prefetch

    [[nodiscard]] Word* block_of(std::uint64_t hash) const noexcept {
        const bool moved = hash < frontier;
        return choose(moved, next, now) + reduce(hash, choose(moved, next_blocks, now_blocks)) * line_words;
    }
    [[nodiscard]] Word* line_of(digest item) const noexcept { return block_of(stored_hash(item)); }
};

/// The same for a filter at rest, which has no frontier to compare with.
template <class Word>
struct resting_block_view : block_hashing {
    Word* now;
    std::uint64_t now_blocks;
    unsigned hashes;
    std::uint64_t lines;

    explicit resting_block_view(const elastic_block_view<Word>& view) noexcept
        : block_hashing(view), now(view.now), now_blocks(view.now_blocks), hashes(view.hashes), lines(view.lines) {}

    [[nodiscard]] Word* line_of(digest item) const noexcept {
        return now + reduce(stored_hash(item), now_blocks) * line_words;
    }
};

/// The same for batches while it grows: one of two descriptions is loaded, which takes fewer registers than choosing their parts.
template <class Word>
struct growing_block_view : block_hashing {
    struct side {
        Word* words;
        std::uint64_t blocks;
    };
    std::array<side, 2> sides;
    std::uint64_t frontier;
    unsigned hashes;
    std::uint64_t lines;

    explicit growing_block_view(const elastic_block_view<Word>& view) noexcept
        : block_hashing(view), sides{side{view.now, view.now_blocks}, side{view.next, view.next_blocks}},
          frontier(view.frontier), hashes(view.hashes), lines(view.lines) {}

    [[nodiscard]] Word* line_of(digest item) const noexcept {
        const std::uint64_t hash = stored_hash(item);
        const side& here = sides[hash < frontier ? 1 : 0];
        return here.words + reduce(hash, here.blocks) * line_words;
    }
};

template <WordStore Store>
class elastic_blocks {
public:
    elastic_blocks() noexcept = default;
    /// `now` holds the blocks from `first_block` on.
    elastic_blocks(std::uint64_t blocks, std::uint64_t first_block, Store now) noexcept
        : blocks_(blocks), width_(width_of(blocks)), first_block_(first_block), now_(std::move(now)) {}

    [[nodiscard]] elastic_block_view<const std::uint64_t> view(std::uint64_t frontier, unsigned word_bits,
                                                               unsigned hashes) const noexcept {
        return {
            block_hashing(word_bits),       zeroth(now_.data()), blocks_, next_.data(), next_blocks_, frontier, hashes,
            std::max(blocks_, next_blocks_)};
    }
    /// Before patterns up to that of `highest` are set in new blocks, while the frontier is here.
    void reach(std::uint64_t highest, std::uint64_t frontier) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t left = (first_needed(blocks_, frontier) - first_block_) * line_words;
        next_mark_.reach(next_, (reduce(highest, next_blocks_) + 1) * line_words, left);
    }
    /// Sets the patterns of hashes in ascending order in their new blocks. Those of one block are united first.
    template <class Access>
    void set_in_new(std::span<const std::uint64_t> hashes, const block_hashing& hashing, unsigned pattern_bits) noexcept
        requires std::same_as<Store, heap_words>
    {
        const block_hashing own = hashing; // a copy that no write can change
        while (!hashes.empty()) {
            const std::uint64_t block = reduce(hashes.front(), next_blocks_);
            alignas(line_bytes) kernel::line_mask united{};
            hashes = hashes.subspan(
                kernel::unite_up_to(united, hashes, hash_geometry::range_of(block, next_blocks_, next_width_).highest,
                                    pattern_bits, [own](std::uint64_t hash) { return own.seed_of(hash); }));
            Access::unite(next_.data() + block * line_words, united);
        }
    }

    /// What a file keeps: the old blocks from the frontier on, and the new ones up to it.
    [[nodiscard]] static std::array<std::uint64_t, 2> section_blocks(std::uint64_t blocks, std::uint64_t next_blocks,
                                                                     std::uint64_t frontier) noexcept {
        return {blocks - first_needed(blocks, frontier), frontier == 0 ? 0 : reduce(frontier - 1, next_blocks) + 1};
    }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 2> sections(std::uint64_t frontier) const noexcept {
        const auto sizes = section_blocks(blocks_, next_blocks_, frontier);
        const std::uint64_t gone = (blocks_ - sizes[0] - first_block_) * line_words;
        return {std::span(now_.data(), now_.words()).subspan(gone),
                std::span(next_.data(), next_.words()).first(sizes[1] * line_words)};
    }
    /// The first old block that a hash at the frontier or behind it can have.
    [[nodiscard]] static std::uint64_t first_needed(std::uint64_t blocks, std::uint64_t frontier) noexcept {
        return reduce(frontier, blocks);
    }

    /// The hashes that share the block of a hash.
    [[nodiscard]] hash_range in_old_block(std::uint64_t hash) const noexcept {
        return hash_geometry::range_of(reduce(hash, blocks_), blocks_, width_);
    }
    /// New blocks have no hashes from the frontier on yet.
    [[nodiscard]] hash_range in_new_block(std::uint64_t hash, std::uint64_t frontier) const noexcept {
        hash_range found = hash_geometry::range_of(reduce(hash, next_blocks_), next_blocks_, next_width_);
        found.highest = std::min(found.highest, frontier - 1);
        return found;
    }

    /// In the new blocks or in the old ones, without a branch on which. If it has moved, the frontier is not 0.
    [[nodiscard]] hash_range in_block(std::uint64_t hash, bool has_moved, std::uint64_t frontier) const noexcept {
        const std::uint64_t blocks = choose(has_moved, next_blocks_, blocks_);
        const std::uint64_t width = choose(has_moved, next_width_, width_);
        hash_range found = hash_geometry::range_of(reduce(hash, blocks), blocks, width);
        found.highest = std::min(found.highest, choose(has_moved, frontier, 0) - 1);
        return found;
    }

    void begin_resize(std::uint64_t blocks, Store next) noexcept {
        next_blocks_ = blocks;
        next_width_ = width_of(blocks);
        next_ = std::move(next);
        next_mark_ = {};
    }
    /// The same, with more blocks in the memory of the ones there are, if nobody else reads them. `open_growth` finds out whether that can be,
    /// also before the last resize has ended, and changes nothing; `steps` is in how many steps the blocks will be moved.
    [[nodiscard]] std::optional<std::uint64_t> open_growth(std::uint64_t blocks, std::uint64_t steps) noexcept
        requires std::same_as<Store, heap_words>
    {
        // Up to the end of a step new blocks are filled, from its beginning on old ones are needed; either may be cut.
        const bool is_resizing = next_blocks_ != 0;
        const std::uint64_t apart = ceil_divide(is_resizing ? next_blocks_ : blocks_, steps) + 3;
        return open_growth_in_place(is_resizing ? next_ : now_, blocks * line_words, apart * line_words);
    }
    void begin_growth_in_place(std::uint64_t blocks, std::uint64_t before) noexcept
        requires std::same_as<Store, heap_words>
    {
        begin_resize(blocks, now_.take_over(before, blocks * line_words));
        next_mark_ = growing_mark(before);
    }
    /// The new blocks are the blocks; returns the old ones.
    [[nodiscard]] Store finish_resize() noexcept {
        blocks_ = std::exchange(next_blocks_, 0);
        width_ = next_width_;
        first_block_ = 0;
        return std::exchange(now_, std::exchange(next_, Store{}));
    }
    /// Makes room for all new blocks, where a file holds the first ones only.
    [[nodiscard]] result<void> complete()
        requires std::same_as<Store, heap_words>
    {
        next_mark_.begin_with(next_.words());
        return next_.extend(next_blocks_);
    }
    void forget_before(std::uint64_t frontier) noexcept
        requires std::same_as<Store, heap_words>
    {
        now_.forget_before((first_needed(blocks_, frontier) - first_block_) * line_words);
    }
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(now_.data(), 0, now_.words() * sizeof(std::uint64_t));
    }

    [[nodiscard]] std::uint64_t memory_words() const noexcept {
        if constexpr (std::same_as<Store, heap_words>) return now_.held_words() + next_mark_.reached_words(next_);
        return held_words_of(now_) + held_words_of(next_);
    }

private:
    /// How many hashes lead to a block, rounded down.
    [[nodiscard]] static std::uint64_t width_of(std::uint64_t blocks) noexcept { return ~std::uint64_t{0} / blocks; }
    template <class Word>
    [[nodiscard]] Word* zeroth(Word* data) const noexcept {
        // Through a number, because no array begins there when the first blocks are gone; those are never read.
        const auto address = reinterpret_cast<std::uintptr_t>(data) - first_block_ * line_bytes;
        return reinterpret_cast<Word*>(address); // NOLINT(performance-no-int-to-ptr)
    }

    std::uint64_t blocks_ = 0;
    std::uint64_t width_ = 0;
    std::uint64_t first_block_ = 0;
    Store now_;
    std::uint64_t next_blocks_ = 0;
    std::uint64_t next_width_ = 0;
    Store next_;
    growing_mark next_mark_;
};

/// The block that the stored hashes of a range make.
template <WordStore Store>
[[nodiscard]] kernel::line_mask block_from_hashes(const stored_hashes<Store>& stored,
                                                  const elastic_block_view<const std::uint64_t>& view,
                                                  const hash_range& wanted) noexcept {
    alignas(line_bytes) kernel::line_mask united{};
    stored.take_within(wanted, [&](const std::uint64_t* hashes, unsigned count) {
        for (const std::uint64_t hash : std::span(hashes, count)) {
            const std::uint64_t seed = view.seed_of(hash);
            kernel::unite(united.data(), std::span(&seed, 1), view.hashes);
        }
    });
    return united;
}

/// The bits of a hash that was taken out which no hash that is left in its block has; `wanted` are the hashes of the block. For at most eight
/// bits per key: their patterns are compared lane by lane, and none of them is made.
template <WordStore Store>
[[nodiscard]] kernel::line_mask bits_left_alone(const stored_hashes<Store>& stored,
                                                const elastic_block_view<const std::uint64_t>& view,
                                                const hash_range& wanted, std::uint64_t hash) noexcept {
    const block_hashing hashing = view;
    const std::uint64_t seed = hashing.seed_of(hash);
    kernel::shared_lanes shared;
#if defined(EVERBLOOM_MODERN_X86)
    if (stored.note_shared_within(wanted, {seed, view.hashes}, shared)) [[likely]]
        return kernel::unshared(seed, view.hashes, shared);
#endif
    stored.take_within(wanted, [&](const std::uint64_t* others, unsigned count) {
        kernel::note_shared(shared, seed, std::span(others, count), view.hashes,
                            [hashing](std::uint64_t one) { return hashing.seed_of(one); });
    });
    return kernel::unshared(seed, view.hashes, shared);
}

/// The blocks [first, end) of an array of `blocks`.
struct block_section {
    const std::uint64_t* words;
    std::uint64_t blocks;
    std::uint64_t first;
    std::uint64_t end;
};

/// Whether blocks are what the stored hashes of a range make of them.
template <WordStore Store>
[[nodiscard]] bool section_matches(const stored_hashes<Store>& stored,
                                   const elastic_block_view<const std::uint64_t>& view, const block_section& section,
                                   const hash_range& range) {
    alignas(line_bytes) kernel::line_mask expected{};
    std::uint64_t block = section.first;
    bool right = true;
    const auto compare_up_to = [&](std::uint64_t next) {
        for (; block < next; ++block, expected = {}) {
            right &= std::equal(expected.begin(), expected.end(), section.words + block * line_words);
        }
    };
    stored.for_each_within(range, [&](std::uint64_t hash, std::uint64_t) {
        compare_up_to(reduce(hash, section.blocks));
        const std::uint64_t seed = view.seed_of(hash);
        kernel::unite(expected.data(), std::span(&seed, 1), view.hashes);
    });
    compare_up_to(section.end);
    return right;
}

/// Whether every block is the union of its hashes' patterns: the check of a file. The old block that the frontier cuts may or may not
/// have the patterns of those hashes that have moved.
template <WordStore Store>
[[nodiscard]] bool blocks_match(const stored_hashes<Store>& stored, const elastic_block_view<const std::uint64_t>& view,
                                const elastic_blocks<Store>& blocks) {
    const std::uint64_t frontier = stored.frontier();
    const std::uint64_t cut = reduce(frontier, view.now_blocks);
    const hash_range whole = blocks.in_old_block(frontier);
    const kernel::line_mask least = block_from_hashes(stored, view, {frontier, whole.highest});
    const kernel::line_mask most = block_from_hashes(stored, view, whole);
    const std::uint64_t* const found = view.now + cut * line_words;
    for (std::uint64_t i = 0; i < line_words; ++i) {
        if ((least[i] & ~found[i]) != 0 || (found[i] & ~most[i]) != 0) return false;
    }
    const block_section old_blocks{view.now, view.now_blocks, cut + 1, view.now_blocks};
    if (old_blocks.first < old_blocks.end &&
        !section_matches(stored, view, old_blocks, {.lowest = hash_geometry::start_of(cut + 1, view.now_blocks)})) {
        return false;
    }
    if (frontier == 0) return true;
    const block_section new_blocks{view.next, view.next_blocks, 0, reduce(frontier - 1, view.next_blocks) + 1};
    return section_matches(stored, view, new_blocks, {.highest = frontier - 1});
}

} // namespace everbloom
