#include "masked_digests.hpp"

namespace everbloom {

void append_masked(std::vector<std::byte>& into, const patch_changes& changes, const digest_mask& mask) {
    unsigned pending = 0; // the bits of the last byte
    unsigned bits = 0;
    const auto append = [&](std::uint64_t word, std::uint64_t which) {
        for (; which != 0; which &= which - 1) {
            pending |= static_cast<unsigned>(word >> std::countr_zero(which) & 1U) << bits;
            if (++bits < 8) continue;
            into.push_back(static_cast<std::byte>(pending));
            pending = bits = 0;
        }
    };
    for (const auto* digests : {&changes.removed, &changes.added}) {
        for (const digest& one : *digests) {
            append(one.low, mask.low);
            append(one.high, mask.high);
        }
    }
    if (bits != 0) into.push_back(static_cast<std::byte>(pending));
}

patch_changes read_masked(std::span<const std::byte> from, std::uint64_t removed, std::uint64_t added,
                          const digest_mask& mask) {
    std::uint64_t at = 0;
    const auto next = [&](std::uint64_t which) {
        std::uint64_t word = 0;
        for (; which != 0; which &= which - 1, ++at) {
            const auto byte = std::to_integer<std::uint64_t>(from[static_cast<std::size_t>(at / 8)]);
            word |= (byte >> at % 8 & 1U) << std::countr_zero(which);
        }
        return word;
    };
    patch_changes made;
    for (auto* digests : {&made.removed, &made.added}) {
        digests->resize(static_cast<std::size_t>(digests == &made.removed ? removed : added));
        for (digest& one : *digests) {
            one.low = next(mask.low);
            one.high = next(mask.high);
        }
    }
    return made;
}

} // namespace everbloom
