// The elastic blocked filter: deletes, grows, shrinks, merges and intersects, and answers queries like a blocked filter.
//
// Idea        Two parts. The fast part is a blocked Bloom filter: all bits of a key in one cache line, and queries look at
//             nothing else. The slow part keeps one record per key, some 48 bits of its hash, sorted: with it a key can be removed
//             for certain (no record, no removal), counted, and the fast part can be made anew at any size without the keys.
//             When the lines become too full, larger ones are allocated, and with every few insertions a page of records moves
//             over: no operation ever touches all data.
// Source      Elastic fingerprints and the split into fast and slow memory are from [Wu21]; lines from [Putze07].
// Layout      lines   | 512 bits | 512 bits | ...                 (elastic_lines.hpp)
//             records | page of 8 bins | page of 8 bins | ...     (records/record_page.hpp)
// Guarantees  No false negative, also while it grows. A key that was never inserted is not removed, except with a chance below
//             2^-20. Exact number of keys and copies. Inserting a key again counts a copy; the copies take no more bits.
//             A refusal leaves everything as it was. Same keys and same sizes, same bytes, in whatever order they came.
// Cost        Query: one cache line. Insertion and removal: one line and one page of about 560 bytes. Fast part about 16 bits
//             per key for 0.1 %; slow part about 40.
// Deviation   [Wu21] keeps k fingerprints per key, doubles only, and copies everything when it expands.
#pragma once

#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/elastic_access.hpp>
#include <everbloom/filter/elastic_blocked_spec.hpp>
#include <everbloom/filter/elastic_lines.hpp>

#include <cmath>

namespace everbloom {

template <WordStore Store, class Access>
class elastic_blocked_core {
public:
    using spec_type = elastic_blocked_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "elastic_blocked";
    static constexpr std::string_view summary =
        "deletes for certain, grows and shrinks without the keys; queries as fast as blocked";
    static constexpr std::array<std::string_view, 1> kept_by_reshape{"word_bits"};
    static constexpr std::array<std::string_view, 6> section_names{"lines",  "next_lines", "pages",
                                                                   "spares", "next_pages", "next_spares"};

    [[nodiscard]] static std::array<std::uint64_t, 6> section_lines(const elastic_blocked_spec& spec) noexcept {
        const auto progress = spec.progress();
        const auto lines = elastic_lines<Store>::section_lines(spec.lines(), spec.next_lines(), progress.frontier());
        const auto pages = progress.section_lines(static_cast<unsigned>(spec.word_bits));
        return {lines[0], lines[1], pages[0], pages[1], pages[2], pages[3]};
    }

    /// Checks every record, and that the bits are those of the records.
    [[nodiscard]] static result<elastic_blocked_core> assemble(const elastic_blocked_spec& spec,
                                                               std::array<Store, 6> stores) {
        auto made = put_together(spec, std::move(stores));
        if (!made) return made;
        if (auto checked = check_records(made->records_); !checked) return fail(std::move(checked.error()));
        if (auto checked = made->check_bits(); !checked) return fail(std::move(checked.error()));
        made->records_.for_each([&](std::uint64_t, std::uint64_t copies) {
            ++made->keys_;
            made->copies_ += copies;
        });
        if (made->keys_ > std::min(spec.most_keys(), spec.keys_for(std::max(spec.bits, spec.next_bits)))) {
            return fail(failure_reason::damaged, "there are more records than bits of this size hold");
        }
        made->look_ahead();
        return made;
    }
    [[nodiscard]] static result<elastic_blocked_core> assemble_empty(const elastic_blocked_spec& spec,
                                                                     std::array<Store, 6> stores) {
        auto made = put_together(spec, std::move(stores));
        if (made) made->look_ahead();
        return made;
    }

