#include "keys/first_occurrences.hpp"

#include "output/wording.hpp"

#include <array>

namespace everbloom::cli {

result<void> first_occurrences::classify(std::span<const digest> keys, std::span<std::uint8_t> is_first) {
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
    return fail(failure_reason::no_room, "not enough memory to remember more than " + counted(firsts_, "distinct key") +
                                             "; --window N bounds it");
}

} // namespace everbloom::cli
