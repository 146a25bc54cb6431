// What a filter can do, as bits for those who do not know its type. Computed from the concepts: the two cannot disagree.
#pragma once

#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/protection.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace everbloom {

enum class capability : std::uint32_t {
    query = 1u << 0,
    insert = 1u << 1,
    erase = 1u << 2,
    count = 1u << 3,
    merge = 1u << 4,
    grow = 1u << 5,
    shrink = 1u << 6,
    reshape = 1u << 7,
    intersect = 1u << 8,
    confirm = 1u << 9,
    protect = 1u << 10,
};

struct named_capability {
    capability bit;
    std::string_view name;
};

inline constexpr std::array<named_capability, 11> named_capabilities{{
    {capability::query, "query"},
    {capability::insert, "insert"},
    {capability::erase, "erase"},
    {capability::count, "count"},
    {capability::merge, "merge"},
    {capability::grow, "grow"},
    {capability::shrink, "shrink"},
    {capability::reshape, "reshape"},
    {capability::intersect, "intersect"},
    {capability::confirm, "confirm"},
    {capability::protect, "protect"},
}};

class capability_set {
public:
    constexpr capability_set() noexcept = default;

    template <Filter F>
    [[nodiscard]] static constexpr capability_set of() noexcept {
        capability_set made;
        made.add(capability::query);
        if constexpr (Insertable<F>) made.add(capability::insert);
        if constexpr (Deletable<F>) made.add(capability::erase);
        if constexpr (Countable<F>) made.add(capability::count);
        if constexpr (Mergeable<F>) made.add(capability::merge);
        if constexpr (Growable<F>) made.add(capability::grow);
        if constexpr (Shrinkable<F>) made.add(capability::shrink);
        if constexpr (Reshapable<F>) made.add(capability::reshape);
        if constexpr (Intersectable<F>) made.add(capability::intersect);
        if constexpr (Confirming<F>) made.add(capability::confirm);
        if constexpr (Protectable<F>) made.add(capability::protect);
        return made;
    }

    [[nodiscard]] constexpr bool has(capability wanted) const noexcept {
        return (bits_ & static_cast<std::uint32_t>(wanted)) != 0;
    }

private:
    constexpr void add(capability one) noexcept { bits_ |= static_cast<std::uint32_t>(one); }

    std::uint32_t bits_ = 0;
};

} // namespace everbloom
