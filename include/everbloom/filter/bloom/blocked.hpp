// The blocked Bloom filter: a Bloom filter in which all bits of a key lie in one cache line.
//
// Idea        The digest chooses one block of 512 bits, a cache line, and one bit in each of k of its eight 64-bit lanes. A query
//             costs one memory access instead of k, and two vector instructions test all bits at once. The price: blocks
//             fill unevenly, so a given FPR needs a few per cent more bits than a Bloom filter.
// Source      [Putze07] for blocks, [Apache Parquet's split blocks] for one bit per lane.
// Layout      bits / 512 blocks of 8 words; a lane is two 32-bit units of a block (see kernel/line_pattern.hpp)
// Guarantees  No false negative. Inserting a key twice changes nothing. Merge is the union, bit for bit. The scalar and the
//             AVX2 kernel make the same bits.
// Cost        One cache line per operation. About 10 bits per item for 1 %, 15.7 for 0.1 %.
// Deviation   Lanes of 64 bits instead of 32, and k from 1 to 16 instead of 8 only.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/digests_on_demand.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/kernel/line_batch.hpp>

#include <cstring>

namespace everbloom {

struct blocked_spec {
    std::uint64_t bits = 0;
    std::uint64_t hashes = kernel::lanes;

    [[nodiscard]] static constexpr std::array<spec_field<blocked_spec>, 2> fields() noexcept {
        return {spec_field<blocked_spec>{"bits", &blocked_spec::bits, line_bits, max_structure_bits,
                                         "size of the whole structure in bits, rounded up to whole 512-bit blocks"},
                spec_field<blocked_spec>{"hashes", &blocked_spec::hashes, 1, kernel::max_line_hashes,
                                         "hash functions per key (k): bits set within its block"}};
    }
    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (bits % line_bits != 0) {
            return fail(failure_reason::bad_parameter,
                        "bits is " + std::to_string(bits) +
                            "; a blocked filter consists of whole 512-bit blocks, so use " +
                            std::to_string(lines_for_bits(bits) * line_bits));
        }
        return {};
    }
    /// Rounds any number of bits up to a valid geometry.
    [[nodiscard]] blocked_spec rounded_up() const noexcept {
        if (bits == 0 || bits > max_structure_bits) return *this;
        return {lines_for_bits(bits) * line_bits, hashes};
    }
    [[nodiscard]] std::uint64_t lines() const noexcept { return bits / line_bits; }

    friend constexpr bool operator==(const blocked_spec&, const blocked_spec&) = default;
};

template <WordStore Store>
class basic_blocked_filter {
public:
    using spec_type = blocked_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "blocked";
    static constexpr std::string_view summary = "the fastest: one cache line per key, insert-only, mergeable";
    static constexpr std::array<std::string_view, 1> section_names{"lines"};

    /// Cache lines that a query reads, at most.
    [[nodiscard]] static constexpr std::uint64_t query_lines(const blocked_spec&) noexcept { return 1; }

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const blocked_spec& spec) noexcept {
        return {spec.lines()};
    }

    /// Any contents are accepted: every bit pattern is, or nearly is, a union of keys' patterns.
    [[nodiscard]] static result<basic_blocked_filter> assemble(const blocked_spec& spec, std::array<Store, 1> stores) {
        return basic_blocked_filter(spec, std::move(stores[0]));
    }

    [[nodiscard]] const blocked_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(bits_.store().data(), bits_.store().words())};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return bits_.bits(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept { return bits_.test(index) ? 1 : 0; }
    [[nodiscard]] std::uint64_t count_ones() const noexcept { return bits_.count_ones(); }
    [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }
    /// The eight words of a block.
    [[nodiscard]] std::span<const std::uint64_t, line_words> line(std::uint64_t index) const noexcept {
        return std::span<const std::uint64_t, line_words>(words() + index * line_words, line_words);
    }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return kernel::contains(lines_view().line_of(item), item.high, hashes_, in_line_);
    }

    /// Whether this filter, on this processor, has single operations that are in line. A caller that asks once and keeps the answer may
    /// call them by these names and saves a test per key.
    [[nodiscard]] bool in_line() const noexcept { return in_line_; }
    static constexpr bool in_line_twice = true;
    [[nodiscard, gnu::always_inline]] bool may_contain_in_line(digest item) const noexcept {
        return kernel::contains_in_register(lines_view().line_of(item), item.high);
    }
    [[gnu::always_inline]] insert_outcome insert_in_line(digest item) noexcept
        requires WritableWordStore<Store>
    {
        kernel::insert_in_line(lines_view().line_of(item), item.high);
        return insert_outcome::inserted;
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        kernel::contains(lines_view(), items, answers);
    }
    /// The same for digests that the loop makes itself.
    template <class Make>
    void may_contain(const digests_on_demand<Make>& items, std::span<std::uint8_t> answers) const noexcept {
        kernel::contains(lines_view(), items, answers);
    }

    insert_outcome insert(digest item) noexcept
        requires WritableWordStore<Store>
    {
        kernel::insert(lines_view().line_of(item), item.high, hashes_, in_line_);
        return insert_outcome::inserted;
    }

    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires WritableWordStore<Store>
    {
        std::fill(outcomes.begin(), outcomes.end(), insert_outcome::inserted);
        kernel::insert(lines_view(), items);
    }

    /// All are inserted; there is no other outcome.
    template <class Make>
    void insert(const digests_on_demand<Make>& items) noexcept
        requires WritableWordStore<Store>
    {
        kernel::insert(lines_view(), items);
    }

    result<void> merge(const basic_blocked_filter& other)
        requires WritableWordStore<Store>
    {
        if (other.spec_ != spec_) {
            return fail(failure_reason::mismatch, "the two blocked filters have different geometry");
        }
        std::uint64_t* mine = bits_.store().data();
        for (std::uint64_t i = 0; i < bits_.store().words(); ++i) mine[i] |= other.words()[i];
        return {};
    }

    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(bits_.store().data(), 0, bits_.store().words() * sizeof(std::uint64_t));
    }

private:
    basic_blocked_filter(const blocked_spec& spec, Store store) noexcept
        : spec_(spec), lines_(spec.lines()), hashes_(static_cast<unsigned>(spec.hashes)),
          in_line_(kernel::is_in_line(hashes_)), bits_(spec.bits, std::move(store)) {}

    [[nodiscard]] const std::uint64_t* words() const noexcept { return bits_.store().data(); }
    [[nodiscard]] kernel::line_array<const std::uint64_t> lines_view() const noexcept {
        return {words(), lines_, hashes_};
    }
    [[nodiscard]] kernel::line_array<std::uint64_t> lines_view() noexcept
        requires WritableWordStore<Store>
    {
        return {bits_.store().data(), lines_, hashes_};
    }

    blocked_spec spec_;
    std::uint64_t lines_; // of the spec, so that the hot path neither divides nor narrows
    unsigned hashes_;
    bool in_line_; // single operations: kernel::is_in_line
    bit_array<Store> bits_;
};

using blocked_filter = basic_blocked_filter<heap_words>;

} // namespace everbloom
