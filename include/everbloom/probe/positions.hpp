// k positions of an item in an array, out of one digest.
//
// Two schemes, named in the spec of a filter and so in its file:
//
//   independent   position i is a fresh mix of the digest and i: as good as k ideal hash functions, for reproducing papers.
//   double        enhanced double hashing [Dillinger04]: start a, step b, and the step itself grows, so that no two items share
//                 all positions merely because their progressions run over the same points. One addition and one
//                 multiplication per position.
//
// In double hashing the step grows by a multiple of 2^64/phi instead of by 1, 2, 3: `reduce` looks at the high bits, where
// steps of one would vanish.
//
// Two of the k positions may be equal. A filter that counts must use them once (`distinct`): an item must not look like a
// collision with another one.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace everbloom {

/// Written to files: a number is never given a second meaning.
enum class probe_scheme : std::uint64_t { double_hashing = 0, independent = 1 };

inline constexpr unsigned max_hashes = 32;

/// Yields the positions of one item one after the other; call `next` k times.
class position_sequence {
public:
    position_sequence(digest item, probe_scheme scheme, std::uint64_t range) noexcept
        : at_(item.low), step_(item.high | 1), range_(range), scheme_(scheme) {}

    [[nodiscard]] std::uint64_t next() noexcept {
        if (scheme_ == probe_scheme::double_hashing) {
            const std::uint64_t position = reduce(at_, range_);
            at_ += step_;
            growth_ += golden;
            step_ += growth_;
            return position;
        }
        growth_ += golden;
        return reduce(mix(at_ + mix(step_ + growth_)), range_);
    }

private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio, odd

    std::uint64_t at_;
    std::uint64_t step_;
    std::uint64_t growth_ = 0;
    std::uint64_t range_;
    probe_scheme scheme_;
};

/// The positions of one item, kept.
class position_list {
public:
    position_list() noexcept = default;
    // Copies the positions meant, not the unused rest of the array: batches copy one of these per item.
    position_list(const position_list& other) noexcept : count_(other.count_) {
        for (unsigned i = 0; i < count_; ++i) positions_[i] = other.positions_[i];
    }
    position_list& operator=(const position_list& other) noexcept {
        count_ = other.count_;
        for (unsigned i = 0; i < count_; ++i) positions_[i] = other.positions_[i];
        return *this;
    }
    ~position_list() = default;

    /// All k positions, in order, equal ones included.
    [[nodiscard]] static position_list all(digest item, probe_scheme scheme, unsigned hashes,
                                           std::uint64_t range) noexcept {
        position_list made;
        position_sequence sequence(item, scheme, range);
        for (unsigned i = 0; i < hashes; ++i) made.positions_[i] = sequence.next();
        made.count_ = hashes;
        return made;
    }

    /// The different ones among the k positions, in order of first appearance.
    [[nodiscard]] static position_list distinct(digest item, probe_scheme scheme, unsigned hashes,
                                                std::uint64_t range) noexcept {
        position_list made = all(item, scheme, hashes, range);
        // Equal positions are rare in a table of useful size: find out whether there are any before moving anything.
        bool repeated = false;
        for (unsigned i = 1; i < hashes; ++i) {
            for (unsigned j = 0; j < i; ++j) repeated |= made.positions_[i] == made.positions_[j];
        }
        if (repeated) made.drop_repetitions();
        return made;
    }

    [[nodiscard]] std::span<const std::uint64_t> get() const noexcept { return {positions_.data(), count_}; }

private:
    void drop_repetitions() noexcept {
        unsigned kept = 0;
        for (unsigned i = 0; i < count_; ++i) {
            bool seen = false;
            for (unsigned j = 0; j < kept; ++j) seen |= positions_[i] == positions_[j];
            if (!seen) positions_[kept++] = positions_[i];
        }
        count_ = kept;
    }

    std::array<std::uint64_t, max_hashes> positions_; // the first count_ are meant; the rest stays uninitialised
    unsigned count_ = 0;
};

} // namespace everbloom
