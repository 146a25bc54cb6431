// Model of the fuse filter: its FPR, exactly, and the segments for a number of keys. Derivation: docs/models/fuse.md.
#pragma once

#include <everbloom/filter/fuse/fuse.hpp>
#include <everbloom/model/fuse/fuse_rate.hpp>
#include <everbloom/model/workload.hpp>

#include <array>

namespace everbloom {

struct fuse_model {
    static constexpr std::array<std::string_view, 3> chosen_by_plan{"segment_cells", "segments", "fingerprint_bits"};

    /// The shortest fingerprints that are long enough.
    [[nodiscard]] static result<fuse_spec> plan([[maybe_unused]] const workload& wanted,
                                                [[maybe_unused]] fuse_spec preset = {.fingerprint_bits = 0}) {
#if defined(EVERBLOOM_SMALL) // what cannot be built need not be planned
        return fail(failure_reason::unsupported, "a fuse filter is built elsewhere, from all of its keys, and loaded");
#else
        if (auto checked = check(wanted); !checked) return fail(std::move(checked.error()));
        if (wanted.items > most_fuse_keys) {
            return fail(failure_reason::bad_parameter,
                        std::to_string(wanted.items) + " keys are more than a fuse filter can hold; ask for fewer");
        }
        if (preset.fingerprint_bits == 0) {
            const auto bits = fuse_rate::fingerprint_bits(preset, static_cast<double>(wanted.items), wanted.fpr);
            if (!bits) return fail(bits.error());
            preset.fingerprint_bits = *bits;
        }
        return usual_fuse_segments(preset, wanted.items);
#endif
    }

    /// Whatever the number of keys: every absent key is compared with one fingerprint.
    [[nodiscard]] static prediction predict(const fuse_spec& spec, const lifetime& lived) {
        return {fuse_rate::fpr(spec, static_cast<double>(lived.items)), {}};
    }

    template <WordStore Store>
    [[nodiscard]] static measurement measure(const basic_fuse_filter<Store>& filter) {
        const auto keys = static_cast<double>(filter.keys());
        return {fuse_rate::fpr(filter.spec(), keys), keys, {}};
    }
};

} // namespace everbloom
