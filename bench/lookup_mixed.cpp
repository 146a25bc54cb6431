// How fast are queries when half of the keys are there? Which ones cannot be foreseen: where an answer is a branch, it is mispredicted.
#include "lookup.hpp"

namespace everbloom::bench {
namespace {

/// Absent keys and members, in random turns.
std::span<const std::uint64_t> mixed_keys() {
    static const std::vector<std::uint64_t> mixed = [] {
        const auto absent = run_keys().absent_keys();
        const auto members = run_keys().wanted_members();
        std::vector<std::uint64_t> made(absent.begin(), absent.end());
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (mix(i + golden_ratio_bits) % 2 == 1) made[i] = members[i];
        }
        return made;
    }();
    return mixed;
}

} // namespace

void register_lookup_mixed() { register_lookups("lookup_mixed", mixed_keys); }

} // namespace everbloom::bench
