// Both parts of an elastic filter, kept in step: bits for queries, stored hashes for everything else.
//
// The invariant, at every moment: a bit is set if and only if its own pages hold a hash of its bucket. The old bits go with the old
// pages, the new bits with the new pages; a bucket that the frontier cuts has a bit on either side for its two ends.
//
// A resize is cut into steps of one page (stored_hashes.hpp): its hashes set new bits and leave old ones.
#pragma once

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/elastic_bits.hpp>
#include <everbloom/filter/elastic/elastic_spec.hpp>
#include <everbloom/filter/elastic/stored_hashes/check.hpp>
#include <everbloom/filter/make.hpp>

#include <algorithm>
#include <array>

namespace everbloom {

/// What adding a hash has done.
struct elastic_addition {
    insert_outcome outcome;
    bool found_set; // its bit was set before
};

template <WordStore Store>
class elastic_parts {
public:
    elastic_parts() noexcept = default;

    /// From stores as `sections` gives them; not checked yet.
    [[nodiscard]] static result<elastic_parts> assemble(const elastic_spec& spec, std::array<Store, 6> stores) {
        auto stored = stored_hashes<Store>::assemble(
            spec.progress(), static_cast<unsigned>(spec.word_bits),
            {std::move(stores[2]), std::move(stores[3]), std::move(stores[4]), std::move(stores[5])});
        if (!stored) return fail(std::move(stored.error()));
        elastic_parts made;
        made.stored_ = std::move(*stored);
        made.now_ = bucket_bits<Store>(spec.bits, std::move(stores[0]));
        if (spec.next_bits != 0) made.next_ = bucket_bits<Store>(spec.next_bits, std::move(stores[1]));
        return made;
    }

    /// Parts of a geometry at rest with the hashes that `for_each(visit)` gives in order, in as many copies as it says (0: none).
    template <class ForEach>
    [[nodiscard]] static result<elastic_parts> from_hashes(const elastic_spec& spec, ForEach for_each)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
        auto stores = make_stores(section_lines(spec));
        if (!stores) return fail(std::move(stores.error()));
        auto made = assemble(spec, std::move(*stores));
        if (!made) return made;
        insert_outcome failed = insert_outcome::inserted;
        for_each([&](std::uint64_t hash, std::uint64_t copies) {
            if (copies != 0 && succeeded(failed)) failed = made->append(hash, copies).outcome;
        });
        if (succeeded(failed)) return made;
        return fail(failure_reason::no_room, "the fingerprints do not find room in the pages of this size");
    }

    /// Looks at everything: pages that operations can make, and bits that match the hashes. Counts on the way.
    [[nodiscard]] result<void> check() {
        if (auto checked = check_stored_hashes(stored_); !checked) return checked;
        now_.recount();
        if (is_resizing()) next_.recount();
        if (!now_.is_clean() || (is_resizing() && !next_.is_clean())) {
            return fail(failure_reason::damaged, "a bit is set behind the last bit");
        }
        const std::uint64_t frontier = stored_.frontier();
        bool right = true;
        std::uint64_t now_buckets = 0;
        std::uint64_t next_buckets = 0;
        std::uint64_t last = ~std::uint64_t{0}; // bucket; none has this number
        bool was_below = false;
        stored_.for_each([&](std::uint64_t hash, std::uint64_t copies) {
            const bool below = hash < frontier;
            const auto& bits = below ? next_ : now_;
            right &= bits.test(hash);
            const std::uint64_t bucket = hash >> bits.shift();
            if (bucket != last || below != was_below) ++(below ? next_buckets : now_buckets);
            last = bucket;
            was_below = below;
            copies_ += copies;
            slots_ += slots_for(copies);
        });
        if (right && now_buckets == now_.ones() && next_buckets == next_.ones()) return {};
        return fail(failure_reason::damaged, "the bits do not match the stored hashes");
    }

    [[nodiscard]] static std::array<std::uint64_t, 6> section_lines(const elastic_spec& spec) noexcept {
        const auto pages = spec.progress().section_lines(spec.word_bits);
        return {lines_for_bits(spec.bits), lines_for_bits(spec.next_bits), pages[0], pages[1], pages[2], pages[3]};
    }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 6> sections() const noexcept {
        const auto all = [](const bucket_bits<Store>& bits) { return std::span(bits.words(), bits.store().words()); };
        const auto pages = stored_.sections();
        return {all(now_), all(next_), pages[0], pages[1], pages[2], pages[3]};
    }

    [[nodiscard]] std::uint64_t memory_words() const noexcept {
        return held_words_of(now_.store()) + held_words_of(next_.store()) + stored_.memory_words();
    }

