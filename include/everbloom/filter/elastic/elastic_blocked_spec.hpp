// Geometry of an elastic blocked filter: its density, the pace of its growth, and its current size.
#pragma once

#include <everbloom/filter/elastic/stored_hashes/geometry.hpp>
#include <everbloom/filter/kernel/line_pattern.hpp>
#include <everbloom/filter/spec.hpp>

#include <algorithm>

namespace everbloom {

/// How far the frontier should be while a filter grows, so that the FPR stays what it was.
///
/// What has moved is emptier than planned, what has not is fuller. Each side weighs by a power of its keys per block, the
/// *steepness*: 1 at the density it is planned for. The frontier goes where both sides together weigh 1, as before the growth began.
/// It is at the start with `full` keys and at the end with `next_full`; it runs fast at first and slower later.
/// Which power is right is a question for the model (model/elastic/elastic_blocked.hpp).
class growth_pace {
public:
    growth_pace() noexcept = default;
    growth_pace(std::uint64_t full, std::uint64_t next_full, double steepness) noexcept
        : full_(static_cast<double>(full)), next_full_(static_cast<double>(std::max(next_full, full + 1))),
          steepness_(steepness), ahead_((next_full_ - full_) / 64) {}

    /// The share of the pages that should have moved, and by how much one key more raises it, at most: it rises ever more slowly.
    struct due {
        double share;
        double rise;
    };
    /// At this number of keys.
    [[nodiscard]] due due_at(double keys) const noexcept {
        // A little ahead, so that the last page has moved before the room is needed.
        keys += ahead_;
        if (keys <= full_) return {0, 1e9}; // after removals; who knows how fast
        if (keys >= next_full_) return {1, 0};
        // Not std::pow: <cmath> has ten thousand lines, and every user of a filter would read them.
        const double old_side = __builtin_pow(keys / full_, steepness_);
        const double new_side = __builtin_pow(keys / next_full_, steepness_);
        return {(old_side - 1) / (old_side - new_side), steepness_ / (keys * (old_side - new_side))};
    }

private:
    double full_ = 0;
    double next_full_ = 0;
    double steepness_ = 0;
    double ahead_ = 0;
};

struct elastic_blocked_spec {
    /// With the margin below, removals are sure up to 2^30 keys: for a filter of no planned size.
    static constexpr std::uint64_t usual_word_bits = 50;

    std::uint64_t initial_bits = 0;
    std::uint64_t hashes = kernel::lanes;
    std::uint64_t line_keys = 32'000'000; // millionths
    std::uint64_t growth = 300'000;       // millionths
    std::uint64_t steepness = 6'000'000;  // millionths
    std::uint64_t word_bits = usual_word_bits;
    std::uint64_t most_bits = max_structure_bits;
    // State: how far it has grown, and how far a resize has come.
    std::uint64_t bits = 0;
    std::uint64_t next_bits = 0;
    std::uint64_t spares = 0;
    std::uint64_t next_spares = 0;
    std::uint64_t moved = 0;

    static constexpr std::uint64_t least_word_bits = 24;
    static constexpr std::uint64_t most_word_bits = 60;
    /// The stored hash of an absent key is that of some member with chance keys / 2^word_bits: below 2^-20 up to `sure_keys`, and
    /// below 2^-18, 4e-6, at the limit of growth, `most_keys`.
    static constexpr std::uint64_t sure_margin_bits = 20;
    static constexpr std::uint64_t margin_bits = 18;

