// resize: makes a filter larger or smaller without its keys, for kinds that support it. The library does the work (jobs/resizing.hpp).
#include "commands/commands.hpp"
#include "filters/filter_update.hpp"
#include "filters/kind_names.hpp"
#include "filters/noted_lengths.hpp"
#include "frame/flag_values.hpp"
#include "frame/interruption.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/resizing.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace everbloom::cli {
namespace {

struct resize_flags {
    std::string path;
    std::string capacity;
    std::string fpr;
    std::string bytes;
    bool fit = false;
    bool dry_run = false;
    summary_flags output;
};

result<resize_request> request_of(const resize_flags& flags, const measurement& now) {
    resize_request wanted;
    if (!flags.capacity.empty()) {
        const auto items = size_of_flag("--capacity", flags.capacity);
        if (!items) return fail(items.error());
        if (*items < static_cast<std::uint64_t>(std::llround(now.items))) {
            return fail(failure_reason::bad_parameter, fmt::format("--capacity: '{}' is too small; the filter holds {}",
                                                                   flags.capacity, estimated_keys(now.items)));
        }
        wanted.capacity = *items;
    }
    if (!flags.bytes.empty()) {
        const auto bytes = size_of_flag("--bytes", flags.bytes);
        if (!bytes) return fail(bytes.error());
        wanted.bytes = *bytes;
    }
    if (!flags.fpr.empty()) {
        const auto fpr = rate_of_flag("--fpr", flags.fpr);
        if (!fpr) return fail(fpr.error());
        wanted.fpr = *fpr;
    }
    return wanted;
}

/// `now`: the filter after the change, or an empty one of its geometry.
void report(const resize_flags& flags, std::uint64_t old_bytes, std::uint64_t new_bytes, const any_filter& now,
            const resize_plan& plan) {
    const prediction said = now.predict({.items = plan.items});
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"kind", now.kind()},
                        {"dry_run", flags.dry_run},
                        {"bytes_before", old_bytes},
                        {"bytes", new_bytes},
                        {"items", plan.items},
                        {"fpr", said.fpr.value_or(0)},
                        {"geometry", to_json(now.geometry())},
                        {"agreed", to_json(plan.target)}});
    } else if (flags.output.wants_text()) {
        const std::string size = size_text(new_bytes, static_cast<double>(plan.items));
        fmt::print("{}: {}{}{}, predicted FPR {} with {}\n", flags.path, flags.dry_run ? "would be resized: " : "",
                   new_bytes == old_bytes ? "stays at " : bytes_text(old_bytes) + " -> ", size,
                   rate_text(said.fpr.value_or(0)), counted(plan.items, "key"));
    }
}

/// A slow filter grows and shrinks by itself; what can be chosen is the FPR, and the capacity it does not shrink below.
result<int> resize_slow(const resize_flags& flags) {
    if (!flags.bytes.empty() || flags.dry_run) {
        return fail(failure_reason::unsupported,
                    flags.path +
                        ": is a slow filter, for which --bytes and --dry-run do not work; use --capacity, --fpr "
                        "or --fit");
    }
    auto update = filter_update::begin_any(flags.path);
    if (!update) return fail(std::move(update.error()));
    slow_elastic& slow = *update->slow();
    const std::uint64_t old_bytes = slow.statistics().fast_bytes;
    const auto wanted = request_of(flags, slow.measure());
    if (!wanted) return fail(wanted.error());
    const std::uint64_t capacity = wanted->capacity.value_or(flags.fit ? 1 : slow.state().capacity);
    const auto plan = plan_slow({capacity, wanted->fpr.value_or(slow.state().fpr)});
    if (!plan) return fail(in(flags.path, plan.error()));
    if (auto done = slow.resize(*plan); !done) return fail(in(flags.path, std::move(done.error())));
    const measurement now = slow.measure();
    const std::uint64_t new_bytes = slow.statistics().fast_bytes;
    if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    if (flags.output.as_json) {
        print_document({{"file", flags.path},
                        {"kind", "slow"},
                        {"dry_run", false},
                        {"bytes_before", old_bytes},
                        {"bytes", new_bytes},
                        {"items", now.items},
                        {"fpr", now.fpr}});
    } else if (flags.output.wants_text()) {
        fmt::print("{}: {} -> {} for queries, current FPR {} with {}\n", flags.path, bytes_text(old_bytes),
                   size_text(new_bytes, now.items), rate_text(now.fpr),
                   counted(static_cast<std::uint64_t>(now.items), "key"));
    }
    return exit_done;
}

