// shared_updates: what several threads bring to one elastic_blocked filter in memory (runtime/shared_elastic.hpp). Prints the table of
// docs/models/elastic_blocked.md.
//
//   everbloom_shared_updates [keys, 4e6] [batch, 256] [runs, 3] [most threads, 2]
//
// Threads insert keys of their own into a filter that begins 64 times too small, look for them, and remove them. Wall-clock time, because waiting
// counts, and processor time per key, because other programs may take a part of the machine.
#include <everbloom/model/elastic/elastic_blocked.hpp>
#include <everbloom/probe/mix.hpp>
#include <everbloom/runtime/shared_elastic.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

namespace everbloom {
namespace {

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The keys of one thread, in batches.
class key_share {
public:
    key_share(std::uint64_t first, std::uint64_t end, std::size_t batch) : batch_(batch) {
        for (std::uint64_t key = first; key < end; ++key) items_.push_back({mix(2 * key), mix(2 * key + 1)});
    }
    template <class Act>
    void for_each_batch(Act act) const {
        for (std::size_t at = 0; at < items_.size(); at += batch_) {
            act(std::span(items_).subspan(at, std::min(batch_, items_.size() - at)));
        }
    }

private:
    std::size_t batch_;
    std::vector<digest> items_;
};

/// Lets `act(share)` run in a thread for each share, and prints how fast they were together.
template <class Act>
void measure(const char* what, std::uint64_t keys, const std::vector<key_share>& shares, Act act) {
    std::barrier line_up(static_cast<std::ptrdiff_t>(shares.size()) + 1);
    std::vector<std::jthread> threads;
    threads.reserve(shares.size());
    for (const key_share& share : shares) {
        threads.emplace_back([&] {
            line_up.arrive_and_wait();
            act(share);
            line_up.arrive_and_wait();
        });
    }
    line_up.arrive_and_wait();
    const double wall = wall_seconds();
    const double processor = processor_seconds();
    line_up.arrive_and_wait();
    const auto count = static_cast<double>(keys);
    std::printf("   %s %6.2f M/s, %4.0f ns", what, count / (wall_seconds() - wall) / 1e6,
                (processor_seconds() - processor) / count * 1e9);
}

bool run(std::uint64_t keys, std::size_t batch, unsigned threads) {
    const auto spec = elastic_blocked_model::plan({std::max<std::uint64_t>(keys / 64, 1), 0.001});
    auto made = spec ? shared_elastic_filter::make(*spec) : fail(spec.error());
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().sentence.c_str());
        return false;
    }
    shared_elastic_filter& filter = *made;
    std::vector<key_share> shares;
    for (unsigned i = 0; i < threads; ++i) shares.emplace_back(i * keys / threads, (i + 1) * keys / threads, batch);
    std::atomic<std::uint64_t> wrong = 0;
    std::printf("%2u threads", threads);
    measure("insert", keys, shares, [&](const key_share& share) {
        std::vector<insert_outcome> outcomes(batch);
        share.for_each_batch([&](std::span<const digest> items) {
            if (items.size() == 1)
                wrong += succeeded(filter.insert(items[0])) ? 0 : 1;
            else
                filter.insert(items, std::span(outcomes).first(items.size()));
        });
    });
    measure("query", keys, shares, [&](const key_share& share) {
        std::vector<std::uint8_t> answers(batch);
        std::uint64_t missing = 0;
        share.for_each_batch([&](std::span<const digest> items) {
            if (items.size() == 1)
                answers[0] = filter.may_contain(items[0]) ? 1 : 0;
            else
                filter.may_contain(items, std::span(answers).first(items.size()));
            missing += static_cast<std::uint64_t>(std::count(answers.data(), answers.data() + items.size(), 0));
        });
        wrong += missing;
    });
    measure("erase", keys, shares, [&](const key_share& share) {
        std::vector<erase_outcome> outcomes(batch);
        share.for_each_batch([&](std::span<const digest> items) {
            if (items.size() == 1)
                wrong += filter.erase(items[0]) == erase_outcome::removed ? 0 : 1;
            else
                filter.erase(items, std::span(outcomes).first(items.size()));
        });
    });
    wrong += filter.keys();
    std::printf(wrong == 0 ? "\n" : "   WRONG\n");
    return wrong == 0;
}

} // namespace
} // namespace everbloom

int main(int count, char** words) {
    const auto number = [&](int place, double usual) {
        return std::max(1.0, count > place ? std::atof(words[place]) : usual);
    };
    const auto keys = static_cast<std::uint64_t>(number(1, 4e6));
    const auto batch = static_cast<std::size_t>(number(2, 256));
    const auto runs = static_cast<int>(number(3, 3));
    const auto most_threads = static_cast<unsigned>(number(4, 2));
    for (int i = 0; i < runs; ++i) {
        for (unsigned threads = 1; threads <= most_threads; threads *= 2) {
            if (!everbloom::run(keys, batch, threads)) return 1;
        }
    }
    return 0;
}
