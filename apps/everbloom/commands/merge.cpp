// merge and intersect: the union or intersection of several filters, without their keys.
//
// The cells of two filters are comparable only if kind, geometry, hash, hash key and key type are equal; otherwise the command fails and
// names the difference. Kinds that can be resized freely may differ in size. The result has the target FPR of the inputs and the largest
// of their capacities; if their target FPRs differ, it has none.
#include "commands/commands.hpp"
#include "filters/filter_argument.hpp"
#include "filters/kind_names.hpp"
#include "filters/noted_lengths.hpp"
#include "filters/output_file.hpp"
#include "filters/overfull.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/key_decoder.hpp>
#include <everbloom/runtime/filter_file.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace everbloom::cli {
namespace {

/// The operation on the filters.
struct combination {
    capability needed;
    std::string_view verb;
    std::string_view done;
    result<void> (any_filter::*with)(const any_filter&);
};

constexpr combination merging{capability::merge, "merge", "merged", &any_filter::merge};
constexpr combination intersecting{capability::intersect, "intersect", "intersected", &any_filter::intersect};

struct combine_flags {
    const combination& how;
    std::string path;
    std::vector<std::string> inputs;
    bool force = false;
    bool overfill = false;
    summary_flags output;
};

struct opened_filter {
    std::string path;
    filter_file file;
};

/// "bits is 9586 in a.eb and 19172 in b.eb", for the first that differs; nothing if none does.
std::optional<std::string> difference(const opened_filter& a, const opened_filter& b) {
    const auto differ = [&](std::string_view what, std::string_view in_a, std::string_view in_b) {
        return fmt::format("{} is {} in {} and {} in {}", what, in_a, a.path, in_b, b.path);
    };
    const any_filter& first = a.file.filter();
    const any_filter& second = b.file.filter();
    if (first.kind_id() != second.kind_id()) return differ("the kind", first.kind(), second.kind());
    const auto geometry = first.geometry();
    const auto other = second.geometry();
    for (std::size_t i = 0; i < geometry.size(); ++i) {
        // A kind that can be resized freely checks by itself what may differ.
        if (geometry[i].value == other[i].value || first.can(capability::resize)) continue;
        return differ(geometry[i].name, value_text(geometry[i]), value_text(other[i]));
    }
    if (a.file.hasher().id() != b.file.hasher().id()) {
        return differ("the hash", name_of(a.file.hasher().id()), name_of(b.file.hasher().id()));
    }
    if (a.file.keys != b.file.keys) return differ("the key type", name_of(a.file.keys), name_of(b.file.keys));
    // The hash keys are secret: the message says only that they differ.
    if (a.file.hasher() != b.file.hasher()) {
        return fmt::format(
            "the hash keys of {0} and {1} differ; 'everbloom create --like {0}' makes a filter with the same one",
            a.path, b.path);
    }
    return std::nullopt;
}

result<opened_filter> open_named(const std::string& path) {
    auto file = open_filter_argument(path);
    if (!file) return fail(std::move(file.error()));
    return opened_filter{path, std::move(*file)};
}

/// The capacity of both, if their target FPRs are equal.
capacity_target common_capacity(const capacity_target& a, const capacity_target& b) {
    if (a.items == 0) return b;
    if (b.items == 0) return a;
    return a.fpr == b.fpr ? capacity_target{std::max(a.items, b.items), a.fpr} : capacity_target{};
}

bool is_among(const std::string& path, const std::vector<std::string>& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const std::string& other) { return is_same_file(path, other); });
}

struct combined {
    opened_filter whole;
    bool targets_differ = false;
};

/// The members of one filter may be on the exclusion list of another.
result<void> refuse_exclusions(const opened_filter& one) {
    if (!one.file.filter().exclusions()) return {};
    return fail(failure_reason::unsupported,
                fmt::format("{0}: has an exclusion list, on which members of the other filters may be; drop the "
                            "exclusion list ('everbloom protect --drop {0}'), and protect the result",
                            one.path));
}

