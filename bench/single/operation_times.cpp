// operation_times: how long single insertions and removals of a filter that grows take, as percentiles, from 1,000 keys on and back again.
// Prints the tables of docs/models/quotient.md and docs/models/elastic_blocked.md.
//
//   everbloom_operation_times [keys, 1e7] [elastic_blocked] [hook] [runs=N]      quotient, if no kind is named
//       hook: memory comes from malloc through a memory hook, as that of a server
//       runs: everything N times; the least time of each operation counts. What the filter does comes back in every run, what others do on
//             the machine does not.
//
// CPU time of the thread, with that of reading the clock, which is printed first.
#include <everbloom/bits/memory_hook.hpp>
#include <everbloom/filter/make.hpp>
#include <everbloom/model/elastic/elastic_blocked.hpp>
#include <everbloom/model/quotient/quotient.hpp>
#include <everbloom/probe/mix.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string_view>
#include <vector>

namespace everbloom {
namespace {

std::uint64_t cpu_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// Times in classes that are 2 % wide.
class histogram {
public:
    void add(std::uint64_t nanoseconds) {
        ++classes_[class_of(nanoseconds)];
        ++count_;
        longest_ = std::max(longest_, nanoseconds);
    }
    /// In microseconds.
    [[nodiscard]] double percentile(double share) const {
        auto left = static_cast<std::uint64_t>(share * static_cast<double>(count_));
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            if (left < classes_[i]) return std::pow(width, static_cast<double>(i)) / 1000;
            left -= classes_[i];
        }
        return longest();
    }
    [[nodiscard]] double longest() const { return static_cast<double>(longest_) / 1000; }

private:
    static constexpr double width = 1.02;
    static std::size_t class_of(std::uint64_t nanoseconds) {
        const double number = std::log(static_cast<double>(std::max<std::uint64_t>(nanoseconds, 1))) / std::log(width);
        return std::min(static_cast<std::size_t>(number), most_classes - 1);
    }
    static constexpr std::size_t most_classes = 1200;
    std::array<std::uint64_t, most_classes> classes_{};
    std::uint64_t count_ = 0;
    std::uint64_t longest_ = 0;
};

void print(const char* operation, std::uint64_t from, std::uint64_t to, const histogram& seen) {
    std::printf("| %s | %.0e to %.0e | %.2f | %.2f | %.2f | %.1f | %.0f |\n", operation, static_cast<double>(from),
                static_cast<double>(to), seen.percentile(0.5), seen.percentile(0.99), seen.percentile(0.9999),
                seen.percentile(0.999999), seen.longest());
}

digest key(std::uint64_t number) {
    const std::uint64_t low = mix(number + 1);
    return {low, mix(low + number)};
}

/// Nanoseconds of every operation: of the insertions, and of the removals by the number of keys that were left. The least over all runs.
struct operation_times {
    std::vector<float> inserted;
    std::vector<float> removed;

    explicit operation_times(std::uint64_t keys)
        : inserted(keys, std::numeric_limits<float>::max()), removed(keys, std::numeric_limits<float>::max()) {}
};

template <class Act>
bool timed(float& least, Act act) {
    const std::uint64_t begin = cpu_nanoseconds();
    const bool done = act();
    least = std::min(least, static_cast<float>(cpu_nanoseconds() - begin));
    return done;
}

/// Returns how many operations failed.
template <class Filter>
std::uint64_t run_once(Filter& filter, operation_times& times) {
    std::uint64_t failures = 0;
    for (std::uint64_t i = 0; i < times.inserted.size(); ++i) {
        const digest item = key(i);
        failures += timed(times.inserted[i], [&] { return succeeded(filter.insert(item)); }) ? 0 : 1;
    }
    for (std::uint64_t i = times.removed.size(); i > 0; --i) {
        const digest item = key(i - 1);
        failures += timed(times.removed[i - 1], [&] { return filter.erase(item) == erase_outcome::removed; }) ? 0 : 1;
    }
    return failures;
}

histogram times_between(const std::vector<float>& times, std::uint64_t from, std::uint64_t to) {
    histogram seen;
    for (; from < to; ++from) seen.add(static_cast<std::uint64_t>(times[from]));
    return seen;
}

template <class Filter>
int run(const result<typename Filter::spec_type>& spec, std::uint64_t keys, unsigned runs) {
    histogram clock;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t begin = cpu_nanoseconds();
        clock.add(cpu_nanoseconds() - begin);
    }
    std::printf("reading the clock: %.2f us\n\n", clock.percentile(0.5));
    if (!spec) return EXIT_FAILURE;
    operation_times times(keys);
    std::uint64_t failures = 0;
    for (unsigned i = 0; i < runs; ++i) {
        auto filter = make<Filter>(*spec);
        if (!filter) return EXIT_FAILURE;
        failures += run_once(*filter, times);
    }
    std::puts("| operation | keys in the filter | median | 99 % | 99.99 % | 99.9999 % | longest, us "
              "|\n|---|---|---|---|---|---|---|");
    std::uint64_t held = 0;
    for (std::uint64_t to = 1000; held < keys; to *= 10) {
        to = std::min(to, keys);
        print("insert", held, to, times_between(times.inserted, held, to));
        held = to;
    }
    while (held > 0) {
        const std::uint64_t to = held <= 1000 ? 0 : held / 10;
        print("remove", held, to, times_between(times.removed, to, held));
        held = to;
    }
    if (failures != 0) std::printf("%llu operations failed\n", static_cast<unsigned long long>(failures));
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace
} // namespace everbloom

int main(int count, char** arguments) {
    double keys = 1e7;
    bool is_elastic = false;
    double runs = 1;
    for (int i = 1; i < count; ++i) {
        if (std::string_view(arguments[i]) == "hook") {
            everbloom::set_memory_hook({std::malloc, std::free});
        } else if (std::string_view(arguments[i]) == "elastic_blocked") {
            is_elastic = true;
        } else if (std::string_view(arguments[i]).starts_with("runs=")) {
            runs = std::strtod(arguments[i] + 5, nullptr);
        } else {
            keys = std::strtod(arguments[i], nullptr);
        }
    }
    if (!(keys >= 1000 && keys <= 1e10 && runs >= 1 && runs <= 1000)) {
        std::fprintf(
            stderr, "usage: everbloom_operation_times [keys, 1e3 to 1e10] [elastic_blocked] [hook] [runs=1 to 1000]\n");
        return EXIT_FAILURE;
    }
    const auto count_of_keys = static_cast<std::uint64_t>(keys);
    const auto count_of_runs = static_cast<unsigned>(runs);
    const everbloom::workload small{1000, 0.001};
    if (is_elastic) {
        return everbloom::run<everbloom::elastic_blocked_filter>(everbloom::elastic_blocked_model::plan(small),
                                                                 count_of_keys, count_of_runs);
    }
    return everbloom::run<everbloom::quotient_filter>(
        everbloom::quotient_model::plan(small, {.buckets = 0, .remainder_bits = 0}), count_of_keys, count_of_runs);
}
