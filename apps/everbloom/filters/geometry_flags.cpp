#include "filters/geometry_flags.hpp"

#include "filters/kind_page.hpp"
#include "output/wording.hpp"

#include <everbloom/runtime/quantity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace everbloom::cli {
namespace {

const parameter_info* find_parameter(const kind_info& kind, std::string_view name) {
    const auto found = std::find_if(kind.parameters.begin(), kind.parameters.end(), [&](const parameter_info& one) {
        return one.role == field_role::choice && one.name == name;
    });
    return found == kind.parameters.end() ? nullptr : &*found;
}

/// A parameter that is off unless asked for: its flag alone means 1.
bool is_switch(const parameter_info& parameter) {
    constexpr std::uint64_t most = 16; // more than that is a number that has to be said
    return parameter.words.empty() && parameter.form == field_form::whole && parameter.least == 0 &&
           parameter.default_value == 0 && parameter.most <= most;
}

std::vector<std::string_view> kinds_with(std::string_view parameter) {
    std::vector<std::string_view> names;
    for (const kind_info& kind : known_kinds()) {
        if (find_parameter(kind, parameter) != nullptr) names.push_back(kind.name);
    }
    return names;
}

/// The parameter of that name of the kind that a help text is about; none if it is about no kind, or about all of them.
const parameter_info* shown_parameter(const flag_selection& selected, std::string_view name) {
    const auto& kinds = known_kinds();
    const auto shown = [&](const kind_info& kind) { return selected.shows_kind(kind.name); };
    const auto first = std::find_if(kinds.begin(), kinds.end(), shown);
    if (first == kinds.end() || std::all_of(kinds.begin(), kinds.end(), shown)) return nullptr;
    return find_parameter(*first, name);
}

/// Some kinds have a parameter called growth, a decimal; with an x it is how far the set may grow.
bool is_growth_times(std::string_view parameter, std::string_view text) {
    return parameter == "growth" && !text.empty() && (text.back() == 'x' || text.back() == 'X');
}

failure no_such_parameter(const kind_info& kind, std::string_view name) {
    std::string flags;
    for (const parameter_info& one : kind.parameters) {
        if (one.role == field_role::choice) flags += (flags.empty() ? "" : ", ") + flag_of(one.name);
    }
    return {failure_reason::bad_parameter,
            flag_of(name) + ": " + with_article(kind.name) + " filter has no such parameter (" +
                joined(kinds_with(name)) + (kinds_with(name).size() == 1 ? " has" : " have") + " it); it has " + flags};
}

} // namespace

namespace {

result<std::uint64_t> value_of_flag(const parameter_info& parameter, const std::string& text) {
    if (parameter.form == field_form::whole) return size_of_flag(flag_of(parameter.name), text);
    auto parsed = parse_millionths(text);
    if (!parsed) return fail(in(flag_of(parameter.name), std::move(parsed.error())));
    return parsed;
}

} // namespace

void geometry_flags::declare_workload(command_flags& command, key_count meaning) {
    items_flag_ = meaning == key_count::capacity ? "--capacity" : "--items";
    if (meaning == key_count::capacity) {
        command.add_option("--capacity", items_, "how many keys it is to hold at the target FPR (10k, 1e6, ...)")
            ->alias("--items")
            ->type_name("N")
            ->group("Size");
    } else {
        command.add_option("--items", items_, "how many keys are inserted (10k, 1e6, ...)")
            ->type_name("N")
            ->group("Size");
    }
    command
        .add_option("--fpr", fpr_,
                    "target false positive rate (error rate) at that number of keys: 0.001, 0.1% or 1/1000")
        ->type_name("RATE")
        ->group("Size");
}

