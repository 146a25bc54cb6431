#include "filters/waiting_keys.hpp"

#include <everbloom/bits/heap_words.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace everbloom::cli {
namespace {

constexpr std::size_t keys_in_a_block = std::size_t{1} << 19;

/// Of a whole block: true proves that more than half of its keys are different; false leaves it open. Different bits are of different keys,
/// and if all keys are different, half of the keys have set enough of them.
bool are_surely_different(std::span<const digest> keys) {
    constexpr unsigned index_bits = 20;
    static_assert(std::size_t{1} << index_bits == 2 * keys_in_a_block);
    std::vector<std::uint64_t> bits((std::size_t{1} << index_bits) / 64); // fits the second-level cache
    std::size_t different = 0;
    for (const digest& one : keys) {
        const std::uint64_t index = one.high >> (64 - index_bits);
        std::uint64_t& word = bits[static_cast<std::size_t>(index / 64)];
        different += ~word >> (index % 64) & 1;
        word |= std::uint64_t{1} << (index % 64);
        if (2 * different > keys.size()) return true;
    }
    return false;
}

/// For a whole block. It is written once and read once, so that page faults are a good part of its cost: huge pages have few.
void reserve_block(std::vector<digest>& block) {
    block.reserve(keys_in_a_block);
#if defined(MADV_HUGEPAGE) && !defined(EVERBLOOM_PORTABLE)
    constexpr std::size_t page_bytes = heap_words::huge_page_lines * line_bytes;
    void* first = block.data();
    std::size_t bytes = block.capacity() * sizeof(digest);
    if (!heap_words::has_huge_pages() || std::align(page_bytes, page_bytes, first, bytes) == nullptr) return;
    ::madvise(first, bytes / page_bytes * page_bytes, MADV_HUGEPAGE); // a hint
#endif
}

} // namespace

result<void> waiting_keys::take(const hashed_keys& keys) {
    count_ += keys.digests.size();
    for (std::span<const digest> left = keys.digests; !left.empty();) {
        if (open_.size() == keys_in_a_block) close_block();
        const std::size_t some = std::min(left.size(), keys_in_a_block - open_.size());
        if (open_.size() + some > open_.capacity()) { // no more than a block
            const std::size_t wanted = std::max(2 * open_.capacity(), open_.size() + some);
            if (wanted < keys_in_a_block)
                open_.reserve(wanted);
            else
                reserve_block(open_);
        }
        open_.insert(open_.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(some));
        left = left.subspan(some);
    }
    return {};
}

void waiting_keys::close_block() {
    if (are_surely_different(open_)) {
        keep_as_they_are();
        return;
    }
    std::vector<digest> sorted = open_;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t different = sorted.empty() ? 0 : 1;
    for (std::size_t i = 1; i < sorted.size(); ++i) different += sorted[i] == sorted[i - 1] ? 0 : 1;
    if (2 * different > sorted.size()) {
        keep_as_they_are();
        return;
    }
    block made;
    made.repeated.reserve(different);
    for (const digest& one : sorted) {
        if (made.repeated.empty() || !(made.repeated.back().key == one)) made.repeated.push_back({one, 0});
        ++made.repeated.back().times;
    }
    blocks_.push_back(std::move(made));
    open_.clear();
}

void waiting_keys::keep_as_they_are() {
    blocks_.emplace_back();
    blocks_.back().keys.swap(open_);
    reserve_block(open_);
}

result<void> waiting_keys::insert_into(insertion& into) {
    hashed_keys keys;
    for (block& one : blocks_) {
        keys.digests = std::move(one.keys);
        if (auto done = into.take(keys); !done) return done;
        keys.digests.clear();
        for (const repeated_key& each : one.repeated) {
            for (std::uint64_t left = each.times; left != 0;) {
                const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, keys_in_a_block));
                keys.digests.assign(some, each.key);
                if (auto done = into.take(keys); !done) return done;
                left -= some;
            }
        }
        one.repeated = {};
    }
    keys.digests = std::move(open_);
    return into.take(keys);
}

} // namespace everbloom::cli
