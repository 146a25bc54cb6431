// elastic_blocked_body: lines and records of an elastic blocked filter, kept in step, and how they grow.
//
// The invariant, at every moment: a record lies on one side of the frontier, and its pattern is set in the line of that side.
//
//   grows     when one more key would be more than `line_keys` per line: larger lines and pages are allocated, zeroed, and nothing
//             else happens. From then on pages of records move over, as many as the pace says for the number of keys, and at most two
//             for one key: no operation touches all data.
//   refuses   a key that finds no room. Everything that can fail, limits and memory, comes before the first word is changed.
//   removes   by taking the record out and making its line anew from those that are left in it.
#pragma once

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/elastic_access.hpp>
#include <everbloom/filter/elastic/elastic_blocked_spec.hpp>
#include <everbloom/filter/elastic/elastic_line_records.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace everbloom {

template <WordStore Store, class Access>
class elastic_blocked_body {
public:
    elastic_blocked_body() noexcept = default;

    /// From stores as `sections` gives them; not believed yet.
    [[nodiscard]] static result<elastic_blocked_body> assemble(const elastic_blocked_spec& spec,
                                                               std::array<Store, 6> stores) {
        const std::uint64_t frontier = spec.progress().frontier();
        elastic_blocked_body made;
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
            spec.progress(), made.word_bits(),
            {std::move(stores[2]), std::move(stores[3]), std::move(stores[4]), std::move(stores[5])});
        if (!records) return fail(std::move(records.error()));
        made.records_ = std::move(*records);
        made.renew_view();
        made.look_ahead();
        return made;
    }

    /// Looks at everything: pages that operations can make, and lines that are those of the records. Counts on the way.
    [[nodiscard]] result<void> check() {
        if (auto checked = check_records(records_); !checked) return checked;
        if (!lines_are_those_of(records_, query_, lines_)) {
            return fail(failure_reason::damaged, "the bits are not those of the records");
        }
        records_.for_each([&](std::uint64_t, std::uint64_t copies) {
            ++keys_;
            copies_ += copies;
        });
        if (keys_ > limit_) return fail(failure_reason::damaged, "there are more records than bits of this size hold");
        look_ahead();
        return {};
    }

    [[nodiscard]] const elastic_blocked_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const moving_records<Store>& records() const noexcept { return records_; }
    /// The lines that queries look at: the old ones from the frontier on, and the new ones up to it.
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 2> lines() const noexcept {
        return lines_.sections(records_.frontier());
    }
    [[nodiscard]] const elastic_line_view<const std::uint64_t>& query() const noexcept { return query_; }
    [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }
    [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
    [[nodiscard]] std::uint64_t expansions() const noexcept { return expansions_; }
    /// The lines that a growth has left behind, once.
    [[nodiscard]] Store take_retired_lines() noexcept { return std::exchange(retired_, Store{}); }

    /// Starts to bring the line and the page of a record nearer.
    void prefetch(std::uint64_t record) const noexcept {
        fetch(query_.line_of_record(record));
        records_.prefetch(record);
    }

    insert_outcome insert(std::uint64_t record) noexcept
        requires std::same_as<Store, heap_words>
    {
        if (keys_ >= limit_) [[unlikely]]
            return insert_when_full(record);
        const insert_outcome outcome = records_.add(record);
        if (!succeeded(outcome)) [[unlikely]]
            return outcome;
        ++copies_;
        if (outcome == insert_outcome::inserted) {
            ++keys_;
            set_pattern(line_to_write(record), record);
            if (keys_ >= next_step_at_) [[unlikely]]
                move_pages_due();
        }
        note_progress();
        return outcome;
    }

    erase_outcome erase(std::uint64_t record) noexcept
        requires std::same_as<Store, heap_words>
    {
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

    /// Copies of a record, for somebody who fills an empty body and has made sure of the room.
    [[nodiscard]] insert_outcome take(std::uint64_t record, std::uint64_t copies) noexcept {
        return note_taken(records_.add(record, copies), record, copies);
    }
    /// The same for one that is larger than all before.
    [[nodiscard]] insert_outcome take_last(std::uint64_t record, std::uint64_t copies) noexcept {
        return note_taken(records_.append(record, copies), record, copies);
    }
    /// Takes over what was filled so.
    void replace_by(elastic_blocked_body made) noexcept {
        made.note_progress();
        made.look_ahead();
        made.expansions_ = expansions_ + (made.spec_.bits > std::max(spec_.bits, spec_.next_bits) ? 1 : 0);
        *this = std::move(made);
    }

    /// Empty, at rest, as large as it was or was to become.
    void clear() noexcept
        requires std::same_as<Store, heap_words>
    {
        if (records_.is_moving()) (void)lines_.settle();
        records_.clear();
        lines_.clear();
        spec_ = spec_.at_rest();
        keys_ = 0;
        copies_ = 0;
        renew_view();
        look_ahead();
    }

private:
    [[nodiscard]] unsigned word_bits() const noexcept { return static_cast<unsigned>(spec_.word_bits); }

    [[nodiscard]] insert_outcome note_taken(insert_outcome done, std::uint64_t record, std::uint64_t copies) noexcept {
        if (!succeeded(done)) return done;
        if (done == insert_outcome::inserted) {
            ++keys_;
            set_pattern(line_to_write(record), record);
        }
        copies_ += copies;
        return done;
    }

    /// Larger lines and pages, empty, which nobody uses yet.
    struct growth_room {
        std::uint64_t bits = 0;
        heap_words lines;
        record_pages<heap_words> pages;
    };

    /// Room for the next growth, if limits and memory allow it. Nothing is changed.
    [[nodiscard]] std::optional<growth_room> find_room() const noexcept {
        // As it will be when what still moves has arrived.
        const elastic_blocked_spec now = spec_.at_rest();
        growth_room room;
        room.bits = now.grown_bits();
        if (room.bits == now.bits || now.keys_for(now.bits) >= now.most_keys()) return std::nullopt;
        const std::uint64_t page_count = now.pages_for(room.bits);
        if (page_count > record_geometry::most_pages) return std::nullopt;
        const auto found = or_out_of_memory([&]() -> result<void> {
            auto lines = heap_words::make(room.bits / line_bits);
            if (!lines) return fail(std::move(lines.error()));
            auto pages = record_pages<heap_words>::make(record_geometry(page_count, word_bits()));
            if (!pages) return fail(std::move(pages.error()));
            room.lines = std::move(*lines);
            room.pages = std::move(*pages);
            return {};
        });
        if (!found) return std::nullopt;
        return room;
    }

    /// For a key that the lines have no room for, unless it is there already: a copy takes no more bits.
    [[gnu::noinline]] insert_outcome insert_when_full(std::uint64_t record) noexcept
        requires std::same_as<Store, heap_words>
    {
        const bool is_new = records_.count(record) == 0;
        std::optional<growth_room> room;
        if (is_new && !(room = find_room())) return insert_outcome::growth_refused;
        const insert_outcome added = records_.add(record);
        if (!succeeded(added)) return added;
        if (!is_new) {
            ++copies_;
            note_progress();
            return added;
        }
        const bool was_moving = records_.is_moving();
        if (was_moving && !records_.reserve_steps()) {
            records_.remove(record); // no line knows of it yet
            return insert_outcome::growth_refused;
        }
        move_all_pages();
        begin(std::move(*room));
        ++keys_;
        ++copies_;
        set_pattern(line_to_write(record), record);
        // Lines are left behind once for one key, so that whoever asks for them misses none.
        if (!was_moving && keys_ >= next_step_at_) move_pages_due();
        note_progress();
        return insert_outcome::inserted_grew;
    }

    void begin(growth_room room) noexcept {
        records_.begin(std::move(room.pages));
        lines_.begin(room.bits / line_bits, std::move(room.lines));
        spec_.next_bits = room.bits;
        ++expansions_;
        renew_view();
        look_ahead();
    }

    /// What an expansion before has left to move, all at once. There is room for it.
    void move_all_pages() noexcept {
        while (records_.is_moving() && move_page()) {
        }
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
        const auto into_new_line = [&](std::uint64_t record) { set_pattern(lines_.new_line_of(record), record); };
        if (!succeeded(records_.step(into_new_line))) return false;
        if (records_.has_arrived()) {
            (void)records_.settle();
            retired_ = lines_.settle();
            if constexpr (!Access::has_readers) retired_ = {};
            spec_.bits = std::exchange(spec_.next_bits, 0);
        } else if constexpr (!Access::has_readers) {
            lines_.forget_before(records_.frontier());
        }
        note_progress();
        renew_view();
        return true;
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
        query_ = lines_.view(records_.frontier(), word_bits(), static_cast<unsigned>(spec_.hashes));
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
        Access::replace(line, united_patterns(records_, query_, near, 0));
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

} // namespace everbloom
