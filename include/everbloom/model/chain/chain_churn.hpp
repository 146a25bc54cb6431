// The sub-filters of a counting chain during removals and churn, in the mean. Derivation: docs/models/chains.md.
//
// Each link has members, and leftovers: keys that left the set but could not be removed, because another link answers "maybe" too. Leftovers
// take room for good. A key that comes goes to the first link with room, so what is removed anywhere makes room for the next keys, and what
// leftovers take away must be made up by new links at the end: the members of a chain that has seen much churn are in its last links.
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
        double rate;     // chance that it answers "maybe" to an absent key
        double not_stuck; // chance that not all counters of a member are saturated
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

    /// Random members leave; those that cannot be removed stay as leftovers. `facts(keys)` are those of a link.
    template <class Facts>
    void remove(double keys, Facts facts) {
        const double present = members();
        if (!(present > 0)) return;
        const double share = std::fmin(1.0, keys / present);
        for (const auto& [link, removable] : removables(facts)) {
            const double leaving = share * links_[link].members;
            links_[link].members -= leaving;
            links_[link].leftovers += leaving * (1 - removable);
        }
    }

    [[nodiscard]] double members() const noexcept {
        double sum = 0;
        for (const link& one : links_) sum += one.members;
        return sum;
    }
    [[nodiscard]] std::size_t links() const noexcept { return links_.size(); }

    /// Share of the members that could be removed now.
    template <class Facts>
    [[nodiscard]] double deletability(Facts facts) const {
        const double all = members();
        double could = 0;
        for (const auto& [link, removable] : removables(facts)) could += links_[link].members * removable;
        return all > 0 ? could / all : 1;
    }
    template <class Facts>
    [[nodiscard]] double rate(Facts facts) const {
        joined_links joined;
        for (const link& one : links_) joined.add(facts(one.keys()).rate);
        return joined.any();
    }

private:
    struct link {
        double members = 0;
        double leftovers = 0;
        [[nodiscard]] double keys() const noexcept { return members + leftovers; }
    };
    struct removable_share {
        std::size_t link;
        double share;
    };

    /// For each link, the chance that one of its members can be removed.
    template <class Facts>
    [[nodiscard]] std::vector<removable_share> removables(Facts facts) const {
        std::vector<link_facts> known;
        joined_links joined;
        for (const link& one : links_) {
            known.push_back(facts(one.keys()));
            joined.add(known.back().rate);
        }
        std::vector<removable_share> made;
        for (std::size_t i = 0; i < links_.size(); ++i) {
            made.push_back({i, known[i].not_stuck * joined.others_silent(known[i].rate)});
        }
        return made;
    }

    double full_;
    double most_;
    std::vector<link> links_;
};

} // namespace everbloom
