// Theorem 4.2 of [Wu21]: what resizing costs per operation, under a load that makes it resize as often as possible.
//
// Keys are inserted until the filter doubles, removed until it halves, and so on. A resize moves the keys that are in it; the proof bounds
// them by 8/3 of the operations since the resize before. They are counted, not timed.
#include "lab/papers/elastic/contenders.hpp"
#include "lab/papers/elastic/elastic.hpp"

#include <everbloom/simulation/trial_randomness.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace everbloom::lab::elastic {
namespace {

constexpr double papers_bound = 8.0 / 3;

/// A filter, and how far it is to its next resize.
class alternating_filter {
public:
    alternating_filter(any_filter filter, const trial_randomness& keys) : filter_(std::move(filter)), keys_(keys) {}

    /// Inserts until a doubling has begun and ended, or removes until a halving has.
    result<double> go_to_next_resize(bool inserting) {
        std::uint64_t operations = 0;
        while (!is_resizing()) {
            if (auto done = step(inserting); !done) return fail(std::move(done.error()));
            ++operations;
            if (!inserting && first_ == next_) return fail(failure_reason::unsupported, "it did not shrink");
        }
        const auto moved = static_cast<double>(next_ - first_);
        while (is_resizing()) {
            if (auto done = step(inserting); !done) return fail(std::move(done.error()));
            ++operations;
        }
        operations_ += operations;
        moved_ += moved;
        return moved / static_cast<double>(operations);
    }
    /// Operations before the first resize do not count.
    void forget() noexcept {
        operations_ = 0;
        moved_ = 0;
    }
    [[nodiscard]] double moved_per_operation() const noexcept { return moved_ / static_cast<double>(operations_); }
    [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }

private:
    result<void> step(bool inserting) {
        if (inserting) {
            const auto done = filter_.insert(keys_(random_stream::members, next_++));
            if (!done) return fail(done.error());
            return {};
        }
        const auto done = filter_.erase(keys_(random_stream::members, first_++));
        if (!done) return fail(done.error());
        return {};
    }
    [[nodiscard]] bool is_resizing() const { return filter_.geometry("next_bits").value_or(0) != 0; }

    any_filter filter_;
    const trial_randomness& keys_;
    std::uint64_t first_ = 0; // keys first_ .. next_ - 1 are in it
    std::uint64_t next_ = 0;
    std::uint64_t operations_ = 0;
    double moved_ = 0;
};

} // namespace

result<outcome> alternating_load(laboratory& lab) {
    artefact figure{"alternating",
                    "Keys that a resize moves, per operation since the resize before, under an alternating load",
                    {"log2 of the initial bits"},
                    axis_from_zero("keys moved per operation")};
    figure.reading =
        "Mean over doublings and halvings in turn. The line is the bound in the proof of Theorem 4.2, 8/3.";
    figure.reference = papers_bound;
    series line{"elastic", {"#2b7bba", 7, 0.7, 1.8}};
    const trial_randomness keys(lab.seed(), 0);
    double worst = 0;
    std::uint64_t resizes = 0;
    for (const unsigned power : {12U, 14U, 16U}) {
        auto built = build_contender(elastic_contender(), std::uint64_t{1} << power);
        if (!built) return fail(std::move(built.error()));
        alternating_filter filter(std::move(*built), keys);
        if (auto first = filter.go_to_next_resize(true); !first) return fail(std::move(first.error()));
        filter.forget();
        const int rounds = lab.thoroughness().name == "glance" ? 4 : 10;
        for (int i = 0; i < rounds; ++i) {
            for (const bool inserting : {false, true}) {
                const auto share = filter.go_to_next_resize(inserting);
                if (!share) return fail(share.error());
                worst = std::max(worst, *share);
                ++resizes;
            }
        }
        lab.report(filter.operations());
        const double mean = filter.moved_per_operation();
        line.points.push_back({static_cast<double>(power), std::nullopt, std::nullopt, estimate{mean, mean, mean}});
    }
    figure.curves.push_back(std::move(line));
    outcome found;
    found.findings = {{"amortised-cost", worst > papers_bound ? 1.0 : 0.0,
                       fmt::format("{} resizes moved {:.2f} keys per operation since the one before at most, {:.2f} on "
                                   "average with 2^16 bits; the proof allows 2.67",
                                   resizes, worst, figure.curves.front().points.back().measured->mean)}};
    found.artefacts.push_back(std::move(figure));
    return found;
}

} // namespace everbloom::lab::elastic
