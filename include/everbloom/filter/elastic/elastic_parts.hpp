// elastic_parts: the fast and the slow part of an elastic filter, kept in step.
//
// The invariant, at every moment: a bit is set if and only if its own pages hold a record of its bucket. The old bits go with the
// old pages, the new bits with the new pages; a bucket that the frontier cuts has a bit on either side for its two ends.
//
// Moving to another size is cut into steps of one page (moving_records.hpp): its records set new bits and leave old ones.
#pragma once

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/elastic_bits.hpp>
#include <everbloom/filter/elastic/elastic_tree.hpp>
#include <everbloom/filter/elastic/records/record_range.hpp>

#include <algorithm>
#include <array>

namespace everbloom {

/// What adding a record did.
struct elastic_addition {
    insert_outcome outcome;
    bool found_set; // its bit was set before
};

template <WordStore Store>
class elastic_parts {
public:
    elastic_parts() noexcept = default;

    /// From stores as `sections` gives them; not believed yet.
    [[nodiscard]] static result<elastic_parts> assemble(const elastic_spec& spec, std::array<Store, 6> stores) {
        auto records = moving_records<Store>::assemble(
            spec.progress(), static_cast<unsigned>(spec.word_bits),
            {std::move(stores[2]), std::move(stores[3]), std::move(stores[4]), std::move(stores[5])});
        if (!records) return fail(std::move(records.error()));
        elastic_parts made;
        made.records_ = std::move(*records);
        made.now_ = bucket_bits<Store>(spec.bits, std::move(stores[0]));
        if (spec.next_bits != 0) made.next_ = bucket_bits<Store>(spec.next_bits, std::move(stores[1]));
        return made;
    }

    /// Looks at everything: pages that operations can make, and bits that are those of the records. Counts on the way.
    [[nodiscard]] result<void> check() {
        if (auto checked = check_records(records_); !checked) return checked;
        now_.recount();
        if (is_moving()) next_.recount();
        if (!now_.is_clean() || (is_moving() && !next_.is_clean())) {
            return fail(failure_reason::damaged, "a bit is set behind the last bit");
        }
        const std::uint64_t frontier = records_.frontier();
        bool right = true;
        std::uint64_t now_buckets = 0;
        std::uint64_t next_buckets = 0;
        std::uint64_t last = ~std::uint64_t{0}; // bucket; none has this number
        bool was_below = false;
        records_.for_each([&](std::uint64_t record, std::uint64_t copies) {
            const bool below = record < frontier;
            const auto& bits = below ? next_ : now_;
            right &= bits.test(record);
            const std::uint64_t bucket = record >> bits.shift();
            if (bucket != last || below != was_below) ++(below ? next_buckets : now_buckets);
            last = bucket;
            was_below = below;
            copies_ += copies;
            slots_ += slots_for(copies);
        });
        if (right && now_buckets == now_.ones() && next_buckets == next_.ones()) return {};
        return fail(failure_reason::damaged, "the bits are not those of the records");
    }

    [[nodiscard]] std::array<std::span<const std::uint64_t>, 6> sections() const noexcept {
        const auto all = [](const bucket_bits<Store>& bits) { return std::span(bits.words(), bits.store().words()); };
        const auto pages = records_.sections();
        return {all(now_), all(next_), pages[0], pages[1], pages[2], pages[3]};
    }

