#include <everbloom/bits/cell_view.hpp>
#include <everbloom/filter/fuse/fuse_build.hpp>
#include <everbloom/filter/fuse/fuse_places.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace everbloom {
namespace {

/// How many keys segments of 2, 4, 8, ... cells are for. Found by trying: too short segments find no solution, too long ones waste the first
/// and the last. From 413,200 keys on it is the rule of [Graf22]; below, segments of half that length do with fewer cells.
constexpr std::array<std::uint64_t, fuse_spec::most_segment_log> least_keys{
    1,      3,       9,       28,      92,        303,       1'009,      3'360,      11'190,
    37'260, 124'090, 270'000, 413'200, 1'376'000, 4'580'000, 15'260'000, 50'800'000, 169'000'000};

/// Sets for which a segment more is a large part of the whole: it is added only after several seeds have failed.
constexpr std::uint64_t few_keys = 20'000;
constexpr std::uint64_t seeds_before_more_segments = 8;

std::uint64_t segment_cells_for(std::uint64_t keys) noexcept {
    const auto longer = std::upper_bound(least_keys.begin(), least_keys.end(), keys);
    return std::uint64_t{1} << (longer - least_keys.begin());
}

/// With 1.11 cells for each key: no set of a usual size does with fewer.
std::uint64_t first_segments(std::uint64_t keys, std::uint64_t segment_cells) noexcept {
    return std::max(fuse_spec::cells_per_key,
                    ceil_divide(keys + keys / 100 * 11 + keys % 100 * 11 / 100, segment_cells));
}

fuse_spec with_segments(fuse_spec spec, std::uint64_t keys, std::uint64_t more) noexcept {
    spec.segment_cells = segment_cells_for(keys);
    spec.segments = first_segments(keys, spec.segment_cells) + more;
    spec.keys = 0;
    spec.seed = 0;
    return spec;
}

/// The order in which the keys choose their cells, found by peeling; its memory serves one seed after the other.
class peeling {
public:
    explicit peeling(std::span<const std::uint64_t> names) : names_(names) { order_.reserve(names.size()); }

    /// False if there is no such order.
    [[nodiscard]] bool find_order(const fuse_places& places, std::uint64_t cells) {
        if (!count_users(places, cells)) return false;
        order_.clear();
        alone_.clear();
        for (std::size_t cell = 0; cell < users_.size(); ++cell) {
            if (users_[cell] == 1) alone_.push_back(static_cast<std::uint32_t>(cell));
        }
        while (!alone_.empty()) {
            const std::uint32_t cell = alone_.back();
            alone_.pop_back();
            if (users_[cell] != 1) continue; // its key was set aside through another cell
            const std::uint32_t key = key_xor_[cell];
            order_.push_back({key, cell});
            for (const std::uint64_t other : places.cells(places.hash(names_[key]))) {
                const auto at = static_cast<std::size_t>(other);
                key_xor_[at] ^= key;
                if (--users_[at] == 1) alone_.push_back(static_cast<std::uint32_t>(other));
            }
        }
        return order_.size() == names_.size();
    }

    /// The last one of the order first: its cell is in no equation of those that follow.
    void fill(const fuse_places& places, const cell_view<std::uint64_t>& cells) const {
        for (std::size_t i = order_.size(); i-- > 0;) {
            const choice& one = order_[i];
            const std::uint64_t hash = places.hash(names_[one.key]);
            std::uint64_t value = places.fingerprint(hash);
            for (const std::uint64_t cell : places.cells(hash)) value ^= cells.get(cell);
            cells.set(one.cell, value); // its own cell was 0
        }
    }

private:
    struct choice {
        std::uint32_t key;
        std::uint32_t cell;
    };

