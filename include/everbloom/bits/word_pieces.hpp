// word_pieces: a read-only view of words that lie in one piece, or in several of the same size.
//
// The section of a file is one array of words. In memory it may lie in chunks (chunked_words.hpp); saving, comparing and
// checking then go from piece to piece. Every piece but the last has the same number of words, a power of two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

namespace everbloom {

class word_pieces {
public:
    constexpr word_pieces() noexcept = default;
    /// One piece.
    // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): a span is such a view
    constexpr word_pieces(std::span<const std::uint64_t> words) noexcept : whole_(words.data()), words_(words.size()) {}
    /// Pieces of 2^piece_bits words; the array of their addresses must live as long as the view.
    constexpr word_pieces(const std::uint64_t* const* pieces, unsigned piece_bits, std::uint64_t words) noexcept
        : pieces_(pieces), piece_bits_(piece_bits), words_(static_cast<std::size_t>(words)) {}

    [[nodiscard]] constexpr std::size_t size() const noexcept { return words_; }
    [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return words_ * sizeof(std::uint64_t); }
    [[nodiscard]] constexpr bool empty() const noexcept { return words_ == 0; }
    [[nodiscard]] constexpr const std::uint64_t& operator[](std::size_t word) const noexcept {
        if (pieces_ == nullptr) return whole_[word];
        return pieces_[std::uint64_t{word} >> piece_bits_][word & (piece_words() - 1)];
    }

    [[nodiscard]] constexpr const std::uint64_t& back() const noexcept { return (*this)[words_ - 1]; }

    /// The addresses of its pieces, 2^piece_bits words each; null for one piece.
    [[nodiscard]] constexpr const std::uint64_t* const* table() const noexcept { return pieces_; }
    [[nodiscard]] constexpr unsigned piece_bits() const noexcept { return piece_bits_; }

    /// The longest run of words from `from` on that lies in one piece.
    [[nodiscard]] constexpr std::span<const std::uint64_t> run(std::size_t from) const noexcept {
        if (pieces_ == nullptr) return {whole_ + from, words_ - from};
        const std::uint64_t in_piece = from & (piece_words() - 1);
        return {pieces_[std::uint64_t{from} >> piece_bits_] + in_piece,
                static_cast<std::size_t>(std::min<std::uint64_t>(piece_words() - in_piece, words_ - from))};
    }
    /// Calls `act(span)` for the words [from, to), piece by piece.
    template <class Act>
    constexpr void for_each_run(std::size_t from, std::size_t to, Act act) const {
        while (from < to) {
            const auto there = run(from).first(std::min(run(from).size(), to - from));
            act(there);
            from += there.size();
        }
    }
    template <class Act>
    constexpr void for_each_run(Act act) const {
        for_each_run(0, words_, act);
    }

    /// All words, where they lie in one piece; else those of the first.
    [[nodiscard]] constexpr std::span<const std::uint64_t> whole() const noexcept {
        return words_ == 0 ? std::span<const std::uint64_t>() : run(0);
    }

    /// Word by word, for tests; long work goes from run to run.
    class iterator;
    [[nodiscard]] constexpr iterator begin() const noexcept;
    [[nodiscard]] constexpr iterator end() const noexcept;

    friend constexpr bool operator==(const word_pieces& a, const word_pieces& b) noexcept {
        if (a.words_ != b.words_) return false;
        for (std::size_t at = 0; at < a.words_;) {
            const auto mine = a.run(at);
            const auto theirs = b.run(at);
            const std::size_t both = std::min(mine.size(), theirs.size());
            if (!std::equal(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(both), theirs.begin()))
                return false;
            at += both;
        }
        return true;
    }

private:
    [[nodiscard]] constexpr std::uint64_t piece_words() const noexcept { return std::uint64_t{1} << piece_bits_; }

    const std::uint64_t* whole_ = nullptr;
    const std::uint64_t* const* pieces_ = nullptr; // null: one piece
    unsigned piece_bits_ = 0;
    std::size_t words_ = 0;
};

/// Has a view of its own: the one it comes from may be a temporary.
class word_pieces::iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::uint64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::uint64_t*;
    using reference = const std::uint64_t&;

    constexpr iterator() noexcept = default;
    constexpr iterator(const word_pieces& of, std::size_t at) noexcept : of_(of), at_(at) {}
    [[nodiscard]] constexpr const std::uint64_t& operator*() const noexcept { return of_[at_]; }
    constexpr iterator& operator++() noexcept {
        ++at_;
        return *this;
    }
    constexpr iterator operator++(int) noexcept {
        const iterator before = *this;
        ++at_;
        return before;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

private:
    word_pieces of_;
    std::size_t at_ = 0;
};

constexpr word_pieces::iterator word_pieces::begin() const noexcept { return {*this, 0}; }
constexpr word_pieces::iterator word_pieces::end() const noexcept { return {*this, words_}; }

} // namespace everbloom
