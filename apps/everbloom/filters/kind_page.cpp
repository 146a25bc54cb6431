#include "filters/kind_page.hpp"

#include "filters/kind_names.hpp"
#include "output/wording.hpp"

#include <everbloom/core/units.hpp>
#include <everbloom/runtime/capabilities.hpp>

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

std::string abilities_of(const kind_info& kind) {
    std::vector<std::string_view> names;
    for (const named_capability& one : named_capabilities) {
        if (kind.capabilities.has(one.bit)) names.push_back(one.name);
    }
    return joined(names);
}

/// A limit that only the size of all structures sets says nothing.
bool is_real_limit(std::uint64_t most) { return most < max_structure_bits / 2; }

std::string range_of(const parameter_info& parameter) {
    const std::string least = number_text(parameter.least, parameter.form);
    if (!is_real_limit(parameter.most)) return "at least " + least;
    return least + " to " + number_text(parameter.most, parameter.form);
}

} // namespace

std::string parameter_text_of(const parameter_info& parameter) {
    std::string text(parameter.meaning);
    const bool has_default = parameter.default_value >= parameter.least;
    if (!parameter.words.empty()) {
        return text + fmt::format(" (default: {})", parameter.words[parameter.default_value]);
    }
    text += " (" + range_of(parameter);
    if (has_default && is_real_limit(parameter.default_value)) {
        text += "; default " + number_text(parameter.default_value, parameter.form);
    }
    return text + ")";
}

std::string kind_page(const kind_info& kind) {
    std::string page = fmt::format("{}: {}\n\n", kind.name, kind.summary);
    page += fmt::format("  can           {}\n", abilities_of(kind));
    if (kind.grows_by_itself) page += "  past capacity grows by itself\n";
    if (kind.may_refuse_keys) page += "  may refuse    a key for lack of room, though it was sized for it\n";
    if (kind.loses_members) page += "  loses members by design, after removals: for study only\n";
    page += "\nParameters, as flags of 'create' and 'simulate'; a plan for --capacity and --fpr chooses what is not "
            "given:\n";
    for (const parameter_info& one : kind.parameters) {
        if (one.role == field_role::state) continue;
        std::string value = "N";
        if (!one.words.empty()) value = fmt::format("{}", fmt::join(one.words, "|"));
        page += fmt::format("  {} {}\n      {}\n", flag_of(one.name), value, parameter_text_of(one));
    }
    const bool is_built = kind.capabilities.has(capability::build);
    page += fmt::format("\nExamples:\n  everbloom create names.eb {1}--kind {0} {2}--fpr 0.1%\n"
                        "  everbloom simulate {0} --items 10k --fpr 1%\n",
                        kind.name, is_built ? "names.txt " : "", is_built ? "" : "--capacity 1M ");
    return page;
}

} // namespace everbloom::cli
