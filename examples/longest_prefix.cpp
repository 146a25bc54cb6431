// Longest prefix match with one filter in front of a table of routes.
//
// The job: a router finds the longest prefix of an address that has a route. The routes are in a large, slow table; a filter in fast memory
// holds the same prefixes. The address is asked for each length in use, from the longest to the shortest, and the table only where the
// filter says "maybe": one access for most packets. A false positive is one access in vain ("false forward" if a router trusts the filter
// alone); a false negative would send packets the wrong way: the program fails if there is one. Routes are announced and withdrawn all the
// time, and their number grows, so the filter must delete for certain and grow: one of the elastic kinds.
//
// Keys are networks as `everbloom create --key-type cidr` stores them (jobs/network.hpp), so that the same filter, saved, answers
// `everbloom check --longest`. The trace is generated from a seed: the same run everywhere.
//
//     longest_prefix [KIND]      elastic_blocked unless told otherwise; any kind that deletes and grows
#include <everbloom/everbloom.hpp>
#include <everbloom/jobs/prefix_lengths.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

using everbloom::network;

std::string key_of(const network& of) {
    std::array<char, network::most_bytes> bytes{};
    return {bytes.data(), of.write(bytes.data())};
}

network v4(std::uint32_t address, unsigned length) {
    network made;
    for (unsigned i = 0; i < 4; ++i) made.address[i] = static_cast<std::uint8_t>(address >> (24 - 8 * i));
    made.prefix = static_cast<std::uint8_t>(length);
    return made.without_host_bits();
}

network v6(std::uint64_t high, unsigned length) {
    network made;
    made.address_bytes = network::v6_bytes;
    for (unsigned i = 0; i < 8; ++i) made.address[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    made.prefix = static_cast<std::uint8_t>(length);
    return made.without_host_bits();
}

/// Lengths about as often as in the tables of the Internet: most IPv4 routes are /24, most IPv6 routes /48.
network random_route(std::mt19937_64& random) {
    const std::uint64_t choice = random() % 100;
    const std::uint64_t bits = random();
    if (choice < 16) return v6(0x2000'0000'0000'0000 | bits >> 3, choice < 8 ? 48 : choice < 12 ? 32 : 40);
    const auto address = static_cast<std::uint32_t>(bits);
    if (choice < 66) return v4(address, 24);
    if (choice < 78) return v4(address, 22);
    if (choice < 86) return v4(address, 23);
    if (choice < 92) return v4(address, 20);
    if (choice < 97) return v4(address, 19);
    return v4(address, 16);
}

/// What the model says about a filter that was made like `fresh`, an empty one, had `most` keys at its fullest, and has `keys` now.
double predicted_fpr(const everbloom::filter<std::string>& fresh, std::uint64_t keys, std::uint64_t most) {
    if (keys == 0) return 0;
    const double removed = static_cast<double>(most - keys) / static_cast<double>(keys);
    return fresh.untyped().predict({.items = keys, .removed_share = removed}).fpr.value_or(0);
}

/// KiB of the bits that queries read; the rest is for insertions and removals.
double fast_kib(const everbloom::filter<std::string>& filter) {
    const auto grown = filter.untyped().growth();
    return grown ? static_cast<double>(grown->fast_bits) / 8192 : static_cast<double>(filter.memory_bytes()) / 1024;
}

class route_table {
public:
    explicit route_table(const std::string& kind)
        : fresh_({.capacity = 1'000, .fpr = 0.001, .kind = kind, .key = everbloom::hash_key::from_seed(7)}),
          filter_(fresh_) {}

    void announce(const network& to) {
        const std::string key = key_of(to);
        if (!routes_.emplace(key, routes_.size()).second) return; // known already
        failures_ += succeeded(filter_.insert(key)) ? 0 : 1;
        in_order_.push_back(to);
        most_routes_ = std::max(most_routes_, routes_.size());
        lengths_.add(to);
    }
    void withdraw(std::size_t index) {
        const std::string key = key_of(in_order_[index]);
        failures_ += succeeded(filter_.erase(key)) ? 0 : 1;
        routes_.erase(key);
        in_order_[index] = in_order_.back();
        in_order_.pop_back();
    }
    std::size_t routes() const { return routes_.size(); }

    void look_up(const char* phase, std::mt19937_64& random) {
        constexpr int packets = 200'000;
        std::uint64_t matched = 0;
        std::uint64_t asked_in_vain = 0; // prefixes without a route
        std::uint64_t false_positives = 0;
        for (int i = 0; i < packets; ++i) {
            // Half of the packets go to an address of some route, half to any address.
            network address = i % 2 == 0 ? in_order_[random() % in_order_.size()] : random_route(random);
            address.prefix = static_cast<std::uint8_t>(address.most_prefix());
            bool found = false;
            for (unsigned length = address.most_prefix() + 1; length-- > 0 && !found;) {
                if (!lengths_.has(address.is_v6(), length)) continue;
                const std::string key = key_of(address.widened(length));
                const bool maybe = filter_.may_contain(key);
                const bool has_route =
                    routes_.contains(key); // the truth; a router asks only if the filter says "maybe"
                wrong_ += has_route && !maybe ? 1 : 0;
                asked_in_vain += has_route ? 0 : 1;
                false_positives += maybe && !has_route ? 1 : 0;
                found = maybe && has_route;
            }
            matched += found ? 1 : 0;
        }
        const double predicted =
            static_cast<double>(asked_in_vain) * predicted_fpr(fresh_, routes_.size(), most_routes_);
        std::printf(
            "%-20s %6zu routes, %6.1f KiB of %6.1f asked, matched %6llu, accesses in vain %3llu, predicted %5.1f, "
            "wrong %llu\n",
            phase, routes_.size(), fast_kib(filter_), static_cast<double>(filter_.memory_bytes()) / 1024,
            static_cast<unsigned long long>(matched), static_cast<unsigned long long>(false_positives), predicted,
            static_cast<unsigned long long>(wrong_));
        // Short prefixes are asked again and again, and each is right or wrong every time: wider than chance alone.
        const double difference = std::abs(static_cast<double>(false_positives) - predicted);
        failures_ += difference > 6 * std::sqrt(4 * predicted) + 0.1 * predicted ? 1 : 0;
    }

    bool is_right() const { return failures_ == 0 && wrong_ == 0; }

private:
    everbloom::filter<std::string> fresh_;
    everbloom::filter<std::string> filter_;
    std::size_t most_routes_ = 0;
    std::unordered_map<std::string, std::size_t> routes_;
    std::vector<network> in_order_;
    everbloom::prefix_lengths lengths_;
    std::uint64_t wrong_ = 0;
    int failures_ = 0;
};

} // namespace

int main(int count, char** words) {
    std::mt19937_64 random(26);
    route_table table(count > 1 ? words[1] : "elastic_blocked");

    while (table.routes() < 10'000) table.announce(random_route(random));
    table.look_up("10,000 routes", random);

    while (table.routes() < 100'000) table.announce(random_route(random));
    table.look_up("grown to 100,000", random);

    for (int i = 0; i < 100'000; ++i) {
        table.withdraw(random() % table.routes());
        while (table.routes() < 100'000) table.announce(random_route(random));
    }
    table.look_up("100,000 are replaced", random);

    while (table.routes() > 20'000) table.withdraw(random() % table.routes());
    table.look_up("80,000 are withdrawn", random);

    std::printf(table.is_right() ? "no packet went the wrong way, and every removal was right\n" : "FAILED\n");
    return table.is_right() ? 0 : 1;
}
