#include "bit_facts.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/core/checked.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/foreign/redisbloom_dump.hpp>
#include <everbloom/hash/murmur64a.hpp>

#include <cstring>
#include <limits>
#include <string>

namespace everbloom {
namespace {

constexpr std::uint32_t known_options = 15;
constexpr std::uint32_t long_hashes_option = 4;
constexpr std::uint32_t fixed_size_option = 8;
/// One per bit of the least positive error rate of a double.
constexpr std::uint32_t most_hashes = 1075;
constexpr std::uint64_t first_seed = 0xc6a4a7935bd1e995;

/// Reads little-endian numbers one after the other.
class number_reader {
public:
    explicit number_reader(std::string_view bytes) noexcept : next_(bytes.data()) {}

    template <class Number>
    [[nodiscard]] Number take() noexcept {
        Number value;
        std::memcpy(&value, next_, sizeof value);
        next_ += sizeof value;
        return value;
    }

private:
    const char* next_;
};

failure bad_header(const std::string& why) {
    return {failure_reason::damaged, "not the header of a RedisBloom dump: " + why};
}

failure not_a_dump(const std::string& why) {
    return {failure_reason::damaged, "is not an intact RedisBloom dump: " + why};
}

result<redisbloom_link> link_from(number_reader& numbers) {
    redisbloom_link made;
    made.bytes = numbers.take<std::uint64_t>();
    const auto bits = numbers.take<std::uint64_t>();
    made.keys = numbers.take<std::uint64_t>();
    made.error_rate = numbers.take<double>();
    (void)numbers.take<double>(); // bits per key, which follows from the rate
    made.hashes = numbers.take<std::uint32_t>();
    made.capacity = numbers.take<std::uint64_t>();
    const auto range_bits = numbers.take<std::uint8_t>();
    if (made.bytes == 0 || made.bytes > std::numeric_limits<std::uint64_t>::max() / 8 || bits != made.bytes * 8) {
        return fail(bad_header("a filter's bits and bytes do not fit together"));
    }
    if (range_bits > 63) return fail(bad_header("a filter's range has more than 63 bits"));
    made.range = range_bits == 0 ? bits : std::uint64_t{1} << range_bits;
    if (made.range > bits) return fail(bad_header("a filter's range is larger than the filter"));
    if (!(made.error_rate > 0) || !(made.error_rate < 1)) {
        return fail(bad_header("an error rate is not between 0 and 1"));
    }
    if (made.hashes == 0 || made.hashes > most_hashes) {
        return fail(bad_header("a filter has " + std::to_string(made.hashes) + " hash functions"));
    }
    return made;
}

std::string_view text_of(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

result<std::uint64_t> redisbloom_header::header_bytes(std::string_view start) {
    if (start.size() < fixed_bytes) return fail(bad_header("it is too short"));
    const auto links = number_reader(start.substr(8)).take<std::uint32_t>();
    if (links == 0) return fail(bad_header("its length does not fit the number of filters in it"));
    return fixed_bytes + std::uint64_t{links} * link_bytes;
}

result<redisbloom_header> redisbloom_header::parse(std::string_view header) {
    const auto length = header_bytes(header);
    if (!length) return fail(length.error());
    if (*length != header.size()) return fail(bad_header("its length does not fit the number of filters in it"));
    return or_out_of_memory([&]() -> result<redisbloom_header> {
        number_reader numbers(header);
        redisbloom_header made;
        made.keys = numbers.take<std::uint64_t>();
        const auto links = numbers.take<std::uint32_t>();
        const auto options = numbers.take<std::uint32_t>();
        made.expansion = numbers.take<std::uint32_t>();
        if ((options & ~known_options) != 0) return fail(bad_header("it has unknown options"));
        if ((options & long_hashes_option) == 0) {
            return fail(failure_reason::unsupported,
                        "the dump uses hashes of 32 bits, as RedisBloom 1 did; only those of 64 bits can be imported");
        }
        if ((options & fixed_size_option) != 0) made.expansion = 0;
        made.links.reserve(links); // the header is as long: no more than it
        std::uint64_t keys = 0;
        for (std::uint32_t i = 0; i < links; ++i) {
            auto one = link_from(numbers);
            if (!one) return fail(std::move(one.error()));
            if (one->keys > made.keys - keys) return fail(bad_header("the keys of its filters are more than it has"));
            keys += one->keys;
            const auto sum = checked_add(made.data_bytes, one->bytes);
            if (!sum) return fail(bad_header("a filter's bits and bytes do not fit together"));
            made.data_bytes = *sum;
            made.links.push_back(*one);
        }
        if (keys != made.keys) return fail(bad_header("the keys of its filters are fewer than it has"));
        return made;
    });
}

digest redisbloom_hash(std::string_view key) noexcept {
    const std::uint64_t start = murmur64a(key, first_seed);
    return {start, murmur64a(key, start)};
}

result<std::uint64_t> redisbloom_dump::file_bytes(std::span<const std::byte> start) {
    const std::string_view text = text_of(start);
    const auto length = redisbloom_header::header_bytes(text);
    if (!length) return fail(length.error());
    if (*length > text.size()) return fail(not_a_dump("it ends inside its header"));
    const auto header = redisbloom_header::parse(text.substr(0, static_cast<std::size_t>(*length)));
    if (!header) return fail(header.error());
    const auto sum = checked_add(*length, header->data_bytes);
    if (!sum) return fail(not_a_dump("its filters are larger than any file"));
    return *sum;
}

result<redisbloom_dump> redisbloom_dump::read(std::span<const std::byte> bytes) {
    const auto end = file_bytes(bytes);
    if (!end) return fail(end.error());
    if (*end != bytes.size()) {
        return fail(not_a_dump("its filters end at byte " + std::to_string(*end) + ", but the file ends at byte " +
                               std::to_string(bytes.size())));
    }
    return or_out_of_memory([&]() -> result<redisbloom_dump> {
        const auto length = static_cast<std::size_t>(*redisbloom_header::header_bytes(text_of(bytes)));
        auto header = redisbloom_header::parse(text_of(bytes).substr(0, length));
        if (!header) return fail(std::move(header.error()));
        redisbloom_dump made;
        made.header_ = std::move(*header);
        made.bytes_.assign(bytes.begin(), bytes.end());
        std::size_t begin = length;
        for (const redisbloom_link& one : made.header_.links) {
            made.begins_.push_back(begin);
            begin += static_cast<std::size_t>(one.bytes); // the sum is the length of the file
        }
        return made;
    });
}

bool redisbloom_dump::may_contain(digest item) const noexcept {
    // The last link has most of the keys.
    for (std::size_t link = header_.links.size(); link-- > 0;) {
        const redisbloom_link& one = header_.links[link];
        const std::byte* const bits = bytes_.data() + begins_[link];
        std::uint64_t at = item.low;
        bool all_set = true;
        for (std::uint32_t i = 0; all_set && i < one.hashes; ++i, at += item.high) {
            const std::uint64_t bit = at % one.range;
            all_set = (std::to_integer<unsigned>(bits[bit / 8]) >> (bit % 8) & 1) != 0;
        }
        if (all_set) return true;
    }
    return false;
}

void redisbloom_dump::prefetch(digest item) const noexcept {
    prefetch_line(bytes_.data() + begins_.back() + (item.low % header_.links.back().range) / 8);
}

foreign_facts redisbloom_dump::facts() const {
    foreign_facts made;
    made.file_bytes = bytes_.size();
    made.items = static_cast<double>(header_.keys);
    made.stated_items = header_.keys;
    double all_miss = 1;
    std::string hashes;
    for (std::size_t link = 0; link < header_.links.size(); ++link) {
        const redisbloom_link& one = header_.links[link];
        std::uint64_t ones = 0;
        for (std::uint64_t i = 0; i < one.bytes; ++i) {
            ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(bytes_[begins_[link] + i])));
        }
        made.bits += 8 * one.bytes;
        made.occupied += ones;
        made.capacity = checked_add(made.capacity, one.capacity).value_or(made.capacity);
        made.target_fpr = std::min(1.0, made.target_fpr + one.error_rate);
        all_miss *= 1 - bloom_fpr(ones, one.range, one.hashes);
        hashes += (link == 0 ? "" : "+") + std::to_string(one.hashes);
    }
    made.fpr = 1 - all_miss;
    made.hash = "murmur64a (two seeds)";
    made.parameters = {{"links", std::to_string(header_.links.size())},
                       {"hashes", hashes},
                       {"bits", std::to_string(made.bits)},
                       {"expansion", header_.expansion == 0 ? "none" : std::to_string(header_.expansion)}};
    return made;
}

} // namespace everbloom