    [[nodiscard]] static constexpr std::array<spec_field<elastic_blocked_spec>, 12> fields() noexcept {
        using field = spec_field<elastic_blocked_spec>;
        using self = elastic_blocked_spec;
        const auto decimal = [](std::string_view name, std::uint64_t self::*value, std::uint64_t least,
                                std::uint64_t most, std::string_view meaning) {
            return field{name, value, least, most, meaning, {}, field_form::millionths};
        };
        const auto state = [](std::string_view name, std::uint64_t self::*value, std::uint64_t least,
                              std::uint64_t most, std::string_view meaning) {
            return field{name, value, least, most, meaning, {}, field_form::whole, field_role::state};
        };
        constexpr std::uint64_t most_pages = hash_geometry::most_pages;
        return {
            field{"initial_bits", &self::initial_bits, line_bits, max_structure_bits,
                  "size of the bits that queries look at, to begin with"},
            field{"hashes", &self::hashes, 1, kernel::max_line_hashes, "bits per key within its block"},
            decimal("line_keys", &self::line_keys, 1'000'000, 500'000'000,
                    "keys per block of 512 bits; more make it grow"),
            decimal("growth", &self::growth, 10'000, 2'000'000, "how much larger it becomes at a time (0.5: by half)"),
            decimal("steepness", &self::steepness, 100'000, 64'000'000,
                    "by which power of their density old and new blocks weigh while it grows"),
            field{"word_bits", &self::word_bits, least_word_bits, most_word_bits,
                  "bits kept of a key's hash; it holds at most 2^(word_bits - 18) keys"},
            field{"most_bits", &self::most_bits, line_bits, max_structure_bits, "limit of growth"},
            state("bits", &self::bits, line_bits, max_structure_bits, "size of the bits that queries look at, now"),
            state("next_bits", &self::next_bits, 0, max_structure_bits, "the size it is growing to; 0 at rest"),
            state("spares", &self::spares, 0, most_pages, "overflow pages in use"),
            state("next_spares", &self::next_spares, 0, most_pages,
                  "overflow pages in use by the pages it is growing to"),
            state("moved", &self::moved, 0, most_pages, "pages of stored hashes that have moved")};
    }

    [[nodiscard]] result<void> check() const {
        if (auto checked = check_ranges(*this); !checked) return checked;
        for (const auto& [name, value] : {std::pair("bits", bits), std::pair("next_bits", next_bits)}) {
            if (value % line_bits == 0 && pages_for(value) <= hash_geometry::most_pages) continue;
            return fail(failure_reason::bad_parameter,
                        std::string(name) + " is " + std::to_string(value) +
                            "; it must be a multiple of 512, with no more than 2^28 pages "
                            "of stored hashes");
        }
        if (next_bits != 0 && next_bits != grown_bits()) {
            return fail(failure_reason::bad_parameter, "next_bits is " + std::to_string(next_bits) + "; " +
                                                           std::to_string(bits) + " bits grow to " +
                                                           std::to_string(grown_bits()));
        }
        return progress().check();
    }

    /// The geometry for any requested number of bits: no less than that.
    [[nodiscard]] elastic_blocked_spec rounded_up() const noexcept {
        elastic_blocked_spec made = *this;
        if (initial_bits <= max_structure_bits) made.initial_bits = lines_for_bits(initial_bits) * line_bits;
        return made;
    }
    /// A new filter of these choices.
    [[nodiscard]] elastic_blocked_spec started() const noexcept { return at_rest_with(initial_bits); }
    /// An empty filter as large as this one. An invalid spec is returned unchanged, so that `check` can say why.
    [[nodiscard]] elastic_blocked_spec emptied() const {
        if (!check()) return *this;
        return at_rest();
    }
    /// The same of a valid spec.
    [[nodiscard]] elastic_blocked_spec at_rest() const noexcept {
        return at_rest_with(next_bits != 0 ? next_bits : bits);
    }
    [[nodiscard]] elastic_blocked_spec at_rest_with(std::uint64_t wanted_bits) const noexcept {
        elastic_blocked_spec made = *this;
        made.bits = wanted_bits;
        made.next_bits = made.spares = made.next_spares = made.moved = 0;
        return made;
    }

    [[nodiscard]] std::uint64_t blocks() const noexcept { return bits / line_bits; }
    [[nodiscard]] std::uint64_t next_blocks() const noexcept { return next_bits / line_bits; }

    /// How many different keys this many bits hold before they grow.
    [[nodiscard]] std::uint64_t keys_for(std::uint64_t some_bits) const noexcept {
        return std::max<std::uint64_t>(1, millionths_of(some_bits / line_bits, line_keys));
    }
    [[nodiscard]] std::uint64_t sure_keys() const noexcept {
        return std::uint64_t{1} << (word_bits - sure_margin_bits);
    }
    [[nodiscard]] std::uint64_t most_keys() const noexcept { return std::uint64_t{1} << (word_bits - margin_bits); }

    /// Pages for the stored hashes of this many bits: about 88 % full when the bits are. 0 for no bits. From `sure_keys` on there are no more of
    /// them: what comes then goes into overflow pages, up to three for each page.
    [[nodiscard]] std::uint64_t pages_for(std::uint64_t some_bits) const noexcept {
        if (some_bits == 0) return 0;
        const std::uint64_t keys = std::min(keys_for(some_bits), sure_keys());
        const std::uint64_t about =
            std::clamp<std::uint64_t>(keys / hash_geometry::least_slots, 1, hash_geometry::most_pages);
        const std::uint64_t slots = hash_geometry(about, static_cast<unsigned>(word_bits)).slots();
        return std::max<std::uint64_t>(1, ceil_divide(keys, slots * 88 / 100));
    }

    /// The next size up, no larger than the limit; the same size if there is none.
    [[nodiscard]] std::uint64_t grown_bits() const noexcept {
        const std::uint64_t more = std::max<std::uint64_t>(1, millionths_of(blocks(), growth));
        return std::max(bits, std::min((blocks() + more) * line_bits, most_bits / line_bits * line_bits));
    }

    [[nodiscard]] resize_progress progress() const noexcept {
        return {pages_for(bits), spares, pages_for(next_bits), next_spares, moved};
    }

    /// Of the growth that is under way.
    [[nodiscard]] growth_pace pace() const noexcept {
        return {keys_for(bits), keys_for(next_bits), static_cast<double>(steepness) / field_million};
    }

    friend constexpr bool operator==(const elastic_blocked_spec&, const elastic_blocked_spec&) = default;
};

} // namespace everbloom
