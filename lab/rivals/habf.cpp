#include "lab/rivals/habf.hpp"

#include <everbloom/probe/mix.hpp>
#include <everbloom/probe/reduce.hpp>

#include <algorithm>
#include <numeric>

namespace everbloom::lab::rivals {
namespace {

std::uint64_t cells_for(std::uint64_t bits, double share) {
    return std::max<std::uint64_t>(16, static_cast<std::uint64_t>(share * static_cast<double>(bits)) / 5);
}

} // namespace

/// What is known while the filter is built: the users of each bit, and the known negatives that map to it.
struct habf::builder {
    struct use {
        std::uint32_t users = 0;
        std::uint32_t member_xor = 0; // the member, if there is one
        std::uint32_t function_xor = 0;
    };

    builder(habf& built, std::span<const digest> all_members, std::span<const digest> all_negatives)
        : made(built), members(all_members), negatives(all_negatives), uses(built.filter_.size()),
          choices(all_members.size()) {
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            for (const unsigned function : made.usual_) change(i, function, true);
        }
        first_of_bit.resize(made.filter_.size() + 1);
        for (const digest& one : negatives) {
            for (const unsigned function : made.usual_) ++first_of_bit[made.bit_of(one, function) + 1];
        }
        std::partial_sum(first_of_bit.begin(), first_of_bit.end(), first_of_bit.begin());
        negatives_of_bit.resize(first_of_bit.back());
        std::vector<std::uint32_t> next(first_of_bit.begin(), first_of_bit.end() - 1);
        for (std::uint32_t i = 0; i < negatives.size(); ++i) {
            for (const unsigned function : made.usual_) {
                negatives_of_bit[next[made.bit_of(negatives[i], function)]++] = i;
            }
        }
    }

    /// Adds or takes one use of a bit, and sets or clears the bit.
    void change(std::uint32_t member, unsigned function, bool adds) {
        const std::uint64_t bit = made.bit_of(members[member], function);
        use& one = uses[bit];
        one.users = adds ? one.users + 1 : one.users - 1;
        one.member_xor ^= member;
        one.function_xor ^= function;
        made.filter_.set(bit, one.users > 0 ? 1 : 0);
    }

    /// Would setting this bit make a known negative a false positive?
    [[nodiscard]] bool hurts(std::uint64_t bit) const {
        for (std::uint32_t i = first_of_bit[bit]; i < first_of_bit[bit + 1]; ++i) {
            const digest& one = negatives[negatives_of_bit[i]];
            const bool others_set = std::all_of(made.usual_.begin(), made.usual_.end(), [&](unsigned function) {
                const std::uint64_t at = made.bit_of(one, function);
                return at == bit || made.filter_.get(at) != 0;
            });
            if (others_set) return true;
        }
        return false;
    }

    /// Gives a member another function for `old`, and clears its bit. False if there is none, or no room to record it.
    bool adjust(std::uint32_t member, unsigned old) {
        if (!choices[member].empty()) return false; // its record cannot be changed any more
        for (const bool may_set_bits : {false, true}) {
            for (unsigned function = made.hashes_ + 1; function <= functions; ++function) {
                const std::uint64_t bit = made.bit_of(members[member], function);
                if (made.filter_.get(bit) == 0 && (!may_set_bits || hurts(bit))) continue;
                if (bit == made.bit_of(members[member], old)) continue;
                function_set chosen = made.usual_;
                std::replace(chosen.begin(), chosen.end(), static_cast<std::uint8_t>(old),
                             static_cast<std::uint8_t>(function));
                if (!made.record(members[member], chosen)) continue;
                change(member, old, false);
                change(member, function, true);
                choices[member] = std::move(chosen);
                ++made.adjusted_;
                return true;
            }
        }
        return false;
    }

    /// Makes a known negative answer "surely not", if one of its bits can be cleared.
    void correct(digest negative) {
        if (!made.has_all(negative, made.usual_, nullptr)) return;
        for (const unsigned function : made.usual_) {
            const use& one = uses[made.bit_of(negative, function)];
            if (one.users == 1 && one.function_xor <= made.hashes_ && adjust(one.member_xor, one.function_xor)) return;
        }
    }

