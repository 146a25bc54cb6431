#include "commands/slow/slow_portrait.hpp"

#include "filters/growth_limit.hpp"
#include "frame/summary.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

namespace everbloom::cli {

result<slow_portrait> portray_slow_filter(const std::string& path) {
    auto opened = open_slow_filter(path, slow_access::read);
    if (!opened) return fail(std::move(opened.error()));
    slow_portrait made{std::move(*opened), {}, {}, 0};
    made.seen = made.opened.slow->statistics();
    made.now = made.opened.slow->measure();
    struct stat found {}; // nothing, if it was deleted after it was opened; then its size does not matter
    if (::stat(path.c_str(), &found) == 0) {
        constexpr std::uint64_t stat_unit = 512;
        made.file_bytes = static_cast<std::uint64_t>(found.st_size);
        made.disk_bytes = static_cast<std::uint64_t>(found.st_blocks) * stat_unit;
    }
    return made;
}

json slow_document(const slow_portrait& of) {
    const slow_identity& identity = of.opened.slow->identity();
    const double keys = of.now.items;
    return {{"kind", "slow"},
            {"format_version", slow_layout::version},
            {"bytes", of.file_bytes},
            {"disk_bytes", of.disk_bytes},
            {"items", static_cast<std::uint64_t>(keys)},
            {"items_merged", of.seen.keys},
            {"pending", of.seen.pending},
            {"refused_removals", of.seen.refused},
            {"fpr_current", of.now.fpr},
            {"fpr_verified", of.absent_key_risk()},
            {"hash", name_of(identity.hasher.id())},
            {"key_type", name_of(identity.keys)},
            {"agreed", to_json(of.opened.file.target)},
            {"geometry", to_json(of.opened.file.filter().geometry())},
            {"fast_bytes", of.seen.fast_bytes},
            {"run_bytes", of.seen.run_bytes},
            {"log_bytes", of.seen.log_bytes},
            {"bits_per_key", keys >= 0.5 ? json(8 * static_cast<double>(of.seen.fast_bytes) / keys) : json(nullptr)},
            {"sure_keys", identity.geometry.sure_keys()},
            {"most_keys", identity.geometry.most_keys()}};
}

void print_slow_portrait(const std::string& path, const slow_portrait& of) {
    const auto row = [](std::string_view what, const std::string& words) { fmt::print("  {:<13}{}\n", what, words); };
    const slow_identity& identity = of.opened.slow->identity();
    const filter_file& file = of.opened.file;
    fmt::print("{}: a slow filter (hashes of the keys in the file, bits for queries in memory)\n", path);
    row("file", fmt::format("{} on the disk, {} long, format version {}", size_text(of.disk_bytes, of.now.items),
                            bytes_text(of.file_bytes), slow_layout::version));
    row("memory", fmt::format("{} for queries", size_text(of.seen.fast_bytes, of.now.items)));
    row("hashes",
        fmt::format("{} of stored hashes, for {} that are merged",
                    size_text(of.seen.run_bytes, static_cast<double>(of.seen.keys)), counted(of.seen.keys, "key")));
    row("keys", fmt::format("{}{}, {}, hashed with {}", of.seen.pending == 0 ? "" : "about ",
                            grouped(static_cast<std::uint64_t>(of.now.items)), name_of(identity.keys),
                            name_of(identity.hasher.id())));
    row("current FPR", fmt::format("{} (from its bits); {} for verified queries", rate_text(of.now.fpr),
                                   rate_text(of.absent_key_risk())));
    row("capacity", capacity_text(file.target) + ", grows to " + counted(identity.geometry.most_keys(), "key"));
    row("removals", removal_risk_text(file.filter(), of.absent_key_risk()));
    row("pending", fmt::format("{} with updates that are not merged yet, {} of log", counted(of.seen.pending, "key"),
                               bytes_text(of.seen.log_bytes)));
    if (of.seen.refused != 0) {
        row("refused", fmt::format("{} of keys that were not there", counted(of.seen.refused, "deferred removal")));
    }
    if (identity.keys == key_type::cidr) row("networks", "prefix lengths in use: " + lengths_in(file).text());
    std::string geometry;
    for (const geometry_value& one : file.filter().geometry()) {
        geometry += fmt::format("{}{} {}", geometry.empty() ? "" : ", ", one.name, value_text(one));
    }
    row("geometry", geometry);
}

} // namespace everbloom::cli
