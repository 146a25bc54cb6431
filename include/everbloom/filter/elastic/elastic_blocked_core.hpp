// Core of an elastic blocked filter: blocks and stored hashes, kept in step, and how they grow.
//
// The invariant, at every moment: a stored hash lies on one side of the frontier, and its pattern is set in the block of that side.
//
//   grows     when one more key would be more than `line_keys` per block: more blocks and pages are allocated, zeroed, and nothing
//             else happens. From then on pages of stored hashes move, as many as the pace says for the number of keys, and at most
//             two for one key: no operation touches all data.
//   refuses   a key that finds no room. Everything that can fail, limits and memory, comes before the first word is changed.
//   removes   by taking the stored hash out and clearing those of its bits that no hash left in the block has.
#pragma once

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/elastic_blocked_spec.hpp>
#include <everbloom/filter/elastic/elastic_blocks.hpp>
#include <everbloom/filter/elastic/elastic_removals.hpp>
#include <everbloom/filter/elastic/stored_hashes/check.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace everbloom {

template <WordStore Store, class Access>
class elastic_blocked_core {
public:
    elastic_blocked_core() noexcept = default;

    /// From stores as `sections` gives them; not checked yet.
    [[nodiscard]] static result<elastic_blocked_core> assemble(const elastic_blocked_spec& spec,
                                                               std::array<Store, 6> stores) {
        const std::uint64_t frontier = spec.progress().frontier();
        elastic_blocked_core made;
        made.spec_ = spec;
        made.blocks_ = elastic_blocks<Store>(
            spec.blocks(), elastic_blocks<Store>::first_needed(spec.blocks(), frontier), std::move(stores[0]));
        if (spec.next_bits != 0) {
            made.blocks_.begin_resize(spec.next_blocks(), std::move(stores[1]));
            if constexpr (std::same_as<Store, heap_words>) {
                if (auto completed = made.blocks_.complete(); !completed) return fail(std::move(completed.error()));
            }
        }
        auto stored = stored_hashes<Store>::assemble(
            spec.progress(), made.word_bits(),
            {std::move(stores[2]), std::move(stores[3]), std::move(stores[4]), std::move(stores[5])});
        if (!stored) return fail(std::move(stored.error()));
        made.stored_ = std::move(*stored);
        made.refresh_view();
        made.schedule();
        return made;
    }

    /// Looks at everything: pages that operations can make, and blocks that match the hashes. Counts on the way.
    [[nodiscard]] result<void> check() {
        if (auto checked = check_stored_hashes(stored_); !checked) return checked;
        if (!blocks_match(stored_, query_, blocks_)) {
            return fail(failure_reason::damaged, "the bits do not match the stored hashes");
        }
        stored_.for_each([&](std::uint64_t, std::uint64_t copies) {
            ++keys_;
            copies_ += copies;
        });
        if (keys_ > limit_)
            return fail(failure_reason::damaged, "there are more stored hashes than bits of this size hold");
        schedule();
        return {};
    }

    [[nodiscard]] const elastic_blocked_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const stored_hashes<Store>& stored() const noexcept { return stored_; }
    /// The blocks that queries look at: the old ones from the frontier on, and the new ones up to it.
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 2> blocks() const noexcept {
        return blocks_.sections(stored_.frontier());
    }
    [[nodiscard]] const elastic_block_view<const std::uint64_t>& query() const noexcept { return query_; }
    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    /// Also while it grows, and with old blocks that readers may still read.
    [[nodiscard]] std::uint64_t memory_words() const noexcept {
        return blocks_.memory_words() + stored_.memory_words() + held_words_of(retired_);
    }
    [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }
    /// The blocks that a growth has left behind, once.
    [[nodiscard]] Store take_retired_blocks() noexcept { return std::exchange(retired_, Store{}); }

    /// Prefetches the block and the page of a hash.
    void prefetch(std::uint64_t hash) const noexcept {
        prefetch_line(query_.block_of(hash));
        stored_.prefetch(hash);
    }

    /// The same for the first line of the page only.
    void prefetch_first_lines(std::uint64_t hash) const noexcept {
        prefetch_line(query_.block_of(hash));
        stored_.prefetch_first_line(hash);
    }

    insert_outcome insert(std::uint64_t hash) noexcept
        requires std::same_as<Store, heap_words>
    {
        if (keys_ >= limit_) [[unlikely]]
            return insert_when_full(hash);
        const insert_outcome outcome = stored_.add(hash);
        if (!succeeded(outcome)) [[unlikely]]
            return outcome;
        ++copies_;
        if (outcome == insert_outcome::inserted) {
            ++keys_;
            set_pattern(block_to_write(hash), hash);
            if (keys_ >= next_step_at_) [[unlikely]]
                move_pages_due();
        }
        note_progress();
        return outcome;
    }