    [[nodiscard]] const bucket_bits<Store>& now() const noexcept { return now_; }
    [[nodiscard]] const bucket_bits<Store>& next() const noexcept { return next_; }
    [[nodiscard]] const stored_hashes<Store>& stored() const noexcept { return stored_; }
    [[nodiscard]] bool is_resizing() const noexcept { return stored_.is_resizing(); }
    [[nodiscard]] unsigned target_log_bits() const noexcept { return (is_resizing() ? next_ : now_).log_bits(); }
    /// Stored hashes, copies counted.
    [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
    /// Slots in use, of all pages.
    [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }

    [[nodiscard]] elastic_bit_view view() const noexcept {
        return {now_.words(),  next_.words(),      now_.shift(),
                next_.shift(), stored_.frontier(), stored_.now().geometry().stored_mask()};
    }

    /// Set bits, as if all bits were those of the larger array: the chance to meet one is this, divided by its size.
    [[nodiscard]] std::uint64_t weighted_ones() const noexcept {
        if (!is_resizing()) return now_.ones();
        if (next_.bits() >= now_.bits()) return next_.ones() + now_.ones() * (next_.bits() / now_.bits());
        return now_.ones() + next_.ones() * (now_.bits() / next_.bits());
    }
    [[nodiscard]] std::uint64_t larger_bits() const noexcept { return std::max(now_.bits(), next_.bits()); }

    /// The hashes that keep the bit of a hash set, if the frontier were there: its bucket, on its side.
    [[nodiscard]] hash_range bucket_side(std::uint64_t hash, std::uint64_t frontier) const noexcept {
        const bool below = hash < frontier;
        hash_range range = bucket_of(hash, (below ? next_ : now_).log_bits());
        if (below) {
            range.highest = std::min(range.highest, frontier - 1);
        } else {
            range.lowest = std::max(range.lowest, frontier);
        }
        return range;
    }

    /// `append` is for a hash that is larger than all others, at rest.
    elastic_addition add(std::uint64_t hash, std::uint64_t copies = 1) noexcept
        requires WritableWordStore<Store>
    {
        return noted(stored_.add(hash, copies), hash, copies);
    }
    elastic_addition append(std::uint64_t hash, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        return noted(stored_.append(hash, copies), hash, copies);
    }

    /// Takes a copy of a hash out, which is there.
    void remove(std::uint64_t hash) noexcept
        requires WritableWordStore<Store>
    {
        const auto left = stored_.remove(hash);
        if (!left) return;
        --copies_;
        slots_ -= slots_for(*left + 1) - slots_for(*left);
        if (*left != 0) return;
        const bool below = hash < stored_.frontier();
        const auto& pages = below ? stored_.next() : stored_.now();
        if (pages.count_within(bucket_side(hash, stored_.frontier()), 1) == 0) (below ? next_ : now_).reset(hash);
    }

    /// Begins to move to another size. Nothing is moved yet; a failure changes nothing.
    [[nodiscard]] bool begin_resize(std::uint64_t bits, std::uint64_t pages, std::uint64_t word_bits) noexcept
        requires std::same_as<Store, heap_words>
    {
        const auto begun = or_out_of_memory([&]() -> result<void> {
            auto words = make_growing_words(lines_for_bits(bits));
            if (!words) return fail(std::move(words.error()));
            auto made = hash_pages<Store>::make(hash_geometry(pages, static_cast<unsigned>(word_bits)));
            if (!made) return fail(std::move(made.error()));
            stored_.begin_resize(std::move(*made));
            next_ = bucket_bits<Store>(bits, std::move(*words));
            return {};
        });
        return begun.has_value();
    }

    /// Moves one page, if there is one to move; false, and nothing is changed, if there is no memory for it.
    bool move_page() noexcept
        requires std::same_as<Store, heap_words>
    {
        if (!is_resizing()) return true;
        const auto move_bits = [&](std::span<const std::uint64_t> hashes) {
            for (const std::uint64_t hash : hashes) {
                next_.set(hash);
                now_.reset(hash);
            }
        };
        if (!succeeded(stored_.move_page(move_bits))) return false;
        if (stored_.all_moved()) {
            stored_.finish_resize();
            now_ = std::exchange(next_, bucket_bits<Store>{});
            now_.settle();
            return true;
        }
        // The bucket that the frontier cuts keeps its old bit for what is left of it.
        const std::uint64_t frontier = stored_.frontier();
        const hash_range rest = bucket_side(frontier, frontier);
        if (rest.lowest != bucket_of(frontier, now_.log_bits()).lowest && stored_.now().count_within(rest, 1) != 0) {
            now_.set(frontier);
        }
        return true;
    }

    /// Where the frontier will be after the next step; above all hashes when that is the last one.
    [[nodiscard]] std::uint64_t next_frontier() const noexcept {
        return is_resizing() ? stored_.now().geometry().start_of_page(stored_.moved_pages() + 1) : 0;
    }
    [[nodiscard]] bool ends_with_next_step() const noexcept {
        return is_resizing() && stored_.moved_pages() + 1 == stored_.now().geometry().pages();
    }

    /// Empty, at rest, at the size of the resize under way, if there is one.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (is_resizing()) now_ = std::exchange(next_, bucket_bits<Store>{});
        stored_.clear();
        now_.clear();
        copies_ = 0;
        slots_ = 0;
    }

private:
    [[nodiscard]] static std::uint64_t slots_for(std::uint64_t copies) noexcept {
        return hash_page<const std::uint64_t>::slots_for(copies);
    }

    elastic_addition noted(insert_outcome outcome, std::uint64_t hash, std::uint64_t copies) noexcept {
        if (!succeeded(outcome)) return {outcome, false};
        copies_ += copies;
        if (outcome == insert_outcome::inserted_counted) [[unlikely]] {
            const std::uint64_t after = stored_.count(hash);
            slots_ += slots_for(after) - slots_for(after - copies);
            return {outcome, true};
        }
        slots_ += slots_for(copies);
        return {outcome, (hash < stored_.frontier() ? next_ : now_).set(hash)};
    }

    bucket_bits<Store> now_;
    bucket_bits<Store> next_;
    stored_hashes<Store> stored_;
    std::uint64_t copies_ = 0;
    std::uint64_t slots_ = 0;
};

} // namespace everbloom
