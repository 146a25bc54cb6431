// What does memory allow? Hash a key, touch one random 64-byte line: no filter that reads a line per key can do more.
//
// Plain: the processor overlaps as many misses as it finds by itself. Prefetched: the addresses of a batch are computed first, and lines
// are fetched sixteen ahead, as our batches do. Both over pages of 4 KiB and over huge pages.
#include "memory_bound.hpp"

#include "measurements.hpp"
#include "planned.hpp"
#include "population.hpp"

#include <everbloom/bits/prefetch_line.hpp>
#include <everbloom/probe/reduce.hpp>

#include <sys/mman.h>

#include <set>

namespace everbloom::bench {
namespace {

enum class pages { small, huge };

/// Anonymous memory on pages of the wanted size, every page of it touched.
class page_array {
public:
    page_array(std::uint64_t bytes, pages wanted) : mapped_bytes_(bytes + 2 * huge_page_bytes) {
        void* const got = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got == MAP_FAILED) return;
        mapping_ = got;
        const auto behind = reinterpret_cast<std::uintptr_t>(got) % huge_page_bytes;
        words_ =
            static_cast<std::uint64_t*>(got) + (behind == 0 ? 0 : huge_page_bytes - behind) / sizeof(std::uint64_t);
        const std::uint64_t whole = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
        madvise(words_, whole, wanted == pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        for (std::uint64_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) words_[i] = key_at(i);
    }
    page_array(const page_array&) = delete;
    page_array& operator=(const page_array&) = delete;
    ~page_array() {
        if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
    }

    /// Null if the system had no memory.
    [[nodiscard]] const std::uint64_t* words() const noexcept { return words_; }

private:
    static constexpr std::uint64_t huge_page_bytes = std::uint64_t{2} << 20;

    std::uint64_t mapped_bytes_;
    void* mapping_ = nullptr;
    std::uint64_t* words_ = nullptr;
};

std::uint64_t touch_plainly(const std::uint64_t* words, std::uint64_t lines,
                            std::span<const std::uint64_t, batch_keys> keys) noexcept {
    const integer_hasher hash;
    std::uint64_t sum = 0;
    for (const std::uint64_t key : keys) sum += words[reduce(hash(key).low, lines) * line_words];
    return sum;
}

std::uint64_t touch_prefetched(const std::uint64_t* words, std::uint64_t lines,
                               std::span<const std::uint64_t, batch_keys> keys) noexcept {
    constexpr std::size_t lead = 16;
    const integer_hasher hash;
    std::array<const std::uint64_t*, batch_keys> at;
    for (std::size_t i = 0; i < batch_keys; ++i) at[i] = words + reduce(hash(keys[i]).low, lines) * line_words;
    for (std::size_t i = 0; i < lead; ++i) prefetch_line(at[i]);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < batch_keys - lead; ++i) {
        prefetch_line(at[i + lead]);
        sum += *at[i];
    }
    for (std::size_t i = batch_keys - lead; i < batch_keys; ++i) sum += *at[i];
    return sum;
}

template <class Touch>
void time_touching(benchmark::State& state, std::uint64_t bytes, pages wanted, Touch touch) {
    const page_array array(bytes, wanted);
    if (array.words() == nullptr) return state.SkipWithError("the system has no memory for the array");
    const std::uint64_t lines = bytes / line_bytes;
    batch_cycle queries(run_keys().absent_keys());
    for (auto _ : state) benchmark::DoNotOptimize(touch(array.words(), lines, queries.next()));
    describe(state, batch_keys, bytes);
}

} // namespace

void register_memory_bound() {
    std::set<std::uint64_t> sizes;
    for (const planned_kind& one : planned_kinds())
        sizes.insert(bound_array_bytes(static_cast<double>(one.payload_bytes)));
    for (const std::uint64_t bytes : sizes) {
        const auto add = [bytes](std::string_view variant, pages wanted, auto touch) {
            const std::string size = fmt::format("{:.3g}_MB", static_cast<double>(bytes) / 1e6);
            add_measurement("memory_bound", variant, size,
                            [=](benchmark::State& state) { time_touching(state, bytes, wanted, touch); });
        };
        add("plain", pages::small, touch_plainly);
        add("plain_huge_pages", pages::huge, touch_plainly);
        add("prefetched", pages::small, touch_prefetched);
        add("prefetched_huge_pages", pages::huge, touch_prefetched);
    }
}

} // namespace everbloom::bench
