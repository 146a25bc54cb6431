#include "filters/insertion.hpp"

#include "output/message.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <everbloom/core/printable.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace everbloom::cli {
namespace {

/// This many refused keys are printed one by one; the others are only counted.
constexpr std::uint64_t most_named = 5;

/// Of the whole array, also behind the last key of a batch: a known number is done by vectors.
bool are_all_inserted(const std::array<insert_outcome, batch_items>& outcomes) noexcept {
    std::uint8_t others = 0;
    static_assert(insert_outcome{} == insert_outcome::inserted);
    for (const insert_outcome one : outcomes) others |= static_cast<std::uint8_t>(one);
    return others == 0;
}

} // namespace

result<void> insertion::take(const hashed_keys& keys) {
    std::array<insert_outcome, batch_items> outcomes{};
    for (std::size_t from = 0; from < keys.digests.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, keys.digests.size() - from);
        const auto digests = std::span(keys.digests).subspan(from, count);
        const auto results = std::span(outcomes).first(count);
        auto done = wanted_ == printing::nothing
                        ? filter_.insert(digests, results)
                        : take_and_print(std::span(keys.texts).subspan(from, count), digests, results);
        if (!done) return fail(in(path_, std::move(done.error())));
        if (are_all_inserted(outcomes)) {
            tally_.add(insert_outcome::inserted, count);
            continue;
        }
        for (std::size_t i = 0; i < count; ++i) {
            tally_.add(results[i]);
            if (succeeded(results[i]) || ++refused_ > most_named) continue;
            const std::string key =
                keys.texts.empty() ? fmt::format("key number {}", tally_.all()) : printable(keys.texts[from + i]);
            say("everbloom: {}: not added ({}): {}\n", path_, name_of(results[i]), key);
        }
    }
    if (output_.empty()) return {};
    auto written = write_output(output_);
    output_.clear();
    return written;
}

result<void> insertion::take_and_print(std::span<const std::string_view> texts, std::span<const digest> digests,
                                       std::span<insert_outcome> outcomes) {
    // One query for the whole batch prefetches the cells. A "maybe" is final, because inserting makes no key absent; a "no" is repeated
    // before the insertion, because an earlier key of this batch may be the same.
    std::array<std::uint8_t, batch_items> answers{};
    filter_.may_contain(digests, std::span(answers).first(digests.size()));
    for (std::size_t i = 0; i < digests.size(); ++i) {
        const bool is_new = answers[i] == 0 && !filter_.may_contain(digests[i]);
        const auto outcome = filter_.insert(digests[i]);
        if (!outcome) return fail(outcome.error());
        outcomes[i] = *outcome;
        if (!is_new) continue;
        ++new_keys_;
        output_.append(texts[i]);
        output_ += terminator_;
    }
    return {};
}

void insertion::report_refusals() const {
    if (refused_ <= most_named) return;
    say("everbloom: {}: {} more not added, {} of {} in total; use a larger filter ('everbloom resize', or a new one "
        "with a "
        "larger --capacity) and add them again; with --all-or-none nothing is written\n",
        path_, grouped(refused_ - most_named), grouped(refused_), counted(tally_.all(), "key"));
}

result<void> refuse_partial(const std::string& path, const insert_tally& tally) {
    const std::uint64_t refused = tally.all() - tally.successes();
    if (refused == 0) return {};
    return fail(
        failure_reason::no_room,
        fmt::format(
            "{}: {} of {} do not fit; nothing was written, because of --all-or-none; use a larger filter, or add the "
            "others without that flag",
            path, grouped(refused), counted(tally.all(), "key")));
}

std::string insert_remarks(const insert_tally& tally) {
    std::string remarks;
    const auto remark = [&](insert_outcome outcome, std::string_view words) {
        const std::uint64_t count = tally.of(outcome);
        if (count != 0) remarks += fmt::format("{}{} {}", remarks.empty() ? "" : ", ", grouped(count), words);
    };
    remark(insert_outcome::inserted_counted, "already in the filter and counted");
    remark(insert_outcome::inserted_saturated, "saturated a counter permanently");
    remark(insert_outcome::inserted_grew, "made the filter grow");
    remark(insert_outcome::inserted_unprotected, "made known negatives positive again");
    remark(insert_outcome::full_bucket, "refused (full_bucket)");
    remark(insert_outcome::full_counter, "refused (full_counter)");
    remark(insert_outcome::growth_refused, "refused (growth_refused)");
    return remarks.empty() ? remarks : " (" + remarks + ")";
}

} // namespace everbloom::cli
