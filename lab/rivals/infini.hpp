// Expandable fingerprints after InfiniFilter [Dayan23] and Aleph filter [Dayan24]: a quotient filter whose slots keep their width.
//
// A slot of F + 1 bits holds a fingerprint of F bits or fewer: the rest is a 0 and as many 1s as bits are missing, so the length can be
// read off the slot.
//
//   F = 4:   b b b b 0     new      b b b 0 1     after one expansion      0 1 1 1 1     void, after four
//
// When the table doubles, each fingerprint gives one bit to the quotient, while new keys get F bits again. Half of the entries are younger
// than one expansion, a quarter older, and so on: the FPR grows with the number of expansions, not with the number of keys. A void entry
// matches every query of its slot. As in Aleph filter, the next expansion copies it into both slots that it may stand for, so a query
// reads one place only.
//
// FPR after x expansions, at load a: entries of age i are a share of 2^-(i+1) and match with 2^-(F-i), so about a (x + 2) 2^-(F+1).
//
// Deviation: a void entry cannot be erased (`not_deletable`). Aleph filter keeps a second table from which it learns how many copies there
// are; we have none, as fewer than one key in 2^F is affected after F expansions.
#pragma once

#include "lab/rivals/quotient_table.hpp"

namespace everbloom::lab::rivals {

class expandable_filter : public growing_rival {
public:
    static constexpr double largest_load = 0.9;

    /// `fingerprint_bits`, F, is 1 to 28.
    expandable_filter(unsigned quotient_bits, unsigned fingerprint_bits);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override { return table_.bits(); }
    [[nodiscard]] insert_outcome insert(digest item) override;
    [[nodiscard]] erase_outcome erase(digest item) override;

    [[nodiscard]] double load() const noexcept { return table_.load(); }
    [[nodiscard]] unsigned expansions() const noexcept { return expansions_; }
    [[nodiscard]] std::uint64_t void_entries() const;
    /// At the given load after `expansions` expansions, if keys were only added.
    [[nodiscard]] static double model_fpr(unsigned fingerprint_bits, unsigned expansions, double load);

private:
    [[nodiscard]] unsigned fingerprint_bits() const noexcept { return table_.value_bits() - 1; }
    /// Does this slot content stand for a key whose hash bits behind the quotient are `rest` (F of them)?
    [[nodiscard]] bool matches(std::uint64_t value, std::uint64_t rest) const noexcept;
    [[nodiscard]] std::uint64_t quotient_of(digest item) const noexcept;
    [[nodiscard]] std::uint64_t rest_of(digest item) const noexcept;
    [[nodiscard]] bool expanded();

    unsigned expansions_ = 0;
    quotient_table table_;
};

} // namespace everbloom::lab::rivals