    [[nodiscard]] const elastic_blocked_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 6> sections() const noexcept {
        const auto lines = lines_.sections(records_.frontier());
        const auto pages = records_.sections();
        return {lines[0], lines[1], pages[0], pages[1], pages[2], pages[3]};
    }
    /// Cells are the bits that queries look at: the new ones up to the frontier, then the old ones.
    [[nodiscard]] std::uint64_t cells() const noexcept {
        const auto lines = lines_.sections(records_.frontier());
        return (lines[0].size() + lines[1].size()) * everbloom::word_bits;
    }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        const auto lines = lines_.sections(records_.frontier());
        const std::uint64_t word = index / everbloom::word_bits;
        const std::uint64_t words = word < lines[1].size() ? lines[1][word] : lines[0][word - lines[1].size()];
        return words >> (index % everbloom::word_bits) & 1;
    }
    /// Different keys in it, exactly (equal records count once).
    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    /// Insertions that were not removed.
    [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
    /// How often it has begun to grow since it was made or loaded.
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }
    [[nodiscard]] std::uint64_t frontier() const noexcept { return records_.frontier(); }
    [[nodiscard]] bool is_growing() const noexcept { return records_.is_moving(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return Access::contains(query_.line_of(item), query_.hash_of(item), query_.hashes);
    }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        if (query_.frontier == 0) return answer(resting_line_view(query_), items, answers);
        answer(query_, items, answers);
    }
    /// Asks the records: wrong about a stranger with a chance below 2^-20.
    [[nodiscard]] bool confirm(digest item) const noexcept { return estimate_count(item) != 0; }
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        return records_.count(query_.record_of(item));
    }
    [[nodiscard]] erase_outcome judge_erase(digest item) const noexcept {
        return confirm(item) ? erase_outcome::removed : erase_outcome::not_present;
    }

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t record = query_.record_of(item);
        insert_outcome outcome = records_.add(record);
        if (outcome == insert_outcome::inserted) {
            if (keys_ >= limit_) [[unlikely]] {
                if (!make_room()) {
                    records_.remove(record);
                    note_progress();
                    return insert_outcome::growth_refused;
                }
                outcome = insert_outcome::inserted_grew;
            }
            ++keys_;
            set_pattern(line_to_write(record), record);
            if (keys_ >= next_step_at_) [[unlikely]]
                move_pages_due();
        }
        copies_ += succeeded(outcome) ? 1 : 0;
        note_progress();
        return outcome;
    }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        in_flight(items, [&](std::size_t i) { outcomes[i] = insert(items[i]); });
    }

    erase_outcome erase(digest item) noexcept
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t record = query_.record_of(item);
        const auto left = records_.remove(record);
        if (!left) return erase_outcome::not_present;
        --copies_;
        if (*left == 0) {
            --keys_;
            renew_line(record);
        }
        note_progress();
        return erase_outcome::removed;
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        in_flight(items, [&](std::size_t i) { outcomes[i] = erase(items[i]); });
    }

    /// All keys of both; the sizes may differ, and the larger of this size and what the keys need is made.
    result<void> merge(const elastic_blocked_core& other)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = check_same_records(other); !checked) return checked;
        std::uint64_t together = keys_;
        other.records_.for_each([&](std::uint64_t record, std::uint64_t) { together += records_.count(record) == 0; });
        auto made = rebuilt(spec_.at_rest_with(bits_for(together)), together,
                            [](std::uint64_t, std::uint64_t copies) { return copies; });
        if (!made) return fail(std::move(made.error()));
        insert_outcome failed = insert_outcome::inserted;
        other.records_.for_each([&](std::uint64_t record, std::uint64_t copies) {
            if (succeeded(failed)) failed = made->take(record, copies);
        });
        if (!succeeded(failed)) return fail(no_room("a key would have more copies than can be counted"));
        return replace_by(std::move(*made));
    }

    /// The keys of both, with the smaller number of copies.
    result<void> intersect(const elastic_blocked_core& other)
        requires std::same_as<Store, heap_words>
    {
        if (auto checked = check_same_records(other); !checked) return checked;
        auto made = rebuilt(spec_.emptied(), keys_, [&](std::uint64_t record, std::uint64_t copies) {
            return std::min(copies, other.records_.count(record));
        });
        if (!made) return fail(std::move(made.error()));
        return replace_by(std::move(*made));
    }

    /// Twice the bits.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t now = spec_.emptied().bits;
        if (now > spec_.most_bits / 2) {
            return fail(failure_reason::no_room, "the filter cannot grow: " + std::to_string(spec_.most_bits) +
                                                     " bits are its limit; reshape it with a higher most_bits");
        }
        return reshape(spec_.at_rest_with(2 * now));
    }
    /// Half the bits, if the keys do not make them too full.
    result<void> shrink()
        requires std::same_as<Store, heap_words>
    {
        const std::uint64_t lines = spec_.emptied().lines();
        if (lines == 1) return fail(failure_reason::unsupported, "the filter cannot shrink: it has one line");
        return reshape(spec_.at_rest_with((lines + 1) / 2 * line_bits));
    }

    /// Any other size, number of hashes, density, way to grow or limit; not the bits kept of a hash, which are all there are.
    result<void> reshape(const elastic_blocked_spec& wanted)
        requires std::same_as<Store, heap_words>
    {
        if (wanted.word_bits != spec_.word_bits) {
            return fail(failure_reason::mismatch, "a record has " + std::to_string(spec_.word_bits) +
                                                      " bits; word_bits cannot be changed without the keys");
        }
        elastic_blocked_spec target = wanted.emptied();
        target.initial_bits = spec_.initial_bits;
        auto made = rebuilt(target, keys_, [](std::uint64_t, std::uint64_t copies) { return copies; });
        if (!made) return fail(std::move(made.error()));
        return replace_by(std::move(*made));
    }

    /// What queries read; for those who answer them beside a writer.
    [[nodiscard]] const elastic_line_view<const std::uint64_t>& line_view() const noexcept { return query_; }
    /// The lines that a growth has left behind, once.
    [[nodiscard]] Store take_retired_lines() noexcept { return std::exchange(retired_, Store{}); }

    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        if (records_.is_moving()) (void)lines_.settle();
        records_.clear();
        lines_.clear();
        spec_ = spec_.emptied();
        keys_ = 0;
        copies_ = 0;
        look_ahead();
    }

    /// Gives `visit` the eight words of every line that queries look at, and the share of all hashes that lead to it.
    template <class Visit>
    void for_each_line(Visit visit) const {
        const auto lines = lines_.sections(records_.frontier());
        const double moved = static_cast<double>(records_.frontier()) * 0x1p-64;
        const auto part = [&](std::span<const std::uint64_t> words, double share) {
            const auto count = static_cast<double>(words.size() / line_words);
            for (std::size_t at = 0; at < words.size(); at += line_words) {
                visit(std::span<const std::uint64_t, line_words>(words.subspan(at).first(line_words)), share / count);
            }
        };
        part(lines[1], moved);
        part(lines[0], 1 - moved);
    }

