// Model of the quotient filter: its FPR, which depends on the keys and the fingerprints only, and the geometry for a plan of growth.
// Derivation: docs/models/quotient.md.
#pragma once

#include <everbloom/filter/quotient/quotient.hpp>
#include <everbloom/model/fuse/fuse_rate.hpp>
#include <everbloom/model/growth.hpp>
#include <everbloom/model/query_copy.hpp>
#include <everbloom/model/quotient/line_choice.hpp>
#include <everbloom/model/workload.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <optional>

namespace everbloom {

struct quotient_model {
    static constexpr std::array<std::string_view, 4> chosen_by_plan{"rows", "buckets", "remainder_bits",
                                                                    "planned_keys"};

    /// Who says nothing about growth gets room for this many keys, or four times the capacity, before the FPR rises above its target.
    static constexpr std::uint64_t usual_plan = std::uint64_t{1} << 24;

    /// The best line whose FPR is low enough when the planned number of keys is reached; then fingerprints for that number, and lines for
    /// the capacity.
    [[nodiscard]] static result<quotient_spec> plan(const workload& wanted,
                                                    quotient_spec preset = {.buckets = 0, .remainder_bits = 0}) {
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        if (wanted.items > quotient_spec::max_lines) return fail(too_many(wanted.items));
        if (preset.planned_keys == 0) preset.planned_keys = std::max(usual_plan, 4 * wanted.items);
        const auto last_keys = static_cast<double>(std::max(preset.planned_keys, wanted.items));
        const bool grows = preset.planned_keys > wanted.items;
        const double load =
            static_cast<double>(grows ? quotient_spec::planned_load : quotient_spec::full_load) / field_million;

        const quotient_line_choice choice(wanted.fpr, load, static_cast<unsigned>(preset.buckets));
        const auto line = grows ? choice.for_growth() : choice.with_most_slots();
        if (!line) {
            return fail(failure_reason::bad_parameter,
                        "no quotient filter has such a low FPR: a fingerprint keeps at most 32 "
                        "bits besides its place; ask for a higher one");
        }
        const double last_lines = std::ceil(last_keys / (load * line->slots));
        const double now_lines = std::ceil(static_cast<double>(wanted.items) / (load * line->slots));
        if (last_lines > static_cast<double>(quotient_spec::max_lines)) return fail(too_many(preset.planned_keys));
        // Each doubling up to the plan is one more bit that is stored at the beginning. Rounded up, a doubling that has begun: the filter
        // has no fewer lines than rows, which rounded down would be up to twice as many as the capacity needs.
        const std::uint64_t most_doublings = quotient_spec::most_extension_bits - line->extension_bits;
        const auto doublings = std::min(
            most_doublings, static_cast<std::uint64_t>(std::fmax(0.0, std::ceil(std::log2(last_lines / now_lines)))));
        preset.buckets = line->buckets;
        if (preset.remainder_bits == 0) preset.remainder_bits = 8 + line->extension_bits + doublings;
        if (preset.rows == 0) {
            const double rows = std::ceil(std::ldexp(last_lines, -static_cast<int>(doublings)));
            preset.rows = static_cast<std::uint64_t>(rows);
        }
        preset.initial_lines = std::max(preset.initial_lines, preset.rows);
        const quotient_spec sized = with_room_for(preset, wanted.items, first_size::open);
        preset.initial_lines = sized.lines();
        return preset.started();
    }

