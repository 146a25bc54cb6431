// A slow filter that threads share: queries, and everything but updates, which are in shared_slow_updates.cpp. Merges, states and the log
// are those of slow_elastic.
#include "slow_memory.hpp"

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/shared_access.hpp>
#include <everbloom/model/bloom/line_rate.hpp>
#include <everbloom/runtime/slow/shared_slow.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace everbloom {

/// A block, and the pattern to look for in it.
struct shared_slow_elastic::query {
    const std::uint64_t* block;
    std::uint64_t seed;
    unsigned hashes;

    [[nodiscard]] bool answer() const noexcept { return shared_access::contains(block, seed, hashes); }
};

shared_slow_elastic::shared_slow_elastic(std::unique_ptr<slow_elastic> filter) noexcept : filter_(std::move(filter)) {}

result<shared_slow_elastic> shared_slow_elastic::share(slow_elastic filter) {
    return or_out_of_memory([&]() -> result<shared_slow_elastic> {
        auto moved = std::make_unique<slow_elastic>(std::move(filter));
        auto made = std::make_unique<sharing>(moved->parts_.size());
        for (std::size_t i = 0; i < moved->parts_.size(); ++i) {
            auto& part = moved->parts_[i];
            part.counted_bytes = part.updates.memory_bytes();
            const auto hashes = static_cast<unsigned>(moved->state_.parts[i].hashes);
            (void)made->parts[i].publish(
                std::make_unique<sharing::description>(sharing::description{part.words(), part.blocks(), hashes}));
        }
        moved->sharing_ = std::move(made);
        return shared_slow_elastic(std::move(moved));
    });
}

shared_slow_elastic::sharing& shared_slow_elastic::shared() const noexcept { return *filter_->sharing_; }

shared_slow_elastic::query shared_slow_elastic::query_for(digest item) const noexcept {
    const slow_block_view& view = filter_->view_; // of which only what never changes is used here
    const std::uint64_t hash = view.stored_hash(item);
    const auto& part = shared().parts[hash >> (64 - view.part_bits)];
    const sharing::description& seen = *part.seen.load(std::memory_order_acquire);
    return {seen.words + reduce(hash << view.part_bits, seen.blocks) * line_words, view.seed_of(hash), seen.hashes};
}

bool shared_slow_elastic::may_contain(digest item) const noexcept {
    const sharing::epochs::visit reading(shared().readers);
    return query_for(item).answer();
}

void shared_slow_elastic::may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
    const sharing::epochs::visit reading(shared().readers);
    std::array<query, kernel::line_lead> waiting; // their blocks are on their way
    for (std::size_t from = 0; from < items.size(); from += waiting.size()) {
        const std::size_t count = std::min(waiting.size(), items.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            waiting[i] = query_for(items[from + i]);
            prefetch_line(waiting[i].block);
        }
        for (std::size_t i = 0; i < count; ++i) answers[from + i] = waiting[i].answer() ? 1 : 0;
    }
}

result<std::uint64_t> shared_slow_elastic::count(digest item) const {
    const auto part = static_cast<std::size_t>(filter_->identity_.geometry.part_of(item.low));
    const lock changing = filter_->lock_part(part);
    if (shared().closing) return fail(failure_reason::unsupported, "the filter is closed");
    return filter_->count(item);
}

result<void> shared_slow_elastic::flush() {
    if (shared().closing) {
        const lock until_it_is_closed(shared().one_close);
        if (shared().closing) return fail(failure_reason::unsupported, "the filter is closed");
    }
    return filter_->flush();
}

result<void> shared_slow_elastic::close() {
    const lock one_at_a_time(shared().one_close);
    shared().closing = true;
    // Calls that began before are over when these are free.
    for (std::size_t i = 0; i < filter_->parts_.size(); ++i) {
        const lock merging = filter_->lock_merging(i);
        const lock changing = filter_->lock_part(i);
    }
    auto done = filter_->close();
    if (!done) shared().closing = false;
    return done;
}

std::optional<failure> shared_slow_elastic::last_error() const {
    const lock alone = filter_->lock_log();
    return filter_->last_error_;
}

workload shared_slow_elastic::target() const {
    const lock alone = filter_->lock_log();
    return {filter_->state_.capacity, filter_->state_.fpr};
}

measurement shared_slow_elastic::measure() const {
    double fpr = 0;
    for (const auto& part : shared().parts) {
        const sharing::epochs::visit reading(shared().readers);
        const sharing::description& seen = *part.seen.load(std::memory_order_acquire);
        double sum = 0;
        for (std::uint64_t b = 0; b < seen.blocks; ++b) {
            kernel::line_mask block;
            for (unsigned i = 0; i < line_words; ++i) {
                block[i] = __atomic_load_n(seen.words + b * line_words + i, __ATOMIC_RELAXED);
            }
            sum += line_rate(std::span<const std::uint64_t, line_words>(block), seen.hashes).rate;
        }
        fpr += sum / static_cast<double>(seen.blocks);
    }
    const lock alone = filter_->lock_log();
    const auto keys = static_cast<double>(filter_->known_keys_);
    return {fpr / static_cast<double>(shared().parts.size()), keys, 1.0,
            keys * std::exp2(-static_cast<double>(filter_->identity_.geometry.word_bits))};
}

} // namespace everbloom