    erase_outcome erase(std::uint64_t hash) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        elastic_removals<Store, Access> removals(stored_, blocks_, query_);
        if (removals.are_possible()) [[likely]] {
            erase_outcome outcome;
            removals.run_one(
                hash, [&](std::size_t, bool was_there) { outcome = note_erased(was_there); },
                [&](std::size_t) { outcome = erase_by_itself(hash); });
            return outcome;
        }
#endif
        return erase_by_itself(hash);
    }

    /// Many hashes, `hash_of(i)` for i < count: the blocks and pages of the next ones are on their way meanwhile.
    template <class HashOf>
    void erase_many(std::size_t count, HashOf hash_of, erase_outcome* outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
#if defined(EVERBLOOM_MODERN_X86)
        elastic_removals<Store, Access> removals(stored_, blocks_, query_);
        if (removals.are_possible()) [[likely]] {
            return removals.run(
                count, hash_of, [&](std::size_t i, bool was_there) { outcomes[i] = note_erased(was_there); },
                [&](std::size_t i) { outcomes[i] = erase_by_itself(hash_of(i)); });
        }
#endif
        constexpr std::size_t lead = 6; // each prefetches a block and a page of about nine cache lines
        for (std::size_t i = 0; i < std::min(lead, count); ++i) prefetch(hash_of(i));
        for (std::size_t i = 0; i < count; ++i) {
            if (i + lead < count) prefetch(hash_of(i + lead));
            outcomes[i] = erase_by_itself(hash_of(i));
        }
    }

    /// Adds copies of a hash to a core that is being filled aside, and has room.
    [[nodiscard]] insert_outcome fill(std::uint64_t hash, std::uint64_t copies) noexcept {
        return note_filled(stored_.add(hash, copies), hash, copies);
    }
    /// The same for a hash that is larger than all before.
    [[nodiscard]] insert_outcome fill_last(std::uint64_t hash, std::uint64_t copies) noexcept {
        return note_filled(stored_.append(hash, copies), hash, copies);
    }
    /// After the last of them.
    void end_filling() noexcept {
        note_progress();
        schedule();
    }
    /// A core that was filled takes the place of this one.
    void replace_by(elastic_blocked_core made) noexcept {
        made.end_filling();
        made.expansions_ = expansions_ + (made.spec_.bits > std::max(spec_.bits, spec_.next_bits) ? 1 : 0);
        *this = std::move(made);
    }

    /// Empty, at rest, at the size of the growth under way, if there is one.
    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        if (stored_.is_resizing()) (void)blocks_.finish_resize();
        stored_.clear();
        blocks_.clear();
        spec_ = spec_.at_rest();
        keys_ = 0;
        copies_ = 0;
        refresh_view();
        schedule();
    }

