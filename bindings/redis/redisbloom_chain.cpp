#include "redisbloom_chain.hpp"

#include <everbloom/core/checked.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace everbloom::redis {
namespace {

constexpr unsigned block_shift = 20;
constexpr std::uint64_t block_bytes = std::uint64_t{1} << block_shift;

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

} // namespace

result<redisbloom_chain> redisbloom_chain::from_header(std::string_view header, std::uint64_t most_bytes) {
    const auto read = redisbloom_header::parse(header);
    if (!read) return fail(read.error());
    const failure too_large{failure_reason::out_of_memory, "the dump is larger than MAX_BYTES allows"};
    if (read->links.size() > most_bytes / sizeof(link)) return fail(too_large);
    if (read->data_bytes > most_bytes - read->links.size() * sizeof(link)) return fail(too_large);
    redisbloom_chain made;
    made.keys_ = read->keys;
    made.expansion_ = read->expansion;
    made.total_ = read->data_bytes;
    made.links_.reserve(read->links.size());
    for (const redisbloom_link& one : read->links) made.links_.push_back({one, {}});
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
    const digest item = redisbloom_hash(key);
    // The last link has most of the keys.
    return std::any_of(links_.rbegin(), links_.rend(),
                       [&](const link& one) { return is_member(one, item.low, item.high); });
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
