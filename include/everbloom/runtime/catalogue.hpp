// The catalogue: information about the kinds by name or number, without a filter.
#pragma once

#include <everbloom/core/result.hpp>
#include <everbloom/model/workload.hpp>
#include <everbloom/runtime/any_filter.hpp>
#include <everbloom/runtime/parameter_text.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom {

/// One parameter of a kind, as flags, help and error messages need it.
struct parameter_info {
    std::string_view name; // snake_case
    std::string_view meaning;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::uint64_t default_value = 0;
    std::vector<std::string_view> words; // a choice, if any
    field_form form = field_form::whole;
    field_role role = field_role::choice;
};

struct kind_info {
    std::uint32_t id = 0;
    std::string_view name;
    std::string_view summary;
    capability_set capabilities;
    std::vector<parameter_info> parameters;
    std::vector<std::string_view> kept_by_resize; // parameters that resizing cannot change without the keys
    bool grows_by_itself = false;                 // takes more keys than planned and becomes larger
    bool may_refuse_keys = false;                 // for lack of room, though it was planned for them
    bool loses_members = false;                   // removals may make it miss members, by design
};

/// Every kind, in the order of the list.
[[nodiscard]] const std::vector<kind_info>& known_kinds();
[[nodiscard]] const kind_info* find_kind(std::string_view name);
/// The failure for an unknown kind; it lists the known ones.
[[nodiscard]] failure unknown_kind(std::string_view name);

/// What to build: a workload to be planned for, geometry as text, or both (geometry then overrides the plan).
struct build_request {
    std::string kind;
    std::optional<std::uint64_t> items;
    std::optional<double> fpr;
    std::vector<parameter_text> parameters;
};

/// An empty filter in memory.
[[nodiscard]] result<any_filter> build(const build_request& wanted);

/// The memory that filter would take; allocates nothing.
[[nodiscard]] result<std::uint64_t> bytes_needed(const build_request& wanted);

/// Such a filter on paper: its geometry, its size, and what the model says after a lifetime.
struct forecast {
    std::vector<geometry_value> geometry;
    std::uint64_t bytes = 0;
    prediction predicted;
};
/// Allocates no filter, so that it may be larger than the machine's memory.
[[nodiscard]] result<forecast> predict(const build_request& wanted, const lifetime& lived);

/// An empty filter of the same kind and geometry.
[[nodiscard]] result<any_filter> build_like(const any_filter& other);

} // namespace everbloom
