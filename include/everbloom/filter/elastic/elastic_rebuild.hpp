// Making an elastic filter anew from the records of another, or of two: for growing and shrinking at once, union and intersection.
//
// What is made is made aside: a failure leaves the filter as it was.
#pragma once

#include <everbloom/filter/elastic/elastic_body.hpp>
#include <everbloom/filter/make.hpp>

#include <array>
#include <bit>
#include <string>

namespace everbloom {

/// How many bits a set of records sets, at every size.
class elastic_profile {
public:
    /// Records come in order.
    void see(std::uint64_t record) noexcept {
        // Two neighbours share a bucket as long as the index ends before the first bit in which they differ.
        ++parted_at_[any_ ? static_cast<unsigned>(std::countl_zero(record ^ last_)) : 0];
        last_ = record;
        any_ = true;
    }
    [[nodiscard]] std::uint64_t ones(unsigned log_bits) const noexcept {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < log_bits; ++i) sum += parted_at_[i];
        return sum;
    }

private:
    std::array<std::uint64_t, 65> parted_at_{};
    std::uint64_t last_ = 0;
    bool any_ = false;
};

[[nodiscard]] inline tl::unexpected<failure> elastic_no_room(std::string sentence) {
    return fail(failure_reason::no_room, std::move(sentence));
}

/// Parts of a geometry at rest with records that `for_each(visit)` gives in order, in as many copies as it says (0: none).
template <class ForEach>
[[nodiscard]] result<elastic_parts<heap_words>> elastic_parts_of(const elastic_spec& spec, ForEach for_each) {
    if (auto checked = spec.check(); !checked) return fail(std::move(checked.error()));
    const auto pages = spec.progress().section_lines(static_cast<unsigned>(spec.word_bits));
    const std::array<std::uint64_t, 6> lines{lines_for_bits(spec.bits), 0, pages[0], pages[1], 0, 0};
    auto stores = make_stores(lines);
    if (!stores) return fail(std::move(stores.error()));
    auto made = elastic_parts<heap_words>::assemble(spec, std::move(*stores));
    if (!made) return made;
    insert_outcome failed = insert_outcome::inserted;
    for_each([&](std::uint64_t record, std::uint64_t copies) {
        if (copies != 0 && succeeded(failed)) failed = made->append(record, copies).outcome;
    });
    if (!succeeded(failed)) return elastic_no_room("the fingerprints do not find room in the pages of this size");
    return made;
}

/// The smallest size from `bits` on at which the records neither set too many bits nor overflow the tree.
template <WordStore Store>
[[nodiscard]] result<std::uint64_t> size_for(const elastic_spec& spec, const moving_records<Store>& records,
                                             std::uint64_t bits) {
    elastic_profile profile;
    records.for_each([&](std::uint64_t record, std::uint64_t) { profile.see(record); });
    const elastic_tree tree(spec);
    for (; bits <= spec.largest_bits(); bits *= 2) {
        const auto log_bits = static_cast<unsigned>(std::bit_width(bits)) - 1;
        if (profile.ones(log_bits) <= spec.ones_allowed(bits) && tree.holds_all(records, {}, log_bits)) return bits;
    }
    return elastic_no_room("the keys do not fit into " + std::to_string(spec.largest_bits()) +
                           " bits, which most_bits and word_bits allow at most");
}

} // namespace everbloom
