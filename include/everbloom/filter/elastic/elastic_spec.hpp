// Geometry of an elastic filter: the choices of its user, its limits, and its current size.
//
// Sizes are powers of two, as in [Wu21]: doubling the bits takes one bit from every fingerprint, halving gives it back.
#pragma once

#include <everbloom/core/checked.hpp>
#include <everbloom/filter/elastic/stored_hashes/geometry.hpp>
#include <everbloom/filter/spec.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace everbloom {

struct elastic_spec {
    std::uint64_t initial_bits = 0;
    std::uint64_t hashes = 5;          // this and the next three: [Wu21, Table 1]
    std::uint64_t threshold = 200'000; // millionths
    std::uint64_t bucket_slots = 8;
    std::uint64_t branches = 3;
    std::uint64_t word_bits = 64;
    std::uint64_t most_bits = max_structure_bits;
    // State: how far it has grown, and how far a resize has come.
    std::uint64_t bits = 0;
    std::uint64_t next_bits = 0;
    std::uint64_t pages = 0;
    std::uint64_t spares = 0;
    std::uint64_t next_pages = 0;
    std::uint64_t next_spares = 0;
    std::uint64_t moved = 0;
    std::uint64_t items = 0;

    static constexpr std::uint64_t least_bits = 2; // so that a bucket is never the whole range of hashes
    static constexpr std::uint64_t million = 1'000'000;
    static constexpr std::uint64_t most_items = std::uint64_t{1} << 56;

