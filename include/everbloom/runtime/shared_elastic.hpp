// shared_elastic: an elastic blocked filter for many threads. Readers never wait; writers wait only for writers of the same shard.
//
// Keys are distributed over shards by the first bits of their hashes. Each shard is an elastic filter of the bits behind those, with a lock
// for writers, and grows by itself. So the shards in order hold the hashes in order: one filter can be cut into shards, and shards put
// together, in one pass (src/door/shard_conversion.hpp). A query takes no lock: it reads a small description of the shard's blocks (where they are, how far the
// frontier is) and then one block. When a shard begins to grow or has grown, a new description replaces the old one; old blocks and
// descriptions are freed when no reader can see them any more (reader_epochs.hpp).
//
// Why no member is missed: a bit that a member needs is set before the frontier passes the member, is never cleared in between
// (blocks are replaced word by word by the union of the keys that stay), and old blocks keep what has moved.
#pragma once

#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/filter/elastic/elastic_blocked.hpp>
#include <everbloom/filter/elastic/shared_access.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/runtime/brief_lock.hpp>
#include <everbloom/runtime/reader_epochs.hpp>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace everbloom {

class shared_elastic_filter {
public:
    static constexpr unsigned most_shards = 256;
    using shard_filter = elastic_blocked_filter_with<heap_words, shared_access>;

    /// `spec` describes the whole; every shard gets its part. `shards` is a power of two, at most `most_shards`; fewer are made where the
    /// stored hashes have too few bits to spare.
    [[nodiscard]] static result<shared_elastic_filter> make(const elastic_blocked_spec& spec, unsigned shards = 16) {
        auto part = part_of(spec.started(), shards);
        if (!part) return fail(std::move(part.error()));
        return or_out_of_memory([&]() -> result<shared_elastic_filter> {
            std::vector<shard_filter> filters;
            filters.reserve(std::size_t{1} << part->bits);
            while (filters.size() < filters.capacity()) {
                auto filter = everbloom::make<shard_filter>(part->spec.started());
                if (!filter) return fail(std::move(filter.error()));
                filters.push_back(std::move(*filter));
            }
            return of_shards(std::move(filters));
        });
    }

    /// What a shard is, and how many leading bits of a hash tell which one.
    struct shard_part {
        elastic_blocked_spec spec;
        unsigned bits;
    };
    [[nodiscard]] static result<shard_part> part_of(const elastic_blocked_spec& whole, unsigned shards) {
        if (!std::has_single_bit(shards) || shards > most_shards) {
            return fail(failure_reason::bad_parameter,
                        "shards is " + std::to_string(shards) + "; it must be a power of two up to 256");
        }
        if (auto checked = whole.check(); !checked) return fail(std::move(checked.error()));
        const auto spare = static_cast<unsigned>(whole.word_bits - elastic_blocked_spec::least_word_bits);
        const unsigned bits = std::min(static_cast<unsigned>(std::countr_zero(shards)), spare);
        elastic_blocked_spec part = whole.at_rest();
        const auto share = [&](std::uint64_t all) {
            return std::max<std::uint64_t>(1, ceil_divide(all / line_bits, std::uint64_t{1} << bits)) * line_bits;
        };
        part.initial_bits = share(whole.initial_bits);
        part.bits = share(part.bits);
        part.most_bits = std::max(line_bits, whole.most_bits >> bits);
        part.word_bits -= bits;
        return shard_part{part, bits};
    }
    /// One filter for each value of the leading bits, as `part_of` describes it.
    [[nodiscard]] static result<shared_elastic_filter> of_shards(std::vector<shard_filter> filters) {
        return or_out_of_memory([&]() -> result<shared_elastic_filter> {
            shared_elastic_filter made;
            made.shards_.reserve(filters.size());
            for (shard_filter& filter : filters) made.shards_.push_back(std::make_unique<shard>(std::move(filter)));
            made.shard_bits_ = static_cast<unsigned>(std::countr_zero(filters.size()));
            return made;
        });
    }

    [[nodiscard]] bool may_contain(digest item) const noexcept {
        const typename epochs::visit reading(*epochs_);
        const lines_of_shards lines = all_lines();
        return kernel::shared_contains(lines.line_of(item), lines.hash_of(item), lines.hashes);
    }
    void may_contain(std::span<const digest> items, std::span<std::uint8_t> answers) const noexcept {
        const typename epochs::visit reading(*epochs_);
        kernel::shared_contains(all_lines(), items, answers);
    }

