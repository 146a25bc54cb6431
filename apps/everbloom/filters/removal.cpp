#include "filters/removal.hpp"

#include "keys/key_text.hpp"
#include "output/json_output.hpp"
#include "output/standard_output.hpp"

#include <algorithm>
#include <array>

namespace everbloom::cli {

result<void> removal::take(const hashed_keys& keys) {
    std::array<erase_outcome, batch_items> outcomes{};
    for (std::size_t from = 0; from < keys.digests.size(); from += batch_items) {
        const std::size_t count = std::min(batch_items, keys.digests.size() - from);
        auto done = filter_.erase(std::span(keys.digests).subspan(from, count), std::span(outcomes).first(count));
        if (!done) return done;
        for (std::size_t i = 0; i < count; ++i) {
            evidence_.add(outcomes[i]);
            if (wanted_ == printing::verdicts) print(keys.texts[from + i], outcomes[i]);
        }
    }
    auto written = write_output(output_);
    output_.clear();
    return written;
}

result<void> removal::check(const std::string& path) const {
    auto sound = evidence_.check();
    if (sound) return sound;
    failure made = in(path, std::move(sound.error()));
    made.sentence += "; nothing was changed. Remove only keys that were added ('everbloom sync' ensures that), or use "
                     "--unverified";
    return fail(std::move(made));
}

void removal::print(std::string_view text, erase_outcome outcome) {
    json verdict = key_json(text);
    verdict["outcome"] = name_of(outcome);
    output_ += json_line(verdict);
}

} // namespace everbloom::cli
