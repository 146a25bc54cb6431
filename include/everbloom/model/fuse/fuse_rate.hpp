// fuse_rate: the FPR of a fuse filter, and the fingerprints that a copy needs for an FPR.
//
// An absent key is found for one of two reasons: it has the name of a member, because a copy knows only what its source has stored of a
// hash; or its fingerprint happens to be the XOR of its cells.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/filter/fuse/fuse_build.hpp>
#include <everbloom/model/query_copy.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace everbloom {

struct fuse_rate {
    /// How many names there are. Two fingerprints of a quotient filter are one name.
    [[nodiscard]] static double names(const fuse_spec& spec) noexcept {
        if (spec.has_identity(fuse_identity::quotient)) return std::fmax(2.0, spec.source().fingerprints()) / 2;
        return std::ldexp(1.0, spec.has_identity(fuse_identity::stored) ? static_cast<int>(stored_scheme_bits) : 64);
    }
    /// Chance that an absent key has the name of one of that many members.
    [[nodiscard]] static double shared_name(const fuse_spec& spec, double keys) noexcept {
        const double all = names(spec);
        return all <= 1 ? (keys > 0 ? 1.0 : 0.0) : -std::expm1(keys * std::log1p(-1 / all));
    }
    /// Zero for a filter without keys, which says "surely not" to everything.
    [[nodiscard]] static double fpr(const fuse_spec& spec, double keys) noexcept {
        if (!(keys > 0)) return 0;
        const double shared = shared_name(spec, keys);
        return shared + (1 - shared) * std::exp2(-static_cast<double>(spec.fingerprint_bits));
    }

    /// The fewest bits with which the FPR is at most `target`.
    [[nodiscard]] static result<std::uint64_t> fingerprint_bits(const fuse_spec& spec, double keys, double target) {
        const double shared = shared_name(spec, keys);
        if (shared >= target) {
            return fail(failure_reason::bad_parameter, "a copy cannot have a lower FPR than the filter itself");
        }
        const double left = (target - shared) / (1 - shared);
        // Rounded up unless the target is a power of two but for rounding errors.
        const double bits = std::fmax(1.0, std::ceil(-std::log2(left) - 1e-9));
        if (bits > static_cast<double>(fuse_spec::most_fingerprint_bits)) {
            return fail(failure_reason::bad_parameter,
                        "no fuse filter has such a low FPR: a fingerprint has at most 32 bits; ask for a higher one");
        }
        return static_cast<std::uint64_t>(bits);
    }

    /// The geometry of a copy that has its identity already.
    [[nodiscard]] static result<query_copy_geometry> copy_geometry(fuse_spec copy, std::uint64_t keys, double target) {
        const auto bits = fingerprint_bits(copy, static_cast<double>(keys), target);
        if (!bits) return fail(bits.error());
        copy.fingerprint_bits = *bits;
        return query_copy_geometry("fuse", usual_fuse_segments(copy, keys));
    }
};

} // namespace everbloom
