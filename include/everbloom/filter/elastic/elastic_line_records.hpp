// From records to lines: the bits that the records of a line make, and whether lines that come from a file are those of its records.
#pragma once

#include <everbloom/filter/elastic/elastic_lines.hpp>
#include <everbloom/filter/elastic/records/moving_records.hpp>

#include <algorithm>
#include <array>

namespace everbloom {

/// The patterns of all records of a line that are not below a bound.
template <WordStore Store>
[[nodiscard]] kernel::line_mask
united_patterns(const moving_records<Store>& records, const elastic_line_view<const std::uint64_t>& view,
                const typename elastic_lines<Store>::neighbourhood& near, std::uint64_t bound) noexcept {
    alignas(line_bytes) kernel::line_mask united{};
    std::array<std::uint64_t, 64> hashes; // some at a time
    std::size_t count = 0;
    records.for_each_within(std::max(near.lowest, bound), near.highest, [&](std::uint64_t record, std::uint64_t) {
        if (!near.has(record)) return;
        hashes[count++] = view.hash_of_record(record);
        if (count < hashes.size()) return;
        kernel::unite(united.data(), hashes, view.hashes);
        count = 0;
    });
    kernel::unite(united.data(), std::span(hashes).first(count), view.hashes);
    return united;
}

/// The lines [first, end) of an array of `lines`.
struct line_range {
    const std::uint64_t* words;
    std::uint64_t lines;
    std::uint64_t first;
    std::uint64_t end;
};

/// Whether lines are those of the records from `lowest` to `highest`.
template <WordStore Store>
[[nodiscard]] bool lines_match(const moving_records<Store>& records, const elastic_line_view<const std::uint64_t>& view,
                               const line_range& range, std::uint64_t lowest, std::uint64_t highest) {
    alignas(line_bytes) kernel::line_mask expected{};
    std::uint64_t line = range.first;
    bool right = true;
    const auto compare_up_to = [&](std::uint64_t next) {
        for (; line < next; ++line, expected = {}) {
            right &= std::equal(expected.begin(), expected.end(), range.words + line * line_words);
        }
    };
    records.for_each_within(lowest, highest, [&](std::uint64_t record, std::uint64_t) {
        compare_up_to(reduce(record, range.lines));
        const std::uint64_t hash = view.hash_of_record(record);
        kernel::unite(expected.data(), std::span(&hash, 1), view.hashes);
    });
    compare_up_to(range.end);
    return right;
}

/// Whether every line is the union of its records' patterns. The old one that the frontier cuts may or may not have those of its
/// records that have moved.
template <WordStore Store>
[[nodiscard]] bool lines_are_those_of(const moving_records<Store>& records,
                                      const elastic_line_view<const std::uint64_t>& view,
                                      const elastic_lines<Store>& lines) {
    const std::uint64_t frontier = records.frontier();
    const std::uint64_t cut = reduce(frontier, view.now_lines);
    const auto whole = lines.neighbours_in_old(frontier);
    const kernel::line_mask least = united_patterns(records, view, whole, frontier);
    const kernel::line_mask most = united_patterns(records, view, whole, 0);
    const std::uint64_t* const found = view.now + cut * line_words;
    for (std::uint64_t i = 0; i < line_words; ++i) {
        if ((least[i] & ~found[i]) != 0 || (found[i] & ~most[i]) != 0) return false;
    }
    if (cut + 1 < view.now_lines &&
        !lines_match(records, view, {view.now, view.now_lines, cut + 1, view.now_lines},
                     record_geometry::start_of(cut + 1, view.now_lines), ~std::uint64_t{0})) {
        return false;
    }
    if (frontier == 0) return true;
    return lines_match(records, view, {view.next, view.next_lines, 0, reduce(frontier - 1, view.next_lines) + 1}, 0,
                       frontier - 1);
}

} // namespace everbloom