result<combined> combine_all(const combination& how, const std::vector<std::string>& inputs) {
    auto first = open_named(inputs.front());
    if (!first) return fail(std::move(first.error()));
    combined made{std::move(*first)};
    opened_filter& whole = made.whole;
    noted_lengths lengths(whole.file);
    if (!whole.file.filter().can(how.needed)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: {} filters cannot be {}; kinds that can: {}", whole.path,
                                whole.file.filter().kind(), how.done, names_of_kinds_that_can(how.needed)));
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const auto next = open_named(inputs[i]);
        if (!next) return fail(next.error());
        for (const opened_filter& one : {std::cref(whole), std::cref(*next)}) {
            if (auto checked = refuse_exclusions(one); !checked) return fail(std::move(checked.error()));
        }
        if (const auto differs = difference(whole, *next)) {
            return fail(failure_reason::mismatch,
                        fmt::format("{} and {} cannot be {}: {}", whole.path, next->path, how.done, *differs));
        }
        if (auto done = (whole.file.filter().*how.with)(next->file.filter()); !done) {
            return fail(in(next->path, std::move(done.error())));
        }
        lengths.add(next->file);
        const bool both = whole.file.target.items != 0 && next->file.target.items != 0;
        made.targets_differ |= both && whole.file.target.fpr != next->file.target.fpr;
        whole.file.target =
            made.targets_differ ? capacity_target{} : common_capacity(whole.file.target, next->file.target);
    }
    lengths.attach_to(whole.file);
    return made;
}

void report(const combine_flags& flags, const combined& made, const measurement& now) {
    const filter_file& file = made.whole.file;
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {std::string(flags.how.done), flags.inputs},
                        {"kind", file.filter().kind()},
                        {"items", now.items},
                        {"fpr_current", now.fpr},
                        {"agreed", to_json(file.target)}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {} {}; {}{}\n", flags.path, counted(flags.inputs.size(), "filter"), flags.how.done,
                   state_text(now, file.target),
                   made.targets_differ ? " (capacity: not set, the target FPRs of the inputs differ)" : "");
    }
}

result<int> run_combine(const combine_flags& flags) {
    if (flags.inputs.size() < 2) {
        return fail(
            failure_reason::bad_parameter,
            fmt::format("{0} needs an output file and at least two filters: everbloom {0} OUT A B", flags.how.verb));
    }
    interruption stopper;
    if (auto ours = refuse_foreign_output(flags.path); !ours) return fail(std::move(ours.error()));
    auto update = output_file::begin_in_place(flags.path); // it may be one of the inputs
    if (!update) return fail(std::move(update.error()));
    struct stat there {};
    if (!flags.force && ::lstat(flags.path.c_str(), &there) == 0 && !is_among(flags.path, flags.inputs)) {
        return fail(failure_reason::bad_parameter,
                    fmt::format("{}: already exists and is not one of the filters to {}; --force replaces it",
                                flags.path, flags.how.verb));
    }
    const auto made = combine_all(flags.how, flags.inputs);
    if (!made) return fail(made.error());
    const auto now = made->whole.file.filter().measure();
    if (!flags.overfill && exceeds(now, made->whole.file.target)) {
        return fail(overfull(flags.path, std::string(flags.how.done), now, made->whole.file.target));
    }
    if (auto wanted = stopper.check(); !wanted) return fail(std::move(wanted.error()));
    if (auto saved = update->save(made->whole.file); !saved) return fail(std::move(saved.error()));
    report(flags, *made, now);
    return exit_done;
}

} // namespace

namespace {

void declare(command_line& line, const combination& how, const std::string& summary, const std::string& examples) {
    auto flags = std::make_shared<combine_flags>(combine_flags{how, {}, {}, false, false, {}});
    command_flags command = line.add(std::string(how.verb), summary, examples, [flags] { return run_combine(*flags); });
    command.add_option("OUT", flags->path, "the new filter; may be one of the inputs")->required()->type_name("");
    command
        .add_option("FILES", flags->inputs,
                    "the filters: same kind, hash, --seed and key type, and same geometry unless the kind can be "
                    "resized freely")
        ->required()
        ->type_name("");
    command.add_flag("--force", flags->force, "replace OUT if it is a filter or empty");
    command.add_flag("--overfill", flags->overfill, "accept keys beyond the capacity: the FPR rises above its target");
    flags->output.declare(command);
}

} // namespace

void declare_merge(command_line& line) {
    declare(line, merging, "Merge several filters into one (union)",
            "everbloom create --seed 1 --capacity 1000 a.eb names.txt\n"
            "echo zoe | everbloom create --seed 1 --capacity 1000 b.eb && everbloom merge both.eb a.eb b.eb");
}

void declare_intersect(command_line& line) {
    declare(line, intersecting, "Intersect several filters: keep the keys that are in all of them",
            "everbloom create --kind elastic_blocked --seed 1 a.eb names.txt\n"
            "head -1 names.txt | everbloom create --kind elastic_blocked --seed 1 b.eb && "
            "everbloom intersect both.eb a.eb b.eb");
}

} // namespace everbloom::cli
