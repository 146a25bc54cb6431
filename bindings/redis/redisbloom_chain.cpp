#include "redisbloom_chain.hpp"

#include <everbloom/core/checked.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace everbloom::redis {
namespace {

constexpr std::size_t chain_header_bytes = 20;
constexpr std::size_t link_header_bytes = 53;
constexpr std::uint32_t known_options = 15;
constexpr std::uint32_t long_hashes_option = 4;
constexpr std::uint32_t fixed_size_option = 8;
/// One per bit of the least positive error rate of a double.
constexpr std::uint32_t most_chain_hashes = 1075;

constexpr unsigned block_shift = 20;
constexpr std::uint64_t block_bytes = std::uint64_t{1} << block_shift;

/// Reads little-endian numbers one after the other.
class number_reader {
public:
    explicit number_reader(std::string_view bytes) noexcept : next_(bytes.data()) {}

    template <class Number>
    [[nodiscard]] Number take() noexcept {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < sizeof(Number); ++i) {
            value |= std::uint64_t{static_cast<unsigned char>(next_[i])} << (8 * i);
        }
        next_ += sizeof(Number);
        if constexpr (std::is_same_v<Number, double>) {
            return std::bit_cast<double>(value);
        } else {
            return static_cast<Number>(value);
        }
    }

private:
    const char* next_;
};

std::uint64_t word_at(const char* bytes, std::size_t count) noexcept {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
}

/// MurmurHash64A [Appleby]: the hash of those filters.
std::uint64_t murmur64a(std::string_view key, std::uint64_t seed) noexcept {
    constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995;
    constexpr unsigned shift = 47;
    const auto stirred = [](std::uint64_t value) { return value ^ (value >> shift); };
    std::uint64_t hash = seed ^ (key.size() * multiplier);
    std::size_t at = 0;
    for (; at + 8 <= key.size(); at += 8) {
        const std::uint64_t word = stirred(word_at(key.data() + at, 8) * multiplier) * multiplier;
        hash = (hash ^ word) * multiplier;
    }
    if (at < key.size()) hash = (hash ^ word_at(key.data() + at, key.size() - at)) * multiplier;
    return stirred(stirred(hash) * multiplier);
}
constexpr std::uint64_t first_seed = 0xc6a4a7935bd1e995;

bool is_set(const redisbloom_chain::link& in, std::uint64_t bit) noexcept {
    const std::uint64_t byte = bit / 8;
    const std::byte found = in.blocks[byte >> block_shift][byte & (block_bytes - 1)];
    return (std::to_integer<unsigned>(found) >> (bit % 8) & 1) != 0;
}

bool is_member(const redisbloom_chain::link& of, std::uint64_t start, std::uint64_t step) noexcept {
    for (std::uint32_t i = 0; i < of.hashes; ++i, start += step) {
        if (!is_set(of, start % of.range)) return false;
    }
    return true;
}

failure bad_header(std::string why) {
    return {failure_reason::damaged, "not the header of a RedisBloom dump: " + std::move(why)};
}

/// One link's part of the header.
result<redisbloom_chain::link> link_from(number_reader& numbers) {
    redisbloom_chain::link made;
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
    if (!(made.error_rate > 0) || !(made.error_rate < 1))
        return fail(bad_header("an error rate is not between 0 and 1"));
    if (made.hashes == 0 || made.hashes > most_chain_hashes) {
        return fail(bad_header("a filter has " + std::to_string(made.hashes) + " hash functions"));
    }
    return made;
}

} // namespace

result<redisbloom_chain> redisbloom_chain::from_header(std::string_view header, std::uint64_t most_bytes) {
    if (header.size() < chain_header_bytes) return fail(bad_header("it is too short"));
    number_reader numbers(header);
    redisbloom_chain made;
    made.keys_ = numbers.take<std::uint64_t>();
    const auto links = numbers.take<std::uint32_t>();
    const auto options = numbers.take<std::uint32_t>();
    made.expansion_ = numbers.take<std::uint32_t>();
    if (links == 0 || (header.size() - chain_header_bytes) / link_header_bytes != links ||
        (header.size() - chain_header_bytes) % link_header_bytes != 0) {
        return fail(bad_header("its length does not fit the number of filters in it"));
    }
    if ((options & ~known_options) != 0) return fail(bad_header("it has unknown options"));
    if ((options & long_hashes_option) == 0) {
        return fail(failure_reason::unsupported,
                    "the dump uses hashes of 32 bits, as RedisBloom 1 did; only those of 64 bits can be imported");
    }
    if ((options & fixed_size_option) != 0) made.expansion_ = 0;
    const failure too_large{failure_reason::out_of_memory, "the dump is larger than MAX_BYTES allows"};
    if (links > most_bytes / sizeof(link)) return fail(too_large);
    std::uint64_t keys = 0;
    std::uint64_t memory = links * sizeof(link);
    made.links_.reserve(links);
    for (std::uint32_t i = 0; i < links; ++i) {
        auto one = link_from(numbers);
        if (!one) return fail(std::move(one.error()));
        if (one->bytes > most_bytes - memory) return fail(too_large);
        if (one->keys > made.keys_ - keys) return fail(bad_header("the keys of its filters are more than it has"));
        memory += one->bytes;
        made.total_ += one->bytes;
        keys += one->keys;
        made.links_.push_back(std::move(*one));
    }
    if (keys != made.keys_) return fail(bad_header("the keys of its filters are fewer than it has"));
    made.header_ = header;
    return made;
}

