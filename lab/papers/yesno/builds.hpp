// Repeated builds of yes-no filters with random keys, as in [Carrea16 §V].
#pragma once

#include "lab/papers/laboratory.hpp"

#include <everbloom/filter/yes_no/yes_no_spec.hpp>
#include <everbloom/model/yes_no/yes_no_first_fit.hpp>

#include <cstdint>
#include <vector>

namespace everbloom::lab::yesno {

struct setting {
    yes_no_spec spec;
    std::uint64_t members = 30;
    std::uint64_t negatives = 100;
};

/// m of all figures.
inline constexpr std::uint64_t papers_bits = 256;

/// The values of §V: m = 256, n = 30, t = 100, p = 160, q = 32, r = 3, k = 4, k' = 5.
[[nodiscard]] setting papers_setting();

/// How the no-filters are built: as in the paper, or with our methods.
struct construction {
    std::string label;
    look drawn;
    yes_no_assignment assign;
    std::uint64_t seeds;
};

[[nodiscard]] const construction& first_fit();
[[nodiscard]] const construction& search();
[[nodiscard]] const construction& search_with_seeds();

/// Results of a number of filters, each queried with all of its keys.
struct builds {
    estimate before;                 // false positives per filter of the yes-filter alone
    estimate after;                  // with the no-filters
    std::vector<std::uint64_t> left; // false positives of each filter with the no-filters
    std::uint64_t members_lost = 0;  // in all filters
    std::uint64_t members_asked = 0;
};

/// Experiment i has its own keys, the same for every setting. A different first experiment gives other keys.
[[nodiscard]] result<builds> build_many(const laboratory& lab, const setting& wanted, const construction& how,
                                        std::uint64_t trials, std::uint64_t first_trial = 0);

/// A Bloom filter of `bits` bits with the same keys: a yes-no filter without no-filters.
[[nodiscard]] setting bloom_of(std::uint64_t bits, std::uint64_t hashes, const setting& like);

/// Eq. 5 and 32: the paper's average number of false positives of a Bloom filter.
[[nodiscard]] double papers_bloom(const setting& bloom);
/// The same with the dependence between bits, which Eq. 5 ignores.
[[nodiscard]] double our_bloom(const setting& bloom);

/// 10^4 at full scale, as in the paper.
[[nodiscard]] std::uint64_t experiments_of(const laboratory& lab);

/// All results of one setting.
struct sight {
    setting at;
    builds plain; // first-fit
    builds searched;
    builds seeded;
    yes_no_first_fit::outcome said; // of first-fit
};

/// Where many false positives remain, search is slow and its mean is known sooner: it gets fewer trials.
[[nodiscard]] result<sight> examine(const laboratory& lab, const setting& wanted, std::uint64_t trials,
                                    std::uint64_t first_trial = 0);

} // namespace everbloom::lab::yesno
