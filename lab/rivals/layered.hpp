// Layered Bloom filters: filters of members and of known negatives in turn, each only for those that the layer before got wrong.
//
//   layer 1   all members
//   layer 2   the known negatives that layer 1 answers with "maybe"
//   layer 3   the members that layer 2 answers with "maybe"
//   ...
//
// A query walks down to the first layer that says "surely not"; that layer is right. With an odd number of layers no member is lost. Two ways
// to choose the layers:
//
// Bloom cascade [Salikhov14], as in CRLite [Larisch17]: layers until no known negative is left, so it is exact for members and known
// negatives. All layers but the first have an FPR of 1/2. With n members and t negatives, and p for the first layer, that takes about
// 1.44 (n log2(1/p) + 2 t p + n) bits, the least for p = 0.72 n/t. A budget below that is a failure.
//
// Stacked filter [Deeds20]: a fixed number of layers, whose FPRs minimise the expected false positives when a given share of the queries
// are known negatives. It fits into every budget, and some known negatives remain false positives.
#pragma once

#include "lab/rivals/plain_bloom.hpp"
#include "lab/rivals/rival.hpp"

#include <functional>

namespace everbloom::lab::rivals {

class layered_bloom : public rival {
public:
    /// A cascade of at most `most_bits` bits.
    [[nodiscard]] static built_rival cascade(std::span<const digest> members, std::span<const digest> negatives,
                                             std::uint64_t most_bits);
    /// A stacked filter of at most `most_bits` bits; `known_share` of the queries for absent keys are for known negatives.
    [[nodiscard]] static built_rival stacked(std::span<const digest> members, std::span<const digest> negatives,
                                             std::uint64_t most_bits, double known_share);

    [[nodiscard]] bool contains(digest item, line_log* log = nullptr) const override;
    [[nodiscard]] std::uint64_t bits() const noexcept override;
    [[nodiscard]] std::size_t layers() const noexcept { return layers_.size(); }
    /// Bits of a cascade whose first layer has this FPR, by the formula above.
    [[nodiscard]] static double cascade_bits(double members, double negatives, double first_fpr);

private:
    layered_bloom() = default;
    /// Builds layers until there is nothing left to correct or `most_layers` are there; false if something is left then.
    bool add_layers(std::span<const digest> members, std::span<const digest> negatives, std::size_t most_layers,
                    const std::function<double(std::size_t layer)>& fpr_of);

    std::vector<plain_bloom> layers_;
};

} // namespace everbloom::lab::rivals
