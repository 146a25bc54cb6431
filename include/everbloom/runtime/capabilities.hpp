// Capabilities: what a filter can do, as bits for callers without its type. Computed from the concepts, so both always agree.
//
// A new capability is a concept in filter/concepts.hpp, a line of this table, and the operation itself in any_filter.
#pragma once

#include <everbloom/filter/concepts.hpp>
#include <everbloom/filter/protection.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace everbloom {

// THE table: number of the bit, name, concept. Everything below is made from it. A number never gets a second meaning.
#define EVERBLOOM_CAPABILITIES(CAPABILITY)                                                                             \
    CAPABILITY(0, query, Filter)                                                                                       \
    CAPABILITY(1, insert, Insertable)                                                                                  \
    CAPABILITY(2, erase, Deletable)                                                                                    \
    CAPABILITY(3, count, Countable)                                                                                    \
    CAPABILITY(4, merge, Mergeable)                                                                                    \
    CAPABILITY(5, grow, Growable)                                                                                      \
    CAPABILITY(6, shrink, Shrinkable)                                                                                  \
    CAPABILITY(7, resize, Resizable)                                                                                   \
    CAPABILITY(8, intersect, Intersectable)                                                                            \
    CAPABILITY(9, confirm, Confirming)                                                                                 \
    CAPABILITY(10, protect, Protectable)                                                                               \
    CAPABILITY(11, query_copy, QueryCopyable)                                                                          \
    CAPABILITY(12, build, Buildable)

#define EVERBLOOM_CAPABILITY_BIT(number, name, Concept) name = 1u << (number),
enum class capability : std::uint32_t { EVERBLOOM_CAPABILITIES(EVERBLOOM_CAPABILITY_BIT) };
#undef EVERBLOOM_CAPABILITY_BIT

struct named_capability {
    capability bit;
    std::string_view name;
};

#define EVERBLOOM_CAPABILITY_NAME(number, name, Concept) {capability::name, #name},
inline constexpr auto named_capabilities =
    std::to_array<named_capability>({EVERBLOOM_CAPABILITIES(EVERBLOOM_CAPABILITY_NAME)});
#undef EVERBLOOM_CAPABILITY_NAME

class capability_set {
public:
    constexpr capability_set() noexcept = default;
    /// Those of something that is not a kind.
    constexpr capability_set(std::initializer_list<capability> all) noexcept {
        for (const capability one : all) add(one);
    }
    [[nodiscard]] friend constexpr capability_set operator|(capability_set a, capability_set b) noexcept {
        a.bits_ |= b.bits_;
        return a;
    }

    template <Filter F>
    [[nodiscard]] static constexpr capability_set of() noexcept {
        capability_set made;
#define EVERBLOOM_ADD_CAPABILITY(number, name, Concept)                                                                \
    if constexpr (Concept<F>) made.add(capability::name); // NOLINT(bugprone-macro-parentheses): it names a concept
        EVERBLOOM_CAPABILITIES(EVERBLOOM_ADD_CAPABILITY)
#undef EVERBLOOM_ADD_CAPABILITY
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

#undef EVERBLOOM_CAPABILITIES
