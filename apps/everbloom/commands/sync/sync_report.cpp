#include "commands/sync/sync_report.hpp"

#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>

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
              {"agreed", to_json(filter.file().target)},
              {"undeletable", last.undeletable},
              {"rebuilt", filter.rebuilt()}};
    if (summary.protected_keys) {
        made["negatives"] = summary.protected_keys->negatives;
        made["false_positives_before"] = summary.protected_keys->false_positives_before;
        made["false_positives_after"] = summary.protected_keys->false_positives_after;
        made["in_both_lists"] = summary.overlap;
        made["exclusion_bytes"] = summary.exclusion_bytes;
    }
    if (wanted == each_revision::shown) {
        made["revisions"] = json::array();
        for (const revision_summary& one : summary.revisions) made["revisions"].push_back(revision_document(one));
    }
    return made;
}

/// "31,460 keys, current FPR 0.0951 %, 217.0 KiB (56.5 bits per key)"
std::string state_text(const revision_summary& one) {
    return fmt::format("{}, current FPR {}, {}", counted(one.items, "key"), rate_text(one.fpr),
                       size_text(one.bytes, static_cast<double>(one.items)));
}

void print_revision(const revision_summary& one) {
    fmt::print("{}: {} added, {} removed; {}{}{}\n", one.mark.empty() ? "all" : one.mark.substr(0, one.mark.find(' ')),
               grouped(one.added), grouped(one.removed), state_text(one),
               one.undeletable == 0 ? "" : fmt::format(", {} undeletable", grouped(one.undeletable)),
               one.rebuilt ? "; rebuilt: " + *one.rebuilt : "");
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
    fmt::print("{}: {}{}{} added, {} removed; {}; list {}\n", summary.path, summary.dry_run ? "dry run: " : "",
               summary.origin == sync_origin::created
                   ? fmt::format("created {} filter, ", with_article(filter.file().filter().kind()))
                   : "",
               counted(summary.added(), "key"), grouped(summary.removed()), state_text(last),
               bytes_text(summary.list_bytes));
    if (const auto& done = summary.protected_keys) {
        fmt::print("{}, {} of them false positives before, {} now; exclusion list of {}{}\n",
                   counted(done->negatives, "known negative"), grouped(done->false_positives_before),
                   grouped(done->false_positives_after), bytes_text(summary.exclusion_bytes),
                   summary.overlap == 0 ? "" : fmt::format("; {} in both lists", counted(summary.overlap, "key")));
    }
    if (summary.repeated != 0) fmt::print("{} in the list ignored\n", counted(summary.repeated, "duplicate"));
    if (summary.additions_ignored + summary.removals_ignored != 0) {
        fmt::print("ignored: {} of keys already in the list, {} of absent keys\n",
                   counted(summary.additions_ignored, "addition"), counted(summary.removals_ignored, "removal"));
    }
    if (last.undeletable != 0) {
        fmt::print("{} that left the list could not be removed and still answer \"maybe\"\n",
                   counted(last.undeletable, "key"));
    }
    const auto& reasons = filter.rebuilt();
    if (wanted == each_revision::shown || reasons.empty()) return;
    fmt::print("rebuilt from the list{}: {}\n",
               reasons.size() == 1 ? "" : fmt::format(" {} times, last reason", reasons.size()), reasons.back());
}

} // namespace everbloom::cli
