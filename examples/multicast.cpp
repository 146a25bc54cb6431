// A multicast router: one filter per interface, of the groups that someone behind it has joined.
//
// The job: a packet for a group leaves through every interface whose filter may hold the channel, a source and a group. Receivers join and
// leave all the time, so the filters must delete for certain, and the number of groups is not known beforehand, so they must grow: one of
// the elastic kinds. A false positive sends a packet where it is not wanted ("false forward"); a false negative would cut off a receiver:
// the program fails if there is one.
//
// Several receivers behind one interface may join the same channel. The interface's filter counts them by copies of the key: the channel
// stays until the last of them has left.
//
// The trace is generated from a seed: the same run everywhere. Each phase ends with packets; the false forwards are counted, beside the
// number that the model predicts from the numbers of keys alone.
//
//     multicast [KIND]      elastic_blocked unless told otherwise; any kind that deletes, grows and counts copies
#include <everbloom/everbloom.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t interfaces = 16;

using channel = std::uint64_t; // source address and group address, 32 bits each

/// Channel i: popular ones have small numbers. The last ones are never joined.
channel channel_of(std::uint64_t i) {
    const std::uint64_t source = 0x0a00'0000 + i % 977;
    const std::uint64_t group = 0xe800'0000 + i;
    return source << 32 | group;
}

/// What the model says about a filter that was made like `fresh`, an empty one, had `most` keys at its fullest, and has `keys` now.
double predicted_fpr(const everbloom::filter<std::uint64_t>& fresh, std::uint64_t keys, std::uint64_t most) {
    if (keys == 0) return 0;
    const double removed = static_cast<double>(most - keys) / static_cast<double>(keys);
    return fresh.untyped().predict({.items = keys, .removed_share = removed}).fpr.value_or(0);
}

/// KiB of the bits that queries read; the rest is for insertions and removals.
double fast_kib(const everbloom::filter<std::uint64_t>& filter) {
    const auto grown = filter.untyped().growth();
    return grown ? static_cast<double>(grown->fast_bits) / 8192 : static_cast<double>(filter.memory_bytes()) / 1024;
}

class router {
public:
    explicit router(const std::string& kind)
        : fresh_({.capacity = 256, .fpr = 0.001, .kind = kind, .key = everbloom::hash_key::from_seed(7)}),
          filters_(interfaces, fresh_) {}

    void join(std::size_t interface, channel to) {
        failures_ += succeeded(filters_[interface].insert(to)) ? 0 : 1;
        ++members_[interface][to];
        most_members_[interface] = std::max(most_members_[interface], members_[interface].size());
        receivers_.emplace_back(interface, to);
    }
    /// One receiver, chosen at random, leaves.
    void leave(std::mt19937_64& random) {
        std::swap(receivers_[random() % receivers_.size()], receivers_.back());
        const auto [interface, from] = receivers_.back();
        receivers_.pop_back();
        failures_ += succeeded(filters_[interface].erase(from)) ? 0 : 1;
        const auto known = members_[interface].find(from);
        if (--known->second == 0) members_[interface].erase(known);
    }
    std::size_t receivers() const { return receivers_.size(); }

    void forward(const char* phase, std::uint64_t channels, std::mt19937_64& random) {
        constexpr int packets = 200'000;
        std::uint64_t wanted = 0;
        std::uint64_t false_forwards = 0;
        std::vector<std::uint64_t> asked_in_vain(interfaces);
        for (int i = 0; i < packets; ++i) {
            const channel to = channel_of(random() % channels);
            for (std::size_t interface = 0; interface < interfaces; ++interface) {
                const bool goes_out = filters_[interface].may_contain(to);
                if (members_[interface].contains(to)) {
                    ++wanted;
                    cut_off_ += goes_out ? 0 : 1;
                } else {
                    ++asked_in_vain[interface];
                    false_forwards += goes_out ? 1 : 0;
                }
            }
        }
        double predicted = 0;
        double fast = 0;
        std::uint64_t bytes = 0;
        std::size_t entries = 0;
        for (std::size_t i = 0; i < interfaces; ++i) {
            predicted +=
                static_cast<double>(asked_in_vain[i]) * predicted_fpr(fresh_, members_[i].size(), most_members_[i]);
            fast += fast_kib(filters_[i]);
            bytes += filters_[i].memory_bytes();
            entries += members_[i].size();
        }
        std::printf(
            "%-28s %5zu entries, %5.1f KiB of %6.1f asked, wanted %6llu, false forwards %4llu, predicted %6.1f, "
            "cut off %llu\n",
            phase, entries, fast, static_cast<double>(bytes) / 1024, static_cast<unsigned long long>(wanted),
            static_cast<unsigned long long>(false_forwards), predicted, static_cast<unsigned long long>(cut_off_));
        // The same channels come again and again, and each is right or wrong every time: wider than chance alone.
        const double repeated = std::max(1.0, packets / static_cast<double>(channels));
        const double difference = std::abs(static_cast<double>(false_forwards) - predicted);
        failures_ += difference > 6 * std::sqrt(predicted * repeated) + 0.1 * predicted ? 1 : 0;
    }

    bool is_right() const { return failures_ == 0 && cut_off_ == 0; }

private:
    everbloom::filter<std::uint64_t> fresh_;
    std::vector<everbloom::filter<std::uint64_t>> filters_;
    std::vector<std::size_t> most_members_ = std::vector<std::size_t>(interfaces);
    std::vector<std::unordered_map<channel, int>> members_{interfaces}; // the truth: receivers per channel
    std::vector<std::pair<std::size_t, channel>> receivers_;
    std::uint64_t cut_off_ = 0;
    int failures_ = 0;
};

} // namespace

int main(int count, char** words) {
    constexpr std::uint64_t channels = 100'000;
    std::mt19937_64 random(26);
    router table(count > 1 ? words[1] : "elastic_blocked");
    // Few channels have many receivers, most have few: the smaller of two random numbers, twice.
    const auto popular = [&] {
        std::uint64_t chosen = channels;
        for (int i = 0; i < 3; ++i) chosen = std::min(chosen, random() % (channels / 2));
        return channel_of(chosen);
    };

    for (int i = 0; i < 20'000; ++i) table.join(random() % interfaces, popular());
    table.forward("20,000 receivers join", channels, random);

    for (int i = 0; i < 60'000; ++i) table.join(i % 4 == 0 ? random() % interfaces : 3, popular());
    table.forward("60,000 more, most behind one", channels, random);

    for (int i = 0; i < 100'000; ++i) {
        table.leave(random);
        table.join(random() % interfaces, popular());
    }
    table.forward("100,000 leave, as many join", channels, random);

    while (table.receivers() > 20'000) table.leave(random);
    table.forward("all but 20,000 leave", channels, random);

    std::printf(table.is_right() ? "no receiver was cut off, and every removal was right\n" : "FAILED\n");
    return table.is_right() ? 0 : 1;
}
