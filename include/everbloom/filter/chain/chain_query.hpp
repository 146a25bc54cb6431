// Looking for keys in a chain of sub-filters: is there one in which all cells of the key are occupied?
//
// An absent key has to be rejected by every link of the chain, so this is where a chain spends its time. Three things keep it short:
// the hashes of a key are computed once, and only as many as some link needs; a link is rejected at the first pair of cells with an
// empty one (at half occupancy three quarters of the absent keys are rejected at the first pair); and while one link is examined,
// the first pairs of the next one are prefetched.
//
// `Links` says what the chain is, as a value that loops can keep in registers:
//
//   count()            links to query, in query order
//   operator[](i)      link i: empty(), hashes(), holds(mark), prefetch(mark)
//   mark(walk)         takes the next mark of a key from its walk: a position where all links have one size, else a hash
#pragma once

#include <everbloom/filter/batch.hpp>

namespace everbloom {

/// Two cells are tested together: one predictable branch instead of two unpredictable ones.
inline constexpr unsigned chain_pair = 2;

/// The marks of one key, made when they are needed.
template <probe_scheme Scheme>
class lazy_marks {
public:
    void restart(digest item) noexcept {
        walk_ = position_walk<Scheme>(item);
        ready_ = 0;
    }
    template <class Links>
    void make(unsigned wanted, const Links& links) noexcept {
        for (; ready_ < wanted; ++ready_) marks_[ready_] = links.mark(walk_);
    }
    [[nodiscard]] std::uint64_t operator[](unsigned index) const noexcept { return marks_[index]; }

private:
    position_walk<Scheme> walk_;
    unsigned ready_ = 0;
    std::array<std::uint64_t, max_hashes> marks_; // the first ready_ are valid; the rest is uninitialised
};

/// The pair of cells that begins at `from`; where the hashes are odd in number the last one is alone.
template <class Link, class Marks>
[[nodiscard]] inline bool pair_holds(const Link& link, const Marks& marks, unsigned from) noexcept {
    unsigned both = link.holds(marks[from]) ? 1 : 0; // both are read, without a branch between them
    if (from + 1 < link.hashes()) both &= link.holds(marks[from + 1]) ? 1 : 0;
    return both != 0;
}

template <class Link, class Marks>
inline void prefetch_pair(const Link& link, const Marks& marks, unsigned from) noexcept {
    link.prefetch(marks[from]);
    if (from + 1 < link.hashes()) link.prefetch(marks[from + 1]);
}

/// One key.
template <class Links>
[[nodiscard]] bool chain_may_contain(digest item, probe_scheme scheme, const Links& links) noexcept {
    return with_scheme(scheme, [&]<probe_scheme Scheme>() {
        constexpr std::uint64_t ahead = 4; // links whose first pairs are being prefetched
        lazy_marks<Scheme> marks;
        marks.restart(item);
        marks.make(chain_pair, links);
        const std::uint64_t count = links.count();
        for (std::uint64_t i = 1; i < std::min(ahead, count); ++i) prefetch_pair(links[i], marks, 0);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (i + ahead < count) prefetch_pair(links[i + ahead], marks, 0);
            const auto link = links[i];
            if (link.empty() || !pair_holds(link, marks, 0)) continue;
            marks.make(link.hashes(), links);
            unsigned from = chain_pair;
            while (from < link.hashes() && pair_holds(link, marks, from)) from += chain_pair;
            if (from >= link.hashes()) return true;
        }
        return false;
    });
}

/// Numbers of keys in a window.
using window_keys = std::array<std::uint32_t, prefetch_window>;

/// Drops the keys without the pair that begins at `from`; says how many are left.
template <class Link, class Marks>
[[nodiscard]] inline std::size_t keep_if_pair_holds(const Link& link, const Marks& marks, unsigned from,
                                                    window_keys& keys, std::size_t count) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t key = keys[i];
        keys[kept] = key;
        kept += pair_holds(link, marks[key], from) ? 1 : 0;
    }
    return kept;
}

template <class Link, class Marks>
inline void prefetch_pairs(const Link& link, const Marks& marks, unsigned from, const window_keys& keys,
                           std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) prefetch_pair(link, marks[keys[i]], from);
}

/// A batch, a window of keys at a time. Calls `found(index)` for every key that some link holds; a key for which `settled(index)` is
/// true is skipped.
template <class Links, class Settled, class Found>
void chain_find_in_windows(std::span<const digest> items, probe_scheme scheme, const Links& links, Settled settled,
                           Found found) noexcept {
    with_scheme(scheme, [=]<probe_scheme Scheme>() {
        const std::uint64_t count = links.count();
        std::array<lazy_marks<Scheme>, prefetch_window> marks;
        window_keys open;  // those that no link has held so far
        window_keys alive; // those that the link at hand may hold
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t here = std::min(prefetch_window, items.size() - from);
            std::size_t opened = 0;
            for (std::uint32_t i = 0; i < here; ++i) {
                if (settled(from + i)) continue;
                marks[i].restart(items[from + i]);
                marks[i].make(chain_pair, links);
                open[opened++] = i;
                if (count != 0) prefetch_pair(links[0], marks[i], 0);
            }
            for (std::uint64_t at = 0; at < count && opened != 0; ++at) {
                const auto link = links[at];
                // Pair after pair, each time only for the surviving keys: a quarter of them at half occupancy.
                std::size_t left = link.empty() ? 0 : opened;
                std::copy_n(open.begin(), left, alive.begin());
                left = keep_if_pair_holds(link, marks, 0, alive, left);
                for (std::size_t s = 0; s < left; ++s) marks[alive[s]].make(link.hashes(), links);
                if (link.hashes() > chain_pair) prefetch_pairs(link, marks, chain_pair, alive, left);
                if (at + 1 < count) prefetch_pairs(links[at + 1], marks, 0, open, opened);
                // A key that passes two pairs is probably a member, and then all remaining cells are needed.
                for (unsigned pair = chain_pair; pair < link.hashes() && left != 0; pair += chain_pair) {
                    left = keep_if_pair_holds(link, marks, pair, alive, left);
                    if (pair != chain_pair) continue;
                    for (unsigned rest = pair + chain_pair; rest < link.hashes(); rest += chain_pair) {
                        prefetch_pairs(link, marks, rest, alive, left);
                    }
                }
                if (left == 0) continue;
                std::size_t kept = 0;
                std::size_t next = 0; // of those the link holds; both lists are in order
                for (std::size_t o = 0; o < opened; ++o) {
                    if (next < left && open[o] == alive[next]) {
                        found(from + alive[next++]);
                    } else {
                        open[kept++] = open[o];
                    }
                }
                opened = kept;
            }
        }
    });
}

/// A batch with an answer for every key.
template <class Links>
void chain_may_contain(std::span<const digest> items, std::span<std::uint8_t> answers, probe_scheme scheme,
                       const Links& links) noexcept {
    std::fill(answers.begin(), answers.end(), std::uint8_t{0});
    chain_find_in_windows(
        items, scheme, links, [](std::size_t) { return false; }, [=](std::size_t index) { answers[index] = 1; });
}

} // namespace everbloom
