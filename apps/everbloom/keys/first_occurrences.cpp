#include "keys/first_occurrences.hpp"

#include <array>

namespace everbloom::cli {

result<void> first_occurrences::tell(std::span<const digest> keys, std::span<std::uint8_t> is_first) {
    std::array<std::uint8_t, batch_items> seen{};
    const auto answers = std::span(seen).first(keys.size());
    filter_.may_contain(keys, answers); // fetches the lines of all of them together
    for (std::size_t i = 0; i < keys.size(); ++i) {
        // A "no" may have become a "yes" by a key before it in this batch, and with a window a "yes" a "no": the hashes know.
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
    return fail(failure_reason::no_room, "no memory to remember more than " + std::to_string(firsts_) +
                                             " different keys; --window N forgets the oldest");
}

} // namespace everbloom::cli
