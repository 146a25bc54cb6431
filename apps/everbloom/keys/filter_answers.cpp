#include "keys/filter_answers.hpp"

#include <algorithm>

namespace everbloom::cli {

filter_answers::filter_answers(const std::vector<named_filter>& filters, certainty sure, const question& asked)
    : filters_(filters), sure_(sure), asked_(asked), hashed_like_(filters.size()), answers_(filters.size()) {
    for (std::size_t f = 0; f < filters.size(); ++f) {
        const auto first = std::find_if(filters.begin(), filters.end(), [&](const named_filter& one) {
            return !one.foreign && one.file.hasher() == filters[f].file.hasher();
        });
        hashed_like_[f] = filters[f].foreign ? f : static_cast<std::size_t>(first - filters.begin());
    }
    if (asked.what == question::about::itself) return;
    candidates_.resize(batch_items);
    of_candidates_.resize(filters.size());
    matches_.resize(batch_items);
}

void filter_answers::ask(std::span<const std::string_view> keys) {
    count_ = keys.size();
    if (asked_.what == question::about::itself) {
        ask_themselves(keys, answers_);
        any_ = answers_.front();
        for (const batch_answers& one : std::span(answers_).subspan(1)) {
            for (std::size_t i = 0; i < batch_items; ++i)
                any_[i] |= one[i]; // all of them: a known number is done by vectors
        }
        return;
    }
    std::fill_n(any_.begin(), count_, std::uint8_t{0});
    for (batch_answers& one : answers_) std::fill_n(one.begin(), count_, std::uint8_t{0});
    for (std::size_t i = 0; i < count_; ++i) {
        asked_.what == question::about::parents ? ask_parents(keys[i], i) : ask_networks(keys[i], i);
    }
    ask_candidates();
}

void filter_answers::ask_themselves(std::span<const std::string_view> keys, std::vector<batch_answers>& answers) {
    const auto digests = std::span(digests_).first(keys.size());
    for (std::size_t leader = 0; leader < filters_.size(); ++leader) {
        if (hashed_like_[leader] != leader) continue;
        if (const auto& foreign = filters_[leader].foreign) {
            foreign->hash(keys, digests);
            foreign->may_contain(digests, std::span(answers[leader]).first(keys.size()));
            continue;
        }
        filters_[leader].file.hasher()(keys, digests);
        for (std::size_t f = leader; f < filters_.size(); ++f) {
            if (hashed_like_[f] == leader) ask_one(f, digests, std::span(answers[f]).first(keys.size()));
        }
    }
}

void filter_answers::ask_one(std::size_t filter, std::span<const digest> digests,
                             std::span<std::uint8_t> answers) const {
    const any_filter& asked = filters_[filter].file.filter();
    asked.may_contain(digests, answers);
    if (sure_ == certainty::usual || !asked.can(capability::confirm)) return;
    // The slow query, for those that are left, all at once: their places in memory are prefetched.
    std::array<digest, batch_items> left;
    std::array<std::uint16_t, batch_items> places;
    std::array<std::uint8_t, batch_items> confirmed;
    std::size_t count = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        left[count] = digests[i];
        places[count] = static_cast<std::uint16_t>(i);
        count += answers[i];
    }
    if (count == 0) return;
    (void)asked.confirm(std::span(left).first(count), std::span(confirmed).first(count));
    for (std::size_t i = 0; i < count; ++i) answers[places[i]] = confirmed[i];
}

void filter_answers::ask_parents(std::string_view key, std::size_t owner) {
    for (;;) {
        next_candidate(owner).key = key;
        const std::size_t dot = key.find('.');
        if (dot == std::string_view::npos) return;
        key.remove_prefix(dot + 1);
    }
}

void filter_answers::ask_networks(std::string_view key, std::size_t owner) {
    const auto whole = network_of_key(key);
    if (!whole) return;
    for (unsigned length = whole->prefix + 1U; length-- > 0;) {
        if (!asked_.lengths.has(whole->is_v6(), length)) continue;
        candidate& one = next_candidate(owner);
        one.key = {one.bytes.data(), whole->widened(length).write(one.bytes.data())};
    }
}

filter_answers::candidate& filter_answers::next_candidate(std::size_t owner) {
    if (pending_ == candidates_.size()) ask_candidates();
    candidate& one = candidates_[pending_++];
    one.owner = owner;
    return one;
}

void filter_answers::ask_candidates() {
    std::array<std::string_view, batch_items> keys;
    for (std::size_t c = 0; c < pending_; ++c) keys[c] = candidates_[c].key;
    ask_themselves(std::span(keys).first(pending_), of_candidates_);
    for (std::size_t c = 0; c < pending_; ++c) {
        const std::size_t owner = candidates_[c].owner;
        for (std::size_t f = 0; f < filters_.size(); ++f) {
            if (of_candidates_[f][c] == 0) continue;
            if (any_[owner] == 0) matches_[owner] = candidates_[c].key;
            any_[owner] = 1;
            answers_[f][owner] = 1;
        }
    }
    pending_ = 0;
}

std::uint64_t filter_answers::count_by(std::size_t filter) const noexcept {
    const batch_answers& answers = answers_[filter];
    std::uint64_t sum = 0;
    if (count_ == batch_items) { // most batches: a known number is added by vectors, as bytes as far as they hold it
        constexpr std::size_t fits = 128;
        for (std::size_t from = 0; from < batch_items; from += fits) {
            std::uint8_t some = 0;
            for (std::size_t i = 0; i < fits; ++i) some = static_cast<std::uint8_t>(some + answers[from + i]);
            sum += some;
        }
        return sum;
    }
    for (const std::uint8_t answer : std::span(answers).first(count_)) sum += answer;
    return sum;
}

std::string filter_answers::match(std::size_t key) const {
    if (asked_.what != question::about::networks) return matches_[key];
    const auto found = network_of_key(matches_[key]);
    return found ? found->spelled() : matches_[key];
}

} // namespace everbloom::cli
