// The tombstone filter: one Bloom filter of inserted keys and one of removed keys, which takes precedence.
//
// Idea        Removing writes the key into a second Bloom filter. A key is there if the first says "maybe" and the second says
//             "surely not".
// Source      [Summary02], "separate Bloom filter that contains the values that are deleted".
// Layout      two arrays of bits / 2 bits:   inserted | 0 1 1 0 ... |   removed | 0 0 1 0 ... |
// Guarantees  Fewer than any other filter here. A false positive of the *second* array is a false negative of the filter: members
//             are lost, more of them with every removal. A removed key can never be inserted again. Offered for study and for
//             reproducing its source; do not use it where a lost key matters.
// Cost        k cache lines to refuse an absent key, 2 k for a present one.
// Deviation   None.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/cells/two_bit_spec.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/kernel/cell_batches.hpp>

#include <cstring>

namespace everbloom {

template <WordStore Store>
class basic_tombstone_filter {
public:
    using spec_type = two_bit_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "tombstone";
    static constexpr std::string_view summary = "for study only: deletes, but loses members (errors on both sides)";
    static constexpr std::array<std::string_view, 2> section_names{"inserted", "removed"};
    /// False negatives, which the contract of all other kinds forbids.
    static constexpr bool has_false_negatives = true;

    [[nodiscard]] static std::array<std::uint64_t, 2> section_lines(const spec_type& spec) noexcept {
        return {lines_for_bits(spec.cells()), lines_for_bits(spec.cells())};
    }

    [[nodiscard]] static result<basic_tombstone_filter> assemble(const spec_type& spec, std::array<Store, 2> stores) {
        basic_tombstone_filter made(spec, std::move(stores));
        const auto sections = made.sections();
        for (const auto& words : sections) {
            if (auto tail = check_tail(words, spec.cells(), "bits"); !tail) return fail(std::move(tail.error()));
        }
        // Only what looks inserted can be removed.
        if (!is_subset(sections[1], sections[0])) {
            return fail(failure_reason::damaged, "the removed array has a bit that the inserted array lacks");
        }
        return made;
    }

    [[nodiscard]] const spec_type& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 2> sections() const noexcept {
        return {std::span(inserted_.store().data(), inserted_.store().words()),
                std::span(removed_.store().data(), removed_.store().words())};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return probing_.range; }
    /// 1 inserted, 2 removed, 3 both.
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        return (inserted_.test(index) ? 1u : 0u) + (removed_.test(index) ? 2u : 0u);
    }
    [[nodiscard]] std::uint64_t count_inserted_ones() const noexcept { return inserted_.count_ones(); }
    [[nodiscard]] std::uint64_t count_removed_ones() const noexcept { return removed_.count_ones(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return all_set(inserted_, item) && !all_set(removed_, item);
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        if (!kernel::cell_batches::ask_bits(inserted_.store().data(), items, answers, probing_)) {
            const auto bits = inserted_.view();
            query_in_windows(
                items, answers, probing_, [bits](std::uint64_t at) { bits.prefetch(at); },
                [bits](const digest&, std::uint64_t at) { return bits.test(at); },
                inserted_.store().words() * sizeof(std::uint64_t));
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (answers[i] != 0 && all_set(removed_, items[i])) answers[i] = 0;
        }
    }

    [[nodiscard]] erase_outcome can_erase(digest item) const noexcept {
        return may_contain(item) ? erase_outcome::removed : erase_outcome::not_present;
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        set_all(inserted_, item);
        return insert_outcome::inserted;
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        std::fill(outcomes.begin(), outcomes.end(), insert_outcome::inserted);
        if (kernel::cell_batches::set_bits(inserted_.store().data(), items, probing_)) return;
        if (is_near(inserted_.store().words() * sizeof(std::uint64_t))) {
            for (const digest& item : items) (void)insert(item);
            return;
        }
        const auto bits = inserted_.view();
        update_in_windows<repeated_positions::kept>(
            items, probing_, [bits](std::uint64_t at) { bits.prefetch(at); },
            [bits](std::size_t, std::span<const std::uint64_t> positions) {
                for (const std::uint64_t at : positions) bits.set(at);
            });
    }

    erase_outcome erase(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const erase_outcome outcome = can_erase(item);
        if (succeeded(outcome)) set_all(removed_, item);
        return outcome;
    }

    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = erase(items[i]);
    }

    result<void> merge(const basic_tombstone_filter& other)
        requires WritableWordStore<Store>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch, "the two tombstone filters have different geometry");
        }
        unite(inserted_, other.inserted_);
        unite(removed_, other.removed_);
        return {};
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        for (auto* bits : {&inserted_, &removed_}) {
            std::memset(bits->store().data(), 0, bits->store().words() * sizeof(std::uint64_t));
        }
    }

private:
    basic_tombstone_filter(const spec_type& spec, std::array<Store, 2> stores) noexcept
        : spec_(spec), probing_{spec.cells(), static_cast<unsigned>(spec.hashes), spec.scheme()},
          inserted_(spec.cells(), std::move(stores[0])), removed_(spec.cells(), std::move(stores[1])) {}

    [[nodiscard]] bool all_set(const bit_array<Store>& array, digest item) const noexcept {
        return all_positions(item, probing_, [bits = array.view()](std::uint64_t at) { return bits.test(at); });
    }
    void set_all(bit_array<Store>& array, digest item) noexcept {
        for_each_position(item, probing_, [bits = array.view()](std::uint64_t at) { bits.set(at); });
    }
    static void unite(bit_array<Store>& mine, const bit_array<Store>& theirs) noexcept {
        for (std::uint64_t i = 0; i < mine.store().words(); ++i) mine.store().data()[i] |= theirs.store().data()[i];
    }

    spec_type spec_;
    probing probing_;
    bit_array<Store> inserted_;
    bit_array<Store> removed_;
};

using tombstone_filter = basic_tombstone_filter<heap_words>;

} // namespace everbloom