private:
    [[nodiscard]] unsigned word_bits() const noexcept { return static_cast<unsigned>(spec_.word_bits); }

    [[nodiscard]] insert_outcome note_filled(insert_outcome done, std::uint64_t hash, std::uint64_t copies) noexcept {
        if (!succeeded(done)) return done;
        if (done == insert_outcome::inserted) {
            ++keys_;
            set_pattern(block_to_write(hash), hash);
        }
        copies_ += copies;
        return done;
    }

    /// More blocks and pages, empty and unused, or how far before the present ones they begin, in the same memory.
    struct growth_room {
        std::uint64_t bits = 0;
        hash_geometry geometry;
        std::optional<std::uint64_t> blocks_before;
        std::optional<std::uint64_t> pages_before;
        heap_words blocks;
        hash_pages<heap_words> pages;
    };

    /// Room for the next growth, if limits and memory allow it. Nothing is changed.
    [[nodiscard]] std::optional<growth_room> find_room() noexcept {
        // As it will be at the end of the growth under way.
        const elastic_blocked_spec now = spec_.at_rest();
        growth_room room;
        room.bits = now.grown_bits();
        if (room.bits == now.bits || now.keys_for(now.bits) >= now.most_keys()) return std::nullopt;
        const std::uint64_t page_count = now.pages_for(room.bits);
        if (page_count > hash_geometry::most_pages) return std::nullopt;
        room.geometry = hash_geometry(page_count, word_bits());
        if constexpr (!Access::has_readers)
            room.blocks_before = blocks_.open_growth(room.bits / line_bits, now.pages_for(now.bits));
        room.pages_before = stored_.open_growth(room.geometry);
        const auto found = or_out_of_memory([&]() -> result<void> {
            if (!room.blocks_before) {
                auto blocks = make_growing_words(room.bits / line_bits, !Access::has_readers);
                if (!blocks) return fail(std::move(blocks.error()));
                room.blocks = std::move(*blocks);
            }
            if (!room.pages_before) {
                auto pages = hash_pages<heap_words>::make(room.geometry, true);
                if (!pages) return fail(std::move(pages.error()));
                room.pages = std::move(*pages);
            }
            return {};
        });
        if (!found) return std::nullopt;
        return room;
    }

    /// For a key that the blocks have no room for, unless it is there already: a copy takes no more bits.
    [[gnu::noinline]] insert_outcome insert_when_full(std::uint64_t hash) noexcept
        requires std::same_as<Store, heap_words>
    {
        const bool is_new = stored_.count(hash) == 0;
        std::optional<growth_room> room;
        if (is_new && !(room = find_room())) return insert_outcome::growth_refused;
        const insert_outcome added = stored_.add(hash);
        if (!succeeded(added)) return added;
        if (!is_new) {
            ++copies_;
            note_progress();
            return added;
        }
        const bool was_resizing = stored_.is_resizing();
        if (was_resizing && !stored_.reserve_moves()) {
            stored_.remove(hash); // no block has its pattern yet
            return insert_outcome::growth_refused;
        }
        move_all_pages();
        begin_growth(std::move(*room));
        ++keys_;
        ++copies_;
        set_pattern(block_to_write(hash), hash);
        // For one key blocks are retired once at most, so that take_retired_blocks misses none.
        if (!was_resizing && keys_ >= next_step_at_) move_pages_due();
        note_progress();
        return insert_outcome::inserted_grew;
    }

    void begin_growth(growth_room room) noexcept {
        if (room.pages_before) {
            stored_.begin_growth_in_place(room.geometry, *room.pages_before);
        } else {
            stored_.begin_resize(std::move(room.pages));
        }
        if (room.blocks_before) {
            blocks_.begin_growth_in_place(room.bits / line_bits, *room.blocks_before);
        } else {
            blocks_.begin_resize(room.bits / line_bits, std::move(room.blocks));
        }
        spec_.next_bits = room.bits;
        ++expansions_;
        refresh_view();
        schedule();
    }

    /// What the growth under way has left to move, all at once. There is room for it.
    void move_all_pages() noexcept {
        while (stored_.is_resizing() && move_page()) {
        }
    }

    /// Moves what the number of keys asks for. A page that finds no room is tried again with the next key.
    [[gnu::noinline]] void move_pages_due() noexcept {
        const growth_pace::due due = pages_due();
        // No more than this for one key: what is left is moved with the next ones.
        for (int left = 2; left > 0 && stored_.is_resizing() && moved() < due.share; --left) {
            if (!move_page()) return;
        }
        if (stored_.is_resizing()) [[likely]]
            return schedule_step(due);
        schedule();
    }
    [[nodiscard]] double moved() const noexcept { return static_cast<double>(stored_.moved_pages()); }
    /// How many pages should have moved by now, as `share`.
    [[nodiscard]] growth_pace::due pages_due() const noexcept {
        const growth_pace::due due = pace_.due_at(static_cast<double>(keys_));
        const auto pages = static_cast<double>(stored_.now().geometry().pages());
        return {due.share * pages, due.rise * pages};
    }

    [[nodiscard]] bool move_page() noexcept {
        const auto set_in_new_blocks = [&](std::span<const std::uint64_t> hashes) {
            blocks_.reach(stored_.now().geometry().range_of_page(stored_.moved_pages()).highest, stored_.frontier());
            blocks_.template set_in_new<Access>(hashes, query_, query_.hashes);
        };
        if (!succeeded(stored_.move_page(set_in_new_blocks))) return false;
        if (stored_.all_moved()) {
            stored_.finish_resize();
            retired_ = blocks_.finish_resize();
            if constexpr (!Access::has_readers) retired_ = {};
            spec_.bits = std::exchange(spec_.next_bits, 0);
        } else if constexpr (!Access::has_readers) {
            blocks_.forget_before(stored_.frontier());
        }
        note_progress();
        refresh_view();
        return true;
    }

    /// At how many keys the next page is due, and growth begins.
    void schedule() noexcept {
        const std::uint64_t full = spec_.keys_for(spec_.bits);
        next_step_at_ = ~std::uint64_t{0};
        limit_ = std::min(full, spec_.most_keys());
        if (!stored_.is_resizing()) return;
        const std::uint64_t next_full = spec_.keys_for(spec_.next_bits);
        limit_ = std::min(next_full, spec_.most_keys());
        pace_ = spec_.pace();
        // Twice for each page, at numbers of keys that do not depend on the calls before.
        step_ = std::max<std::uint64_t>(1, (next_full - full) / (2 * stored_.now().geometry().pages()));
        schedule_step(pages_due());
    }
    /// The same while one growth is under way.
    void schedule_step(const growth_pace::due& due) noexcept {
        const double spare = moved() - due.share;
        if (spare < 0) {
            next_step_at_ = keys_ + 1;
            return;
        }
        // No page is due before that; a little less, for the sake of rounding.
        constexpr double most_keys_ahead = 1e6;
        const double wait = std::min(spare * (1 - 0x1p-10), most_keys_ahead * due.rise) / std::max(due.rise, 1e-300);
        const std::uint64_t not_before = keys_ + static_cast<std::uint64_t>(wait);
        next_step_at_ = std::max(keys_ / step_ + 1, (not_before + step_ - 1) / step_) * step_;
    }

    void note_progress() noexcept {
        spec_.spares = stored_.now().overflow().used();
        spec_.next_spares = stored_.next().overflow().used();
        spec_.moved = stored_.moved_pages();
    }
    void refresh_view() noexcept {
        query_ = blocks_.view(stored_.frontier(), word_bits(), static_cast<unsigned>(spec_.hashes));
    }

    [[nodiscard]] std::uint64_t* block_to_write(std::uint64_t hash) noexcept {
        return const_cast<std::uint64_t*>(query_.block_of(hash)); // the words are this filter's own
    }
    void set_pattern(std::uint64_t* block, std::uint64_t hash) const noexcept {
        Access::set(block, query_.seed_of(hash), query_.hashes);
    }
    erase_outcome note_erased(bool was_there) noexcept {
        keys_ -= was_there ? 1 : 0;
        copies_ -= was_there ? 1 : 0;
        return was_there ? erase_outcome::removed : erase_outcome::not_present;
    }
    /// Also one of many copies, or in pages that vector code does not know.
    [[gnu::noinline]] erase_outcome erase_by_itself(std::uint64_t hash) noexcept {
        const auto left = stored_.remove(hash);
        if (!left) return erase_outcome::not_present;
        --copies_;
        if (*left == 0) {
            --keys_;
            clear_pattern(hash);
        }
        note_progress();
        return erase_outcome::removed;
    }

    /// Clears the bits of a hash that was taken out, unless others have them. Also in the old block, where the frontier cuts it. An old block
    /// keeps the patterns of hashes that have moved: a reader that loaded the frontier just before still looks for them there.
    void clear_pattern(std::uint64_t hash) noexcept {
        const std::uint64_t frontier = stored_.frontier();
        if (hash >= frontier) return clear_bits(hash, block_to_write(hash), blocks_.in_old_block(hash));
        clear_bits(hash, block_to_write(hash), blocks_.in_new_block(hash, frontier));
        const std::uint64_t cut = reduce(frontier, query_.now_blocks);
        if (reduce(hash, query_.now_blocks) == cut) {
            clear_bits(hash, const_cast<std::uint64_t*>(query_.now) + cut * line_words, blocks_.in_old_block(hash));
        }
    }
    void clear_bits(std::uint64_t hash, std::uint64_t* block, const hash_range& hashes) noexcept {
        if (query_.hashes > kernel::lanes) return Access::replace(block, block_from_hashes(stored_, query_, hashes));
        kernel::line_mask left = bits_left_alone(stored_, query_, hashes, hash);
        for (std::size_t i = 0; i < line_words; ++i) left[i] = block[i] & ~left[i];
        Access::replace(block, left);
    }

    elastic_blocked_spec spec_;
    elastic_block_view<const std::uint64_t> query_; // of blocks_, kept ready
    std::uint64_t keys_ = 0;
    std::uint64_t copies_ = 0;
    std::uint64_t limit_ = 0;        // keys that fit without beginning to grow
    std::uint64_t next_step_at_ = 0; // keys at which a page may be due to move
    growth_pace pace_;               // of the growth under way
    std::uint64_t step_ = 1;         // keys from one such number to the next
    std::uint64_t expansions_ = 0;
    elastic_blocks<Store> blocks_;
    stored_hashes<Store> stored_;
    Store retired_; // the blocks before the last growth, which readers may still read
};

} // namespace everbloom
