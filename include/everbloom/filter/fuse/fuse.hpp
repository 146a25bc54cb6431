// The fuse filter: the fewest bits for a set that does not change.
//
// Idea        A key has three cells and a fingerprint, and the cells are chosen so that their XOR is the fingerprint: one equation per key,
//             solved for all keys at once. A query computes the XOR. For an absent key it is a random number, equal to the key's
//             fingerprint of w bits with chance 2^-w. No key can be added later: its equation would need a cell that no other key uses.
// Source      Binary fuse filters [Graf22]: the three cells lie in neighbouring segments, which makes nearly all sets of n keys solvable with
//             1.125 n cells.
// Layout      cell i at the bits from i w on, w = fingerprint_bits:
//             | segment 0: segment_cells cells | segment 1 | ... | segment segments - 1 |
// Guarantees  No false negative. Repeated keys are one key. A filter without keys answers "surely not" to everything. Cells that no key has
//             chosen are 0.
// Cost        Query: three cache lines, read together. 1.13 w bits per key from a million keys on, 1.2 to 1.3 w for some thousand. Building:
//             about 40 bytes of memory per key, and some tenths of a microsecond.
// Deviation   Cells of any width from 1 to 32 bits, packed. Copies of other filters know a key by what those have stored of its hash
//             (fuse_spec.hpp). A construction begins with fewer cells than the paper's rule has, and gets more after seeds that
//             have no solution (fuse_build.hpp).
#pragma once

#include <everbloom/bits/cell_view.hpp>
#include <everbloom/bits/const_words.hpp>
#include <everbloom/bits/heap_words.hpp>
#include <everbloom/filter/batch.hpp>
#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/contents.hpp>
#include <everbloom/filter/fuse/fuse_build.hpp>
#include <everbloom/filter/fuse/fuse_places.hpp>

namespace everbloom {

template <WordStore Store>
class basic_fuse_filter {
public:
    using spec_type = fuse_spec;
    using store_type = Store;
    static constexpr std::string_view kind_name = "fuse";
    static constexpr std::string_view summary =
        "the smallest file for a fixed set: built once from all keys, then queries only";
    static constexpr std::array<std::string_view, 1> section_names{"cells"};

    [[nodiscard]] static constexpr std::uint64_t query_lines(const fuse_spec&) noexcept {
        return fuse_spec::cells_per_key;
    }

    [[nodiscard]] static std::array<std::uint64_t, 1> section_lines(const fuse_spec& spec) noexcept {
        return {lines_for_bits(spec.structure_bits())};
    }

    /// Any cell may have any value; what lies behind the last one, and the cells of a filter without keys, are 0.
    [[nodiscard]] static result<basic_fuse_filter> assemble(const fuse_spec& spec, std::array<Store, 1> stores) {
        basic_fuse_filter made(spec, std::move(stores[0]));
        const std::uint64_t used_bits = spec.keys == 0 ? 0 : spec.structure_bits();
        if (auto tail = check_tail(made.sections()[0], used_bits, "cells"); !tail) return fail(std::move(tail.error()));
        return made;
    }

    [[nodiscard]] const fuse_spec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::array<std::span<const std::uint64_t>, 1> sections() const noexcept {
        return {std::span(store_.data(), static_cast<std::size_t>(store_.words()))};
    }
    [[nodiscard]] std::uint64_t cells() const noexcept { return spec_.cells(); }
    [[nodiscard]] std::uint64_t cell(std::uint64_t index) const noexcept { return view().get(index); }
    /// Different ones.
    [[nodiscard]] std::uint64_t keys() const noexcept { return spec_.keys; }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        return spec_.keys != 0 && holds(view(), places_.hash(places_.name(item)));
    }

    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        if (spec_.keys == 0) return std::fill(answers.begin(), answers.end(), std::uint8_t{0});
        const auto cells = view();
        std::array<std::uint64_t, prefetch_window> hashes;
        for (std::size_t from = 0; from < items.size(); from += prefetch_window) {
            const std::size_t count = std::min(prefetch_window, items.size() - from);
            for (std::size_t i = 0; i < count; ++i) {
                hashes[i] = places_.hash(places_.name(items[from + i]));
                for (const std::uint64_t at : places_.cells(hashes[i])) cells.prefetch(at);
            }
            for (std::size_t i = 0; i < count; ++i) {
                answers[from + i] = static_cast<std::uint8_t>(holds(cells, hashes[i]));
            }
        }
    }

#if !defined(EVERBLOOM_SMALL)
    /// Exactly these keys instead of those that it had, in as many segments as they need. `fingerprint_bits` stays. A failure changes
    /// nothing.
    result<void> build(std::span<const digest> keys)
        requires std::same_as<Store, heap_words>
    {
        std::vector<std::uint64_t> names(keys.size());
        std::transform(keys.begin(), keys.end(), names.begin(), [&](digest key) { return places_.name(key); });
        auto built = build_fuse(spec_, std::move(names));
        if (!built) return fail(std::move(built.error()));
        *this = basic_fuse_filter(built->spec, std::move(built->cells));
        return {};
    }
#endif

private:
    using cells_view = cell_view<const std::uint64_t>;

    basic_fuse_filter(const fuse_spec& spec, Store store) noexcept
        : spec_(spec), places_(spec), store_(std::move(store)) {}

    [[nodiscard]] cells_view view() const noexcept {
        return {store_.data(), static_cast<unsigned>(spec_.fingerprint_bits)};
    }
    [[nodiscard]] bool holds(const cells_view& cells, std::uint64_t hash) const noexcept {
        const auto [first, second, third] = places_.cells(hash);
        return (cells.get(first) ^ cells.get(second) ^ cells.get(third)) == places_.fingerprint(hash);
    }

    fuse_spec spec_;
    fuse_places places_;
    Store store_;
};

using fuse_filter = basic_fuse_filter<heap_words>;

} // namespace everbloom
