// Why the partner of an item must not depend on bits that become part of a line's number.
//
// A cuckoo filter computes the other line of an item from what it stores of the item. If that were done here, a doubling, which takes a
// bit from what is stored, would change where the partner is: an item that moved before the doubling is then looked for in the wrong line.
// The table of this test is as simple as can be: a list of items for every line, of four items at most, and one level for all lines.
#include "support/dice.hpp"

#include <everbloom/bits/low_mask.hpp>
#include <everbloom/probe/mix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace everbloom {
namespace {

using support::dice;

constexpr unsigned path_width = 16;
constexpr std::size_t line_room = 4;

struct path_and_tag {
    std::uint64_t path = 0; // the lowest `level` bits are the line, the others are stored
    std::uint64_t tag = 0;

    friend bool operator==(const path_and_tag&, const path_and_tag&) = default;
};

/// The partner of the filter: decided by the tag, which never becomes part of a line's number.
struct partner_by_tag {
    static path_and_tag of(path_and_tag one, unsigned) {
        return {one.path ^ (mix(one.tag) & low_mask(path_width)), one.tag};
    }
};
/// The partner of a cuckoo filter: another line, decided by all that is stored at this level.
struct partner_by_stored_bits {
    static path_and_tag of(path_and_tag one, unsigned level) {
        return {one.path ^ (mix(one.tag << path_width | one.path >> level) & low_mask(level)), one.tag};
    }
};

template <class Partner>
class table_of_lists {
public:
    explicit table_of_lists(unsigned level) : level_(level) {}

    /// Grows if both lines are full, and if no item of them can move.
    void insert(path_and_tag item) {
        for (;;) {
            const path_and_tag other = Partner::of(item, level_);
            for (const path_and_tag& place : {item, other}) {
                if (put(place) || (move_one(line_of(place)) && put(place))) return;
            }
            grow();
        }
    }
    [[nodiscard]] bool contains(path_and_tag item) const { return holds(item) || holds(Partner::of(item, level_)); }
    [[nodiscard]] bool erase(path_and_tag item) {
        for (const path_and_tag& place : {item, Partner::of(item, level_)}) {
            auto& items = lines_[line_of(place)];
            const auto found = std::find(items.begin(), items.end(), place);
            if (found == items.end()) continue;
            items.erase(found);
            return true;
        }
        return false;
    }
    [[nodiscard]] unsigned level() const { return level_; }

private:
    [[nodiscard]] std::uint64_t line_of(const path_and_tag& item) const { return item.path & low_mask(level_); }
    [[nodiscard]] bool holds(const path_and_tag& item) const {
        const auto line = lines_.find(line_of(item));
        return line != lines_.end() && std::find(line->second.begin(), line->second.end(), item) != line->second.end();
    }
    bool put(const path_and_tag& item) {
        auto& items = lines_[line_of(item)];
        if (items.size() == line_room) return false;
        items.push_back(item);
        return true;
    }
    bool move_one(std::uint64_t line) {
        for (std::size_t i = 0; i < lines_[line].size(); ++i) {
            const path_and_tag other = Partner::of(lines_[line][i], level_);
            if (line_of(other) == line || !put(other)) continue;
            lines_[line].erase(lines_[line].begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
        return false;
    }
    /// Every item is known in full, so nothing is lost here: each goes to the line that its path says.
    void grow() {
        ASSERT_LT(level_, path_width);
        ++level_;
        for (auto& [line, items] : std::exchange(lines_, {})) {
            for (const path_and_tag& item : items) lines_[line_of(item)].push_back(item);
        }
    }

    unsigned level_;
    std::map<std::uint64_t, std::vector<path_and_tag>> lines_;
};

struct losses {
    std::uint64_t false_negatives = 0;
    std::uint64_t failed_removals = 0;
    unsigned doublings = 0;
};

/// Inserts keys until the table has grown a few times, then removes all of them.
template <class Partner>
losses lose() {
    dice random(1);
    table_of_lists<Partner> table(2);
    std::vector<path_and_tag> members;
    while (members.size() < 1500) {
        members.push_back({random.word() & low_mask(path_width), random.below(64)});
        table.insert(members.back());
    }
    losses seen;
    seen.doublings = table.level() - 2;
    for (const path_and_tag& item : members) seen.false_negatives += table.contains(item) ? 0 : 1;
    for (const path_and_tag& item : members) seen.failed_removals += table.erase(item) ? 0 : 1;
    return seen;
}

TEST(quotient_partner, that_depends_on_stored_bits_loses_members_when_the_table_grows) {
    const losses seen = lose<partner_by_stored_bits>();
    EXPECT_GT(seen.doublings, 4u);
    EXPECT_GT(seen.false_negatives, 100u);
    EXPECT_GT(seen.failed_removals, 100u);
}

TEST(quotient_partner, that_depends_on_the_tag_only_loses_none) {
    const losses seen = lose<partner_by_tag>();
    EXPECT_GT(seen.doublings, 4u);
    EXPECT_EQ(seen.false_negatives, 0u);
    EXPECT_EQ(seen.failed_removals, 0u);
}

} // namespace
} // namespace everbloom
