// make_entry: the row of functions for one kind. Instantiated once per kind, each in a translation unit of its own, because this is
// where all of a kind's code is compiled.
#pragma once

#include "erased_filter.hpp"
#include "kind_entry.hpp"
#include "loaded_sections.hpp"
#if defined(EVERBLOOM_SMALL)
#include "query_only_entry.hpp"
#endif

#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/kind.hpp>

namespace everbloom {

template <class Spec>
parameter_values values_of(const Spec& spec) {
    parameter_values values;
    for (const auto& field : Spec::fields()) values.push_back(spec.*field.value);
    return values;
}

template <class Kind, class F>
result<any_filter> erase_type(result<F> made) {
    if (!made) return fail(std::move(made.error()));
    return any_filter(std::make_unique<erased_filter<Kind, F>>(std::move(*made)));
}

template <class Kind, class F, class Store>
result<any_filter> assemble(const parameter_values& values, std::vector<Store> stores) {
    return erase_type<Kind, F>(assemble_filter<F>(values, std::move(stores)));
}

/// A call, for the sake of small code (erased_filter.hpp).
[[gnu::noinline]] inline void add_parameter(kind_info& info, parameter_info one,
                                            std::span<const std::string_view> words) {
    one.words.assign(words.begin(), words.end());
    info.parameters.push_back(std::move(one));
}

template <class Kind>
kind_info describe() {
    using spec_type = typename Kind::filter::spec_type;
    kind_info info;
    info.id = Kind::id;
    info.name = Kind::name;
    info.summary = Kind::filter::summary;
    info.capabilities = capability_set::of<typename Kind::filter>();
    info.grows_by_itself = requires(const typename Kind::filter& filter) { Kind::model::growth(filter); };
    if constexpr (requires { Kind::filter::may_refuse_keys; }) info.may_refuse_keys = Kind::filter::may_refuse_keys;
    if constexpr (requires { Kind::filter::has_false_negatives; }) {
        info.loses_members = Kind::filter::has_false_negatives;
    }
    const spec_type defaults;
    for (const auto& field : spec_type::fields()) {
        add_parameter(
            info,
            {field.name, field.meaning, field.least, field.most, defaults.*field.value, {}, field.form, field.role},
            field.words);
    }
    if constexpr (requires { Kind::filter::kept_by_resize; }) {
        info.kept_by_resize.assign(Kind::filter::kept_by_resize.begin(), Kind::filter::kept_by_resize.end());
    }
    return info;
}

/// One per hash function and sub-filter, unless the kind gives its own number.
template <class Filter>
std::uint64_t query_lines(const typename Filter::spec_type& spec) {
    std::uint64_t lines = 1;
    if constexpr (requires { Filter::query_lines(spec); }) {
        lines = Filter::query_lines(spec);
    } else {
        if constexpr (requires { spec.hashes; }) lines *= spec.hashes;
        if constexpr (requires { spec.filters; }) lines *= spec.filters;
    }
    return lines;
}

template <class Kind>
kind_entry make_entry() {
    using filter = typename Kind::filter;
    using spec_type = typename filter::spec_type;
#if !defined(EVERBLOOM_SMALL)
    static_assert(Insertable<filter> || Buildable<filter>, "there must be a way to its keys");
#endif
    static_assert(Filter<typename Kind::view> && !Insertable<typename Kind::view> && !Buildable<typename Kind::view>,
                  "a mapped filter cannot be changed");
    kind_entry entry;
    entry.info = describe<Kind>();
    if constexpr (requires { Kind::model::chosen_by_plan; }) {
        entry.chosen_by_plan.assign(Kind::model::chosen_by_plan.begin(), Kind::model::chosen_by_plan.end());
    } else {
        entry.chosen_by_plan = {"hashes"};
    }
    entry.plan = [](const workload& wanted, const parameter_values& preset) -> result<parameter_values> {
        auto planned = Kind::model::plan(wanted, spec_of<spec_type>(preset));
        if (!planned) return fail(std::move(planned.error()));
        return values_of(*planned);
    };
    entry.with_best_hashes = [](const parameter_values& values, std::uint64_t items) -> parameter_values {
        const auto spec = spec_of<spec_type>(values);
        if constexpr (requires { Kind::model::with_best_hashes(spec, items); }) {
            return values_of(Kind::model::with_best_hashes(spec, items));
        } else {
            return values;
        }
    };
    entry.rounded_up = [](const parameter_values& values) -> parameter_values {
        auto spec = spec_of<spec_type>(values);
        if constexpr (requires { spec.rounded_up(); }) spec = spec.rounded_up();
        if constexpr (requires { spec.started(); }) spec = spec.started();
        return values_of(spec);
    };
    entry.check = [](const parameter_values& values) { return spec_of<spec_type>(values).check(); };
    entry.section_lines = [](const parameter_values& values) {
        const auto lines = filter::section_lines(spec_of<spec_type>(values));
        return std::vector<std::uint64_t>(lines.begin(), lines.end());
    };
    entry.fast_sections = filter::section_names.size();
    if constexpr (requires { Kind::model::fast_sections; }) entry.fast_sections = Kind::model::fast_sections;
    entry.predict = [](const parameter_values& values, const lifetime& lived) {
        return Kind::model::predict(spec_of<spec_type>(values), lived);
    };
    entry.grown = [](const parameter_values& values, const lifetime& lived) -> parameter_values {
        const auto spec = spec_of<spec_type>(values);
        if constexpr (requires { Kind::model::grown(spec, lived); }) {
            return values_of(Kind::model::grown(spec, lived));
        } else {
            return values;
        }
    };
    entry.query_lines = [](const parameter_values& values) { return query_lines<filter>(spec_of<spec_type>(values)); };
    entry.make = [](const parameter_values& values) {
        return erase_type<Kind, filter>(make<filter>(spec_of<spec_type>(values)));
    };
    entry.chunked_sections = 0;
    if constexpr (requires { filter::chunked_sections; }) entry.chunked_sections = filter::chunked_sections;
    entry.assemble = &assemble<Kind, filter, chunked_words>;
    entry.check_lines = nullptr;
    entry.assemble_checked = nullptr;
#if !defined(EVERBLOOM_SMALL)
    if constexpr (requires { &filter::check_lines; }) {
        entry.check_lines = [](const parameter_values& values, std::uint64_t first,
                               std::span<const std::uint64_t> lines) {
            return filter::check_lines(spec_of<spec_type>(values), first, lines);
        };
        entry.assemble_checked = [](const parameter_values& values, std::vector<chunked_words> stores,
                                    std::uint64_t items) -> result<any_filter> {
            return erase_type<Kind, filter>(assemble_filter<filter>(values, std::move(stores), items));
        };
    }
#endif
#if defined(EVERBLOOM_SMALL)
    // Code for browsers: no file is mapped there, so a view is only made to check what is about to be saved. The rest of its code would be
    // a third of the program.
    entry.assemble_view = &assemble_query_only<Kind, typename Kind::view, const_words>;
#else
    entry.assemble_view = &assemble<Kind, typename Kind::view, const_words>;
#endif
    return entry;
}

} // namespace everbloom
