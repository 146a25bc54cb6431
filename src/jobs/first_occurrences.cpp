#include <everbloom/core/out_of_memory.hpp>
#include <everbloom/core/wording.hpp>
#include <everbloom/jobs/first_occurrences.hpp>
#include <everbloom/runtime/catalogue.hpp>

#include <algorithm>
#include <array>

namespace everbloom {
namespace {

/// The different keys of a batch: a hash table that is never more than half full.
class batch_keys {
public:
    /// False if keys[index] equals a key that was added before.
    [[nodiscard]] bool add(std::span<const digest> keys, std::size_t index) noexcept {
        std::size_t slot = keys[index].high % slots;
        for (; table_[slot] != 0; slot = (slot + 1) % slots) {
            if (keys[table_[slot] - 1U] == keys[index]) return false;
        }
        table_[slot] = static_cast<std::uint16_t>(index + 1);
        return true;
    }

private:
    static constexpr std::size_t slots = 2 * batch_items;
    std::array<std::uint16_t, slots> table_{}; // the index, and one more
};

} // namespace

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
    constexpr std::size_t few = 8; // for these the tables below cost more than they save
    if (window_ != 0 || keys.size() < few) return classify_in_order(keys, is_first);
    // Nothing is forgotten, so what is there before the batch stays. Everything is done for all keys at once: the filter then prefetches.
    filter_.may_contain(keys, is_first);
    std::array<digest, batch_items> chosen;
    std::array<std::uint16_t, batch_items> places;
    std::size_t count = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        chosen[count] = keys[i];
        places[count] = static_cast<std::uint16_t>(i);
        count += is_first[i];
    }
    std::array<std::uint8_t, batch_items> known{};
    if (count != 0) {
        auto asked = filter_.confirm(std::span(chosen).first(count), std::span(known).first(count));
        if (!asked) return asked;
    }
    std::fill(is_first.begin(), is_first.end(), std::uint8_t{1});
    for (std::size_t i = 0; i < count; ++i) is_first[places[i]] = static_cast<std::uint8_t>(known[i] == 0);

    batch_keys fresh;
    count = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (is_first[i] == 0) continue;
        if (!fresh.add(keys, i)) {
            is_first[i] = 0;
        } else {
            chosen[count++] = keys[i];
        }
    }
    std::array<insert_outcome, batch_items> outcomes;
    if (auto done = filter_.insert(std::span(chosen).first(count), std::span(outcomes).first(count)); !done)
        return done;
    for (std::size_t i = 0; i < count; ++i, ++firsts_) {
        if (!succeeded(outcomes[i])) return no_room();
    }
    keys_ += keys.size();
    return {};
}

result<void> first_occurrences::classify_in_order(std::span<const digest> keys, std::span<std::uint8_t> is_first) {
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

unexpected<failure> first_occurrences::no_room() const {
    return fail(failure_reason::no_room, "not enough memory to remember more than " + counted(firsts_, "distinct key"));
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
    return no_room();
}

} // namespace everbloom
