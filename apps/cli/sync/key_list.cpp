#include "key_list.hpp"

#include <algorithm>
#include <iterator>

namespace everbloom::cli {

std::string_view key_arena::keep(std::string_view key) {
    constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
    if (key.size() > free_bytes_) {
        const std::size_t room = std::max(chunk_bytes, key.size());
        chunks_.push_back(std::make_unique_for_overwrite<char[]>(room));
        free_ = chunks_.back().get();
        free_bytes_ = room;
    }
    std::copy(key.begin(), key.end(), free_);
    const std::string_view kept(free_, key.size());
    free_ += key.size();
    free_bytes_ -= key.size();
    return kept;
}

made_list make_list(std::vector<std::string_view> keys) {
    made_list made{std::move(keys)};
    if (!std::is_sorted(made.keys.begin(), made.keys.end())) std::sort(made.keys.begin(), made.keys.end());
    const auto end = std::unique(made.keys.begin(), made.keys.end());
    made.repeated = static_cast<std::uint64_t>(made.keys.end() - end);
    made.keys.erase(end, made.keys.end());
    return made;
}

list_change change_between(const key_list& before, const key_list& after) {
    list_change made;
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(made.added));
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(made.removed));
    return made;
}

key_list changed(const key_list& before, const list_change& change) {
    key_list kept;
    kept.reserve(before.size());
    std::set_difference(before.begin(), before.end(), change.removed.begin(), change.removed.end(),
                        std::back_inserter(kept));
    key_list after;
    after.reserve(kept.size() + change.added.size());
    std::merge(kept.begin(), kept.end(), change.added.begin(), change.added.end(), std::back_inserter(after));
    return after;
}

} // namespace everbloom::cli