    insert_outcome insert(digest item) noexcept { return change<insert_outcome>(item, &insert_key); }
    erase_outcome erase(digest item) noexcept { return change<erase_outcome>(item, &erase_key); }
    void insert(std::span<const digest> items, std::span<insert_outcome> outcomes) noexcept {
        change_many<insert_outcome>(items, outcomes, &insert_key);
    }
    void erase(std::span<const digest> items, std::span<erase_outcome> outcomes) noexcept {
        change_many<erase_outcome>(items, outcomes, &erase_key);
    }

    /// Verified query: compares the stored hash, under the lock of the shard.
    [[nodiscard]] bool confirm(digest item) const {
        shard& one = shard_of(item);
        const std::lock_guard writing(one.lock);
        return one.filter.confirm(within_shard(item));
    }
    /// Different keys; exact while there are no writers.
    [[nodiscard]] std::uint64_t keys() const {
        std::uint64_t sum = 0;
        for_each_shard([&](const shard_filter& filter) { sum += filter.keys(); });
        return sum;
    }
    [[nodiscard]] std::uint64_t expansions() const {
        std::uint64_t sum = 0;
        for_each_shard([&](const shard_filter& filter) { sum += filter.expansions(); });
        return sum;
    }
    /// Calls `visit(filter)` for every shard, each under its lock.
    template <class Visit>
    void for_each_shard(Visit visit) const {
        for (const auto& one : shards_) {
            const std::lock_guard writing(one->lock);
            visit(std::as_const(one->filter));
        }
    }

    [[nodiscard]] std::size_t shards() const noexcept { return shards_.size(); }
    [[nodiscard]] unsigned shard_bits() const noexcept { return shard_bits_; }
    /// `visit(filter)` for one shard, under its lock.
    template <class Visit>
    auto with_shard(std::size_t index, Visit visit) const {
        const std::lock_guard writing(shards_[index]->lock);
        return visit(std::as_const(shards_[index]->filter));
    }

private:
    /// What a query needs of a shard. Replaced as a whole, except for the frontier, which only moves up.
    struct description {
        explicit description(const elastic_block_view<const std::uint64_t>& seen) noexcept
            : lines(seen), frontier(seen.frontier) {}

        elastic_block_view<const std::uint64_t> lines;
        std::atomic<std::uint64_t> frontier;
    };
    /// Freed together, when the last reader is gone.
    struct leftovers {
        std::unique_ptr<description> seen;
        heap_words lines;
    };
    using epochs = reader_epochs<leftovers>;

    struct alignas(64) shard {
        explicit shard(shard_filter made)
            : filter(std::move(made)), owned(std::make_unique<description>(filter.block_view())), seen(owned.get()) {}

        std::mutex lock;
        shard_filter filter;
        std::unique_ptr<description> owned;
        std::unique_ptr<description> spare;
        std::atomic<const description*> seen;
    };

    shared_elastic_filter() : epochs_(std::make_unique<epochs>()) {}

    [[nodiscard]] static std::size_t shard_index(digest item, unsigned shard_bits) noexcept {
        return item.low >> 1 >> (63 - shard_bits);
    }
    [[nodiscard]] static digest within_shard(digest item, unsigned shard_bits) noexcept {
        return {item.low << shard_bits, item.high};
    }
    [[nodiscard]] std::size_t shard_index(digest item) const noexcept { return shard_index(item, shard_bits_); }
    [[nodiscard]] digest within_shard(digest item) const noexcept { return within_shard(item, shard_bits_); }
    [[nodiscard]] shard& shard_of(digest item) const noexcept { return *shards_[shard_index(item)]; }

    /// Where queries look, in the shape that kernels want: the line of an item is one of its shard. Shards hash alike.
    struct lines_of_shards : block_hashing {
        const std::unique_ptr<shard>* shards;
        unsigned shard_bits;
        unsigned hashes;
        std::uint64_t lines; // about; tells how far ahead batches prefetch

        [[nodiscard]] const std::uint64_t* line_of(digest item) const noexcept {
            const description& seen = *shards[shard_index(item, shard_bits)]->seen.load(std::memory_order_acquire);
            elastic_block_view<const std::uint64_t> view = seen.lines;
            view.frontier = seen.frontier.load(std::memory_order_acquire);
            return view.line_of(within_shard(item, shard_bits));
        }
        [[nodiscard]] std::uint64_t hash_of(digest item) const noexcept {
            return block_hashing::hash_of(within_shard(item, shard_bits));
        }
    };
    [[nodiscard]] lines_of_shards all_lines() const noexcept {
        const auto& first = shards_.front()->seen.load(std::memory_order_acquire)->lines;
        return {first, shards_.data(), shard_bits_, first.hashes, first.lines * shards_.size()};
    }

