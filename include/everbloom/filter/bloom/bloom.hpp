// The Bloom filter: an array of bits and k hash functions.
//
// Idea        An item sets the k bits that its digest selects. If one of the k bits of a key is 0, the key was surely never
//             inserted; if all are 1, it was inserted, or other items have set those bits by chance. Nothing can be removed: a
//             bit does not record how many items share it.
// Source      [Bloom70]; sizing as in docs/models/bloom.md.
// Layout      m bits, bit i at bit i mod 64 of word i / 64:   | 0 1 0 0 1 1 0 ... |
// Guarantees  No false negative. Inserting a key twice changes nothing. Merge is the union, bit for bit.
// Cost        k cache lines to insert or to find a present key, about two to refuse an absent one;
//             1.44 log2(1/fpr) bits per item at the best k.
// Deviation   None. Positions come from one digest (see probe/positions.hpp), not from k hash functions. Filters converted from
//             `.bloom` files (docs/convert.md) and those made from stored hashes (`export`) have probe schemes of their own.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/kernel/cell_batches.hpp>

#include <bit>
#include <cstring>

namespace everbloom {

struct bloom_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = 0;
    std::uint64_t probe = static_cast<std::uint64_t>(probe_scheme::double_hashing);

    [[nodiscard]] static constexpr std::array<spec_field<bloom_spec>, 3> fields() noexcept {
        return {bits_field<bloom_spec>(),
                hashes_field<bloom_spec>(),
                {"probe", &bloom_spec::probe, 0, probe_scheme_words.size() - 1,
                 "how bit positions are derived: double (fast), independent (ideal) or, for bloom, dcso (as in .bloom "
                 "files) and stored (from the part of a hash that elastic kinds store)",
                 probe_scheme_words}};
    }
    [[nodiscard]] result<void> check() const { return check_ranges(*this); }
    [[nodiscard]] probe_scheme scheme() const noexcept { return static_cast<probe_scheme>(probe); }
    /// Whether a few bits of the digest determine all positions of a key. The formulas for k positions are then far too optimistic.
    [[nodiscard]] bool has_linked_positions() const noexcept {
        return scheme() == probe_scheme::dcso && std::has_single_bit(bits);
    }
    /// The next larger geometry without that defect.
    [[nodiscard]] bloom_spec rounded_up() const noexcept {
        bloom_spec better = *this;
        while (better.has_linked_positions()) ++better.bits;
        return better;
    }

    friend constexpr bool operator==(const bloom_spec&, const bloom_spec&) = default;
};

template <WordStore Store>
class basic_bloom_filter {
public:
    using spec_type = bloom_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "bloom";
    static constexpr std::string_view summary = "the classic: small, insert-only, mergeable";
    static constexpr std::array<std::string_view, 1> section_names{"bits"};

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const bloom_spec& spec) noexcept {
        return {lines_for_bits(spec.bits)};
    }

    [[nodiscard]] static result<basic_bloom_filter> assemble(const bloom_spec& spec, std::array<Store, 1> stores) {
        basic_bloom_filter made(spec, std::move(stores[0]));
        if (auto tail = check_tail(made.sections()[0], spec.bits, "bits"); !tail) return fail(std::move(tail.error()));
        return made;
    }

    [[nodiscard]] const bloom_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(bits_.store().data(), bits_.store().words())};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return bits_.bits(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept { return bits_.test(index) ? 1 : 0; }
    [[nodiscard]] std::uint64_t count_ones() const noexcept { return bits_.count_ones(); }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return all_positions(item, probing_, [bits = bits_.view()](std::uint64_t at) { return bits.test(at); });
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        if (kernel::cell_batches::ask_bits(bits_.store().data(), items, answers, probing_)) return;
        const auto bits = bits_.view();
        query_in_windows(
            items, answers, probing_, [bits](std::uint64_t at) { bits.prefetch(at); },
            [bits](const digest&, std::uint64_t at) { return bits.test(at); },
            bits_.store().words() * sizeof(std::uint64_t));
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        for_each_position(item, probing_, [bits = bits_.view()](std::uint64_t at) { bits.set(at); });
        return insert_outcome::inserted;
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        std::fill(outcomes.begin(), outcomes.end(), insert_outcome::inserted);
        if (kernel::cell_batches::set_bits(bits_.store().data(), items, probing_)) return;
        if (is_near(bits_.store().words() * sizeof(std::uint64_t))) {
            for (const digest& item : items) (void)insert(item);
            return;
        }
        const auto bits = bits_.view();
        update_in_windows<repeated_positions::kept>(
            items, probing_, [bits](std::uint64_t at) { bits.prefetch(at); },
            [bits](std::size_t, std::span<const std::uint64_t> positions) {
                for (const std::uint64_t at : positions) bits.set(at);
            });
    }

    result<void> merge(const basic_bloom_filter& other)
        requires WritableWordStore<Store>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch, "the two bloom filters have different geometry");
        }
        std::uint64_t* words = bits_.store().data();
        for (std::uint64_t i = 0; i < bits_.store().words(); ++i) words[i] |= other.bits_.store().data()[i];
        return {};
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(bits_.store().data(), 0, bits_.store().words() * sizeof(std::uint64_t));
    }

private:
    basic_bloom_filter(const bloom_spec& spec, Store store) noexcept
        : spec_(spec), probing_{{spec.bits, static_cast<unsigned>(spec.hashes), spec.scheme()}},
          bits_(spec.bits, std::move(store)) {}

    bloom_spec spec_;
    bloom_probing probing_;
    bit_array<Store> bits_;
};

using bloom_filter = basic_bloom_filter<heap_words>;

} // namespace everbloom
