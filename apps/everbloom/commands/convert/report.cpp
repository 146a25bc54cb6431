#include "commands/convert/report.hpp"

#include "output/json_output.hpp"
#include "output/message.hpp"
#include "output/wording.hpp"

#include <everbloom/jobs/capacity.hpp>

#include <fmt/format.h>

#include <bit>

namespace everbloom::cli {

converted figures_of(const dcso_header& header, std::uint64_t data_bytes, double fpr_now) {
    return {header.items, header.bits, header.hashes, {header.planned_items, header.planned_fpr}, fpr_now, data_bytes};
}

converted figures_of(const foreign_filter& filter) {
    const foreign_facts facts = filter.facts();
    converted made;
    made.items = facts.whole_items();
    made.bits = facts.bits;
    made.target = {facts.capacity, facts.target_fpr};
    made.fpr_now = facts.fpr;
    if (const auto* file = filter.as<dcso_bits>()) {
        made.hashes = file->file().header.hashes;
        made.data_bytes = file->file().data.size();
    }
    if (const auto* file = filter.as<guava_file>()) made.hashes = file->hashes();
    if (filter.as<parquet_bloom>() != nullptr) made.hashes = parquet_bloom::words_per_block;
    if (const auto* dump = filter.as<redisbloom_dump>()) made.hashes = dump->header().links.back().hashes;
    return made;
}

void warn_of_power_of_two(const std::string& path, const converted& made) {
    say("everbloom: {}: warning: its size of {} bits is a power of two, which raises the FPR with the hash of .bloom "
        "files: "
        "the current FPR is {}, the target FPR {}\n",
        path, grouped(made.bits), rate_text(made.fpr_now), rate_text(made.target.fpr));
}

void report_conversion(const summary_flags& output, const conversion_names& names, const converted& made) {
    if (output.as_json) {
        print_document({{"from", names.from},
                        {"to", names.to},
                        {"format", names.format},
                        {"bits", made.bits},
                        {"hashes", made.hashes},
                        {"items", made.items},
                        {"agreed", to_json(made.target)},
                        {"fpr_current", made.fpr_now},
                        {"data_bytes", made.data_bytes},
                        {"power_of_two", std::has_single_bit(made.bits)},
                        {"lost", made.lost}});
    } else if (output.wants_text()) {
        fmt::print("{}: {}, {}, {}, current FPR {} (capacity: {}){}\n", names.to, counted(made.items, "key"),
                   size_text((made.bits + 7) / 8, static_cast<double>(made.items)),
                   counted(made.hashes, "hash function"), rate_text(made.fpr_now), capacity_text(made.target),
                   made.data_bytes == 0 ? "" : ", with " + counted(made.data_bytes, "byte") + " of attached data");
        std::string lost;
        for (const std::string& one : made.lost) lost += (lost.empty() ? "" : ", ") + one;
        if (!lost.empty()) fmt::print("  this format has no place for: {}\n", lost);
    }
}

} // namespace everbloom::cli
