// The counting Bloom filter: every bit of a Bloom filter becomes a small counter, so that items can leave again.
//
// Idea        An item adds one to its k counters; removing it subtracts one. A key with a zero among its counters is surely
//             not there. A counter that reaches its largest value no longer knows how many items it serves: it sticks, for ever
//             and in both directions, because lowering it could lose somebody else's key.
// Source      [Fan00], [Bonomi06 §2.1].
// Layout      M = bits / counter_bits counters, packed:   | 3 | 0 | 1 | 15 | 0 | ...      (15 of 4 bits: stuck)
// Guarantees  No false negative as long as only members are removed, saturation included. Removing is two-phase: all
//             counters are looked at before one is written. A key inserted twice must be removed twice. Merge adds counters.
// Cost        k cache lines per operation (absent keys: about two); counter_bits times the bits of a Bloom filter.
// Deviation   Equal positions of one item are counted once. Four bits by default: at the best k a counter reaches 15 with
//             probability below 1e-14 [Fan00 §V-C].
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/bits/packed_cells.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/concepts.hpp>

#include <cstring>

namespace everbloom {

struct counting_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t counter_bits = 4;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<counting_spec>, 4> fields() noexcept {
        return {bits_field<counting_spec>(), hashes_field<counting_spec>(),
                spec_field<counting_spec>{"counter_bits", &counting_spec::counter_bits, 2, max_cell_bits,
                                          "bits per counter"},
                probe_field<counting_spec>()};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (cells() == 0) {
            return fail(failure_reason::bad_parameter, "bits is " + std::to_string(bits) +
                                                           "; one counter alone needs " + std::to_string(counter_bits));
        }
        return {};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return bits / counter_bits; }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }

    friend constexpr bool operator==(const counting_spec&, const counting_spec&) = default;
};

template <WordStore Store>
class basic_counting_filter {
public:
    using spec_type = counting_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "counting";
    static constexpr std::string_view summary = "deletes; four times the bits of bloom";
    static constexpr std::array<std::string_view, 1> section_names{"counters"};

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const counting_spec& spec) noexcept {
        return {lines_for_bits(spec.cells() * spec.counter_bits)};
    }

    [[nodiscard]] static result<basic_counting_filter> assemble(const counting_spec& spec,
                                                                std::array<Store, 1> stores) {
        if (!tail_is_zero(stores[0], spec.cells() * spec.counter_bits)) {
            return fail(failure_reason::damaged,
                        "a bit is set behind the last of " + std::to_string(spec.cells()) + " counters");
        }
        return basic_counting_filter(spec, std::move(stores[0]));
    }

    [[nodiscard]] const counting_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(counters_.store().data(), counters_.store().words())};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return counters_.cells(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept { return counters_.get(index); }
    /// The value at which a counter sticks.
    [[nodiscard]] std::uint64_t stuck_value() const noexcept { return counters_.largest(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return counters_.with_view([&](auto counters) {
            return all_positions(item, probing_, [counters](std::uint64_t at) { return counters.get(at) != 0; });
        });
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        counters_.with_view([&](auto counters) {
            query_in_windows(
                items, answers, probing_, [counters](std::uint64_t at) { counters.prefetch(at); },
                [counters](const digest&, std::uint64_t at) { return counters.get(at) != 0; });
        });
    }

    /// The smallest of the key's counters: how often it was inserted, or more.
    [[nodiscard]] std::uint64_t estimate_count(digest item) const noexcept {
        std::uint64_t smallest = counters_.largest();
        for_each_position(item, probing_, [&](std::uint64_t at) { smallest = std::min(smallest, counters_.get(at)); });
        return smallest;
    }

    [[nodiscard]] erase_outcome judge_erase(digest item) const noexcept {
        return judge_erase_at(counters_.view(), position_list::distinct(item, probing_).get());
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const position_list positions = position_list::distinct(item, probing_);
        return counters_.with_view([&](auto counters) { return insert_at(counters, positions.get()); });
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        counters_.with_view([&](auto counters) {
            update_in_windows<repeated_positions::dropped>(
                items, probing_, [counters](std::uint64_t at) { counters.prefetch(at); },
                [=](std::size_t index, std::span<const std::uint64_t> at) {
                    outcomes[index] = insert_at(counters, at);
                });
        });
    }

    erase_outcome erase(digest item) noexcept
        requires WritableWordStore<Store>
    {
        const position_list positions = position_list::distinct(item, probing_);
        return counters_.with_view([&](auto counters) { return erase_at(counters, positions.get()); });
    }

    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        counters_.with_view([&](auto counters) {
            update_in_windows<repeated_positions::dropped>(
                items, probing_, [counters](std::uint64_t at) { counters.prefetch(at); },
                [=](std::size_t index, std::span<const std::uint64_t> at) {
                    outcomes[index] = erase_at(counters, at);
                });
        });
    }

    result<void> merge(const basic_counting_filter& other)
        requires WritableWordStore<Store>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch, "the two counting filters have different geometry");
        }
        for (std::uint64_t i = 0; i < cells(); ++i) {
            counters_.set(i, std::min(counters_.get(i) + other.counters_.get(i), counters_.largest()));
        }
        return {};
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(counters_.store().data(), 0, counters_.store().words() * sizeof(std::uint64_t));
    }

private:
    basic_counting_filter(const counting_spec& spec, Store store) noexcept
        : spec_(spec), probing_{spec.cells(), static_cast<unsigned>(spec.hashes), spec.scheme()},
          counters_(spec.cells(), static_cast<unsigned>(spec.counter_bits), std::move(store)) {}

    template <class Counters>
    static insert_outcome insert_at(Counters counters, std::span<const std::uint64_t> positions) noexcept {
        bool stuck = false;
        for (const std::uint64_t at : positions) {
            const std::uint64_t value = counters.get(at);
            if (value + 1 >= counters.largest()) [[unlikely]] {
                stuck = true;
                if (value == counters.largest()) continue;
            }
            counters.add_within(at, 1);
        }
        return stuck ? insert_outcome::inserted_saturated : insert_outcome::inserted;
    }

    template <class Counters>
    [[nodiscard]] static erase_outcome judge_erase_at(Counters counters,
                                                      std::span<const std::uint64_t> positions) noexcept {
        bool all_stuck = true;
        bool one_empty = false;
        for (const std::uint64_t at : positions) {
            const std::uint64_t value = counters.get(at);
            one_empty |= value == 0;
            all_stuck &= value == counters.largest();
        }
        if (one_empty) return erase_outcome::not_present;
        return all_stuck ? erase_outcome::not_deletable : erase_outcome::removed;
    }

    template <class Counters>
    static erase_outcome erase_at(Counters counters, std::span<const std::uint64_t> positions) noexcept {
        const erase_outcome outcome = judge_erase_at(counters, positions);
        if (outcome != erase_outcome::removed) return outcome;
        for (const std::uint64_t at : positions) {
            if (counters.get(at) != counters.largest()) [[likely]]
                counters.subtract_within(at, 1);
        }
        return outcome;
    }

    counting_spec spec_;
    probing probing_;
    packed_cells<Store> counters_;
};

using counting_filter = basic_counting_filter<heap_words>;

static_assert(Deletable<counting_filter> && Countable<counting_filter> && Mergeable<counting_filter>);
static_assert(!Growable<counting_filter> && !Insertable<basic_counting_filter<const_words>>);
static_assert(ErasureJudge<basic_counting_filter<const_words>>);

} // namespace everbloom
