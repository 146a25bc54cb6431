#include <everbloom/jobs/key_list.hpp>

#include <algorithm>
#include <iterator>

namespace everbloom {

std::string_view key_arena::keep(std::string_view key) {
    constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
    if (key.size() > free_bytes_) {
        const std::size_t room = std::max(chunk_bytes, key.size());
        chunks_.push_back(std::unique_ptr<char[]>(new char[room])); // not zeroed
        free_ = chunks_.back().get();
        free_bytes_ = room;
    }
    std::copy(key.begin(), key.end(), free_);
    const std::string_view kept(free_, key.size());
    free_ += key.size();
    free_bytes_ -= key.size();
    return kept;
}

void key_arena::absorb(key_arena&& other) {
    std::move(other.chunks_.begin(), other.chunks_.end(), std::back_inserter(chunks_));
    other = {};
}

void list_builder::add(std::string_view key) {
    if (keys_.size() >= most_keys_ || bytes_ >= most_bytes_) compact();
    keys_.push_back(own_.keep(key));
    bytes_ += key.size();
    ++added_;
}

void list_builder::compact() {
    const std::size_t keys_before = keys_.size();
    if (!std::is_sorted(keys_.begin(), keys_.end())) std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    // Half of them gone: worth the copy of what is left.
    if (keys_.size() <= keys_before / 2) {
        key_arena smaller;
        bytes_ = 0;
        for (std::string_view& key : keys_) {
            key = smaller.keep(key);
            bytes_ += key.size();
        }
        own_ = std::move(smaller);
    }
    most_keys_ = std::max(least_keys, 2 * keys_.size());
    most_bytes_ = std::max(least_bytes, 2 * bytes_);
    keys_.reserve(most_keys_);
}

key_list list_builder::finish(key_arena& arena) && {
    compact();
    arena.absorb(std::move(own_));
    return std::move(keys_);
}

std::uint64_t count_shared(const key_list& one, const key_list& other) {
    std::uint64_t shared = 0;
    for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
        const int order = a->compare(*b);
        shared += order == 0 ? 1 : 0;
        a += order <= 0 ? 1 : 0;
        b += order >= 0 ? 1 : 0;
    }
    return shared;
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

} // namespace everbloom