    /// Lines for the keys that were there at most, less those that it gave back when keys were removed.
    [[nodiscard]] static quotient_spec grown(const quotient_spec& spec, const lifetime& lived) {
        const auto most =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(lived.items) * (1 + lived.removed_share)));
        const quotient_spec largest = with_room_for(spec, most, first_size::given);
        std::uint64_t low = spec.initial_lines;
        std::uint64_t high = largest.lines();
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            const std::uint64_t least = millionths_of(spec.with_lines(middle).slots(), quotient_spec::shrink_load);
            (lived.items < least ? high : low) = lived.items < least ? middle : middle + 1;
        }
        return spec.with_lines(std::min(low, largest.lines()));
    }

    [[nodiscard]] static prediction predict(const quotient_spec& spec, const lifetime& lived) {
        return {fpr(spec, static_cast<double>(lived.items)), 1.0};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_quotient_filter<Store>& filter) {
        return {fpr(filter.spec(), static_cast<double>(filter.items())), static_cast<double>(filter.keys()), 1.0};
    }

    template <WordStore Store>
    [[nodiscard]] static growth_statistics growth(const basic_quotient_filter<Store>& filter) noexcept {
        growth_statistics seen;
        seen.expansions = filter.expansions();
        seen.fast_bits = filter.spec().structure_bits();
        seen.planned_keys = static_cast<double>(filter.spec().planned_keys);
        const quotient_spec last = filter.spec().with_lines(filter.spec().largest_lines());
        seen.most_keys = static_cast<double>(millionths_of(last.slots(), quotient_spec::growing_load));
        return seen;
    }

    /// The geometry of a copy for queries only: as many bits of the paths left out as the FPR allows, and no more lines than the keys need.
    template <WordStore Store>
    [[nodiscard]] static result<query_copy_geometry> query_copy(const basic_quotient_filter<Store>& filter,
                                                                double target) {
        const std::uint64_t items = std::max<std::uint64_t>(filter.items(), 1);
        quotient_spec best = filter.spec();
        if (fpr(best, static_cast<double>(items)) > target) {
            return fail(failure_reason::bad_parameter, "a copy cannot have a lower FPR than the filter itself");
        }
        const auto fitting = [&](quotient_spec spec) {
            spec.initial_lines = spec.rows;
            spec.planned_keys = items;
            spec = with_room_for(spec.started(), items, first_size::open);
            spec.initial_lines = spec.lines();
            return spec;
        };
        best = fitting(best);
        for (quotient_spec shorter = filter.spec(); --shorter.remainder_bits >= 8;) {
            if (fpr(shorter, static_cast<double>(items)) > target) break;
            const quotient_spec tried = fitting(shorter);
            if (tried.comfortable_items() < items) break; // the paths are too short for this number of lines
            best = tried;
        }
        return query_copy_geometry("quotient", best);
    }

    /// The geometry of a copy that is built at once.
    template <WordStore Store>
    [[nodiscard]] static result<query_copy_geometry> fuse_copy(const basic_quotient_filter<Store>& filter,
                                                               double target) {
        return fuse_rate::copy_geometry(fuse_spec::copy_of(filter.spec()), filter.items(), target);
    }

    /// A key is taken for another if it has its fingerprint, or the other one of the same two lines.
    [[nodiscard]] static double fpr(const quotient_spec& spec, double keys) noexcept {
        return -std::expm1(keys * std::log1p(-2 / std::fmax(2.0, spec.fingerprints())));
    }

private:
    [[nodiscard]] static failure too_many(std::uint64_t items) {
        return {failure_reason::bad_parameter,
                std::to_string(items) + " keys are more than a quotient filter can hold; ask for fewer"};
    }

    /// Is the spec that of a filter which was made with its initial lines, or are these to be found? They may be fuller.
    enum class first_size { given, open };

    /// The fewest lines, no fewer than the initial ones, that hold this many keys.
    [[nodiscard]] static quotient_spec with_room_for(const quotient_spec& spec, std::uint64_t keys, first_size size) {
        quotient_spec first = spec.with_lines(std::max(spec.initial_lines, spec.rows));
        first.initial_lines = first.lines();
        if (first.comfortable_items() >= keys) return first;
        std::uint64_t low = first.lines();
        std::uint64_t high = spec.largest_lines();
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            quotient_spec tried = spec.with_lines(middle);
            if (size == first_size::open) tried.initial_lines = middle;
            (tried.comfortable_items() >= keys ? high : low) = tried.comfortable_items() >= keys ? middle : middle + 1;
        }
        return spec.with_lines(low);
    }
};

} // namespace everbloom
