#include "filters/removal.hpp"

#include "keys/key_text.hpp"
#include "output/json_output.hpp"
#include "output/standard_output.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace everbloom::cli {
namespace {

double risk_in(const any_filter& filter) {
    const measurement now = filter.measure();
    return std::clamp(now.absent_key_risk.value_or(now.fpr), 0.0, 1.0);
}

} // namespace

removal::removal(any_filter& filter, printing wanted)
    : filter_(filter), wanted_(wanted), verified_(filter.can(capability::confirm)), risk_(risk_in(filter)) {}

result<void> removal::take(const hashed_keys& keys) {
    std::array<erase_outcome, batch_items> outcomes{};
    for (std::size_t from = 0; from < keys.digests.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, keys.digests.size() - from);
        auto done = filter_.erase(std::span(keys.digests).subspan(from, count), std::span(outcomes).first(count));
        if (!done) return done;
        for (std::size_t i = 0; i < count; ++i) {
            tally_.add(outcomes[i]);
            if (wanted_ == printing::verdicts) print(keys.texts[from + i], outcomes[i]);
        }
    }
    auto written = write_output(output_);
    output_.clear();
    return written;
}

double removal::never_added() const noexcept {
    if (verified_) return 0;
    const auto removed = static_cast<double>(tally_.successes());
    const auto absent = static_cast<double>(tally_.of(erase_outcome::not_present));
    return risk_ < 1 ? std::min(removed, absent * risk_ / (1 - risk_)) : removed;
}

result<void> removal::check(const std::string& path) const {
    const double wrong = never_added();
    if (wrong < 1) return {};
    return fail(
        failure_reason::mismatch,
        fmt::format(
            "{}: {} of {} are not in the filter, so about {} of the {} to be removed were never added either: they "
            "are false positives (FPR {}), and removing them would cause false negatives; nothing was changed. Remove "
            "only keys that were added ('everbloom sync' ensures that), or use --unverified",
            path, grouped(tally_.of(erase_outcome::not_present)), counted(tally_.all(), "key"),
            grouped(static_cast<std::uint64_t>(std::llround(wrong))), grouped(tally_.successes()), rate_text(risk_)));
}

void removal::print(std::string_view text, erase_outcome outcome) {
    json verdict = key_json(text);
    verdict["outcome"] = name_of(outcome);
    output_ += json_line(verdict);
}

} // namespace everbloom::cli
