#include <everbloom/bits/chunked_words.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace everbloom {
namespace {

/// Neither more than the machine has, nor a number that overflows.
result<void> check_size(std::uint64_t lines) {
    if (lines <= heap_words::physical_memory_bytes() / line_bytes) return {};
    auto refused = heap_words::make(lines); // for its sentence
    if (!refused) return fail(std::move(refused.error()));
    return {};
}

} // namespace

result<chunked_words> chunked_words::make(std::uint64_t lines) {
    chunked_words made;
    if (auto checked = check_size(lines); !checked) return fail(std::move(checked.error()));
    if (lines >= heap_words::huge_page_lines && heap_words::has_huge_pages()) return make_whole(lines);
    if (auto extended = made.extend(lines); !extended) return fail(std::move(extended.error()));
    return made;
}

result<chunked_words> chunked_words::make_whole(std::uint64_t lines) {
    chunked_words made;
    if (lines == 0) return made;
    auto words = heap_words::make(lines);
    if (!words) return fail(std::move(words.error()));
    made.take_block(std::move(*words));
    return made;
}

result<chunked_words> chunked_words::copy() const {
    auto made = make(lines_);
    if (!made) return made;
    for (std::uint64_t line = 0; line < lines_; line += unit_lines) {
        const std::uint64_t bytes = std::min(unit_lines, lines_ - line) * line_bytes;
        std::memcpy(made->units_[line >> unit_bits], units_[line >> unit_bits], static_cast<std::size_t>(bytes));
    }
    return made;
}

result<heap_words> chunked_words::whole() && {
    if (blocks_.empty()) return heap_words();
    if (blocks_.size() == 1) {
        heap_words only = std::move(blocks_.front().words);
        *this = {};
        return only;
    }
    auto made = heap_words::make(lines_);
    if (!made) return made;
    std::uint64_t* to = made->data();
    pieces().for_each_run([&](std::span<const std::uint64_t> run) { to = std::copy(run.begin(), run.end(), to); });
    return made;
}

result<void> chunked_words::extend(std::uint64_t lines) {
    if (auto checked = check_size(lines); !checked) return checked;
    while (lines_ < lines) {
        // A unit that is not complete is completed first: that of a small block is moved, a huge page has room.
        const std::uint64_t free =
            blocks_.empty() ? 0 : blocks_.back().words.room_lines() * line_words - blocks_.back().words.words();
        const std::uint64_t end = (lines_ + unit_lines - 1) & ~(unit_lines - 1);
        if (lines_ == end && free == 0) {
            if (auto added = add_block(lines - lines_); !added) return added;
            continue;
        }
        block& last = blocks_.back();
        const std::uint64_t start = last.first_unit * unit_lines;
        const std::uint64_t target = std::min(lines, std::max(end, start + last.words.room_lines()));
        reserve_units((target + unit_lines - 1) >> unit_bits);
        if (auto extended = last.words.extend_unset(target - start); !extended) return extended;
        if (target - start == last.words.room_lines()) last.words.prefer_huge_pages();
        point_to_last_block();
    }
    return {};
}

void chunked_words::shrink(std::uint64_t lines) noexcept {
    while (lines_ > lines) {
        block& last = blocks_.back();
        const std::uint64_t start = last.first_unit * unit_lines;
        if (start >= lines) {
            units_.resize(static_cast<std::size_t>(last.first_unit));
            lines_ = start;
            blocks_.pop_back();
            continue;
        }
        last.words.shrink(lines - start);
        point_to_last_block();
        break; // what the block has kept, it keeps
    }
    constexpr std::size_t few = 4;
    if (units_.capacity() > few && units_.capacity() / 4 > units_.size()) {
        units_.shrink_to_fit();
        blocks_.shrink_to_fit();
    }
}

void chunked_words::relocate(const block_mover& mover) noexcept {
    for (block& one : blocks_) {
        one.words.relocate(mover);
        const std::uint64_t units = (one.words.words() / line_words + unit_lines - 1) >> unit_bits;
        for (std::uint64_t unit = 0; unit < units; ++unit) {
            units_[static_cast<std::size_t>(one.first_unit + unit)] = one.words.data() + unit * unit_lines * line_words;
        }
    }
}

std::uint64_t chunked_words::held_words() const noexcept {
    const std::size_t directory = units_.capacity() * sizeof(units_[0]) + blocks_.capacity() * sizeof(block);
    return words() + (directory + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

/// One unit; or a part of it, or a part of a huge page, if no more lines are needed.
result<void> chunked_words::add_block(std::uint64_t lines) {
    const bool mapped = lines_ >= heap_words::huge_page_lines && heap_words::has_huge_pages();
    auto words = mapped ? heap_words::make_mapped(std::min(lines, heap_words::huge_page_lines))
                        : heap_words::make_unset(std::min(lines, unit_lines));
    if (!words) return fail(std::move(words.error()));
    take_block(std::move(*words));
    return {};
}

void chunked_words::reserve_units(std::uint64_t units) {
    if (units_.capacity() >= units) return;
    units_.reserve(std::max(static_cast<std::size_t>(units), 2 * units_.size()));
}

void chunked_words::take_block(heap_words words) {
    // First the memory for the addresses: after that nothing can fail.
    const std::uint64_t lines = words.words() / line_words;
    reserve_units(units_.size() + ((lines + unit_lines - 1) >> unit_bits));
    if (blocks_.capacity() == blocks_.size()) blocks_.reserve(std::max<std::size_t>(1, 2 * blocks_.size()));
    blocks_.push_back({std::move(words), units_.size()});
    point_to_last_block();
}

void chunked_words::point_to_last_block() {
    block& last = blocks_.back();
    const std::uint64_t lines = last.words.words() / line_words;
    units_.resize(static_cast<std::size_t>(last.first_unit + ((lines + unit_lines - 1) >> unit_bits)));
    for (std::uint64_t unit = 0; unit * unit_lines < lines; ++unit) {
        units_[static_cast<std::size_t>(last.first_unit + unit)] = last.words.data() + unit * unit_lines * line_words;
    }
    lines_ = last.first_unit * unit_lines + lines;
}

} // namespace everbloom
