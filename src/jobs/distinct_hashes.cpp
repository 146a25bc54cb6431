#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/distinct_hashes.hpp>

#include <algorithm>
#include <string>

namespace everbloom {
namespace {

// Of 16 slots, 15 are filled before a part grows. Lines of eight slots bear that: a new hash then looks at two of them.
constexpr std::uint64_t load_parts = 16;
constexpr std::uint64_t full_parts = 15;

constexpr std::uint64_t hash_mask = ~std::uint64_t{0} << (64 - distinct_hashes::hash_bits);

/// A slot with a hash is not 0, also if the hash is.
constexpr std::uint64_t slot_of(const digest& key) noexcept { return (key.low & hash_mask) | 1; }

/// Slots of a line are filled from the first on.
bool is_full(const std::uint64_t* line) noexcept { return line[line_words - 1] != 0; }

/// All slots are compared, without a branch for each: which one it is cannot be predicted.
bool holds(const std::uint64_t* line, std::uint64_t slot) noexcept {
    static_assert(line_words == 8);
    return ((line[0] == slot) | (line[1] == slot) | (line[2] == slot) | (line[3] == slot) | (line[4] == slot) |
            (line[5] == slot) | (line[6] == slot) | (line[7] == slot)) != 0;
}

/// Of a line that is not full, by bisection: again without branches.
std::size_t filled_slots(const std::uint64_t* line) noexcept {
    const std::size_t half = std::size_t{line[3] != 0} * 4;
    const std::size_t quarter = half + std::size_t{line[half + 1] != 0} * 2;
    return quarter + std::size_t{line[quarter] != 0};
}

} // namespace

result<distinct_hashes> distinct_hashes::make(std::uint64_t capacity) {
    constexpr std::uint64_t hashes_in_a_line = line_words * full_parts / load_parts;
    const std::uint64_t first_lines = capacity / part_count / hashes_in_a_line;
    if (first_lines > heap_words::physical_memory_bytes() / line_bytes / part_count) {
        return fail(failure_reason::out_of_memory, std::to_string(capacity) +
                                                       " items are more than the memory of this machine can hold; ask "
                                                       "for fewer: it grows as needed");
    }
    constexpr std::uint64_t least = 6; // below, the first sizes could not differ
    return or_out_of_memory([&]() -> result<distinct_hashes> { return distinct_hashes(std::max(first_lines, least)); });
}

result<void> distinct_hashes::add(std::span<const digest> keys, std::span<std::uint8_t> is_new) {
    constexpr std::size_t lead = 16; // as many cache misses as a core has under way
    const auto prefetch = [&](std::size_t key) {
        const std::uint64_t slot = slot_of(keys[key]);
        const part& in = part_of(slot);
        if (in.lines == 0) return;
        const std::uint64_t* const line = home_of(in, slot);
        prefetch_line(line);
        prefetch_line(line + line_words); // if it is full; the memory of both is one stretch
    };
    for (std::size_t i = 0; i < std::min(lead, keys.size()); ++i) prefetch(i);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i + lead < keys.size()) prefetch(i + lead);
        const std::uint64_t slot = slot_of(keys[i]);
        part& in = part_of(slot);
        if (in.hashes == in.most_hashes && !grow(in)) {
            return or_out_of_memory([&]() -> result<void> {
                return fail(failure_reason::no_room,
                            "not enough memory to remember more than " + counted(count(), "distinct key"));
            });
        }
        std::uint64_t* const end = in.slots.get() + in.lines * line_words;
        std::uint64_t* line = home_of(in, slot);
        bool is_known = holds(line, slot);
        while (!is_known && is_full(line)) {
            line += line_words;
            if (line == end) line = in.slots.get();
            is_known = holds(line, slot);
        }
        is_new[i] = is_known ? 0 : 1;
        if (is_known) continue;
        line[filled_slots(line)] = slot;
        ++in.hashes;
    }
    return {};
}

std::uint64_t distinct_hashes::count() const noexcept {
    std::uint64_t sum = 0;
    for (const part& one : parts_) sum += one.hashes;
    return sum;
}

std::uint64_t distinct_hashes::bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const part& one : parts_) sum += one.lines * line_bytes;
    return sum;
}

std::uint64_t distinct_hashes::lines_after(const part& one) const noexcept {
    if (one.lines != 0) return one.lines + one.lines / 2;
    // From the smallest to half as much again, in equal steps: when the last part grows for the first time, the first one is about to
    // for the second.
    const auto index = static_cast<std::uint64_t>(&one - parts_.data());
    return first_lines_ + first_lines_ * index / (2 * part_count);
}

/// False if there is no memory; the part is then as before.
bool distinct_hashes::grow(part& one) noexcept {
    part larger;
    larger.lines = lines_after(one);
    const std::uint64_t words = larger.lines * line_words;
    larger.slots.reset(static_cast<std::uint64_t*>(::operator new(
        static_cast<std::size_t>(words * sizeof(std::uint64_t)), std::align_val_t{line_bytes}, std::nothrow)));
    const std::unique_ptr<std::uint8_t[]> filled(new (std::nothrow)
                                                     std::uint8_t[static_cast<std::size_t>(larger.lines)]());
    if (!larger.slots || !filled) return false;
    std::fill_n(larger.slots.get(), words, std::uint64_t{0});
    larger.most_hashes = words * full_parts / load_parts;
    larger.hashes = one.hashes;
    expansions_ += one.lines != 0 ? 1 : 0;
    // A byte per line says where its next slot is: the lines themselves would have to be searched, for every hash.
    for (std::uint64_t from = 0; from < one.lines; ++from) {
        const std::uint64_t* const line = one.slots.get() + from * line_words;
        const std::size_t count = is_full(line) ? line_words : filled_slots(line);
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t to = reduce(line[i] << part_bits, larger.lines);
            while (filled[to] == line_words) to = to + 1 == larger.lines ? 0 : to + 1;
            larger.slots[to * line_words + filled[to]++] = line[i];
        }
    }
    one = std::move(larger);
    return true;
}

} // namespace everbloom