    /// For each cell the number of its users, and the XOR of their numbers: the number of the last one when the others are gone. False
    /// if a cell has more users than any solvable set.
    [[nodiscard]] bool count_users(const fuse_places& places, std::uint64_t cells) {
        users_.assign(static_cast<std::size_t>(cells), 0);
        key_xor_.assign(static_cast<std::size_t>(cells), 0);
        for (std::size_t key = 0; key < names_.size(); ++key) {
            for (const std::uint64_t cell : places.cells(places.hash(names_[key]))) {
                const auto at = static_cast<std::size_t>(cell);
                if (users_[at] == std::numeric_limits<std::uint8_t>::max()) return false;
                ++users_[at];
                key_xor_[at] ^= static_cast<std::uint32_t>(key);
            }
        }
        return true;
    }

    std::span<const std::uint64_t> names_;
    std::vector<std::uint8_t> users_;
    std::vector<std::uint32_t> key_xor_;
    std::vector<std::uint32_t> alone_; // cells with one user
    std::vector<choice> order_;
};

void keep_distinct(std::vector<std::uint64_t>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

/// Of different names; `segments_at(seed)` is the geometry to try with that seed.
template <class Segments>
result<built_fuse> build_with(std::span<const std::uint64_t> names, std::uint64_t seeds, Segments segments_at) {
    if (names.size() > most_fuse_keys) {
        return fail(failure_reason::bad_parameter, std::to_string(names.size()) +
                                                       " keys are more than a fuse filter can hold, " +
                                                       std::to_string(most_fuse_keys) + "; split the set");
    }
    fuse_spec spec = segments_at(0);
    if (names.empty()) {
        auto empty = heap_words::make(lines_for_bits(spec.structure_bits()));
        if (!empty) return fail(std::move(empty.error()));
        return built_fuse{spec, std::move(*empty)};
    }
    peeling order(names);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        spec = segments_at(seed);
        spec.keys = names.size();
        spec.seed = seed;
        if (spec.cells() < spec.keys || spec.cells() > std::numeric_limits<std::uint32_t>::max()) continue;
        const fuse_places places(spec);
        if (!order.find_order(places, spec.cells())) continue;
        auto words = heap_words::make(lines_for_bits(spec.structure_bits()));
        if (!words) return fail(std::move(words.error()));
        order.fill(places, {words->data(), static_cast<unsigned>(spec.fingerprint_bits)});
        return built_fuse{spec, std::move(*words)};
    }
    return fail(failure_reason::no_room, "a fuse filter has no solution for " + std::to_string(names.size()) +
                                             " keys in " + std::to_string(spec.cells()) + " cells with any of " +
                                             std::to_string(seeds) + " seeds; give it more segments");
}

} // namespace

fuse_spec fuse_segments(const fuse_spec& spec, std::uint64_t keys, std::uint64_t seed) noexcept {
    return with_segments(spec, keys, keys < few_keys ? seed / seeds_before_more_segments : seed);
}

fuse_spec usual_fuse_segments(const fuse_spec& spec, std::uint64_t keys) noexcept {
    // Medians of what sets of all sizes ended with.
    if (keys < least_keys[4]) return with_segments(spec, keys, 0);
    if (keys >= least_keys[13]) return with_segments(spec, keys, 1);
    const std::uint64_t segments = with_segments(spec, keys, 0).segments;
    const bool is_large = keys >= least_keys[11];
    return with_segments(spec, keys, is_large || segments < 35 ? 2 : segments < 100 ? 3 : 4);
}

result<built_fuse> build_fuse(const fuse_spec& wanted, std::vector<std::uint64_t> names) {
    keep_distinct(names);
    const std::uint64_t keys = names.size();
    return build_with(names, most_fuse_seeds, [&](std::uint64_t seed) { return fuse_segments(wanted, keys, seed); });
}

result<built_fuse> build_fuse_in(const fuse_spec& wanted, std::vector<std::uint64_t> names, std::uint64_t seeds) {
    if (auto checked = wanted.emptied().check(); !checked) return fail(std::move(checked.error()));
    keep_distinct(names);
    return build_with(names, seeds, [&](std::uint64_t) { return wanted.emptied(); });
}

} // namespace everbloom
