// The scalable Bloom filter: a chain of Bloom filters, each larger and stricter than the one before it.
//
// Idea        When a Bloom filter is full, the next one is opened, twice as large. So n keys need only log n of them. And since the
//             FPRs of all of them add up, each gets a lower one than the last: 1/2 + 1/4 + 1/8 + ... of the target FPR stays below
//             the target for any number of sub-filters.
// Source      [Almeida07].
// Layout      sub-filter i has initial_bits * growth^i bits and begins on its own cache line:   | bits 0 | bits 1 | bits 2 ...
// Guarantees  No false negative. Inserting a key twice changes nothing, nor does inserting one that already answers "maybe": for an
//             insert-only filter it is present. Growth that is refused (most_filters, memory) changes nothing. Merge is the
//             union, sub-filter by sub-filter; they may then be fuller than the threshold, and the FPR higher.
// Cost        The newest sub-filter, which holds half of the keys or more, is queried first. An absent key costs about two cache lines in
//             each of log(n) sub-filters. The tightening costs about log2(1/tightening) / ln 2 bits per key and sub-filter.
// Deviation   A sub-filter is full by its set bits, which are counted exactly, not by a number of keys. Its k positions lie in one array,
//             not in k slices.
#pragma once

#include <everbloom/bits/bit_array.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/chain/chain_query.hpp>
#include <everbloom/filter/chain/scalable_spec.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>

#include <bit>
#include <cstring>

namespace everbloom {

/// One sub-filter: where it lies, and how full it is.
struct scalable_sub {
    std::uint64_t first_word = 0;
    std::uint64_t words = 0;
    std::uint64_t bits = 0;
    std::uint64_t full_from = 0;
    std::uint64_t ones = 0; // counted from the bits and kept up to date, never read from a file
    unsigned hashes = 0;
};

/// The sub-filters from `oldest` on, the newest first.
struct scalable_links {
    struct link {
        bit_view<const std::uint64_t> view;
        std::uint64_t bits;
        std::uint64_t ones;
        unsigned count;

        [[nodiscard]] bool empty() const noexcept { return ones == 0; }
        [[nodiscard]] unsigned hashes() const noexcept { return count; }
        [[nodiscard]] bool holds(std::uint64_t hash) const noexcept { return view.test(reduce(hash, bits)); }
        void prefetch(std::uint64_t hash) const noexcept { view.prefetch(reduce(hash, bits)); }
    };

    const std::uint64_t* words;
    const scalable_sub* subs;
    std::uint64_t oldest;
    std::uint64_t end;

    [[nodiscard]] std::uint64_t count() const noexcept { return end - oldest; }
    [[nodiscard]] link operator[](std::uint64_t index) const noexcept {
        const scalable_sub& sub = subs[end - 1 - index];
        return {bit_view(words + sub.first_word), sub.bits, sub.ones, sub.hashes};
    }
    /// Sub-filters differ in size, so a key is known by its hashes.
    template <class Walk>
    [[nodiscard]] std::uint64_t mark(Walk& walk) const noexcept {
        return walk.next_hash();
    }
};

template <WordStore Store>
class basic_scalable_filter {
public:
    using spec_type = scalable_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "scalable";
    static constexpr std::string_view summary =
        "insert-only, grows by larger and stricter Bloom filters; keeps its FPR";
    static constexpr std::array<std::string_view, 1> section_names{"bits"};

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const scalable_spec& spec) noexcept {
        return {spec.lines()};
    }

    [[nodiscard]] static result<basic_scalable_filter> assemble(const scalable_spec& spec,
                                                                std::array<Store, 1> stores) {
        basic_scalable_filter made(spec, std::move(stores[0]));
        for (std::uint64_t i = 0; i < spec.filters; ++i) {
            if (auto clean = check_tail(made.words_of(i), made.subs_[i].bits, "bits of a sub-filter"); !clean) {
                return fail(std::move(clean.error()));
            }
            made.subs_[i].ones = made.count_ones(i);
        }
        return made;
    }

