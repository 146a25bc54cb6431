// A switch that forwards frames with one filter per port instead of a table of addresses.
//
// The job: a frame leaves through the ports whose filters may hold its destination. Hosts appear, move to other ports and disappear all the
// time, and their number behind a port is not known, so the filters must delete for certain and grow: one of the elastic kinds. A false
// positive sends a copy of a frame to a port where it is not wanted ("false forward"); the host there drops it. A false negative would lose
// a frame: the program fails if there is one.
//
// The trace is generated from a seed: the same run everywhere. Each phase ends with frames to hosts that are there and to hosts that are
// not; the false forwards are counted, beside the number that the model predicts from the numbers of keys alone.
//
//     mac_table [KIND]      elastic_blocked unless told otherwise; any kind that deletes and grows
#include <everbloom/everbloom.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using port_filter = everbloom::filter<std::uint64_t>;
using mac = std::uint64_t; // 48 bits

/// What the model says about a filter that was made like `fresh`, an empty one, had `most` keys at its fullest, and has `keys` now.
double predicted_fpr(const port_filter& fresh, std::uint64_t keys, std::uint64_t most) {
    if (keys == 0) return 0;
    const double removed = static_cast<double>(most - keys) / static_cast<double>(keys);
    return fresh.untyped().predict({.items = keys, .removed_share = removed}).fpr.value_or(0);
}

/// KiB of the bits that queries read; the rest is for insertions and removals.
double fast_kib(const port_filter& filter) {
    const auto grown = filter.untyped().growth();
    return grown ? static_cast<double>(grown->fast_bits) / 8192 : static_cast<double>(filter.memory_bytes()) / 1024;
}

class mac_table {
public:
    /// The filters are small on purpose: what is behind a port shows only later. A fixed hash key makes the run the same every time.
    mac_table(std::size_t ports, const std::string& kind)
        : fresh_({.capacity = 64, .fpr = 0.001, .kind = kind, .key = everbloom::hash_key::from_seed(7)}),
          filters_(ports, fresh_), keys_(ports), most_keys_(ports) {}

    void learn(mac host, std::size_t port) {
        if (const auto known = truth_.find(host); known != truth_.end()) forget(host);
        failures_ += succeeded(filters_[port].insert(host)) ? 0 : 1;
        most_keys_[port] = std::max(most_keys_[port], ++keys_[port]);
        truth_[host] = port;
    }
    void forget(mac host) {
        const auto known = truth_.find(host);
        failures_ += succeeded(filters_[known->second].erase(host)) ? 0 : 1;
        --keys_[known->second];
        truth_.erase(known);
    }

    /// Sends frames, and prints a line of the table.
    void send(const char* phase, std::mt19937_64& random) {
        std::vector<mac> hosts;
        for (const auto& [host, port] : truth_) hosts.push_back(host);
        std::sort(hosts.begin(), hosts.end()); // the order of an unordered_map is not the same everywhere

        constexpr int frames = 200'000;
        std::uint64_t false_forwards = 0;
        std::vector<std::uint64_t> asked_in_vain(filters_.size()); // per port: frames that are not for it
        for (int i = 0; i < frames; ++i) {
            const bool is_known = i % 2 == 0;
            const mac to = is_known ? hosts[random() % hosts.size()] : (random() & 0xffff'ffff'ffff) | absent_bit;
            const std::size_t home = is_known ? truth_.at(to) : filters_.size();
            for (std::size_t port = 0; port < filters_.size(); ++port) {
                const bool goes_out = filters_[port].may_contain(to);
                if (port == home) {
                    lost_ += goes_out ? 0 : 1;
                } else {
                    ++asked_in_vain[port];
                    false_forwards += goes_out ? 1 : 0;
                }
            }
        }
        double predicted = 0;
        double fast = 0;
        std::uint64_t bytes = 0;
        for (std::size_t port = 0; port < filters_.size(); ++port) {
            predicted +=
                static_cast<double>(asked_in_vain[port]) * predicted_fpr(fresh_, keys_[port], most_keys_[port]);
            fast += fast_kib(filters_[port]);
            bytes += filters_[port].memory_bytes();
        }
        std::printf("%-28s %6zu hosts, %6.1f KiB of %7.1f asked, false forwards %4llu, predicted %6.1f, lost %llu\n",
                    phase, hosts.size(), fast, static_cast<double>(bytes) / 1024,
                    static_cast<unsigned long long>(false_forwards), predicted, static_cast<unsigned long long>(lost_));
        // Six standard deviations, and a tenth: the frames to hosts that are there repeat.
        const double difference = std::abs(static_cast<double>(false_forwards) - predicted);
        failures_ += difference > 6 * std::sqrt(predicted) + 0.1 * predicted ? 1 : 0;
    }

    bool is_right() const { return failures_ == 0 && lost_ == 0; }

    static constexpr mac absent_bit = mac{1} << 40; // no host of the trace has it

private:
    port_filter fresh_;
    std::vector<port_filter> filters_;
    std::vector<std::uint64_t> keys_; // per port
    std::vector<std::uint64_t> most_keys_;
    std::unordered_map<mac, std::size_t> truth_;
    std::uint64_t lost_ = 0;
    int failures_ = 0;
};

mac host_address(std::uint64_t number) {
    return (number * 0x9e3779b97f4a7c15 >> 16 & 0xffff'ffff'ffff) & ~mac_table::absent_bit;
}

} // namespace

int main(int count, char** words) {
    constexpr std::size_t ports = 24;
    constexpr std::size_t uplink = ports - 1;
    std::mt19937_64 random(26);
    mac_table table(ports, count > 1 ? words[1] : "elastic_blocked");

    for (std::uint64_t i = 0; i < 2'400; ++i) table.learn(host_address(i), i % ports);
    table.send("100 hosts at each port", random);

    for (std::uint64_t i = 2'400; i < 22'400; ++i) table.learn(host_address(i), uplink);
    table.send("another building, one uplink", random);

    for (std::uint64_t i = 0; i < 22'400; i += 3) table.learn(host_address(i), random() % ports);
    table.send("a third of the hosts moves", random);

    for (std::uint64_t i = 0; i < 22'400; i += 2) table.forget(host_address(i));
    table.send("half of them age out", random);

    std::printf(table.is_right() ? "no frame was lost, and every removal was right\n" : "FAILED\n");
    return table.is_right() ? 0 : 1;
}
