// Where the lines of a quotient filter lie: the address of a line by its number.
//
// A filter in memory has its lines in units of a fixed size (chunked_words.hpp), which costs a query a shift and one load that is in the
// cache. A read-only view has them in one piece, a mapped file, or in the units of another filter; how large its units are is known at
// run time only.
#pragma once

#include <everbloom/bits/chunked_words.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/prefetch_line.hpp>

#include <cstdint>

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

/// Either of them, for code that is compiled once.
class line_units {
public:
    explicit line_units(const chunked_words& store) noexcept
        : units_(store.units()), bits_(chunked_words::unit_bits), mask_(chunked_words::unit_lines - 1) {}
    explicit line_units(const const_words& store) noexcept
        : units_(store.units()), bits_(store.unit_word_bits() - 3), mask_((std::uint64_t{1} << bits_) - 1) {}

    [[nodiscard, gnu::always_inline]] const std::uint64_t* operator[](std::uint64_t line) const noexcept {
        return units_[line >> bits_] + (line & mask_) * line_words;
    }

private:
    const std::uint64_t* const* units_;
    unsigned bits_;
    std::uint64_t mask_;
};

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
