#include "lab/rivals/layered.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace everbloom::lab::rivals {
namespace {

constexpr double bits_per_halving = 1.4426950408889634; // 1 / ln 2
constexpr std::size_t most_cascade_layers = 80;

/// A choice of layers for a stacked filter.
struct stack_plan {
    std::size_t layers = 1;
    double first = 0.5; // FPR of layer 1
    double other = 0.5; // of the others
    double known = 1;   // expected FPR of known negatives
    double unknown = 1; // and of other absent keys
    double bits = 0;
};

/// `first_bits` and `other_bits` are the bits per key of such layers.
stack_plan expect(std::size_t layers, double first, double other, double first_bits, double other_bits, double members,
                  double negatives) {
    stack_plan made{layers, first, other};
    double left_members = members;
    double left_negatives = negatives;
    double reaches = 1; // share of the unknown absent keys that reach the layer
    made.unknown = 0;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const bool of_members = layer % 2 == 0;
        const double fpr = layer == 0 ? first : other;
        made.bits += (of_members ? left_members : left_negatives) * (layer == 0 ? first_bits : other_bits);
        if (!of_members) made.unknown += reaches * (1 - fpr); // "surely no known negative" is taken for a member
        reaches *= fpr;
        (of_members ? left_negatives : left_members) *= fpr;
    }
    made.unknown += reaches;
    made.known = left_negatives / negatives;
    return made;
}

stack_plan best_stack(double members, double negatives, double most_bits, double known_share) {
    std::vector<double> others;
    std::vector<double> other_bits;
    for (double other = 0.75; other > 1e-4; other *= 0.9) {
        others.push_back(other);
        other_bits.push_back(bits_per_halving * std::log2(1 / other));
    }
    stack_plan best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t layers : {1U, 3U, 5U, 7U}) {
        for (double first = 0.75; first > 1e-6; first *= 0.93) {
            const double first_bits = bits_per_halving * std::log2(1 / first);
            if (members * first_bits > most_bits) break; // and so are all stricter ones
            for (std::size_t i = 0; i < others.size(); ++i) {
                const stack_plan one = expect(layers, first, others[i], first_bits, other_bits[i], members, negatives);
                const double wrong = known_share * one.known + (1 - known_share) * one.unknown;
                if (one.bits <= most_bits && wrong < least) {
                    least = wrong;
                    best = one;
                }
                if (layers == 1) break; // has no other layers
            }
        }
    }
    return best;
}

} // namespace

bool layered_bloom::add_layers(std::span<const digest> members, std::span<const digest> negatives,
                               std::size_t most_layers, const std::function<double(std::size_t layer)>& fpr_of) {
    std::vector<digest> wanted(members.begin(), members.end());       // of the next layer
    std::vector<digest> unwanted(negatives.begin(), negatives.end()); // those it must not contain
    for (std::size_t layer = 0; layer < most_layers; ++layer) {
        plain_bloom next =
            plain_bloom::for_keys(wanted.size(), plain_bloom::bits_for(wanted.size(), fpr_of(layer)), layer);
        for (const digest& one : wanted) next.insert(one);
        std::erase_if(unwanted, [&](const digest& one) { return !next.contains(one, nullptr, 0); });
        layers_.push_back(std::move(next));
        if (unwanted.empty()) return true;
        std::swap(wanted, unwanted);
    }
    return false;
}

double layered_bloom::cascade_bits(double members, double negatives, double first_fpr) {
    return bits_per_halving * (members * std::log2(1 / first_fpr) + 2 * negatives * first_fpr + members);
}

built_rival layered_bloom::cascade(std::span<const digest> members, std::span<const digest> negatives,
                                   std::uint64_t most_bits) {
    const auto n = static_cast<double>(members.size());
    const auto t = static_cast<double>(negatives.size());
    const double cheapest = std::min(0.5, n / (2 * t * 0.6931));
    // The strictest first layer whose whole cascade still fits; what it really takes is known only afterwards, so with some slack.
    for (double slack = 1; slack > 0.85; slack -= 0.01) {
        double low = 1e-12;
        double high = cheapest;
        if (cascade_bits(n, t, high) > slack * static_cast<double>(most_bits)) break;
        for (int i = 0; i < 60; ++i) {
            const double middle = std::sqrt(low * high);
            (cascade_bits(n, t, middle) > slack * static_cast<double>(most_bits) ? low : high) = middle;
        }
        std::unique_ptr<layered_bloom> made(new layered_bloom);
        const bool exact = made->add_layers(members, negatives, most_cascade_layers,
                                            [&](std::size_t layer) { return layer == 0 ? high : 0.5; });
        if (exact && made->bits() <= most_bits) return std::unique_ptr<rival>(std::move(made));
    }
    return fail(failure_reason::bad_parameter, "Bloom cascade: " + std::to_string(members.size()) + " members and " +
                                                   std::to_string(negatives.size()) + " negatives need about " +
                                                   std::to_string(std::llround(cascade_bits(n, t, cheapest))) +
                                                   " bits, " + std::to_string(most_bits) + " were given");
}

built_rival layered_bloom::stacked(std::span<const digest> members, std::span<const digest> negatives,
                                   std::uint64_t most_bits, double known_share) {
    const auto n = static_cast<double>(members.size());
    const auto t = static_cast<double>(negatives.size());
    for (double slack = 1; slack > 0.85; slack -= 0.01) {
        const stack_plan plan = best_stack(n, t, slack * static_cast<double>(most_bits), known_share);
        if (plan.bits == 0) break;
        std::unique_ptr<layered_bloom> made(new layered_bloom);
        made->add_layers(members, negatives, plan.layers,
                         [&](std::size_t layer) { return layer == 0 ? plan.first : plan.other; });
        if (made->bits() <= most_bits) return std::unique_ptr<rival>(std::move(made));
    }
    return fail(failure_reason::bad_parameter, "stacked filter: " + std::to_string(most_bits) +
                                                   " bits are too few for " + std::to_string(members.size()) +
                                                   " members");
}

bool layered_bloom::contains(digest item, line_log* log) const {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        if (!layers_[layer].contains(item, log, layer)) return layer % 2 == 1;
    }
    return layers_.size() % 2 == 1;
}

std::uint64_t layered_bloom::bits() const noexcept {
    std::uint64_t sum = 0;
    for (const plain_bloom& one : layers_) sum += one.bits();
    return sum;
}

} // namespace everbloom::lab::rivals
