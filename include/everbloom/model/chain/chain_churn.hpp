// The sub-filters of a counting chain during removals and churn, in the mean. Derivation: docs/models/chains.md.
//
// Each link has members, and leftovers: keys that left the set but could not be removed, because another link answers "maybe" too. Leftovers
// take room for good. A key that comes goes to the first link with room, so what is removed anywhere makes room for the next keys, and what
// leftovers take away must be made up by new links at the end: the members of a chain that has seen much churn are in its last links.
//
// Links do not stay independent. A key of link j cannot be removed if link i has all its bits, so the bits of j that are set in i, too, are
// kept more often than others. That makes a member of i more likely to be found in j as well, and a key that is in neither less likely to
// be found in one of them.
#pragma once

#include <everbloom/model/chain/chain.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace everbloom {

class chain_population {
public:
    /// Facts about one link that holds this many keys.
    struct link_facts {
        double rate;      // chance that it answers "maybe" to an absent key
        double not_stuck; // chance that not all counters of a member are saturated
        double load;      // keys per cell
        double set_share; // of the cells
        double hashes;

        /// By how much a key that shares one bit with a key of this link is more likely to be found here.
        [[nodiscard]] double protects() const noexcept { return rate * (1 - set_share) / set_share; }
        /// By how much it is more likely to be found here if each key on its bits has been kept with a chance that is higher by 1.
        [[nodiscard]] double kept() const noexcept { return hashes * load * (1 - set_share) / set_share; }
    };

    /// `full_items` keys fill a link; there are `most_links` at most, and keys beyond are refused.
    chain_population(double full_items, double most_links) noexcept : full_(full_items), most_(most_links) {}

    void insert(double keys) {
        for (std::size_t i = 0; keys > 0; ++i) {
            if (i == links_.size()) {
                if (static_cast<double>(links_.size()) >= most_) return;
                links_.push_back({});
            }
            const double room = std::fmax(0.0, full_ - links_[i].keys());
            const double taken = std::fmin(room, keys);
            links_[i].members += taken;
            keys -= taken;
        }
    }

    /// The rounds of churn that the removals and insertions below are part of.
    void pass(double rounds) noexcept { rounds_ += rounds; }

    /// The links as they are now, with what they answer. Working it out takes longer than using it.
    struct state {
        std::vector<link_facts> facts;
        joined_links joined;
        std::vector<double> protects; // of each link
        std::vector<double> keeps;
    };
    /// `facts(keys)` are those of a link.
    template <class Facts>
    [[nodiscard]] state state_of(const Facts& facts) const {
        state made;
        made.facts.reserve(links_.size());
        made.protects.reserve(links_.size());
        made.keeps.reserve(links_.size());
        for (const link& one : links_) {
            made.facts.push_back(facts(one.keys()));
            made.joined.add(made.facts.back().rate);
        }
        for (std::size_t i = 0; i < links_.size(); ++i) {
            const link_facts& known = made.facts[i];
            const double living = links_[i].keys() > 0 ? links_[i].members / links_[i].keys() : 0;
            const double removable = known.not_stuck * made.joined.others_silent(known.rate);
            made.protects.push_back(known.set_share > 0 ? known.protects() : 0);
            made.keeps.push_back(known.set_share > 0 ? known.kept() * living * removable : 0);
        }
        return made;
    }

    /// Random members leave; those that cannot be removed stay as leftovers.
    void remove(double keys, const state& now) {
        const double present = members();
        if (!(present > 0)) return;
        const double share = std::fmin(1.0, keys / present);
        const std::vector<double> removable = removables(now);
        for (std::size_t i = 0; i < links_.size(); ++i) {
            const double leaving = share * links_[i].members;
            links_[i].members -= leaving;
            links_[i].leftovers += leaving * (1 - removable[i]);
        }
    }

    [[nodiscard]] double members() const noexcept {
        double sum = 0;
        for (const link& one : links_) sum += one.members;
        return sum;
    }
    [[nodiscard]] std::size_t links() const noexcept { return links_.size(); }

    /// Share of the members that could be removed now.
    [[nodiscard]] double deletability(const state& now) const {
        const double all = members();
        const std::vector<double> removable = removables(now);
        double could = 0;
        for (std::size_t i = 0; i < links_.size(); ++i) could += links_[i].members * removable[i];
        return all > 0 ? could / all : 1;
    }
    [[nodiscard]] double rate(const state& now) const {
        // Bits that are set in both of two links, to first order: each protects the other, as long as it is set itself.
        const double living = std::fmax(1e-9, members() / std::fmax(1e-9, all_keys()));
        const double kept_for = -std::expm1(-living * rounds_) / living;
        double protecting = 0;
        double keeping = 0;
        double both = 0;
        for (std::size_t i = 0; i < links_.size(); ++i) {
            const double odds = now.facts[i].rate < 1 ? now.facts[i].rate / (1 - now.facts[i].rate) : 0;
            protecting += odds * now.protects[i];
            keeping += odds * now.keeps[i];
            both += odds * odds * now.protects[i] * now.keeps[i];
        }
        const double silent = (1 - now.joined.any()) * (1 + kept_for * (protecting * keeping - both));
        return std::clamp(1 - silent, 0.0, 1.0);
    }

private:
    struct link {
        double members = 0;
        double leftovers = 0;
        [[nodiscard]] double keys() const noexcept { return members + leftovers; }
    };

    /// For each link, the chance that one of its members can be removed.
    [[nodiscard]] std::vector<double> removables(const state& now) const {
        const double age = -std::expm1(-rounds_); // of a member, on average
        const auto found = [&](std::size_t i) {
            return now.facts[i].rate < 1 ? now.keeps[i] * now.facts[i].rate / (1 - now.facts[i].rate) : 0;
        };
        double all = 0;
        for (std::size_t i = 0; i < links_.size(); ++i) all += found(i);
        std::vector<double> made;
        made.reserve(links_.size());
        for (std::size_t i = 0; i < links_.size(); ++i) {
            const double others =
                now.joined.others_silent(now.facts[i].rate) * std::exp(-now.protects[i] * age * (all - found(i)));
            made.push_back(now.facts[i].not_stuck * others);
        }
        return made;
    }
    [[nodiscard]] double all_keys() const noexcept {
        double sum = 0;
        for (const link& one : links_) sum += one.keys();
        return sum;
    }

    double full_;
    double most_;
    double rounds_ = 0;
    std::vector<link> links_;
};

} // namespace everbloom