void redisbloom_chain::append(std::span<const std::byte> chunk) {
    const std::uint64_t before = arrived_;
    try {
        while (!chunk.empty()) {
            const std::size_t taken = append_to_block(chunk);
            chunk = chunk.subspan(taken);
        }
    } catch (const std::bad_alloc&) { // the whole chunk can be sent again
        cut_to(before);
        throw;
    }
}

std::size_t redisbloom_chain::append_to_block(std::span<const std::byte> chunk) {
    while (links_[filling_].arrived() == links_[filling_].bytes) ++filling_;
    link& into = links_[filling_];
    const std::uint64_t position = into.arrived() % block_bytes;
    const std::uint64_t block_size = std::min(block_bytes, into.bytes - (into.arrived() - position));
    if (position == 0) {
        server_bytes block;
        block.reserve(static_cast<std::size_t>(block_size));
        into.blocks.push_back(std::move(block));
    }
    const std::size_t count = std::min(chunk.size(), static_cast<std::size_t>(block_size - position));
    into.blocks.back().insert(into.blocks.back().end(), chunk.begin(),
                              chunk.begin() + static_cast<std::ptrdiff_t>(count));
    arrived_ += count;
    return count;
}

void redisbloom_chain::cut_to(std::uint64_t bytes) noexcept {
    filling_ = 0;
    arrived_ = bytes;
    for (link& one : links_) {
        const std::uint64_t kept = std::min(bytes, one.bytes);
        bytes -= kept;
        while (one.blocks.size() > ceil_divide(kept, block_bytes)) one.blocks.pop_back();
        if (kept % block_bytes != 0) one.blocks.back().resize(static_cast<std::size_t>(kept % block_bytes));
    }
}

std::uint64_t redisbloom_chain::link::arrived() const noexcept {
    return blocks.empty() ? 0 : (blocks.size() - 1) * block_bytes + blocks.back().size();
}

bool redisbloom_chain::may_contain(std::string_view key) const noexcept {
    const std::uint64_t start = murmur64a(key, first_seed);
    const std::uint64_t step = murmur64a(key, start);
    // The last link has most of the keys.
    return std::any_of(links_.rbegin(), links_.rend(), [&](const link& one) { return is_member(one, start, step); });
}

std::span<const std::byte> redisbloom_chain::data(std::uint64_t first, std::uint64_t most) const noexcept {
    for (const link& one : links_) {
        if (first >= one.bytes) {
            first -= one.bytes;
            continue;
        }
        if ((first >> block_shift) >= one.blocks.size()) return {};
        const server_bytes& block = one.blocks[first >> block_shift];
        const std::uint64_t from = first & (block_bytes - 1);
        if (from >= block.size()) return {};
        return std::span(block).subspan(from,
                                        static_cast<std::size_t>(std::min<std::uint64_t>(most, block.size() - from)));
    }
    return {};
}

std::uint64_t redisbloom_chain::capacity() const noexcept {
    std::uint64_t sum = 0;
    for (const link& one : links_) sum = checked_add(sum, one.capacity).value_or(sum);
    return sum;
}

double redisbloom_chain::measured_fpr() const noexcept {
    double all_miss = 1;
    for (const link& one : links_) {
        std::uint64_t ones = 0;
        for (const server_bytes& block : one.blocks) {
            for (const std::byte byte : block) {
                ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(byte)));
            }
        }
        all_miss *= 1 - std::pow(std::min(1.0, static_cast<double>(ones) / static_cast<double>(one.range)), one.hashes);
    }
    return 1 - all_miss;
}

std::uint64_t redisbloom_chain::memory_bytes() const noexcept {
    std::uint64_t bytes = header_.capacity() + links_.capacity() * sizeof(link);
    for (const link& one : links_) {
        bytes += one.blocks.capacity() * sizeof(server_bytes);
        for (const server_bytes& block : one.blocks) bytes += api.MallocSize(const_cast<std::byte*>(block.data()));
    }
    return bytes;
}

} // namespace everbloom::redis