    template <class Outcome>
    using operation = Outcome (*)(shard&, digest);

    /// A growth needs a new description. It is there before the growth begins, so that nothing can fail when it has.
    [[nodiscard]] static insert_outcome insert_key(shard& one, digest item) noexcept {
        if (!one.spare) one.spare.reset(new (std::nothrow) description(one.filter.block_view()));
        return one.spare ? one.filter.insert(item) : insert_outcome::growth_refused;
    }
    [[nodiscard]] static erase_outcome erase_key(shard& one, digest item) noexcept { return one.filter.erase(item); }

    template <class Outcome>
    Outcome change(digest item, operation<Outcome> act) noexcept {
        shard& one = shard_of(item);
        const auto writing = lock_brief(one.lock);
        const Outcome outcome = act(one, within_shard(item));
        publish(one);
        return outcome;
    }

    /// Some items of a batch, shard by shard.
    struct shard_order {
        static constexpr std::size_t most_items = 1024;

        std::array<digest, most_items> items;         // as their shards know them
        std::array<std::uint16_t, most_items> places; // in the batch
        std::array<std::uint16_t, most_shards + 1> starts;
    };
    void sort_by_shard(std::span<const digest> items, shard_order& sorted) const noexcept {
        auto& starts = sorted.starts;
        starts.fill(0);
        for (const digest& item : items) ++starts[shard_index(item) + 1];
        for (std::size_t i = 1; i <= shards_.size(); ++i)
            starts[i] = static_cast<std::uint16_t>(starts[i] + starts[i - 1]);
        auto next = starts;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::uint16_t place = next[shard_index(items[i])]++;
            sorted.items[place] = within_shard(items[i]);
            sorted.places[place] = static_cast<std::uint16_t>(i);
        }
    }

    /// One lock per shard and batch: the items are visited shard by shard. Every thread begins with another shard, and comes back to those
    /// that were taken: otherwise threads would follow each other from lock to lock.
    template <class Outcome>
    void change_many(std::span<const digest> items, std::span<Outcome> outcomes, operation<Outcome> act) noexcept {
        shard_order sorted; // not set
        for (std::size_t first = 0; first < items.size(); first += shard_order::most_items) {
            const auto some = items.subspan(first, std::min(shard_order::most_items, items.size() - first));
            sort_by_shard(some, sorted);
            const auto change_shard = [&](std::size_t i) {
                const std::size_t start = sorted.starts[i];
                const std::span own(sorted.items.data() + start, sorted.starts[i + 1] - start);
                shard& one = *shards_[i];
                one.filter.prefetching(own, [&](std::size_t at) {
                    outcomes[first + sorted.places[start + at]] = act(one, own[at]);
                    publish(one);
                });
            };
            std::bitset<most_shards> taken;
            const std::size_t begin = thread_number();
            for (std::size_t j = 0; j < shards_.size(); ++j) {
                const std::size_t i = (begin + j) & (shards_.size() - 1);
                if (sorted.starts[i] == sorted.starts[i + 1]) continue;
                const std::unique_lock writing(shards_[i]->lock, std::try_to_lock);
                taken[i] = !writing;
                if (writing) change_shard(i);
            }
            if (taken.none()) continue;
            for (std::size_t i = 0; i < shards_.size(); ++i) {
                if (!taken[i]) continue;
                const auto writing = lock_brief(shards_[i]->lock);
                change_shard(i);
            }
        }
    }
    /// Another one for every thread, mostly.
    [[nodiscard]] static std::size_t thread_number() noexcept {
        return std::hash<std::thread::id>{}(std::this_thread::get_id());
    }

    /// Before an operation is reported as done, readers see where to look for it.
    void publish(shard& one) noexcept {
        const auto& now = one.filter.block_view();
        if (now.now != one.owned->lines.now || now.next != one.owned->lines.next) [[unlikely]] {
            one.spare->lines = now;
            one.spare->frontier.store(now.frontier, std::memory_order_relaxed);
            one.seen.store(one.spare.get(), std::memory_order_release);
            leftovers old{std::exchange(one.owned, std::move(one.spare)), one.filter.take_retired_blocks()};
            epochs_->retire(std::move(old));
        } else if (now.frontier != one.owned->frontier.load(std::memory_order_relaxed)) {
            one.owned->frontier.store(now.frontier, std::memory_order_release);
        }
    }

    std::unique_ptr<epochs> epochs_;
    std::vector<std::unique_ptr<shard>> shards_;
    unsigned shard_bits_ = 0;
};

} // namespace everbloom
