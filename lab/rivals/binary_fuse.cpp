#include "lab/rivals/binary_fuse.hpp"

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace everbloom::lab::rivals {

binary_fuse_filter::shape binary_fuse_filter::shape_for(std::uint64_t keys, double cells_per_key) {
    // The paper's choices for three cells per key: segment length and cells per key as functions of n.
    const auto n = static_cast<double>(std::max<std::uint64_t>(keys, 2));
    const double exponent = std::floor(std::log(n) / std::log(3.33) + 2.25);
    const auto segment = std::uint64_t{1} << static_cast<unsigned>(std::clamp(exponent, 2.0, 18.0));
    const double each = cells_per_key > 0 ? cells_per_key : std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(n));
    const auto cells = static_cast<std::uint64_t>(std::round(n * each));
    const std::uint64_t all = (cells + segment - 1) / segment;
    return {segment, all > 2 ? all - 2 : 1};
}

binary_fuse_filter::shape::places binary_fuse_filter::shape::of(std::uint64_t hash) const noexcept {
    // The first cell is any of the first `segments` segments; the other two are in the next ones, at places of their own.
    const std::uint64_t first = reduce(hash, segments * segment_cells);
    const std::uint64_t mask = segment_cells - 1;
    const std::uint64_t second = (first + segment_cells) ^ ((hash >> 18) & mask);
    const std::uint64_t third = (first + 2 * segment_cells) ^ (hash & mask);
    return {{first, second, third}};
}

std::uint64_t binary_fuse_filter::hash_of(digest item) const noexcept { return mix(item.low + seed_) ^ item.high; }

std::uint64_t binary_fuse_filter::fingerprint_of(std::uint64_t hash) const noexcept {
    return mix(hash) & low_mask(cells_.cell_bits());
}

built_rival binary_fuse_filter::build(std::span<const digest> members, unsigned fingerprint_bits, unsigned seeds,
                                      double cells_per_key) {
    std::vector<digest> distinct(members.begin(), members.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const shape geometry = shape_for(distinct.size(), cells_per_key);
    for (unsigned attempt = 1; attempt <= seeds; ++attempt) {
        std::unique_ptr<binary_fuse_filter> made(
            new binary_fuse_filter(geometry, fingerprint_bits, mix(attempt * golden_ratio_bits)));
        if (made->solve(distinct)) return std::unique_ptr<rival>(std::move(made));
    }
    return fail(failure_reason::bad_parameter, "binary fuse: no solution for " + std::to_string(distinct.size()) +
                                                   " keys in " + std::to_string(geometry.cells()) +
                                                   " cells with any of " + std::to_string(seeds) + " seeds");
}

bool binary_fuse_filter::solve(std::span<const digest> distinct) {
    // For each cell: how many keys use it, and the XOR of their numbers, which is the key itself once it is alone.
    std::vector<std::uint32_t> users(cells_.size());
    std::vector<std::uint32_t> key_xor(cells_.size());
    std::vector<std::uint64_t> hashes(distinct.size());
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        hashes[i] = hash_of(distinct[i]);
        for (const std::uint64_t cell : shape_.of(hashes[i]).at) {
            ++users[cell];
            key_xor[cell] ^= static_cast<std::uint32_t>(i);
        }
    }
    std::vector<std::uint64_t> alone; // cells with one user
    for (std::uint64_t cell = 0; cell < users.size(); ++cell) {
        if (users[cell] == 1) alone.push_back(cell);
    }
    struct choice {
        std::uint32_t key;
        std::uint64_t cell;
    };
    std::vector<choice> order;
    order.reserve(distinct.size());
    while (!alone.empty()) {
        const std::uint64_t cell = alone.back();
        alone.pop_back();
        if (users[cell] != 1) continue; // its key was set aside through another cell
        const std::uint32_t key = key_xor[cell];
        order.push_back({key, cell});
        for (const std::uint64_t other : shape_.of(hashes[key]).at) {
            key_xor[other] ^= key;
            if (--users[other] == 1) alone.push_back(other);
        }
    }
    if (order.size() != distinct.size()) return false;
    for (auto one = order.rbegin(); one != order.rend(); ++one) {
        const std::uint64_t hash = hashes[one->key];
        std::uint64_t value = fingerprint_of(hash);
        for (const std::uint64_t cell : shape_.of(hash).at) {
            if (cell != one->cell) value ^= cells_.get(cell);
        }
        cells_.set(one->cell, value);
    }
    return true;
}

bool binary_fuse_filter::contains(digest item, line_log* log) const {
    const std::uint64_t hash = hash_of(item);
    std::uint64_t value = fingerprint_of(hash);
    for (const std::uint64_t cell : shape_.of(hash).at) {
        if (log != nullptr) log->note_bits(0, cell * cells_.cell_bits(), cells_.cell_bits());
        value ^= cells_.get(cell);
    }
    return value == 0;
}

} // namespace everbloom::lab::rivals