result<int> run_resize(const resize_flags& flags) {
    if (flags.capacity.empty() && flags.bytes.empty() && flags.fpr.empty() && !flags.fit) {
        return fail(failure_reason::bad_parameter,
                    "no size given; use --capacity N, --bytes B, --fpr RATE or --fit (the smallest size for its keys)");
    }
    if (is_slow_filter(flags.path)) return resize_slow(flags);
    interruption stopper;
    auto update = filter_update::begin(flags.path);
    if (!update) return fail(std::move(update.error()));
    any_filter& filter = update->filter();
    if (!filter.can(capability::grow) && !filter.can(capability::shrink)) {
        return fail(failure_reason::unsupported,
                    fmt::format("{}: {} filter cannot be resized; kinds that can: {}", flags.path,
                                with_article(filter.kind()), names_of_kinds_that_can(capability::grow)));
    }
    const noted_lengths lengths(update->file());
    const measurement before = filter.measure();
    const auto wanted = request_of(flags, before);
    if (!wanted) return fail(wanted.error());
    const std::uint64_t old_bytes = saved_bytes(update->file());
    const std::uint64_t old_payload = filter.payload_bytes();
    const auto rule = flags.fit ? capacity_rule::present_keys : capacity_rule::keep_if_possible;
    const auto plan = plan_resize(update->file(), before, *wanted, rule, "--fpr");
    if (!plan) return fail(in(flags.path, plan.error()));
    if (!flags.dry_run) {
        if (auto done = apply_resize(update->file(), *plan); !done)
            return fail(in(flags.path, std::move(done.error())));
    }
    if (auto stopped = stopper.check(); !stopped) return fail(std::move(stopped.error()));
    if (!flags.dry_run) {
        lengths.attach_to(update->file());
        if (auto saved = update->save(); !saved) return fail(std::move(saved.error()));
    }
    // A dry run has no file; what a file has besides the cells hardly changes.
    const std::uint64_t new_bytes =
        flags.dry_run ? plan->resized.payload_bytes() + old_bytes - old_payload : saved_bytes(update->file());
    report(flags, old_bytes, new_bytes, flags.dry_run ? plan->resized : filter, *plan);
    return exit_done;
}

} // namespace

void declare_resize(command_line& line) {
    auto flags = std::make_shared<resize_flags>();
    command_flags command = line.add("resize", "Resize a filter, without its keys",
                                     "everbloom create --kind dleft --capacity 1000 --fpr 0.1% names.eb names.txt\n"
                                     "everbloom resize --capacity 2000 --fpr 0.5% names.eb",
                                     [flags] { return run_resize(*flags); });
    command.add_option("FILE", flags->path, "the filter")->required()->type_name("");
    command.add_option("--capacity", flags->capacity, "resize for N keys")->alias("--items")->type_name("N");
    command.add_option("--fpr", flags->fpr, "target FPR (default: the one it has)")->type_name("RATE");
    command
        .add_option("--bytes", flags->bytes,
                    "resize to at most B bytes: the largest capacity that fits, at the same FPR")
        ->type_name("B");
    command.add_flag("--fit", flags->fit, "resize to the smallest size for the keys in it");
    command.add_flag("--dry-run", flags->dry_run, "print what would be done, change nothing");
    flags->output.declare(command);
}

} // namespace everbloom::cli
