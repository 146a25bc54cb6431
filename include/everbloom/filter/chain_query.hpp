// Looking for keys in a chain of sub-filters: is there one in which all cells of the key are occupied?
//
// A stranger has to be refused by every link of the chain, so this is where a chain spends its time. Three things keep it short: the
// hashes of a key are made once, and only as many as some link needs; a link is left at the first pair of empty cells (at a share
// of one half three quarters of the strangers leave at the first pair); and while one link is looked at, the first pairs of the next
// one are on their way from memory.
//
// `Links` says what the chain is, as a value that loops can keep in registers:
//
//   count()            links to ask, in the order of asking
//   operator[](i)      link i: empty(), hashes(), holds(mark), prefetch(mark)
//   mark(walk)         takes the next mark of a key from its walk: a position where all links have one size, else a hash
#pragma once

#include <everbloom/filter/batch.hpp>

namespace everbloom {

/// Two cells are looked at together: one branch that is easy to foresee instead of two that are not.
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
    std::array<std::uint64_t, max_hashes> marks_; // the first ready_ are meant; the rest stays uninitialised
};

/// The first pair of cells; a link with one hash has only one.
template <class Link, class Marks>
[[nodiscard]] inline bool first_pair_holds(const Link& link, const Marks& marks) noexcept {
    if (link.hashes() < chain_pair) [[unlikely]]
        return link.holds(marks[0]);
    unsigned both = link.holds(marks[0]) ? 1 : 0; // both are looked at, without a branch between them
    both &= link.holds(marks[1]) ? 1 : 0;
    return both != 0;
}

/// The cells behind the first pair.
template <class Link, class Marks>
[[nodiscard]] inline bool rest_holds(const Link& link, const Marks& marks) noexcept {
    for (unsigned j = chain_pair; j < link.hashes(); ++j) {
        if (!link.holds(marks[j])) return false;
    }
    return true;
}

template <class Link, class Marks>
inline void prefetch_marks(const Link& link, const Marks& marks, unsigned from, unsigned to) noexcept {
    for (unsigned j = from; j < std::min(to, link.hashes()); ++j) link.prefetch(marks[j]);
}

/// One key.
template <class Links>
[[nodiscard]] bool chain_may_contain(digest item, probe_scheme scheme, const Links& links) noexcept {
    return with_scheme(scheme, [&]<probe_scheme Scheme>() {
        constexpr std::uint64_t ahead = 4; // links whose first pairs are on their way
        lazy_marks<Scheme> marks;
        marks.restart(item);
        marks.make(chain_pair, links);
        const std::uint64_t count = links.count();
        for (std::uint64_t i = 1; i < std::min(ahead, count); ++i) prefetch_marks(links[i], marks, 0, chain_pair);
        for (std::uint64_t i = 0; i < count; ++i) {
            if (i + ahead < count) prefetch_marks(links[i + ahead], marks, 0, chain_pair);
            const auto link = links[i];
            if (link.empty() || !first_pair_holds(link, marks)) continue;
            marks.make(link.hashes(), links);
            if (rest_holds(link, marks)) return true;
        }
        return false;
    });
}

/// A batch, a window of keys at a time. Calls `found(index)` for every key that some link holds and leaves the others alone; a key for
/// which `settled(index)` is true is not asked for.
template <class Links, class Settled, class Found>
void chain_find_in_windows(std::span<const digest> items, probe_scheme scheme, const Links& links, Settled settled,
                           Found found) noexcept {
    with_scheme(scheme, [=]<probe_scheme Scheme>() {
        const std::uint64_t count = links.count();
        std::array<lazy_marks<Scheme>, prefetch_window> marks;
        std::array<std::uint32_t, prefetch_window> open;      // keys that no link has held so far
        std::array<std::uint32_t, prefetch_window> survivors; // of the first pair of the link at hand
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t here = std::min(prefetch_window, items.size() - from);
            std::size_t opened = 0;
            for (std::uint32_t i = 0; i < here; ++i) {
                if (settled(from + i)) continue;
                marks[i].restart(items[from + i]);
                marks[i].make(chain_pair, links);
                open[opened++] = i;
                if (count != 0) prefetch_marks(links[0], marks[i], 0, chain_pair);
            }
            for (std::uint64_t at = 0; at < count && opened != 0; ++at) {
                const auto link = links[at];
                std::size_t alive = 0;
                if (!link.empty()) {
                    for (std::size_t o = 0; o < opened; ++o) {
                        survivors[alive] = open[o];
                        alive += first_pair_holds(link, marks[open[o]]) ? 1 : 0;
                    }
                }
                for (std::size_t s = 0; s < alive; ++s) {
                    marks[survivors[s]].make(link.hashes(), links);
                    prefetch_marks(link, marks[survivors[s]], chain_pair, 2 * chain_pair);
                }
                if (at + 1 < count) {
                    const auto next = links[at + 1];
                    for (std::size_t o = 0; o < opened; ++o) prefetch_marks(next, marks[open[o]], 0, chain_pair);
                }
                for (std::size_t s = 0; s < alive; ++s) {
                    if (!rest_holds(link, marks[survivors[s]])) continue;
                    found(from + survivors[s]);
                    const auto end = open.begin() + static_cast<std::ptrdiff_t>(opened);
                    opened = static_cast<std::size_t>(std::remove(open.begin(), end, survivors[s]) - open.begin());
                }
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