void geometry_flags::declare(command_flags& command, key_count meaning) {
    declare_workload(command, meaning);
    if (command.selected().is_everything()) {
        command.before_examples(
            "\nGeometry:\n  Every kind has parameters of its own; 'everbloom help KIND', or --help together with "
            "a kind, lists\n  them. Without them a filter is planned for its capacity and FPR.\n");
    }
    for (const kind_info& kind : known_kinds()) {
        for (const parameter_info& parameter : kind.parameters) {
            if (parameter.role == field_role::state || !command.selected().covers(flag_of(parameter.name))) continue;
            const auto [slot, is_new] = parameters_.try_emplace(std::string(parameter.name));
            if (!is_new) continue;
            std::string words;
            for (const std::string_view word : parameter.words) words += (words.empty() ? "" : "|") + std::string(word);
            const parameter_info* shown = shown_parameter(command.selected(), parameter.name);
            auto option = command.add_option(flag_of(parameter.name), slot->second,
                                             shown == nullptr ? std::string(parameter.meaning) + " (" +
                                                                    joined(kinds_with(parameter.name)) + ")"
                                                              : parameter_text_of(*shown));
            // Help about no kind in particular would be three pages of parameters: it names the place where they are.
            option->type_name(words.empty() ? "N" : words);
            option->group(shown == nullptr && !command.selected().shows_kind(kind.name) ? group_not_in_help
                                                                                        : "Geometry");
            option->suggests({parameter.words.begin(), parameter.words.end()});
            if (is_switch(parameter)) option->value_optional();
        }
    }
}

bool geometry_flags::geometry_given() const {
    return std::any_of(parameters_.begin(), parameters_.end(), [](const auto& one) {
        return one.second.has_value() && !is_growth_times(one.first, *one.second);
    });
}

std::optional<std::string> geometry_flags::growth_times() const {
    const auto text = given("growth");
    return text && is_growth_times("growth", *text) ? text : std::nullopt;
}

std::optional<std::string> geometry_flags::given(std::string_view parameter) const {
    const auto found = parameters_.find(parameter);
    return found == parameters_.end() ? std::nullopt : found->second;
}

bool geometry_flags::suits(const kind_info& kind, std::string_view may_be_absent) const {
    return std::all_of(parameters_.begin(), parameters_.end(), [&](const auto& one) {
        return !one.second || one.first == may_be_absent || is_growth_times(one.first, *one.second) ||
               find_parameter(kind, one.first) != nullptr;
    });
}

result<build_request> geometry_flags::workload_request() const {
    build_request wanted;
    if (items_) {
        const auto items = size_of_flag(std::string(items_flag_), *items_);
        if (!items) return fail(items.error());
        if (*items == 0)
            return fail(failure_reason::bad_parameter,
                        std::string(items_flag_) + ": '" + *items_ + "' is too few; it must be at least 1");
        wanted.items = *items;
    }
    if (fpr_) {
        const auto fpr = rate_of_flag("--fpr", *fpr_);
        if (!fpr) return fail(fpr.error());
        if (!(*fpr > 0) || !(*fpr < 1)) {
            return fail(failure_reason::bad_parameter,
                        "--fpr: '" + *fpr_ + "' must lie between 0 and 1, for example 0.001, 0.1% or 1/1000");
        }
        wanted.fpr = *fpr;
    }
    return wanted;
}

result<build_request> geometry_flags::request(const std::string& kind, std::string_view may_be_absent) const {
    const kind_info* info = find_kind(kind);
    if (info == nullptr) return fail(unknown_kind(kind));
    auto workload = workload_request();
    if (!workload) return workload;
    build_request wanted = std::move(*workload);
    wanted.kind = kind;
    for (const auto& [name, given] : parameters_) {
        if (!given || is_growth_times(name, *given)) continue;
        const parameter_info* parameter = find_parameter(*info, name);
        if (parameter == nullptr && name == may_be_absent) continue;
        if (parameter == nullptr) return fail(no_such_parameter(*info, name));
        const std::string text = is_switch(*parameter) && (given->empty() || *given == "true") ? "1" : *given;
        if (parameter->words.empty()) {
            const auto value = value_of_flag(*parameter, text);
            if (!value) return fail(value.error());
            if (*value < parameter->least || *value > parameter->most) {
                return fail(failure_reason::bad_parameter, flag_of(name) + ": '" + text + "' must be between " +
                                                               number_text(parameter->least, parameter->form) +
                                                               " and " + number_text(parameter->most, parameter->form));
            }
        } else if (std::find(parameter->words.begin(), parameter->words.end(), text) == parameter->words.end()) {
            return fail(failure_reason::bad_parameter,
                        flag_of(name) + ": '" + text + "' is not one of " + joined(parameter->words));
        }
        wanted.parameters.push_back({name, text});
    }
    return wanted;
}

} // namespace everbloom::cli