    [[nodiscard]] const bucket_bits<Store>& now() const noexcept { return now_; }
    [[nodiscard]] const bucket_bits<Store>& next() const noexcept { return next_; }
    [[nodiscard]] const moving_records<Store>& records() const noexcept { return records_; }
    [[nodiscard]] bool is_moving() const noexcept { return records_.is_moving(); }
    [[nodiscard]] unsigned target_log_bits() const noexcept { return (is_moving() ? next_ : now_).log_bits(); }
    [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
    /// Slots in use, of all pages.
    [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }

    [[nodiscard]] elastic_bit_view view() const noexcept {
        return {now_.words(), next_.words(), now_.shift(), next_.shift(), records_.frontier()};
    }

    /// Set bits, as if all bits were those of the larger array: the chance to meet one is this, divided by its size.
    [[nodiscard]] std::uint64_t weighted_ones() const noexcept {
        if (!is_moving()) return now_.ones();
        if (next_.bits() >= now_.bits()) return next_.ones() + now_.ones() * (next_.bits() / now_.bits());
        return now_.ones() + next_.ones() * (now_.bits() / next_.bits());
    }
    [[nodiscard]] std::uint64_t larger_bits() const noexcept { return std::max(now_.bits(), next_.bits()); }

    /// The records that keep the bit of a record set, if the frontier were there: its bucket, on its side.
    [[nodiscard]] record_range holders(std::uint64_t record, std::uint64_t frontier) const noexcept {
        const bool below = record < frontier;
        record_range range = bucket_of(record, (below ? next_ : now_).log_bits());
        if (below) {
            range.highest = std::min(range.highest, frontier - 1);
        } else {
            range.lowest = std::max(range.lowest, frontier);
        }
        return range;
    }

    elastic_addition add(std::uint64_t record) noexcept
        requires WritableWordStore<Store>
    {
        return noted(records_.add(record), record, 1);
    }
    /// Copies at once; `append` is for a record that is larger than all others, while nothing moves.
    elastic_addition add(std::uint64_t record, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        return noted(records_.add(record, copies), record, copies);
    }
    elastic_addition append(std::uint64_t record, std::uint64_t copies) noexcept
        requires WritableWordStore<Store>
    {
        return noted(records_.append(record, copies), record, copies);
    }

    /// Takes a copy of a record out, which is there.
    void remove(std::uint64_t record) noexcept
        requires WritableWordStore<Store>
    {
        const auto left = records_.remove(record);
        if (!left) return;
        --copies_;
        slots_ -= slots_for(*left + 1) - slots_for(*left);
        if (*left != 0) return;
        const bool below = record < records_.frontier();
        const auto& pages = below ? records_.next() : records_.now();
        if (count_within(pages, holders(record, records_.frontier()), 1) == 0) (below ? next_ : now_).reset(record);
    }

    /// Begins to move to another size. Nothing is moved yet; a failure changes nothing.
    [[nodiscard]] bool begin(std::uint64_t bits, std::uint64_t pages, std::uint64_t word_bits) noexcept
        requires std::same_as<Store, heap_words>
    {
        const auto begun = or_out_of_memory([&]() -> result<void> {
            auto words = heap_words::make(lines_for_bits(bits));
            if (!words) return fail(std::move(words.error()));
            auto made = record_pages<Store>::make(record_geometry(pages, static_cast<unsigned>(word_bits)));
            if (!made) return fail(std::move(made.error()));
            records_.begin(std::move(*made));
            next_ = bucket_bits<Store>(bits, std::move(*words));
            return {};
        });
        return begun.has_value();
    }

    /// Moves one page, if there is one to move; false, and nothing is changed, if there is no memory for it.
    bool step() noexcept
        requires std::same_as<Store, heap_words>
    {
        if (!is_moving()) return true;
        const auto carried = [&](std::uint64_t record) {
            next_.set(record);
            now_.reset(record);
        };
        if (!succeeded(records_.step(carried))) return false;
        if (records_.has_arrived()) {
            records_.settle();
            now_ = std::exchange(next_, bucket_bits<Store>{});
            return true;
        }
        // The bucket that the frontier cuts keeps its old bit for what is left of it.
        const std::uint64_t frontier = records_.frontier();
        const record_range rest = holders(frontier, frontier);
        if (rest.lowest != bucket_of(frontier, now_.log_bits()).lowest && count_within(records_.now(), rest, 1) != 0) {
            now_.set(frontier);
        }
        return true;
    }

    /// Where the frontier will be after the next step; above all records when that is the last one.
    [[nodiscard]] std::uint64_t next_frontier() const noexcept {
        return is_moving() ? records_.now().geometry().start_of_page(records_.moved_pages() + 1) : 0;
    }
    [[nodiscard]] bool arrives_with_next_step() const noexcept {
        return is_moving() && records_.moved_pages() + 1 == records_.now().geometry().pages();
    }

    /// Empty, at rest, as large as it was to become.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        if (is_moving()) now_ = std::exchange(next_, bucket_bits<Store>{});
        records_.clear();
        now_.clear();
        copies_ = 0;
        slots_ = 0;
    }

private:
    [[nodiscard]] static std::uint64_t slots_for(std::uint64_t copies) noexcept {
        return record_page<const std::uint64_t>::slots_for(copies);
    }

    elastic_addition noted(insert_outcome outcome, std::uint64_t record, std::uint64_t copies) noexcept {
        if (!succeeded(outcome)) return {outcome, false};
        copies_ += copies;
        if (outcome == insert_outcome::inserted_counted) [[unlikely]] {
            const std::uint64_t after = records_.count(record);
            slots_ += slots_for(after) - slots_for(after - copies);
            return {outcome, true};
        }
        slots_ += slots_for(copies);
        return {outcome, (record < records_.frontier() ? next_ : now_).set(record)};
    }

    bucket_bits<Store> now_;
    bucket_bits<Store> next_;
    moving_records<Store> records_;
    std::uint64_t copies_ = 0;
    std::uint64_t slots_ = 0;
};

} // namespace everbloom
