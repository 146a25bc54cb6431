#include "settled_request.hpp"

#include <everbloom/core/article.hpp>
#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/runtime/catalogue.hpp>
#include <everbloom/runtime/quantity.hpp>

#include <algorithm>
#include <set>

namespace everbloom {
namespace {

std::string names_of(const std::vector<parameter_info>& parameters) {
    std::string names;
    for (const parameter_info& one : parameters) {
        if (one.role == field_role::choice) names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return names;
}

result<std::uint64_t> parse_value(const parameter_info& parameter, const std::string& text) {
    if (parameter.form == field_form::millionths) return parse_millionths(text);
    if (parameter.words.empty()) return parse_size(text);
    const auto found = std::find(parameter.words.begin(), parameter.words.end(), text);
    if (found != parameter.words.end()) return static_cast<std::uint64_t>(found - parameter.words.begin());
    std::string words;
    for (const std::string_view word : parameter.words) words += (words.empty() ? "" : " or ") + std::string(word);
    return fail(failure_reason::bad_parameter, "'" + text + "' is not a valid choice; use " + words);
}

/// A parameter without a usable default determines the geometry: giving one of these overrides the planner.
bool is_required(const parameter_info& parameter) {
    return parameter.role == field_role::choice && parameter.default_value < parameter.least;
}

/// Given values are checked before a model uses them: models divide, and treat 0 as "choose".
result<void> check_given(const std::vector<parameter_info>& parameters, const parameter_values& values,
                         const std::set<std::string, std::less<>>& names) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const parameter_info& one = parameters[i];
        if (!names.contains(one.name)) continue;
        if (auto checked = check_range(one.name, values[i], one.least, one.most); !checked) return checked;
    }
    return {};
}

struct given_parameters {
    parameter_values values;
    std::set<std::string, std::less<>> names;
};

result<given_parameters> read_parameters(const kind_info& kind, const std::vector<parameter_text>& texts) {
    given_parameters given;
    for (const parameter_info& parameter : kind.parameters) given.values.push_back(parameter.default_value);
    for (const parameter_text& text : texts) {
        const auto found = std::find_if(kind.parameters.begin(), kind.parameters.end(), [&](const parameter_info& one) {
            return one.role == field_role::choice && one.name == text.name;
        });
        if (found == kind.parameters.end()) {
            return fail(failure_reason::bad_parameter, with_article(kind.name) + " filter has no parameter '" +
                                                           text.name + "'; it has " + names_of(kind.parameters));
        }
        const auto value = parse_value(*found, text.value);
        if (!value) return fail(in(text.name, value.error()));
        given.values[static_cast<std::size_t>(found - kind.parameters.begin())] = *value;
        given.names.insert(text.name);
    }
    return given;
}

} // namespace

result<settled_request> settle(const build_request& wanted) {
    const kind_entry* entry = find_entry(wanted.kind);
    if (entry == nullptr) return fail(unknown_kind(wanted.kind));
    auto given = read_parameters(entry->info, wanted.parameters);
    if (!given) return fail(std::move(given.error()));
    // An invalid capacity or FPR is refused even where the geometry does not need it.
    if (wanted.items || wanted.fpr) {
        const workload asked{wanted.items.value_or(1), wanted.fpr.value_or(workload{}.fpr)};
        if (auto checked = check(asked); !checked) return fail(std::move(checked.error()));
    }

    const auto& parameters = entry->info.parameters;
    bool sized = false; // the caller gave a size, so there is nothing to plan
    for (const parameter_info& one : parameters) {
        sized |= is_required(one) && one.name != "hashes" && given->names.contains(one.name);
    }
    const auto hashes =
        std::find_if(parameters.begin(), parameters.end(), [](const auto& one) { return one.name == "hashes"; });
    const bool choose_hashes = hashes != parameters.end() && !given->names.contains("hashes");
    parameter_values values = entry->rounded_up(given->values);
    if (auto checked = check_given(parameters, values, given->names); !checked) return fail(std::move(checked.error()));
    if (!sized) {
        if (!wanted.items) {
            return fail(failure_reason::bad_parameter,
                        "no size given: set items, the number of keys to hold, or the geometry (" +
                            names_of(parameters) + ")");
        }
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const auto& chosen = entry->chosen_by_plan;
            const bool is_chosen = std::find(chosen.begin(), chosen.end(), parameters[i].name) != chosen.end();
            if (is_chosen && !given->names.contains(parameters[i].name)) values[i] = 0;
        }
        auto planned = entry->plan({*wanted.items, wanted.fpr.value_or(workload{}.fpr)}, values);
        if (!planned) return fail(std::move(planned.error()));
        values = std::move(*planned);
    } else if (choose_hashes && wanted.items) {
        values = entry->with_best_hashes(values, *wanted.items);
    } else if (choose_hashes && is_required(*hashes)) {
        return fail(failure_reason::bad_parameter,
                    "hashes is missing: set it, or set items to have the best number chosen");
    }
    if (auto checked = entry->check(values); !checked) return fail(std::move(checked.error()));
    return settled_request{entry, std::move(values)};
}

const std::vector<kind_info>& known_kinds() {
    static const std::vector<kind_info> kinds = [] {
        std::vector<kind_info> made;
        for (const kind_entry& entry : kind_entries()) made.push_back(entry.info);
        return made;
    }();
    return kinds;
}

const kind_info* find_kind(std::string_view name) {
    const kind_entry* entry = find_entry(name);
    return entry == nullptr ? nullptr : &entry->info;
}

failure unknown_kind(std::string_view name) {
    std::string names;
    for (const kind_info& kind : known_kinds()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
    return {failure_reason::bad_parameter, "there is no kind '" + std::string(name) + "'; the kinds are " + names};
}

result<any_filter> build(const build_request& wanted) {
    return or_out_of_memory([&]() -> result<any_filter> {
        const auto settled = settle(wanted);
        if (!settled) return fail(settled.error());
        return settled->entry->make(settled->values);
    });
}

result<std::uint64_t> bytes_needed(const build_request& wanted) {
    return or_out_of_memory([&]() -> result<std::uint64_t> {
        const auto settled = settle(wanted);
        if (!settled) return fail(settled.error());
        return settled->bytes();
    });
}

result<forecast> predict(const build_request& wanted, const lifetime& lived) {
    return or_out_of_memory([&]() -> result<forecast> {
        const auto settled = settle(wanted);
        if (!settled) return fail(settled.error());
        forecast made{{}, settled->bytes(), settled->entry->predict(settled->values, lived)};
        const auto& parameters = settled->entry->info.parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const parameter_info& one = parameters[i];
            const std::uint64_t value = settled->values[i];
            const std::string_view word = value < one.words.size() ? one.words[value] : std::string_view{};
            made.geometry.push_back({one.name, value, word, one.form, one.role});
        }
        return made;
    });
}

result<any_filter> build_like(const any_filter& other) {
    return or_out_of_memory([&]() -> result<any_filter> {
        const kind_entry* entry = find_entry(other.kind_id());
        if (entry == nullptr) return fail(unknown_kind(other.kind()));
        parameter_values values;
        for (const geometry_value& one : other.geometry()) values.push_back(one.value);
        return entry->make(values);
    });
}

} // namespace everbloom
