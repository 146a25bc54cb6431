#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/first_occurrences.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <array>

namespace everbloom {

result<first_occurrences> first_occurrences::make(std::uint64_t capacity, std::uint64_t window) {
    // Hashes of 60 bits: of 20 million distinct keys, one is lost in about 5000 runs. The bits only have to rule out most keys.
    auto filter = build({"elastic_blocked", std::max<std::uint64_t>(capacity, 1), 0.01, {{"word_bits", "60"}}});
    if (!filter) return fail(std::move(filter.error()));
    return first_occurrences(std::move(*filter), window);
}

result<void> first_occurrences::classify(std::span<const digest> keys, std::span<std::uint8_t> is_first) {
    return or_out_of_memory([&]() -> result<void> {
        for (std::size_t from = 0; from < keys.size(); from += batch_items) {
            const std::size_t count = std::min(batch_items, keys.size() - from);
            auto done = classify_batch(keys.subspan(from, count), is_first.subspan(from, count));
            if (!done) return done;
        }
        return {};
    });
}

result<void> first_occurrences::classify_batch(std::span<const digest> keys, std::span<std::uint8_t> is_first) {
    std::array<std::uint8_t, batch_items> seen{};
    const auto answers = std::span(seen).first(keys.size());
    filter_.may_contain(keys, answers); // prefetches the blocks of the whole batch
    for (std::size_t i = 0; i < keys.size(); ++i) {
        // An earlier key of this batch may turn a "no" into a "yes", and with a window a "yes" into a "no": the hashes decide.
        is_first[i] = 1;
        if (answers[i] != 0 || filter_.may_contain(keys[i])) {
            std::uint8_t known = 0;
            if (auto asked = filter_.confirm(keys.subspan(i, 1), std::span(&known, 1)); !asked) return asked;
            is_first[i] = known == 0 ? 1 : 0;
        }
        if (is_first[i] == 0) continue;
        if (auto done = remember(keys[i]); !done) return done;
        ++firsts_;
    }
    keys_ += keys.size();
    return {};
}

result<void> first_occurrences::forget(const digest& key) {
    if (auto gone = filter_.erase(key); !gone) return fail(gone.error());
    return {};
}

result<void> first_occurrences::remember(const digest& key) {
    if (window_ != 0 && remembered_.size() == window_) {
        digest& oldest = remembered_[oldest_];
        if (auto gone = filter_.erase(oldest); !gone) return fail(gone.error());
        oldest = key;
        oldest_ = (oldest_ + 1) % window_;
    } else if (window_ != 0) {
        remembered_.push_back(key);
    }
    const auto outcome = filter_.insert(key);
    if (!outcome) return fail(outcome.error());
    if (succeeded(*outcome)) return {};
    return fail(failure_reason::no_room, "not enough memory to remember more than " + counted(firsts_, "distinct key"));
}

} // namespace everbloom
