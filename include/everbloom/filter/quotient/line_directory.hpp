// Where the lines of a quotient filter lie: the address of a line by its number.
//
// A filter in memory has its lines in units of a fixed size (chunked_words.hpp), which costs a query a shift and one load that is in the
// cache. A read-only view has them in one piece, a mapped file, or in the units of another filter; how large its units are is known at
// run time only.
#pragma once

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/prefetch_line.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace everbloom {

/// `Word` is `std::uint64_t`, or const for reading only.
template <class Word>
class lines_in_units {
public:
    using word_type = Word;
    explicit lines_in_units(Word* const* units) noexcept : units_(units) {}

    [[nodiscard, gnu::always_inline]] Word* operator[](std::uint64_t line) const noexcept {
        return units_[line >> chunked_words::unit_bits] + (line & (chunked_words::unit_lines - 1)) * line_words;
    }

private:
    Word* const* units_;
};

class lines_in_view {
public:
    using word_type = const std::uint64_t;
    explicit lines_in_view(const const_words& store) noexcept
        : units_(store.units()), bits_(store.unit_word_bits()), mask_((std::uint64_t{1} << bits_) - 1) {}

    [[nodiscard, gnu::always_inline]] const std::uint64_t* operator[](std::uint64_t line) const noexcept {
        const std::uint64_t word = line * line_words;
        return units_[word >> bits_] + (word & mask_);
    }

private:
    const std::uint64_t* const* units_;
    unsigned bits_;
    std::uint64_t mask_;
};

/// Either of them, for code that is compiled once. Lines that happen to lie in one piece are a single unit.
template <class Word>
class units_of_lines {
public:
    units_of_lines(Word* const* units, unsigned bits) noexcept
        : units_(units), bits_(bits), mask_((std::uint64_t{1} << bits) - 1) {}
    template <class Store>
        requires std::same_as<std::remove_const_t<Store>, chunked_words>
    explicit units_of_lines(Store& store) noexcept
        : units_of_lines(store.units(), store.is_one_piece() ? all_lines : chunked_words::unit_bits) {}
    explicit units_of_lines(const const_words& store) noexcept
        : units_of_lines(store.units(), store.unit_word_bits() - 3) {}

    [[nodiscard, gnu::always_inline]] Word* operator[](std::uint64_t line) const noexcept {
        return units_[line >> bits_] + (line & mask_) * line_words;
    }
    [[nodiscard]] Word* const* units() const noexcept { return units_; }
    /// Of the number of a line, behind the number of its unit.
    [[nodiscard]] unsigned unit_bits() const noexcept { return bits_; }

private:
    static constexpr unsigned all_lines = 60;
    Word* const* units_;
    unsigned bits_;
    std::uint64_t mask_;
};
using line_units = units_of_lines<const std::uint64_t>;
using writable_line_units = units_of_lines<std::uint64_t>;

[[nodiscard, gnu::always_inline]] inline lines_in_units<const std::uint64_t>
lines_of(const chunked_words& store) noexcept {
    return lines_in_units<const std::uint64_t>(store.units());
}
[[nodiscard, gnu::always_inline]] inline lines_in_view lines_of(const const_words& store) noexcept {
    return lines_in_view(store);
}
[[nodiscard, gnu::always_inline]] inline lines_in_units<std::uint64_t>
writable_lines_of(chunked_words& store) noexcept {
    return lines_in_units<std::uint64_t>(store.units());
}

} // namespace everbloom
