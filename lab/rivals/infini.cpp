#include "lab/rivals/infini.hpp"

#include <everbloom/bits/low_mask.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace everbloom::lab::rivals {
namespace {

/// Expansions since the key was added: the 1s at the end of a slot.
unsigned age_of(std::uint64_t value) noexcept { return static_cast<unsigned>(std::countr_one(value)); }

} // namespace

expandable_filter::expandable_filter(unsigned quotient_bits, unsigned fingerprint_bits)
    : table_(quotient_bits, fingerprint_bits + 1) {}

std::uint64_t expandable_filter::quotient_of(digest item) const noexcept {
    return item.low >> (64 - table_.quotient_bits());
}

std::uint64_t expandable_filter::rest_of(digest item) const noexcept {
    return (item.low << table_.quotient_bits()) >> (64 - fingerprint_bits());
}

bool expandable_filter::matches(std::uint64_t value, std::uint64_t rest) const noexcept {
    const unsigned age = age_of(value);
    return value >> (age + 1) == rest >> age;
}

bool expandable_filter::contains(digest item, line_log* log) const {
    const std::uint64_t rest = rest_of(item);
    return table_
        .find(
            quotient_of(item), [&](std::uint64_t value) { return matches(value, rest); }, log)
        .has_value();
}

bool expandable_filter::expanded() {
    const unsigned most = fingerprint_bits(); // the age of a void entry
    if (table_.quotient_bits() + 1 + most > 64) return false;
    quotient_table larger(table_.quotient_bits() + 1, table_.value_bits());
    const auto put = [&](std::uint64_t quotient, std::uint64_t value) { return larger.insert({quotient, value}); };
    for (const auto& [quotient, value] : table_.all()) {
        const unsigned age = age_of(value);
        if (age == most) {
            if (!put(2 * quotient, value) || !put(2 * quotient + 1, value)) return false;
            continue;
        }
        const std::uint64_t fingerprint = value >> (age + 1); // most - age bits, of which the highest one leaves
        const std::uint64_t shorter = fingerprint & low_mask(most - age - 1);
        const std::uint64_t bit = fingerprint >> (most - age - 1);
        if (!put(2 * quotient + bit, (shorter << (age + 2)) | low_mask(age + 1))) return false;
    }
    table_ = std::move(larger);
    ++expansions_;
    return true;
}

insert_outcome expandable_filter::insert(digest item) {
    bool grew = false;
    if (table_.load() >= largest_load) {
        if (!expanded()) return insert_outcome::growth_refused;
        grew = true;
    }
    if (!table_.insert({quotient_of(item), rest_of(item) << 1})) return insert_outcome::full_bucket;
    return grew ? insert_outcome::inserted_grew : insert_outcome::inserted;
}

erase_outcome expandable_filter::erase(digest item) {
    // The longest matching fingerprint: a shorter one may stand for a key that is still there.
    const std::uint64_t rest = rest_of(item);
    const std::uint64_t quotient = quotient_of(item);
    for (unsigned age = 0; age <= fingerprint_bits(); ++age) {
        const std::uint64_t wanted = ((rest >> age) << (age + 1)) | low_mask(age);
        const auto found = table_.find(
            quotient, [&](std::uint64_t value) { return value == wanted; }, nullptr);
        if (!found) continue;
        if (age == fingerprint_bits()) return erase_outcome::not_deletable;
        table_.erase({quotient, wanted});
        return contains(item) ? erase_outcome::removed_still_positive : erase_outcome::removed;
    }
    return erase_outcome::not_present;
}

std::uint64_t expandable_filter::void_entries() const {
    const std::vector<quotient_table::entry> all = table_.all();
    return static_cast<std::uint64_t>(std::count_if(
        all.begin(), all.end(), [&](const auto& one) { return age_of(one.value) == fingerprint_bits(); }));
}

double expandable_filter::model_fpr(unsigned fingerprint_bits, unsigned expansions, double load) {
    // Each table but the first began at load 0.45 and ended at 0.9. So per slot of the present one there are 0.45 2^-i keys of age i, and
    // 0.9 2^-x of the first table. A key whose age is above F has 2^(age - F) void copies.
    const auto bits = static_cast<double>(fingerprint_bits);
    double expected = 0; // entries that match a query
    double older = 0;    // entries per slot that are not new
    for (unsigned age = 1; age <= expansions; ++age) {
        const double share = age == expansions ? largest_load : largest_load / 2;
        const double per_slot = share * std::exp2(-static_cast<double>(age));
        older += per_slot * std::exp2(std::max(0.0, age - bits));
        expected += per_slot * std::exp2(age - bits);
    }
    expected += std::max(0.0, load - older) * std::exp2(-bits);
    return 1 - std::exp(-expected);
}

} // namespace everbloom::lab::rivals
