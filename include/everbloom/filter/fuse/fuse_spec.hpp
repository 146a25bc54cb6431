// The geometry of a fuse filter: segments of cells, the width of a fingerprint, and what of a hash stands for a key.
//
// A copy that is made without the keys knows them by what its source has stored of their hashes. Everything that asks the copy must shorten
// hashes in the same way, so the way is part of the geometry, and of the file.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/quotient/quotient_spec.hpp>
#include <everbloom/filter/spec.hpp>

#include <bit>

namespace everbloom {

/// What stands for a key. Written to files: a number is never given a second meaning.
enum class fuse_identity : std::uint64_t {
    digest = 0,   // its whole hash
    stored = 1,   // the bits that the elastic kinds store, as those of the probe scheme of that name
    quotient = 2, // its fingerprint in a quotient filter, or the other one of the same two lines
};

inline constexpr std::array<std::string_view, 3> fuse_identity_words{"digest", "stored", "quotient"};

struct fuse_spec {
    std::uint64_t segment_cells = 0;
    std::uint64_t segments = 0;
    std::uint64_t fingerprint_bits = 8;
    // State: what it was built from.
    std::uint64_t keys = 0;
    std::uint64_t seed = 0;
    std::uint64_t identity = static_cast<std::uint64_t>(fuse_identity::digest);
    std::uint64_t source_rows = 0; // of a quotient filter, as the next two
    std::uint64_t source_buckets = 0;
    std::uint64_t source_remainder_bits = 0;

    static constexpr std::uint64_t cells_per_key = 3; // each in a segment of its own
    /// Longer segments find solutions in fewer cells, shorter ones stay in the cache while they are built [Graf22].
    static constexpr unsigned most_segment_log = 18;
    static constexpr std::uint64_t most_segments = std::uint64_t{1} << 40;
    static constexpr std::uint64_t most_fingerprint_bits = 32;
    static constexpr std::uint64_t most_seed = 0xffffffff;

    [[nodiscard]] static constexpr std::array<spec_field<fuse_spec>, 9> fields() noexcept {
        using field = spec_field<fuse_spec>;
        using self = fuse_spec;
        const auto state = [](std::string_view name, std::uint64_t self::*value, std::uint64_t most,
                              std::string_view meaning, std::span<const std::string_view> words = {}) {
            return field{name, value, 0, most, meaning, words, field_form::whole, field_role::state};
        };
        return {field{"segment_cells", &self::segment_cells, 1, std::uint64_t{1} << most_segment_log,
                      "cells of a segment, a power of two"},
                field{"segments", &self::segments, cells_per_key, most_segments,
                      "segments; a key has a cell in each of three neighbouring ones"},
                field{"fingerprint_bits", &self::fingerprint_bits, 1, most_fingerprint_bits,
                      "bits of a cell; each one halves the FPR"},
                state("keys", &self::keys, max_structure_bits, "different keys that it was built from"),
                state("seed", &self::seed, most_seed, "hash seed with which the cells could be computed"),
                state("identity", &self::identity, fuse_identity_words.size() - 1,
                      "what stands for a key: its whole hash, or what the source of a copy had stored of it",
                      fuse_identity_words),
                state("source_rows", &self::source_rows, quotient_spec::max_lines,
                      "rows of the quotient filter that this is a copy of"),
                state("source_buckets", &self::source_buckets, quotient_spec::most_buckets, "its buckets"),
                state("source_remainder_bits", &self::source_remainder_bits, 8 + quotient_spec::most_extension_bits,
                      "its remainder_bits")};
    }

    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (!std::has_single_bit(segment_cells)) return refuse("segment_cells must be a power of two");
        // At most 2^18 * 2^40 * 32: no product overflows.
        if (structure_bits() > max_structure_bits) {
            return refuse("segments times segment_cells are more than 2^56 bits; use fewer or smaller ones");
        }
        if (keys > cells()) return refuse("there cannot be more keys than cells");
        if (keys == 0 && seed != 0) return refuse("there is a seed, but there are no keys");
        if (has_identity(fuse_identity::quotient)) return source().check();
        if (source_rows != 0 || source_buckets != 0 || source_remainder_bits != 0) {
            return refuse("source_rows, source_buckets or source_remainder_bits is set, but identity is not quotient");
        }
        return {};
    }

    /// The next power of two. A single size of segments is no geometry: how many there are must be said, or planned.
    [[nodiscard]] fuse_spec rounded_up() const noexcept {
        fuse_spec made = *this;
        if (segment_cells != 0 && segment_cells <= std::uint64_t{1} << most_segment_log) {
            made.segment_cells = std::bit_ceil(segment_cells);
        }
        return made;
    }
    /// Without keys. An invalid spec is returned unchanged, so that `check` can say why.
    [[nodiscard]] fuse_spec emptied() const {
        if (!check()) return *this;
        fuse_spec made = *this;
        made.keys = 0;
        made.seed = 0;
        return made;
    }
    [[nodiscard]] fuse_spec started() const { return emptied(); }

    [[nodiscard]] std::uint64_t cells() const noexcept { return segment_cells * segments; }
    [[nodiscard]] std::uint64_t structure_bits() const noexcept { return cells() * fingerprint_bits; }
    /// Cells that can be the first one of a key.
    [[nodiscard]] std::uint64_t first_cells() const noexcept { return segment_cells * (segments - cells_per_key + 1); }
    [[nodiscard]] bool has_identity(fuse_identity wanted) const noexcept {
        return identity == static_cast<std::uint64_t>(wanted);
    }

    /// The part of a quotient filter's geometry that its fingerprints depend on.
    [[nodiscard]] quotient_spec source() const noexcept {
        quotient_spec made;
        made.initial_lines = source_rows;
        made.rows = source_rows;
        made.buckets = source_buckets;
        made.remainder_bits = source_remainder_bits;
        return made;
    }
    /// A copy of that quotient filter; its segments and fingerprints are still to be chosen.
    [[nodiscard]] static fuse_spec copy_of(const quotient_spec& source) noexcept {
        fuse_spec made;
        made.identity = static_cast<std::uint64_t>(fuse_identity::quotient);
        made.source_rows = source.rows;
        made.source_buckets = source.buckets;
        made.source_remainder_bits = source.remainder_bits;
        return made;
    }
    /// A copy of stored hashes.
    [[nodiscard]] static fuse_spec copy_of_stored_hashes() noexcept {
        fuse_spec made;
        made.identity = static_cast<std::uint64_t>(fuse_identity::stored);
        return made;
    }

    friend constexpr bool operator==(const fuse_spec&, const fuse_spec&) = default;

private:
    [[nodiscard]] static result<void> refuse(const char* sentence) {
        return fail(failure_reason::bad_parameter, sentence);
    }
};

} // namespace everbloom
