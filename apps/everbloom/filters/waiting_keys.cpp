#include "filters/waiting_keys.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

constexpr std::size_t keys_in_a_block = std::size_t{1} << 19;

} // namespace

result<void> waiting_keys::take(const hashed_keys& keys) {
    count_ += keys.digests.size();
    for (const digest& one : keys.digests) {
        if (open_.size() == keys_in_a_block) close_block();
        open_.push_back(one);
    }
    return {};
}

void waiting_keys::close_block() {
    block made;
    std::vector<digest> sorted = open_;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t different = sorted.empty() ? 0 : 1;
    for (std::size_t i = 1; i < sorted.size(); ++i) different += sorted[i] == sorted[i - 1] ? 0 : 1;
    if (2 * different > sorted.size()) {
        made.keys.assign(open_.begin(), open_.end());
    } else {
        made.repeated.reserve(different);
        for (const digest& one : sorted) {
            if (made.repeated.empty() || !(made.repeated.back().key == one)) made.repeated.push_back({one, 0});
            ++made.repeated.back().times;
        }
    }
    open_.clear();
    blocks_.push_back(std::move(made));
}

result<void> waiting_keys::insert_into(insertion& into) {
    hashed_keys keys;
    for (block& one : blocks_) {
        keys.digests = std::move(one.keys);
        if (auto done = into.take(keys); !done) return done;
        keys.digests.clear();
        for (const repeated_key& each : one.repeated) {
            for (std::uint64_t left = each.times; left != 0;) {
                const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, keys_in_a_block));
                keys.digests.assign(some, each.key);
                if (auto done = into.take(keys); !done) return done;
                left -= some;
            }
        }
        one.repeated = {};
    }
    keys.digests = std::move(open_);
    return into.take(keys);
}

} // namespace everbloom::cli