    habf& made;
    std::span<const digest> members;
    std::span<const digest> negatives;
    std::vector<use> uses;
    std::vector<function_set> choices;       // of members; empty: the usual ones
    std::vector<std::uint32_t> first_of_bit; // in negatives_of_bit
    std::vector<std::uint32_t> negatives_of_bit;
};

habf::habf(std::span<const digest> members, std::span<const digest> negatives, std::uint64_t bits, unsigned hashes,
           double expressor_share)
    : hashes_(hashes), usual_(hashes_),
      filter_(bits - std::min(bits - 1, cells_for(bits, expressor_share) * cell_bits), 1),
      expressor_(cells_for(bits, expressor_share), cell_bits) {
    std::iota(usual_.begin(), usual_.end(), std::uint8_t{1});
    builder work(*this, members, negatives);
    for (const digest& one : negatives) work.correct(one);
}

std::uint64_t habf::bit_of(digest item, unsigned function) const noexcept {
    return reduce(mix(item.low + function * golden_ratio_bits) ^ item.high, filter_.size());
}

std::uint64_t habf::first_cell(digest item) const noexcept {
    return reduce(mix(item.high ^ golden_ratio_bits) ^ item.low, expressor_.size());
}

std::uint64_t habf::next_cell(digest item, unsigned function) const noexcept {
    return reduce(mix(item.high + function * golden_ratio_bits) ^ mix(item.low), expressor_.size());
}

bool habf::has_all(digest item, std::span<const std::uint8_t> chosen, line_log* log) const {
    for (const unsigned function : chosen) {
        const std::uint64_t bit = bit_of(item, function);
        if (log != nullptr) log->note_bits(0, bit, 1);
        if (filter_.get(bit) == 0) return false;
    }
    return true;
}

habf::function_set habf::recorded(digest item, line_log* log) const {
    function_set found;
    std::uint64_t cell = first_cell(item);
    for (unsigned i = 0; i < hashes_; ++i) {
        if (log != nullptr) log->note_bits(1, cell * cell_bits, cell_bits);
        const std::uint64_t content = expressor_.get(cell);
        const auto function = static_cast<std::uint8_t>(content & 15);
        if (function == 0 || std::find(found.begin(), found.end(), function) != found.end()) return {};
        found.push_back(function);
        if (i + 1 == hashes_ && (content & last_mark) == 0) return {};
        cell = next_cell(item, function);
    }
    return found;
}

bool habf::record(digest item, const function_set& chosen) {
    constexpr int attempts = 4; // orders in which the functions are tried
    function_set order = chosen;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        function_set left = order;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> written; // cells, with their new contents
        const auto content_of = [&](std::uint64_t cell) {
            // clang 14 does not compile std::views::reverse. NOLINTNEXTLINE(modernize-loop-convert)
            for (auto one = written.rbegin(); one != written.rend(); ++one) {
                if (one->first == cell) return one->second;
            }
            return expressor_.get(cell);
        };
        std::uint64_t cell = first_cell(item);
        while (!left.empty()) {
            const std::uint64_t content = content_of(cell);
            auto function = static_cast<std::uint8_t>(content & 15);
            if (function == 0) function = left.front();
            const auto place = std::find(left.begin(), left.end(), function);
            if (place == left.end()) break; // the cell names a function that this key does not use
            left.erase(place);
            written.emplace_back(cell, (content & last_mark) | function | (left.empty() ? last_mark : 0));
            cell = next_cell(item, function);
        }
        if (left.empty()) {
            for (const auto& [where, content] : written) expressor_.set(where, content);
            return true;
        }
        if (written.empty()) return false; // in the way at the first cell, which no order changes
        std::next_permutation(order.begin(), order.end());
        std::rotate(order.begin(), order.begin() + 1, order.end());
    }
    return false;
}

bool habf::contains(digest item, line_log* log) const {
    if (has_all(item, usual_, log)) return true;
    const function_set own = recorded(item, log);
    return !own.empty() && has_all(item, own, log);
}

} // namespace everbloom::lab::rivals
