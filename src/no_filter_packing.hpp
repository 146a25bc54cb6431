// Packing false positives into the no-filters of one part, so that no member is covered.
//
// A no-filter covers a key if all of the key's positions are set in it. For every no-filter the packing knows how many positions of
// each member are still missing: a false positive may come in if no member's number falls to zero. Members are found by position, so
// that setting a bit costs as many steps as members have that position; as every bit is set at most a few times, packing is linear
// in the number of members. For every bit it counts the false positives that need it, so that one can be taken out again.
//
// Three ways to choose the no-filter of a false positive:
//
//   first-fit  the first one that can take it, in the order in which the false positives come [Carrea16 §III.B.2];
//   best       the one in which it sets the fewest new bits, as every bit brings the members nearer to being covered;
//   search     best, then for each that found no place: it is put into a no-filter by force, what it cannot live with there is put
//              elsewhere, and the exchange is kept unless more are without a place than before.
#pragma once

#include <everbloom/filter/yes_no/yes_no_places.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace everbloom {

/// Positions of many keys in a no-filter, each key's different ones in a row.
class position_rows {
public:
    void clear();
    void add(std::span<const std::uint64_t> positions);
    [[nodiscard]] std::size_t size() const noexcept { return begins_.size() - 1; }
    [[nodiscard]] std::span<const std::uint64_t> operator[](std::size_t row) const noexcept {
        return {positions_.data() + begins_[row], begins_[row + 1] - begins_[row]};
    }

private:
    std::vector<std::uint64_t> positions_;
    std::vector<std::size_t> begins_{0};
};

class no_filter_packing {
public:
    /// Starts with empty no-filters. The rows must live as long as the packing is used.
    void start(const yes_no_spec& spec, const position_rows& members, const position_rows& false_positives);
    void pack(yes_no_assignment how);
    /// Places every false positive, even if members are lost.
    void pack_regardless();

    /// Whether some no-filter covers this false positive, be it by chance.
    [[nodiscard]] bool covers(std::span<const std::uint64_t> positions) const noexcept;
    /// The no-filters in the layout of the filter; `words` is zero before.
    void write(std::span<std::uint64_t> words) const noexcept;

private:
    struct move {
        std::uint32_t false_positive;
        std::int32_t from; // a no-filter, or `nowhere`
    };
    static constexpr std::int32_t nowhere = -1;

    [[nodiscard]] std::size_t filters() const noexcept { return uncovered_.size(); }
    [[nodiscard]] std::size_t bit(std::size_t filter, std::uint64_t position) const noexcept {
        return filter * static_cast<std::size_t>(no_bits_) + position;
    }
    [[nodiscard]] std::size_t new_bits(std::size_t false_positive, std::size_t filter) const noexcept;
    [[nodiscard]] bool is_hopeless(std::size_t false_positive);
    void put(std::size_t false_positive, std::size_t filter) noexcept;
    void take_out(std::size_t false_positive) noexcept;
    [[nodiscard]] bool try_put(std::size_t false_positive, std::size_t filter) noexcept;
    [[nodiscard]] bool put_where_best(std::size_t false_positive) noexcept;
    void search();
    [[nodiscard]] bool exchange(std::size_t false_positive, std::size_t filter);
    [[nodiscard]] std::size_t hindrance(std::size_t filter, std::size_t newcomer);
    void relocate(std::size_t false_positive, std::int32_t to);
    [[nodiscard]] std::size_t random_below(std::size_t limit) noexcept;

    std::uint64_t no_bits_ = 0;
    const position_rows* members_ = nullptr;
    const position_rows* false_positives_ = nullptr;
    std::vector<std::uint32_t> members_at_; // members that have a position, position by position
    std::vector<std::uint32_t> members_from_;
    std::vector<std::uint8_t> missing_;  // [no-filter][member]: positions that are not set
    std::vector<std::uint32_t> needed_;  // [no-filter][bit]: false positives that set it
    std::vector<std::size_t> uncovered_; // [no-filter]: members that it does not cover
    std::vector<std::int32_t> place_of_; // [false positive]
    std::vector<std::uint8_t> touched_;  // [member], while is_hopeless looks
    std::vector<move> moves_;            // of the exchange under way
    std::uint64_t dice_ = 0;
};

} // namespace everbloom
