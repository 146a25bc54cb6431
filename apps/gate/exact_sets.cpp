#include "gate/exact_sets.hpp"

#include "gate/hash_set_room.hpp"

#include <algorithm>

namespace everbloom::cli {
namespace {

std::shared_ptr<const std::vector<std::uint64_t>> hashes_of(const pattern_list& patterns, const any_hasher& hash) {
    const rolling_hash rolling(hash);
    auto hashes = std::make_shared<std::vector<std::uint64_t>>();
    for (std::size_t i = 0; i < patterns.count(); ++i) hashes->push_back(rolling.digest_of(patterns[i]).low);
    return hashes;
}

} // namespace

bool exact_sets::pattern_equal::operator()(std::uint32_t a, const hashed_words& b) const noexcept {
    return std::ranges::equal((*patterns)[a], b.words);
}

exact_sets::exact_sets(const any_hasher& hash, const pattern_list& patterns)
    : bad_(0, address_hash{hash}), good_(0, address_hash{hash}), patterns_(std::make_shared<pattern_list>(patterns)),
      pattern_hashes_(hashes_of(patterns, hash)),
      by_words_(patterns.count(), pattern_hash{pattern_hashes_}, pattern_equal{patterns_}) {
    for (std::uint32_t i = 0; i < patterns.count(); ++i) {
        make_room(by_words_);
        by_words_.insert(i);
    }
}

void exact_sets::are_bad(std::span<const sender_key> senders, std::span<std::uint8_t> answers) const noexcept {
    for (const sender_key& sender : senders) bad_.prefetch(sender);
    for (std::size_t i = 0; i < senders.size(); ++i) answers[i] = is_bad(senders[i]) ? 1 : 0;
}

result<void> exact_sets::add_bad(const sender_key& sender) {
    make_room(bad_);
    bad_.insert(sender.address);
    return {};
}

result<void> exact_sets::add_good(const sender_key& sender) {
    make_room(good_);
    good_.insert(sender.address);
    return {};
}

result<bool> exact_sets::remove_good(const sender_key& sender) { return good_.erase(sender) == 1; }

std::size_t exact_sets::bytes() const noexcept {
    // The set has one control byte per slot.
    return (bad_.capacity() + good_.capacity()) * (sizeof(ip_address) + 1) +
           by_words_.capacity() * (sizeof(std::uint32_t) + 1) + patterns_->bytes() +
           pattern_hashes_->capacity() * sizeof(std::uint64_t);
}

} // namespace everbloom::cli
