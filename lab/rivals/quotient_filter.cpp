#include "lab/rivals/quotient_filter.hpp"

#include <everbloom/bits/low_mask.hpp>

#include <cmath>
#include <utility>

namespace everbloom::lab::rivals {

quotient_filter::quotient_filter(unsigned quotient_bits, unsigned remainder_bits, resizing wanted)
    : fingerprint_bits_(quotient_bits + remainder_bits), resizing_(wanted), table_(quotient_bits, remainder_bits) {}

quotient_table::entry quotient_filter::entry_of(digest item) const noexcept {
    // The fingerprint is the highest bits of the hash, so that its first q bits stay the first when q grows.
    const std::uint64_t fingerprint = item.low >> (64 - fingerprint_bits_);
    return {fingerprint >> table_.value_bits(), fingerprint & low_mask(table_.value_bits())};
}

bool quotient_filter::contains(digest item, line_log* log) const {
    const auto [quotient, remainder] = entry_of(item);
    return table_
        .find(
            quotient, [value = remainder](std::uint64_t stored) { return stored == value; }, log)
        .has_value();
}

bool quotient_filter::doubled() {
    if (resizing_ == resizing::never || table_.value_bits() == 1) return false;
    quotient_table larger(table_.quotient_bits() + 1, table_.value_bits() - 1);
    for (const auto& [quotient, remainder] : table_.all()) {
        const std::uint64_t fingerprint = (quotient << table_.value_bits()) | remainder;
        if (!larger.insert({fingerprint >> larger.value_bits(), fingerprint & low_mask(larger.value_bits())})) {
            return false;
        }
    }
    table_ = std::move(larger);
    return true;
}

insert_outcome quotient_filter::insert(digest item) {
    bool grew = false;
    if (table_.load() >= largest_load) {
        if (!doubled()) return insert_outcome::growth_refused;
        grew = true;
    }
    if (!table_.insert(entry_of(item))) return insert_outcome::full_bucket;
    return grew ? insert_outcome::inserted_grew : insert_outcome::inserted;
}

erase_outcome quotient_filter::erase(digest item) {
    if (!table_.erase(entry_of(item))) return erase_outcome::not_present;
    return contains(item) ? erase_outcome::removed_still_positive : erase_outcome::removed;
}

double quotient_filter::model_fpr(unsigned remainder_bits, double load) {
    return 1 - std::exp(-load / static_cast<double>(std::uint64_t{1} << remainder_bits));
}

} // namespace everbloom::lab::rivals
