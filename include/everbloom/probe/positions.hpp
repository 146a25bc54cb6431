// k positions of an item in an array, out of one digest.
//
// Four schemes, named in the spec of a filter and so in its file:
//
//   independent   position i is a fresh mix of the digest and i: as good as k ideal hash functions, for reproducing papers.
//   double        enhanced double hashing [Dillinger04]: start a, step b, and the step itself grows, so that no two items share
//                 all positions merely because their progressions run over the same points. One addition and one
//                 multiplication per position.
//
//   dcso          that of `.bloom` files, for filters converted from them: powers of a multiplier modulo the largest prime below
//                 2^64, each taken modulo the range. Below a range that is a power of two the lowest bits of the hash decide
//                 all k positions, and keys with equal low bits have equal positions: a bad range for this scheme.
//
//   stored        double hashing from 48 bits of the digest, which are among those that the elastic kinds store: for filters made
//                 from stored hashes instead of keys (jobs/query_copy.hpp).
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
#include <everbloom/probe/repeats.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace everbloom {

/// Written to files: a number is never given a second meaning.
enum class probe_scheme : std::uint64_t { double_hashing = 0, independent = 1, dcso = 2, stored = 3 };

/// Their names, in the order of their numbers. The first two are schemes for every filter.
inline constexpr std::array<std::string_view, 4> probe_scheme_words{"double", "independent", "dcso", "stored"};
inline constexpr std::size_t general_schemes = 2;

inline constexpr unsigned max_hashes = 32;

/// Everything but the digest: the number of positions, their range, and the scheme.
struct probing {
    std::uint64_t range;
    unsigned hashes;
    probe_scheme scheme;
};

/// The bits of `digest::low`, its highest ones, that the scheme `stored` uses.
inline constexpr unsigned stored_scheme_bits = 48;

/// The same for a filter that may come from a `.bloom` file or from stored hashes. The type says that there is code for `dcso` and
/// `stored` as well; filters that keep a plain `probing` have none.
struct bloom_probing : probing {};

/// Yields the positions of one item one after the other; call `next` k times.
template <probe_scheme Scheme>
class position_walk {
public:
    position_walk() noexcept = default;
    explicit position_walk(digest item) noexcept : at_(item.low), step_(item.high | 1) {
        if constexpr (Scheme == probe_scheme::dcso) at_ = below_prime(item.high);
        if constexpr (Scheme == probe_scheme::stored) {
            at_ = mix(item.low >> (64 - stored_scheme_bits));
            step_ = mix(at_ + golden_ratio_bits) | 1;
        }
    }

    [[nodiscard]] std::uint64_t next(std::uint64_t range) noexcept {
        if constexpr (Scheme == probe_scheme::dcso) return next_hash() % range;
        return reduce(next_hash(), range);
    }

    /// The next position before it is reduced to a range: for lookups of one item in arrays of several sizes.
    [[nodiscard]] std::uint64_t next_hash() noexcept {
        if constexpr (Scheme == probe_scheme::double_hashing || Scheme == probe_scheme::stored) {
            const std::uint64_t hash = at_;
            at_ += step_;
            growth_ += golden_ratio_bits;
            step_ += growth_;
            return hash;
        } else if constexpr (Scheme == probe_scheme::dcso) {
            return at_ = below_prime(at_ * (dcso_prime - 1410)); // the product modulo 2^64 first, as in that program
        } else {
            growth_ += golden_ratio_bits;
            return mix(at_ + mix(step_ + growth_));
        }
    }

private:
    static constexpr std::uint64_t dcso_prime = 0xffffffffffffffc5; // 2^64 - 59

    [[nodiscard]] static constexpr std::uint64_t below_prime(std::uint64_t hash) noexcept {
        return hash >= dcso_prime ? hash - dcso_prime : hash;
    }

    std::uint64_t at_ = 0;
    std::uint64_t step_ = 0;
    std::uint64_t growth_ = 0;
};

/// Turns a scheme known at run time into one known to the compiler: once per operation or batch, not once per position.
template <class Body>
[[gnu::always_inline]] inline auto with_scheme(probe_scheme scheme, Body body) {
    if (scheme == probe_scheme::double_hashing) return body.template operator()<probe_scheme::double_hashing>();
    return body.template operator()<probe_scheme::independent>();
}
template <class Body>
[[gnu::always_inline]] inline auto with_scheme(const probing& how, Body body) {
    return with_scheme(how.scheme, body);
}
template <class Body>
[[gnu::always_inline]] inline auto with_scheme(const bloom_probing& how, Body body) {
    // The usual scheme is tested first: testing dcso first adds 0.6 ns to the 5.4 ns of a key.
    if (how.scheme == probe_scheme::double_hashing) return body.template operator()<probe_scheme::double_hashing>();
    if (how.scheme == probe_scheme::dcso) return body.template operator()<probe_scheme::dcso>();
    if (how.scheme == probe_scheme::stored) return body.template operator()<probe_scheme::stored>();
    return body.template operator()<probe_scheme::independent>();
}

