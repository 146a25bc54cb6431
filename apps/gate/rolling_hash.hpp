// rolling_hash: hashes of the last l words of a stream, for several l at once, with one multiplication each.
//
// A stream w1 w2 ... has the running value P(i) = P(i-1) * b + w(i) modulo the prime 2^61 - 1, for a secret base b; the l words that end
// at i have the value P(i) - P(i-l) * b^l, independent of the words before them [Karp87]. Two different windows of l words collide for at
// most l of the 2^61 bases, so an attacker who does not know b cannot construct words that collide with a pattern.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/core/digest.hpp>
#include <everbloom/hash/any_hasher.hpp>
#include <everbloom/probe/mix.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace everbloom::cli {

/// Maximum length of a pattern, in words of 32 bits.
inline constexpr std::size_t most_pattern_words = 64;

class rolling_hash {
public:
    /// Base and salt are derived from the hash key.
    explicit rolling_hash(const any_hasher& keyed) noexcept {
        const digest secret = keyed(key_bytes(std::string_view("everbloom gate: words")));
        const std::uint64_t base = 2 + secret.low % (prime - 3);
        salt_ = secret.high;
        powers_[0] = 1;
        for (std::size_t i = 1; i < powers_.size(); ++i) powers_[i] = times(powers_[i - 1], base);
    }

    /// The running value after one more word.
    [[nodiscard]] std::uint64_t append(std::uint64_t running, std::uint32_t word) const noexcept {
        return reduced(times(running, powers_[1]) + word);
    }

    /// The value of the `words` words between two running values.
    [[nodiscard]] std::uint64_t window(std::uint64_t now, std::uint64_t before, std::size_t words) const noexcept {
        return reduced(now + prime - times(before, powers_[words]));
    }

    /// values[l]: the value of the last l words, for l from 1 to words.size(); there is room for them. The products do not wait for each other,
    /// as running values do: for short windows this is less work.
    void ending_windows(std::span<const std::uint32_t> words, std::uint64_t* values) const noexcept {
        std::uint64_t value = 0;
        for (std::size_t length = 1; length <= words.size(); ++length) {
            value = reduced(value + times(powers_[length - 1], words[words.size() - length]));
            values[length] = value;
        }
    }

    /// The key of a window in filters and tables. Windows of different lengths are different keys.
    [[nodiscard]] digest digest_of(std::uint64_t window, std::size_t words) const noexcept {
        const std::uint64_t salted = window + words * golden_ratio_bits;
        const std::uint64_t mixed = mix(salted ^ salt_);
        return {mixed, (mixed ^ mixed >> 32) * root_of_two_bits}; // 61 bits of entropy, spread over 128
    }

    /// The digest of a sequence of words.
    [[nodiscard]] digest digest_of(std::span<const std::uint32_t> words) const noexcept {
        std::uint64_t running = 0;
        for (const std::uint32_t word : words) running = append(running, word);
        return digest_of(running, words.size());
    }

private:
    static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

    static constexpr std::uint64_t reduced(std::uint64_t value) noexcept {
        return value >= prime ? value - prime : value;
    }

    static constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
        const wide_product product = multiply_wide(a, b);
        return reduced((product.low & prime) + (product.high << 3 | product.low >> 61));
    }

    std::array<std::uint64_t, most_pattern_words + 1> powers_{};
    std::uint64_t salt_ = 0;
};

} // namespace everbloom::cli