    [[nodiscard]] const scalable_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(words(), store_.words())};
    }
    /// The bits of all sub-filters, contiguous, without the gaps between them.
    [[nodiscard]] std::uint64_t cells() const noexcept {
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < spec_.filters; ++i) sum += subs_[i].bits;
        return sum;
    }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept {
        std::uint64_t i = 0;
        for (; index >= subs_[i].bits; ++i) index -= subs_[i].bits;
        return bit_view(words() + subs_[i].first_word).test(index) ? 1 : 0;
    }
    [[nodiscard]] const scalable_sub& sub(std::uint64_t index) const noexcept { return subs_[index]; }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return chain_may_contain(item, spec_.scheme(), links_from(0));
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        chain_may_contain(items, answers, spec_.scheme(), links_from(0));
    }

    insert_outcome insert(digest item) noexcept
        requires std::same_as<Store, heap_words> // growing requires owned memory
    {
        return may_contain(item) ? insert_outcome::inserted : insert_new(item);
    }

    /// A window at a time: keys that the chain does not hold are then looked up again, but only in those sub-filters that the window itself
    /// has changed.
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept
        requires std::same_as<Store, heap_words>
    {
        std::array<std::uint8_t, prefetch_window> known;
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const auto window = items.subspan(from, std::min(prefetch_window, items.size() - from));
            may_contain(window, std::span(known).first(window.size()));
            const std::uint64_t changing = open();
            for (std::size_t i = 0; i < window.size(); ++i) {
                const bool held = known[i] != 0 || chain_may_contain(window[i], spec_.scheme(), links_from(changing));
                outcomes[from + i] = held ? insert_outcome::inserted : insert_new(window[i]);
            }
        }
    }

    result<void> merge(const basic_scalable_filter& other)
        requires std::same_as<Store, heap_words>
    {
        if (other.spec_.started() != spec_.started()) {
            return fail(failure_reason::mismatch, "the two scalable filters have different geometry");
        }
        std::uint64_t used = other.spec_.filters; // empty sub-filters at the end are ignored
        while (used > 1 && other.subs_[used - 1].ones == 0) --used;
        if (used > spec_.filters) {
            if (auto longer = lengthen(used); !longer) return longer;
        }
        for (std::uint64_t i = 0; i < used; ++i) {
            const auto more = other.words_of(i);
            std::uint64_t* const mine = store_.data() + subs_[i].first_word;
            for (std::size_t w = 0; w < more.size(); ++w) mine[w] |= more[w];
            subs_[i].ones = count_ones(i);
        }
        return {};
    }

    /// Appends an empty sub-filter in advance, used when the one before it is full.
    result<void> grow()
        requires std::same_as<Store, heap_words>
    {
        return lengthen(spec_.filters + 1);
    }

    /// Keeps the memory.
    void clear() noexcept
        requires WritableWordStore<Store>
    {
        std::memset(store_.data(), 0, store_.words() * sizeof(std::uint64_t));
        for (std::uint64_t i = 0; i < spec_.filters; ++i) subs_[i].ones = 0;
    }

private:
    basic_scalable_filter(const scalable_spec& spec, Store store) noexcept : spec_(spec), store_(std::move(store)) {
        for (std::uint64_t i = 0; i < spec_.filters; ++i) place(i);
    }

    [[nodiscard]] const std::uint64_t* words() const noexcept { return std::as_const(store_).data(); }
    [[nodiscard]] std::span<const std::uint64_t> words_of(std::uint64_t index) const noexcept {
        return {words() + subs_[index].first_word, static_cast<std::size_t>(subs_[index].words)};
    }
    [[nodiscard]] std::uint64_t count_ones(std::uint64_t index) const noexcept {
        std::uint64_t ones = 0;
        for (const std::uint64_t word : words_of(index)) ones += static_cast<std::uint64_t>(std::popcount(word));
        return ones;
    }
    [[nodiscard]] scalable_links links_from(std::uint64_t oldest) const noexcept {
        return {words(), subs_.data(), oldest, spec_.filters};
    }

    /// Computes the position of a sub-filter; those before it are already placed.
    void place(std::uint64_t index) noexcept {
        const std::uint64_t bits = spec_.bits_of(index);
        const std::uint64_t first = index == 0 ? 0 : subs_[index - 1].first_word + subs_[index - 1].words;
        subs_[index] = {first, lines_for_bits(bits) * line_words,
                        bits,  full_from(bits, spec_.threshold),
                        0,     spec_.hashes_of(index)};
    }

    [[nodiscard]] result<void> lengthen(std::uint64_t filters) {
        scalable_spec longer = spec_;
        longer.filters = filters;
        if (auto checked = longer.check(); !checked) {
            return fail(failure_reason::no_room,
                        "the filter cannot grow: it has " + std::to_string(spec_.filters) +
                            " sub-filters, the most it may have; create a new one with a larger "
                            "initial_bits or most_filters");
        }
        if (auto room = store_.extend(longer.lines()); !room) return room;
        const std::uint64_t before = spec_.filters;
        spec_ = longer;
        for (std::uint64_t i = before; i < filters; ++i) place(i);
        return {};
    }

    /// The sub-filter that takes new keys: the newest, unless it was added in advance and is not needed yet.
    [[nodiscard]] std::uint64_t open() const noexcept {
        std::uint64_t index = spec_.filters - 1;
        while (index > 0 && subs_[index].ones == 0 && subs_[index - 1].ones < subs_[index - 1].full_from) --index;
        return index;
    }

    insert_outcome insert_new(digest item) noexcept {
        std::uint64_t index = open();
        const bool grows = subs_[index].ones >= subs_[index].full_from;
        if (grows) {
            if (!or_out_of_memory([&] { return grow(); })) return insert_outcome::growth_refused;
            index = spec_.filters - 1;
        }
        scalable_sub& sub = subs_[index];
        std::uint64_t fresh = 0;
        for_each_position(item, {sub.bits, sub.hashes, spec_.scheme()},
                          [&fresh, bits = bit_view(store_.data() + sub.first_word)](std::uint64_t at) {
                              fresh += bits.test(at) ? 0 : 1;
                              bits.set(at);
                          });
        sub.ones += fresh;
        return grows ? insert_outcome::inserted_grew : insert_outcome::inserted;
    }

    scalable_spec spec_;
    Store store_;
    std::array<scalable_sub, scalable_spec::most_links> subs_{};
};

using scalable_filter = basic_scalable_filter<heap_words>;

} // namespace everbloom
