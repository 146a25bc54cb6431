#include "commands/sync/sync_report.hpp"

#include "filters/agreed_rate.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

namespace everbloom::cli {
namespace {

json revision_document(const revision_summary& one) {
    return {{"revision", one.mark},
            {"added", one.added},
            {"removed", one.removed},
            {"items", one.items},
            {"bytes", one.bytes},
            {"fpr_current", one.fpr},
            {"undeletable", one.undeletable},
            {"rebuilt", one.rebuilt ? json(*one.rebuilt) : json(nullptr)}};
}

json sync_document(const sync_summary& summary, const followed_filter& filter, each_revision wanted) {
    const revision_summary& last = summary.revisions.back();
    json made{{"file", summary.path},
              {"list", summary.list_path},
              {"kind", filter.file().filter().kind()},
              {"created", summary.origin == sync_origin::created},
              {"dry_run", summary.dry_run},
              {"added", summary.added()},
              {"removed", summary.removed()},
              {"unchanged", summary.unchanged},
              {"repeated", summary.repeated},
              {"additions_ignored", summary.additions_ignored},
              {"removals_ignored", summary.removals_ignored},
              {"items", last.items},
              {"bytes", last.bytes},
              {"list_bytes", summary.list_bytes},
              {"fpr_current", last.fpr},
              {"agreed", to_json(filter.file().agreed)},
              {"undeletable", last.undeletable},
              {"rebuilt", filter.rebuilt()}};
    if (wanted == each_revision::shown) {
        made["revisions"] = json::array();
        for (const revision_summary& one : summary.revisions) made["revisions"].push_back(revision_document(one));
    }
    return made;
}

/// "31460 keys, 0.0951 % false positives, 217.0 KiB"
std::string state_text(const revision_summary& one) {
    return fmt::format("{}, {} false positives, {}", counted(one.items, "key"), rate_text(one.fpr),
                       bytes_text(one.bytes));
}

void print_revision(const revision_summary& one) {
    fmt::print("{}: {} added, {} removed; {}{}{}\n", one.mark.empty() ? "all" : one.mark.substr(0, one.mark.find(' ')),
               one.added, one.removed, state_text(one),
               one.undeletable == 0 ? "" : fmt::format(", {} undeletable", one.undeletable),
               one.rebuilt ? "; built anew: " + *one.rebuilt : "");
}

} // namespace

std::uint64_t sync_summary::added() const noexcept {
    std::uint64_t sum = 0;
    for (const revision_summary& one : revisions) sum += one.added;
    return sum;
}

std::uint64_t sync_summary::removed() const noexcept {
    std::uint64_t sum = 0;
    for (const revision_summary& one : revisions) sum += one.removed;
    return sum;
}

void print_sync(const sync_summary& summary, const followed_filter& filter, const summary_flags& output,
                each_revision wanted) {
    if (output.as_json) print_document(sync_document(summary, filter, wanted));
    if (!output.wants_text()) return;
    if (wanted == each_revision::shown) {
        for (const revision_summary& one : summary.revisions) print_revision(one);
    }
    const revision_summary& last = summary.revisions.back();
    fmt::print("{}: {}{}{} added, {} removed; {} (list: {})\n", summary.path, summary.dry_run ? "would be: " : "",
               summary.origin == sync_origin::created ? fmt::format("a new {} filter, ", filter.file().filter().kind())
                                                      : "",
               counted(summary.added(), "key"), summary.removed(), state_text(last), bytes_text(summary.list_bytes));
    if (summary.repeated != 0) fmt::print("{} stood in the list more than once\n", counted(summary.repeated, "key"));
    if (summary.additions_ignored + summary.removals_ignored != 0) {
        fmt::print("ignored: {} of members, {} of strangers\n", counted(summary.additions_ignored, "addition"),
                   counted(summary.removals_ignored, "removal"));
    }
    if (last.undeletable != 0) {
        fmt::print("{} that left the list could not be taken out and still answer \"maybe\"\n",
                   counted(last.undeletable, "key"));
    }
    const auto& reasons = filter.rebuilt();
    if (wanted == each_revision::shown || reasons.empty()) return;
    fmt::print("built anew from the list{}: {}\n",
               reasons.size() == 1 ? "" : fmt::format(" {} times, at last", reasons.size()), reasons.back());
}

} // namespace everbloom::cli
