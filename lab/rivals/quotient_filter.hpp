// Quotient filter [Bender12]: a fingerprint of q + r bits; q bits are the slot, r bits are stored.
//
// At most 90 % of the slots are used. Then the table doubles: each fingerprint gives its highest stored bit to the quotient, so no key is
// needed, but the stored part is a bit shorter for the same number of slots and the FPR doubles with the number of keys. With one stored
// bit left it cannot double any more, and refuses further keys.
//
// FPR: a query matches a run with its r bits, 1 - e^(-load / 2^r). Bits per key: (r + 3) / load.
#pragma once

#include "lab/rivals/quotient_table.hpp"

namespace everbloom::lab::rivals {

class quotient_filter : public growing_rival {
public:
    static constexpr double largest_load = 0.9;
    enum class resizing { never, doubles };

    /// `remainder_bits` is 1 to 29.
    quotient_filter(unsigned quotient_bits, unsigned remainder_bits, resizing wanted);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override { return table_.bits(); }
    [[nodiscard]] insert_outcome insert(digest item) override;
    [[nodiscard]] erase_outcome erase(digest item) override;

    [[nodiscard]] double load() const noexcept { return table_.load(); }
    [[nodiscard]] unsigned remainder_bits() const noexcept { return table_.value_bits(); }
    [[nodiscard]] static double model_fpr(unsigned remainder_bits, double load);

private:
    [[nodiscard]] quotient_table::entry entry_of(digest item) const noexcept;
    [[nodiscard]] bool doubled();

    unsigned fingerprint_bits_;
    resizing resizing_;
    quotient_table table_;
};

} // namespace everbloom::lab::rivals