private:
    elastic_blocked_core() noexcept = default;

    [[nodiscard]] static result<elastic_blocked_core> put_together(const elastic_blocked_spec& spec,
                                                                   std::array<Store, 6> stores) {
        const std::uint64_t frontier = spec.progress().frontier();
        elastic_blocked_core made;
        made.spec_ = spec;
        made.lines_ = elastic_lines<Store>(spec.lines(), elastic_lines<Store>::first_needed(spec.lines(), frontier),
                                           std::move(stores[0]));
        if (spec.next_bits != 0) {
            made.lines_.begin(spec.next_lines(), std::move(stores[1]));
            if constexpr (std::same_as<Store, heap_words>) {
                if (auto completed = made.lines_.complete(); !completed) return fail(std::move(completed.error()));
            }
        }
        auto records = moving_records<Store>::assemble(
            spec.progress(), static_cast<unsigned>(spec.word_bits),
            {std::move(stores[2]), std::move(stores[3]), std::move(stores[4]), std::move(stores[5])});
        if (!records) return fail(std::move(records.error()));
        made.records_ = std::move(*records);
        made.renew_view();
        return made;
    }

    /// Every line is the union of its records' patterns. The old one that the frontier cuts may or may not have those of its records
    /// that have moved.
    [[nodiscard]] result<void> check_bits() const {
        const std::uint64_t frontier = records_.frontier();
        bool right = true;
        if (records_.is_moving() && frontier != 0) {
            right = lines_match(query_.next, query_.next_lines, 0, reduce(frontier - 1, query_.next_lines) + 1, 0,
                                frontier - 1);
        }
        const std::uint64_t cut = reduce(frontier, query_.now_lines);
        const std::uint64_t* const found = query_.now + cut * line_words;
        const auto whole = lines_.neighbours_in_old(frontier);
        const kernel::line_mask least = union_of(whole, frontier);
        const kernel::line_mask most = union_of(whole, 0);
        for (std::uint64_t i = 0; i < line_words; ++i)
            right &= (least[i] & ~found[i]) == 0 && (found[i] & ~most[i]) == 0;
        if (cut + 1 < query_.now_lines) {
            right &= lines_match(query_.now, query_.now_lines, cut + 1, query_.now_lines,
                                 record_geometry::start_of(cut + 1, query_.now_lines), ~std::uint64_t{0});
        }
        if (right) return {};
        return fail(failure_reason::damaged, "the bits are not those of the records");
    }
    /// Whether the lines [first, end) are those of the records from `lowest` to `highest`.
    [[nodiscard]] bool lines_match(const std::uint64_t* words, std::uint64_t lines, std::uint64_t first,
                                   std::uint64_t end, std::uint64_t lowest, std::uint64_t highest) const {
        alignas(line_bytes) kernel::line_mask expected{};
        std::uint64_t line = first;
        bool right = true;
        const auto compare_up_to = [&](std::uint64_t next) {
            for (; line < next; ++line, expected = {}) {
                right &= std::equal(expected.begin(), expected.end(), words + line * line_words);
            }
        };
        records_.for_each_within(lowest, highest, [&](std::uint64_t record, std::uint64_t) {
            compare_up_to(reduce(record, lines));
            set_pattern(expected.data(), record);
        });
        compare_up_to(end);
        return right;
    }

    [[nodiscard]] result<void> check_same_records(const elastic_blocked_core& other) const {
        if (other.spec_.word_bits == spec_.word_bits) return {};
        return fail(failure_reason::mismatch, "the records of the two filters have " + std::to_string(spec_.word_bits) +
                                                  " and " + std::to_string(other.spec_.word_bits) +
                                                  " bits; only equal ones can be compared");
    }
    [[nodiscard]] static failure no_room(const std::string& why) { return {failure_reason::no_room, why}; }

    /// At least this size, and enough for so many keys.
    [[nodiscard]] std::uint64_t bits_for(std::uint64_t keys) const noexcept {
        elastic_blocked_spec size = spec_.emptied();
        while (size.keys_for(size.bits) < keys && size.grown_bits() != size.bits) size.bits = size.grown_bits();
        return size.bits;
    }

    /// A filter of another geometry with the records of this one, in as many copies as `copies_of` says.
    template <class CopiesOf>
    [[nodiscard]] result<elastic_blocked_core> rebuilt(const elastic_blocked_spec& target, std::uint64_t keys,
                                                       CopiesOf copies_of) const {
        if (auto checked = target.check(); !checked) return fail(std::move(checked.error()));
        if (keys > std::min(target.keys_for(target.bits), target.most_keys())) {
            return fail(no_room(std::to_string(keys) + " keys do not fit into " + std::to_string(target.bits) +
                                " bits; allow more line_keys, or more bits"));
        }
        const auto sizes = section_lines(target);
        std::array<Store, 6> stores;
        for (std::size_t i = 0; i < stores.size(); ++i) {
            auto words = heap_words::make(sizes[i]);
            if (!words) return fail(std::move(words.error()));
            stores[i] = std::move(*words);
        }
        auto made = assemble_empty(target, std::move(stores));
        if (!made) return made;
        insert_outcome failed = insert_outcome::inserted;
        records_.for_each([&](std::uint64_t record, std::uint64_t copies) {
            const std::uint64_t kept = copies_of(record, copies);
            if (kept != 0 && succeeded(failed)) failed = made->take_last(record, kept);
        });
        if (!succeeded(failed)) return fail(no_room("the records do not find room in pages of this number"));
        return made;
    }
    /// Copies of a record, for somebody who has made sure of the room.
    [[nodiscard]] insert_outcome take(std::uint64_t record, std::uint64_t copies) noexcept {
        return note_taken(records_.add(record, copies), record, copies);
    }
    /// The same for one that is larger than all before.
    [[nodiscard]] insert_outcome take_last(std::uint64_t record, std::uint64_t copies) noexcept {
        return note_taken(records_.append(record, copies), record, copies);
    }
    [[nodiscard]] insert_outcome note_taken(insert_outcome done, std::uint64_t record, std::uint64_t copies) noexcept {
        if (!succeeded(done)) return done;
        if (done == insert_outcome::inserted) {
            ++keys_;
            set_pattern(line_to_write(record), record);
        }
        copies_ += copies;
        return done;
    }
    result<void> replace_by(elastic_blocked_core made) noexcept {
        made.note_progress();
        made.look_ahead();
        made.expansions_ = expansions_ + (made.spec_.bits > spec_.emptied().bits ? 1 : 0);
        *this = std::move(made);
        return {};
    }

    /// Larger lines and pages, empty; or false. What still has to move from an expansion before moves now.
    [[nodiscard, gnu::noinline]] bool make_room() noexcept {
        while (records_.is_moving()) {
            if (!move_page()) return false;
        }
        const std::uint64_t bits = spec_.grown_bits();
        if (bits == spec_.bits || spec_.keys_for(spec_.bits) >= spec_.most_keys()) return false;
        if (spec_.pages_for(bits) > record_geometry::most_pages) return false;
        const auto begun = or_out_of_memory([&]() -> result<void> {
            auto lines = heap_words::make(bits / line_bits);
            if (!lines) return fail(std::move(lines.error()));
            auto pages = records_.begin(spec_.pages_for(bits), static_cast<unsigned>(spec_.word_bits));
            if (pages) lines_.begin(bits / line_bits, std::move(*lines));
            return pages;
        });
        if (!begun) return false;
        spec_.next_bits = bits;
        ++expansions_;
        renew_view();
        look_ahead();
        return true;
    }

    /// Moves what the number of keys asks for. A page that finds no room is tried again with the next key.
    [[gnu::noinline]] void move_pages_due() noexcept {
        const double due = pages_due();
        // No more than this for one key: who is behind catches up with the next ones.
        for (int left = 2; left > 0 && records_.is_moving() && moved() < due; --left) {
            if (!move_page()) return;
        }
        look_ahead(due);
    }
    [[nodiscard]] double moved() const noexcept { return static_cast<double>(records_.moved_pages()); }
    /// How many pages should have moved by now.
    [[nodiscard]] double pages_due() const noexcept {
        if (!records_.is_moving()) return 0;
        return spec_.pace().share_due(static_cast<double>(keys_)) *
               static_cast<double>(records_.now().geometry().pages());
    }

    [[nodiscard]] bool move_page() noexcept {
        const auto into_new_line = [&](std::uint64_t record) {
            set_pattern(
                lines_.view(~std::uint64_t{0}, static_cast<unsigned>(spec_.word_bits), 0).line_of_record(record),
                record);
        };
        if (!succeeded(records_.step(into_new_line))) return false;
        if (records_.has_arrived()) {
            (void)records_.settle();
            retired_ = lines_.settle();
            if constexpr (!Access::has_readers) retired_ = {};
            spec_.bits = std::exchange(spec_.next_bits, 0);
        } else {
            if constexpr (!Access::has_readers) lines_.forget_before(records_.frontier());
        }
        note_progress();
        renew_view();
        return true;
    }

    template <class Lines>
    static void answer(const Lines& lines, std::span<const digest> items, std::span<std::uint8_t> answers) noexcept {
#if defined(EVERBLOOM_AVX2_KERNEL)
        if (kernel::has_avx2()) return kernel::contains_avx2(lines, items, answers);
#endif
        kernel::contains_scalar(lines, items, answers);
    }

    /// Where the next key that needs attention stands.
    void look_ahead() noexcept { look_ahead(pages_due()); }
    void look_ahead(double due) noexcept {
        const std::uint64_t full = spec_.keys_for(spec_.bits);
        next_step_at_ = ~std::uint64_t{0};
        limit_ = std::min(full, spec_.most_keys());
        if (!records_.is_moving()) return;
        const std::uint64_t next_full = spec_.keys_for(spec_.next_bits);
        limit_ = std::min(next_full, spec_.most_keys());
        // Twice for each page, at numbers of keys that do not depend on when somebody looked last.
        const std::uint64_t step =
            std::max<std::uint64_t>(1, (next_full - full) / (2 * records_.now().geometry().pages()));
        next_step_at_ = moved() < due ? keys_ + 1 : (keys_ / step + 1) * step;
    }

    void note_progress() noexcept {
        spec_.spares = records_.now().used_spares();
        spec_.next_spares = records_.next().used_spares();
        spec_.moved = records_.moved_pages();
    }
    void renew_view() noexcept {
        query_ = std::as_const(lines_).view(records_.frontier(), static_cast<unsigned>(spec_.word_bits),
                                            static_cast<unsigned>(spec_.hashes));
    }

    [[nodiscard]] std::uint64_t* line_to_write(std::uint64_t record) noexcept {
        return const_cast<std::uint64_t*>(query_.line_of_record(record)); // the words are this filter's own
    }
    void set_pattern(std::uint64_t* line, std::uint64_t record) const noexcept {
        Access::set(line, query_.hash_of_record(record), query_.hashes);
    }
    /// The line of a record, from the records that are left in it. Also the old line, where the frontier runs through it. In an old
    /// line those that have moved are kept: a reader who looked at the frontier just before still asks for them.
    void renew_line(std::uint64_t record) noexcept {
        const std::uint64_t frontier = records_.frontier();
        if (record >= frontier) return renew(line_to_write(record), lines_.neighbours_in_old(record));
        renew(line_to_write(record), lines_.neighbours_in_new(record, frontier));
        const std::uint64_t cut = reduce(frontier, query_.now_lines);
        if (reduce(record, query_.now_lines) == cut) {
            renew(const_cast<std::uint64_t*>(query_.now) + cut * line_words, lines_.neighbours_in_old(record));
        }
    }
    void renew(std::uint64_t* line, const typename elastic_lines<Store>::neighbourhood& near) noexcept {
        alignas(line_bytes) const kernel::line_mask renewed = union_of(near, 0);
        Access::replace(line, renewed);
    }
    /// The patterns of all records of a line that are not below a bound.
    [[nodiscard]] kernel::line_mask union_of(const typename elastic_lines<Store>::neighbourhood& near,
                                             std::uint64_t bound) const noexcept {
        alignas(line_bytes) kernel::line_mask united{};
        std::array<std::uint64_t, 64> hashes; // some at a time
        std::size_t count = 0;
        records_.for_each_within(std::max(near.lowest, bound), near.highest, [&](std::uint64_t record, std::uint64_t) {
            if (!near.has(record)) return;
            hashes[count++] = query_.hash_of_record(record);
            if (count < hashes.size()) return;
            kernel::unite(united.data(), hashes, query_.hashes);
            count = 0;
        });
        kernel::unite(united.data(), std::span(hashes).first(count), query_.hashes);
        return united;
    }

    /// Calls `act(i)` for every item while the lines and pages of those behind are on their way.
    template <class Act>
    void in_flight(std::span<const digest> items, Act act) const noexcept {
        constexpr std::size_t lead = 6; // items; each fetches a line and a page of about nine
        const auto fetch_item = [&](const digest& item) {
            const std::uint64_t record = query_.record_of(item);
            fetch(query_.line_of_record(record));
            records_.prefetch(record);
        };
        for (std::size_t i = 0; i < std::min(lead, items.size()); ++i) fetch_item(items[i]);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i + lead < items.size()) fetch_item(items[i + lead]);
            act(i);
        }
    }

    elastic_blocked_spec spec_;
    elastic_line_view<const std::uint64_t> query_; // of lines_, kept ready
    std::uint64_t keys_ = 0;
    std::uint64_t copies_ = 0;
    std::uint64_t limit_ = 0;        // keys that fit without beginning to grow
    std::uint64_t next_step_at_ = 0; // keys at which a page may be due to move
    std::uint64_t expansions_ = 0;
    elastic_lines<Store> lines_;
    moving_records<Store> records_;
    Store retired_; // the lines before the last growth, where readers may still look at them
};

template <WordStore Store>
using basic_elastic_blocked_filter = elastic_blocked_core<Store, exclusive_access>;
using elastic_blocked_filter = basic_elastic_blocked_filter<heap_words>;

static_assert(Deletable<elastic_blocked_filter> && Countable<elastic_blocked_filter>);
static_assert(Mergeable<elastic_blocked_filter> && Intersectable<elastic_blocked_filter>);
static_assert(Reshapable<elastic_blocked_filter> && Confirming<elastic_blocked_filter>);
static_assert(Filter<basic_elastic_blocked_filter<const_words>> &&
              !Insertable<basic_elastic_blocked_filter<const_words>>);

} // namespace everbloom