/// Range and number by value: read again after a cell was written, they would wait for that write.
template <probe_scheme Scheme, class Test>
[[nodiscard, gnu::always_inline]] inline bool all_in_walk(digest item, unsigned hashes, std::uint64_t range,
                                                          Test& test) noexcept {
    position_walk<Scheme> walk(item);
    for (unsigned i = 0; i < hashes; ++i) {
        if (!test(walk.next(range))) return false;
    }
    return true;
}

/// Out of line, so that the registers of the rare schemes are not saved for every key of the usual one.
template <class Probing, class Test>
[[nodiscard, gnu::noinline]] bool all_rare_positions(std::uint64_t low, std::uint64_t high, Probing how,
                                                     Test test) noexcept {
    const digest item{low, high};
    return with_scheme(how,
                       [&]<probe_scheme Scheme>() { return all_in_walk<Scheme>(item, how.hashes, how.range, test); });
}

/// Whether `test(position)` holds for all k positions; stops at the first that fails. Always inlined: as a call it gets `test` through
/// memory, which takes as long as the query itself.
template <class Probing = probing, class Test>
[[nodiscard, gnu::always_inline]] inline bool all_positions(digest item, const Probing& how, Test test) noexcept {
    if (how.scheme != probe_scheme::double_hashing) [[unlikely]]
        return all_rare_positions<Probing>(item.low, item.high, how, test);
    return all_in_walk<probe_scheme::double_hashing>(item, how.hashes, how.range, test);
}

template <class Probing = probing, class Act>
[[gnu::always_inline]] inline void for_each_position(digest item, const Probing& how, Act act) noexcept {
    (void)all_positions(item, how, [act](std::uint64_t position) mutable {
        act(position);
        return true;
    });
}

/// The positions of one item, kept.
class position_list {
public:
    position_list() noexcept = default;
    // Copies the valid positions, not the unused rest of the array.
    position_list(const position_list& other) noexcept : count_(other.count_) {
        std::copy_n(other.positions_.begin(), count_, positions_.begin());
    }
    position_list& operator=(const position_list& other) noexcept {
        count_ = other.count_;
        std::copy_n(other.positions_.begin(), count_, positions_.begin());
        return *this;
    }
    ~position_list() = default;

    /// All k positions, in order, equal ones included.
    template <class Probing = probing>
    [[nodiscard]] static position_list all(digest item, const Probing& how) noexcept {
        position_list made;
        with_scheme(how, [&]<probe_scheme Scheme>() {
            made.restart();
            made.append(position_walk<Scheme>(item), how.hashes, how.range, [](std::uint64_t) {});
        });
        return made;
    }

    /// The different ones among the k positions, in order of first appearance.
    [[nodiscard]] static position_list distinct(digest item, const probing& how) noexcept {
        position_list made = all(item, how);
        made.keep_distinct();
        return made;
    }

    void restart() noexcept { count_ = 0; }

    /// The next `hashes` positions of a walk; calls `seen(position)` for each.
    template <probe_scheme Scheme, class Seen>
    void append(position_walk<Scheme> walk, unsigned hashes, std::uint64_t range, Seen seen) noexcept {
        std::uint64_t* const end = positions_.data() + count_;
        for (unsigned i = 0; i < hashes; ++i) {
            const std::uint64_t position = walk.next(range);
            end[i] = position;
            seen(position);
        }
        count_ += hashes;
    }

    /// Drops every position that stands further ahead already.
    void keep_distinct() noexcept {
        // The padding of the last group of four differs from place to place and almost never equals a position.
        const unsigned fours = (count_ + 3) / 4;
        for (unsigned i = count_; i < 4 * fours; ++i) positions_[i] = 0xf1357aea + i;
        if (may_repeat(positions_.data(), fours)) [[unlikely]]
            drop_repeats();
    }

    [[nodiscard]] std::span<const std::uint64_t> get() const noexcept { return {positions_.data(), count_}; }

private:
    void drop_repeats() noexcept {
        unsigned kept = 0;
        for (unsigned i = 0; i < count_; ++i) {
            const auto end = positions_.begin() + kept;
            if (std::find(positions_.begin(), end, positions_[i]) == end) positions_[kept++] = positions_[i];
        }
        count_ = kept;
    }

    static_assert(max_hashes % 4 == 0);
    std::array<std::uint64_t, max_hashes> positions_; // the first count_ are valid; the rest is uninitialised
    unsigned count_ = 0;
};

} // namespace everbloom
