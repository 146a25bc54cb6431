#include "gate/traffic.hpp"

#include <everbloom/probe/mix.hpp>

#include <algorithm>

namespace everbloom::cli {
namespace {

constexpr double chance_of_bad_data = 0.2;         // that a bad sender begins a pattern
constexpr std::uint64_t blacklisted_in = 20;       // one sender in 20
constexpr std::uint32_t address_step = 0x9e3779b1; // odd, so that different numbers have different addresses
constexpr std::uint64_t queries_per_group = 1000;

} // namespace

traffic::traffic(const traffic_plan& plan)
    : plan_(plan), state_(mix(plan.seed + golden_ratio_bits)), first_address_(static_cast<std::uint32_t>(dice())) {
    std::vector<std::uint32_t> words;
    for (std::uint64_t i = 0; i < plan.patterns; ++i) {
        words.resize(1 + i % plan.longest);
        for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(dice());
        patterns_.add(words);
    }
}

std::uint64_t traffic::dice() noexcept {
    state_ += golden_ratio_bits;
    return mix(state_);
}

std::uint32_t traffic::address_of(std::uint64_t number) const noexcept {
    return first_address_ + static_cast<std::uint32_t>(number) * address_step;
}

bool traffic::sends_bad_data(std::uint64_t number) const noexcept {
    return static_cast<double>(mix(number ^ plan_.seed) >> 11) * 0x1p-53 < plan_.bad_share;
}

made_packet traffic::next() {
    const double place = fraction();
    const auto number =
        std::min(static_cast<std::uint64_t>(place * place * static_cast<double>(plan_.senders)), plan_.senders - 1);
    if (patterns_.count() != 0 && sends_bad_data(number)) {
        auto begun = begun_.find(number);
        if (begun == begun_.end() && fraction() < chance_of_bad_data) {
            begun = begun_.emplace(number, begun_pattern{dice() % patterns_.count(), 0}).first;
        }
        if (begun != begun_.end()) {
            const word_span pattern = patterns_[begun->second.pattern];
            const std::uint32_t word = pattern[begun->second.next_word++];
            if (begun->second.next_word == pattern.size()) begun_.erase(begun);
            return {address_of(number), word};
        }
    }
    return {address_of(number), static_cast<std::uint32_t>(dice())};
}

std::vector<std::uint32_t> traffic::blacklist() const {
    std::vector<std::uint32_t> addresses;
    for (std::uint64_t i = 0; i < plan_.senders; i += blacklisted_in) {
        addresses.push_back(address_of(i));
        addresses.push_back(address_of(plan_.senders + i));
    }
    return addresses;
}

std::vector<std::uint32_t> traffic::queries() const {
    std::vector<std::uint32_t> addresses;
    const auto some = [&](std::uint64_t from, std::uint64_t count, std::uint64_t step) {
        for (std::uint64_t i = 0; i < std::min(count, queries_per_group); ++i)
            addresses.push_back(address_of(from + i * step));
    };
    some(1, plan_.senders - 1, 1);
    some(0, (plan_.senders + blacklisted_in - 1) / blacklisted_in, blacklisted_in);
    some(2 * plan_.senders, plan_.senders, 1);
    return addresses;
}

} // namespace everbloom::cli
