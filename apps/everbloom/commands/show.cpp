// show: prints the facts about a filter file: kind, size, keys, current FPR, capacity. Draws a picture with --picture.
#include "commands/commands.hpp"
#include "commands/slow/slow_portrait.hpp"
#include "filters/filter_portrait.hpp"
#include "filters/foreign_file.hpp"
#include "filters/foreign_portrait.hpp"
#include "filters/growth_limit.hpp"
#include "filters/whole_file.hpp"
#include "frame/summary.hpp"
#include "output/json_output.hpp"
#include "output/picture_file.hpp"
#include "output/table.hpp"
#include "output/wording.hpp"

#include <everbloom/format/v1.hpp>
#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>

#include <fmt/format.h>

#include <memory>

namespace everbloom::cli {
namespace {

struct show_flags {
    std::vector<std::string> paths;
    std::string picture;
    foreign_flags foreign;

    /// The format of a filter of another program.
    [[nodiscard]] std::optional<foreign_format> foreign_format_for(const std::string& path) const {
        return foreign.format() ? foreign.format() : foreign_format_of(path);
    }
    summary_flags output;
};

json exclusions_document(const any_filter& filter) {
    const auto& exclusions = filter.exclusions();
    if (!exclusions) return nullptr;
    return {{"bits", exclusions->size().bits}, {"hashes", exclusions->size().hashes}};
}

/// The FPR of a query that looks up stored hashes; nothing where there are none.
std::optional<double> verified_fpr(const filter_portrait& seen) {
    if (!seen.kind->capabilities.has(capability::confirm)) return std::nullopt;
    return seen.now.absent_key_risk;
}

/// Of the file; null while there are no keys.
json bits_per_key(const filter_portrait& seen) {
    if (!(seen.now.items >= 0.5)) return nullptr;
    return 8 * static_cast<double>(seen.file_bytes) / seen.now.items;
}

json document(const filter_portrait& seen) {
    const any_filter& filter = seen.file.filter();
    return {{"kind", filter.kind()},
            {"format_version", v1::version},
            {"bytes", seen.file_bytes},
            {"items", seen.items()},
            {"fpr_current", seen.now.fpr},
            {"fpr_verified", to_json(verified_fpr(seen))},
            {"deletable_share", to_json(seen.now.deletable_share)},
            {"capabilities", to_json(seen.kind->capabilities)},
            {"geometry", to_json(filter.geometry())},
            {"hash", name_of(seen.file.hasher().id())},
            {"bits_per_key", bits_per_key(seen)},
            {"key_type", key_type_names[static_cast<std::size_t>(seen.file.keys)]},
            {"agreed", to_json(seen.file.target)},
            {"guard", exclusions_document(filter)},
            {"attached_bytes", seen.file.attached.size()},
            {"most_keys", to_json(growth_limit(filter))},
            {"sure_keys", to_json(sure_keys(filter))},
            {"cells", filter.cells()},
            {"occupied_share", seen.occupied_share},
            {"deletable_share_at_twice_the_items", to_json(seen.deletable_at_twice_the_items())}};
}

void print_portrait(const std::string& path, const filter_portrait& seen) {
    const any_filter& filter = seen.file.filter();
    const auto row = [](std::string_view what, const std::string& words) { fmt::print("  {:<13}{}\n", what, words); };
    std::string geometry;
    for (const geometry_value& one : filter.geometry()) {
        geometry += geometry.empty() ? "" : ", ";
        geometry += fmt::format("{} {}", one.name, value_text(one));
    }
    std::string abilities;
    for (const named_capability& one : named_capabilities) {
        if (!seen.kind->capabilities.has(one.bit)) continue;
        abilities += (abilities.empty() ? "" : ", ") + std::string(one.name);
    }
    fmt::print("{}: {} filter ({})\n", path, with_article(filter.kind()), seen.kind->summary);
    row("file", fmt::format("{}, format version {}", size_text(seen.file_bytes, seen.now.items), v1::version));
    if (const auto growth = filter.growth(); growth && growth->slow_bits != 0) {
        row("memory",
            fmt::format("{} that queries read, {} of stored hashes", size_text(growth->fast_bits / 8, seen.now.items),
                        size_text(growth->slow_bits / 8, seen.now.items)));
    }
    row("keys",
        fmt::format("about {}, {}, hashed with {}", grouped(seen.items()),
                    key_type_names[static_cast<std::size_t>(seen.file.keys)], name_of(seen.file.hasher().id())));
    const auto verified = verified_fpr(seen);
    row("current FPR",
        fmt::format("{} (from its cells){}", rate_text(seen.now.fpr),
                    verified ? fmt::format("; {} for `check`, which verifies matches", rate_text(*verified)) : ""));
    const std::string fullness = fullness_text(seen.file, seen.now);
    row("capacity", capacity_text(seen.file.target) + (fullness.empty() ? "" : "; " + fullness));
    if (const std::string limit = growth_limit_text(filter); !limit.empty()) row("growth", limit);
    if (const std::string risk = removal_risk_text(filter, seen.now.absent_key_risk.value_or(0)); !risk.empty())
        row("removals", risk);
    row("cells", fmt::format("{}, {} occupied", grouped(filter.cells()), rate_text(seen.occupied_share)));
    if (seen.now.deletable_share) {
        const auto at_twice = seen.deletable_at_twice_the_items();
        row("deletable", fmt::format("{} of the keys{}", rate_text(*seen.now.deletable_share),
                                     at_twice ? fmt::format("; {} with twice as many", rate_text(*at_twice)) : ""));
    }
    if (const auto& exclusions = filter.exclusions()) {
        row("exclusions",
            fmt::format("a list of {} answers no for known negatives", bytes_text(exclusions->words().size_bytes())));
    }
    if (seen.file.keys == key_type::cidr) {
        row("networks", "prefix lengths in use: " + lengths_in(seen.file).text());
    } else if (!seen.file.attached.empty()) {
        row("attached", fmt::format("{} of data for other programs", counted(seen.file.attached.size(), "byte")));
    }
    row("geometry", geometry);
    row("operations", abilities);
}

result<int> show_slow(const show_flags& flags, const std::string& path) {
    if (!flags.picture.empty()) {
        return fail(failure_reason::unsupported, "--picture: there are no pictures of slow filters");
    }
    const auto seen = portray_slow_filter(path);
    if (!seen) return fail(seen.error());
    if (flags.output.as_json) print_document(slow_document(*seen));
    if (flags.output.wants_text()) print_slow_portrait(path, *seen);
    return exit_done;
}

result<int> show_foreign(const show_flags& flags, const std::string& path, foreign_format format) {
    if (!flags.picture.empty()) {
        return fail(failure_reason::unsupported, "--picture: there are no pictures of filters of other programs");
    }
    const auto seen = portray_foreign(path, format);
    if (!seen) return fail(seen.error());
    if (flags.output.as_json) print_document(foreign_document(*seen));
    if (flags.output.wants_text()) print_foreign_portrait(path, *seen);
    return exit_done;
}

result<int> show_one(const show_flags& flags) {
    const std::string& path = flags.paths.front();
    if (is_slow_filter(path)) return show_slow(flags, path);
    if (const auto format = flags.foreign_format_for(path)) return show_foreign(flags, path, *format);
    const auto seen = portray_filter(path);
    if (!seen) return fail(seen.error());
    if (!flags.picture.empty()) {
        if (auto checked = check_picture_file(flags.picture, path); !checked) return fail(std::move(checked.error()));
        if (auto saved = write_whole_file(flags.picture, bytes_of(picture_of(*seen, path)), std::span(&path, 1));
            !saved)
            return fail(std::move(saved.error()));
    }
    if (flags.output.as_json) print_document(document(*seen));
    if (flags.output.wants_text()) print_portrait(path, *seen);
    return exit_done;
}

result<int> show_many(const show_flags& flags) {
    if (!flags.picture.empty()) {
        return fail(failure_reason::bad_parameter, "--picture draws one filter; name one FILE");
    }
    json documents = json::array();
    constexpr auto right = table::side::right;
    table rows({{"file"},
                {"kind"},
                {"type"},
                {"keys", right},
                {"capacity", right},
                {"current FPR", right},
                {"target", right},
                {"size", right},
                {"bits per key", right}});
    const auto add_row = [&](const std::string& path, std::string_view kind, std::string_view type,
                             const capacity_target& target, const measurement& now, std::uint64_t keys,
                             std::uint64_t bytes) {
        rows.add({path, std::string(kind), std::string(type), grouped(keys),
                  target.items == 0 ? "-" : grouped(target.items), rate_text(now.fpr),
                  target.items == 0 ? "-" : rate_text(target.fpr), bytes_text(bytes),
                  bits_per_key_text(bytes, now.items)});
    };
    for (const std::string& path : flags.paths) {
        if (is_slow_filter(path)) {
            const auto seen = portray_slow_filter(path);
            if (!seen) return fail(seen.error());
            json one = {{"file", path}};
            one.update(slow_document(*seen));
            documents.push_back(std::move(one));
            const filter_file& file = seen->opened.file;
            add_row(path, "slow", name_of(file.keys), file.target, seen->now,
                    static_cast<std::uint64_t>(seen->now.items), seen->file_bytes);
            continue;
        }
        if (const auto format = flags.foreign_format_for(path)) {
            const auto seen = portray_foreign(path, *format);
            if (!seen) return fail(seen.error());
            json one = {{"file", path}};
            one.update(foreign_document(*seen));
            documents.push_back(std::move(one));
            measurement now;
            now.fpr = seen->facts.fpr;
            now.items = static_cast<double>(seen->items());
            add_row(path, name_of(*format), "-", seen->target(), now, seen->items(), seen->facts.file_bytes);
            continue;
        }
        const auto seen = portray_filter(path);
        if (!seen) return fail(seen.error());
        json one = {{"file", path}};
        one.update(document(*seen));
        documents.push_back(std::move(one));
        add_row(path, seen->filter().kind(), name_of(seen->file.keys), seen->file.target, seen->now, seen->items(),
                seen->file_bytes);
    }
    if (flags.output.as_json) print_document(documents);
    if (flags.output.wants_text()) fmt::print("{}", rows.text());
    return exit_done;
}

result<int> run_show(const show_flags& flags) { return flags.paths.size() == 1 ? show_one(flags) : show_many(flags); }

} // namespace

void declare_show(command_line& line) {
    auto flags = std::make_shared<show_flags>();
    command_flags command = line.add("show", "Show kind, size, keys, current FPR and capacity of a filter",
                                     "everbloom create names.eb names.txt && everbloom show names.eb\n"
                                     "everbloom show names.eb --picture names.svg",
                                     [flags] { return run_show(*flags); });
    command
        .add_option("FILE", flags->paths, "the filter, ours or one of another program; several are shown as a table")
        ->required()
        ->type_name("");
    command.add_option("--picture", flags->picture, "write a picture of its cells, as SVG")->type_name("X.svg");
    flags->foreign.declare(command);
    flags->output.declare(command);
}

} // namespace everbloom::cli