    [[nodiscard]] static constexpr std::array<spec_field<elastic_spec>, 15> fields() noexcept {
        using field = spec_field<elastic_spec>;
        using self = elastic_spec;
        const auto state = [](std::string_view name, std::uint64_t self::*value, std::uint64_t least,
                              std::uint64_t most, std::string_view meaning) {
            return field{name, value, least, most, meaning, {}, field_form::whole, field_role::state};
        };
        constexpr std::uint64_t pages_limit = hash_geometry::most_pages;
        return {field{"initial_bits", &self::initial_bits, least_bits, max_structure_bits,
                      "bits that queries look at, to begin with, rounded up to a power of two"},
                hashes_field<self>(),
                field{"threshold",
                      &self::threshold,
                      1'000,
                      990'000,
                      "share of the bits that may be set; more make it grow",
                      {},
                      field_form::millionths},
                field{"bucket_slots", &self::bucket_slots, 1, 255, "fingerprints in a bucket"},
                field{"branches", &self::branches, 1, 64, "buckets that share one more bucket"},
                field{"word_bits", &self::word_bits, 6, 64, "stored bits of a hash; more let it grow further"},
                field{"most_bits", &self::most_bits, least_bits, max_structure_bits, "limit of growth"},
                state("bits", &self::bits, least_bits, max_structure_bits, "bits that queries look at, now"),
                state("next_bits", &self::next_bits, 0, max_structure_bits, "bits it is moving to; 0 at rest"),
                state("pages", &self::pages, 1, pages_limit, "pages of fingerprints"),
                state("spares", &self::spares, 0, pages_limit, "overflow pages in use"),
                state("next_pages", &self::next_pages, 0, pages_limit, "pages it is moving to; 0 at rest"),
                state("next_spares", &self::next_spares, 0, pages_limit, "overflow pages of those in use"),
                state("moved", &self::moved, 0, pages_limit, "pages that have moved"),
                state("items", &self::items, 0, most_items, "keys in it, copies counted")};
    }

    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        if (auto checked = check_size("initial_bits", initial_bits); !checked) return checked;
        if (auto checked = check_size("bits", bits); !checked) return checked;
        if ((next_bits == 0) != (next_pages == 0)) {
            return refuse("next_bits is " + std::to_string(next_bits) + " and next_pages is " +
                          std::to_string(next_pages) + "; both are 0 or none");
        }
        if (next_bits != 0) {
            if (auto checked = check_size("next_bits", next_bits); !checked) return checked;
            // No resize more than doubles or halves the bits, or needs many more pages than there are.
            if (next_bits > 2 * bits || next_bits < bits / 2) {
                return refuse("next_bits is " + std::to_string(next_bits) + "; " + std::to_string(bits) +
                              " bits can only be doubled or halved");
            }
            if (next_pages > most_next_pages(pages)) {
                return refuse("next_pages is " + std::to_string(next_pages) + ", far more than " +
                              std::to_string(pages) + " pages can move to");
            }
        }
        return progress().check();
    }

    /// The geometry for any requested number of bits: no less than that.
    [[nodiscard]] elastic_spec rounded_up() const noexcept {
        elastic_spec made = *this;
        if (initial_bits != 0 && initial_bits <= max_structure_bits) made.initial_bits = std::bit_ceil(initial_bits);
        return made;
    }
    /// A new filter of these choices.
    [[nodiscard]] elastic_spec started() const noexcept { return at_rest_with(initial_bits, 0); }
    /// An empty filter as large as this one. An invalid spec is returned unchanged, so that `check` can say why.
    [[nodiscard]] elastic_spec emptied() const {
        if (!check()) return *this;
        elastic_spec made = at_rest_with(target_bits(), 0);
        made.pages = target_pages();
        return made;
    }
    /// An empty filter of this many bits, with pages for at least this many slots.
    [[nodiscard]] elastic_spec at_rest_with(std::uint64_t wanted_bits, std::uint64_t slots) const noexcept {
        elastic_spec made = *this;
        made.bits = wanted_bits;
        made.pages = pages_for(wanted_bits, slots);
        made.next_bits = made.next_pages = made.spares = made.next_spares = made.moved = made.items = 0;
        return made;
    }

    /// No resize needs more; and a small file cannot make its reader allocate much.
    [[nodiscard]] static constexpr std::uint64_t most_next_pages(std::uint64_t pages) noexcept { return 4 * pages + 4; }

    /// The size it has, or will have at the end of the resize under way.
    [[nodiscard]] std::uint64_t target_bits() const noexcept { return next_bits != 0 ? next_bits : bits; }
    [[nodiscard]] std::uint64_t target_pages() const noexcept { return next_pages != 0 ? next_pages : pages; }
    /// The largest size it may ever have: within the limit, and no more positions than hashes can tell apart.
    [[nodiscard]] std::uint64_t largest_bits() const noexcept {
        return std::min(std::bit_floor(most_bits), std::uint64_t{1} << std::min<std::uint64_t>(word_bits, 56));
    }

    /// How many of this many bits may be set.
    [[nodiscard]] std::uint64_t ones_allowed(std::uint64_t some_bits) const noexcept {
        return millionths_of(some_bits, threshold);
    }

    /// Pages for a size: about 85 % full when the bits reach the threshold, and never more than 95 % with what is there now.
    [[nodiscard]] std::uint64_t pages_for(std::uint64_t some_bits, std::uint64_t slots_in_use) const noexcept {
        if (some_bits == 0 || threshold >= million || word_bits < 6 || word_bits > 64) return 0;
        // Hashes per bit that set the share t of the bits: -ln(1 - t), here as t (6 - t) / (6 - 4 t), a little less.
        const std::uint64_t per_million = threshold * (6 * million - threshold) / (6 * million - 4 * threshold);
        const std::uint64_t hashes_planned = millionths_of(some_bits, per_million);
        const hash_geometry about(std::clamp<std::uint64_t>(hashes_planned / 109, 1, hash_geometry::most_pages),
                                  static_cast<unsigned>(word_bits));
        const std::uint64_t planned = ceil_divide(hashes_planned * 20, 17ull * about.slots());
        const std::uint64_t needed = ceil_divide(slots_in_use * 20, 19ull * about.slots());
        return std::clamp<std::uint64_t>(std::max(planned, needed), 1, hash_geometry::most_pages);
    }

    [[nodiscard]] resize_progress progress() const noexcept { return {pages, spares, next_pages, next_spares, moved}; }

    friend constexpr bool operator==(const elastic_spec&, const elastic_spec&) = default;

private:
    [[nodiscard]] static unexpected<failure> refuse(std::string sentence) {
        return fail(failure_reason::bad_parameter, std::move(sentence));
    }
    [[nodiscard]] result<void> check_size(std::string_view name, std::uint64_t some_bits) const {
        const std::string said = std::string(name) + " is " + std::to_string(some_bits);
        if (!std::has_single_bit(some_bits)) {
            return refuse(said + "; it must be a power of two, so use " +
                          std::to_string(std::bit_ceil(std::min(some_bits, max_structure_bits))));
        }
        if (some_bits > largest_bits()) {
            return refuse(said + "; most_bits and word_bits allow no more than " + std::to_string(largest_bits()));
        }
        return {};
    }
};

} // namespace everbloom
