#include "gate/patterns/byte_matcher.hpp"

#include "gate/hash_set_room.hpp"

#include <everbloom/probe/mix.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace everbloom::cli {
namespace {

/// A passing window costs one comparison, so that the filter of anchors need not be as strict as that of words.
constexpr double anchor_fpr = 0.001;
/// Anchors that are tried for a pattern: more would make long lists slow to load.
constexpr std::size_t most_anchors_tried = 32;
/// No condition on where a match lies.
constexpr std::size_t anywhere = ~std::size_t{0};

std::uint64_t window_mask(std::size_t bytes) noexcept { return ~std::uint64_t{0} >> (64 - 8 * bytes); }

std::uint64_t number_of(std::span<const std::uint8_t> bytes) noexcept {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : bytes) value = value << 8U | byte;
    return value;
}

/// The longest run of bytes that are compared as a whole: where it begins, and its length.
std::pair<std::size_t, std::size_t> longest_run(std::span<const std::uint8_t> mask) noexcept {
    std::pair<std::size_t, std::size_t> best{0, 0};
    std::size_t begin = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != whole_byte)
            begin = i + 1;
        else if (i + 1 - begin > best.second)
            best = {begin, i + 1 - begin};
    }
    return best;
}

} // namespace

digest byte_matcher::digest_of(const anchor& one, std::uint64_t salt) noexcept {
    const std::uint64_t mixed = mix((one.value + one.length * golden_ratio_bits) ^ salt);
    return {mixed, (mixed ^ mixed >> 32) * root_of_two_bits};
}

std::pair<byte_matcher::anchor, byte_matcher::place> byte_matcher::choose_anchor(std::uint32_t pattern) const {
    const byte_pattern one = (*patterns_)[pattern];
    const auto [begin, run] = longest_run(one.mask); // at least one byte: the reader refuses others
    const std::size_t length =
        *std::ranges::find_if(anchor_lengths, [run = run](std::size_t bytes) { return bytes <= run; });
    std::pair<anchor, place> best;
    std::uint32_t fewest = ~std::uint32_t{0};
    for (std::size_t at = begin; at + length <= begin + run && at < begin + most_anchors_tried; ++at) {
        const anchor tried{number_of(one.bytes.subspan(at, length)), static_cast<std::uint32_t>(length)};
        const auto known = table_.find(tried);
        const std::uint32_t shared = known == table_.end() ? 0 : known->second.count;
        if (shared >= fewest) continue;
        fewest = shared;
        best = {tried, {pattern, static_cast<std::uint32_t>(at)}};
        if (shared == 0) break;
    }
    return best;
}

result<byte_matcher> byte_matcher::make(const byte_pattern_list& patterns, const any_hasher& hash,
                                        window_lookup lookup) {
    const digest secret = hash(key_bytes(std::string_view("everbloom gate: bytes")));
    byte_matcher made(patterns, secret.high);
    if (made.empty()) return made;
    std::vector<std::pair<anchor, place>> chosen;
    for (std::uint32_t i = 0; i < patterns.count(); ++i) {
        chosen.push_back(made.choose_anchor(i));
        make_room(made.table_);
        ++made.table_[chosen.back().first].count;
    }
    // Longest first among the patterns of an anchor.
    std::ranges::stable_sort(chosen, std::ranges::greater(),
                             [&](const auto& one) { return patterns[one.second.pattern].size(); });
    std::uint32_t next = 0;
    for (auto& [one, its] : made.table_) {
        its.first = std::exchange(next, next + its.count);
        its.count = 0;
    }
    made.places_.resize(chosen.size());
    for (const auto& [one, where] : chosen) {
        places& its = made.table_.find(one)->second;
        made.places_[its.first + its.count++] = where;
    }
    std::vector<digest> digests;
    for (const auto& [one, its] : made.table_) digests.push_back(digest_of(one, made.salt_));
    for (const std::size_t length : anchor_lengths) {
        const bool occurs = std::ranges::any_of(chosen, [&](const auto& one) { return one.first.length == length; });
        if (occurs) made.lengths_.push_back(static_cast<std::uint32_t>(length));
    }
    if (lookup == window_lookup::by_filter) {
        auto filter = pattern_filter::make(digests, anchor_fpr);
        if (!filter) return fail(std::move(filter.error()));
        made.filter_.emplace(std::move(*filter));
    }
    return made;
}

std::optional<std::uint32_t> byte_matcher::find(std::span<const std::uint8_t> data) const {
    return search(data, anywhere);
}

std::optional<std::uint32_t> byte_matcher::find_across(std::span<const std::uint8_t> before,
                                                       std::span<const std::uint8_t> data) const {
    const std::size_t head = std::min(before.size(), history_bytes());
    const std::size_t tail = std::min(data.size(), history_bytes());
    if (head == 0 || tail == 0) return std::nullopt;
    std::array<std::uint8_t, 2 * most_pattern_bytes> joined;
    std::memcpy(joined.data(), before.data() + (before.size() - head), head);
    std::memcpy(joined.data() + head, data.data(), tail);
    return search(std::span(joined).first(head + tail), head);
}

std::optional<std::uint32_t> byte_matcher::search(std::span<const std::uint8_t> data, std::size_t border) const {
    if (empty()) return std::nullopt;
    return filter_ ? scan<true>(data, border) : scan<false>(data, border);
}

template <bool Filtered>
std::optional<std::uint32_t> byte_matcher::scan(std::span<const std::uint8_t> data, std::size_t border) const {
    std::uint64_t last = 0; // the last eight bytes
    for (std::size_t end = 1; end <= data.size(); ++end) {
        last = last << 8U | data[end - 1];
        for (const std::uint32_t length : lengths_) {
            if (length > end) continue;
            const anchor window{last & window_mask(length), length};
            if constexpr (Filtered) {
                if (!filter_->may_contain(digest_of(window, salt_))) continue;
            }
            if (const auto found = confirm(window, data, end, border)) return found;
        }
    }
    return std::nullopt;
}

/// Compares the patterns of an anchor that ends at `end`. With a border, a match must have bytes on both sides of it.
std::optional<std::uint32_t> byte_matcher::confirm(const anchor& found, std::span<const std::uint8_t> data,
                                                   std::size_t end, std::size_t border) const {
    const auto its = table_.find(found);
    if (its == table_.end()) return std::nullopt;
    const std::size_t at = end - found.length;
    for (std::uint32_t i = 0; i < its->second.count; ++i) {
        const place& where = places_[its->second.first + i];
        const byte_pattern one = (*patterns_)[where.pattern];
        if (where.offset > at || one.size() > data.size() - (at - where.offset)) continue;
        const std::size_t begin = at - where.offset;
        if (border != anywhere && (begin >= border || begin + one.size() <= border)) continue;
        if (one.matches(data.data() + begin)) return where.pattern;
    }
    return std::nullopt;
}

std::size_t byte_matcher::bytes() const noexcept {
    if (empty()) return 0;
    return patterns_->bytes() + places_.capacity() * sizeof(place) + (filter_ ? filter_->bytes() : 0) +
           table_.capacity() * (sizeof(anchor_table::value_type) + 1);
}

} // namespace everbloom::cli
