#include "lab/rivals/complement_bloom.hpp"

namespace everbloom::lab::rivals {
namespace {

/// The share of the bits that goes to the filter of the members.
std::uint64_t bits_for_members(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits) {
    const double all = static_cast<double>(members.size()) + static_cast<double>(negatives.size());
    return static_cast<std::uint64_t>(static_cast<double>(bits) * static_cast<double>(members.size()) / all);
}

} // namespace

complement_bloom::complement_bloom(std::span<const digest> members, std::span<const digest> negatives,
                                   std::uint64_t bits)
    : members_(plain_bloom::for_keys(members.size(), bits_for_members(members, negatives, bits), 1)),
      negatives_(plain_bloom::for_keys(negatives.size(), bits - bits_for_members(members, negatives, bits), 2)) {
    for (const digest& one : members) members_.insert(one);
    for (const digest& one : negatives) negatives_.insert(one);
}

} // namespace everbloom::lab::rivals
