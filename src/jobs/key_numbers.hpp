// key_numbers: the number of a key in a filter that stores its whole fingerprint, and back.
//
// `quotient` and `elastic_blocked` keep enough of a key's hash that a digest with the same effect can be made from what is stored. A number is
// that part of a hash, without the bits that the filter does not look at: sorted numbers take far fewer bytes than digests. It does not
// depend on how far the filter has grown.
#pragma once

#include <everbloom/core/digest.hpp>
#include <everbloom/runtime/any_filter.hpp>

#include <kinds/elastic_blocked.hpp>
#include <kinds/quotient.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom {

class key_numbers {
public:
    /// `of` must outlive it. Its keys have no numbers if it is of another kind, or mapped.
    explicit key_numbers(any_filter& of) noexcept
        : quotient_(of.as<kinds::quotient>()), elastic_(of.as<kinds::elastic_blocked>()) {}

    [[nodiscard]] bool exist() const noexcept { return quotient_ != nullptr || elastic_ != nullptr; }

    /// Digests of one number are one key to the filter. The functions below need `exist`.
    [[nodiscard]] std::uint64_t number(digest key) const noexcept;
    /// A digest with this number; with some other number if no key has this one.
    [[nodiscard]] digest digest_of(std::uint64_t number) const noexcept;
    /// An item of a quotient filter has two numbers, one for each of its lines; this is the smaller one. Removals find it by both.
    [[nodiscard]] std::uint64_t lesser(std::uint64_t number) const noexcept;

    /// A key in the filter.
    struct stored {
        std::uint64_t lesser = 0;
        std::uint64_t number = 0; // for the line in which it is

        friend bool operator<(const stored& one, const stored& other) noexcept {
            return one.lesser != other.lesser ? one.lesser < other.lesser : one.number < other.number;
        }
    };
    /// Do equal numbers mean the same in both filters?
    [[nodiscard]] bool are_those_of(const key_numbers& other) const noexcept;
    /// All keys, sorted, a key with copies once for each.
    [[nodiscard]] std::vector<stored> all() const;

    /// The order in which keys are removed or added, by `sync` and by patches alike, so that both make the same file: by the mixed number,
    /// because numbers in their order would fill a table from one end to the other.
    void put_in_order(std::span<digest> keys) const;

private:
    const kinds::quotient::filter* quotient_;
    const kinds::elastic_blocked::filter* elastic_;
};

} // namespace everbloom
