#include "no_filter_packing.hpp"

#include <everbloom/bits/cell_view.hpp>

#include <algorithm>

namespace everbloom {

void position_rows::clear() {
    positions_.clear();
    begins_.resize(1);
}

void position_rows::add(std::span<const std::uint64_t> positions) {
    positions_.insert(positions_.end(), positions.begin(), positions.end());
    begins_.push_back(positions_.size());
}

void no_filter_packing::start(const yes_no_spec& spec, const position_rows& members,
                              const position_rows& false_positives) {
    no_bits_ = spec.no_bits;
    members_ = &members;
    false_positives_ = &false_positives;
    const auto filters = static_cast<std::size_t>(spec.no_filters);

    // Sorted by counting: first how many, then where each list begins, then the lists.
    members_from_.assign(static_cast<std::size_t>(no_bits_) + 1, 0);
    for (std::size_t member = 0; member < members.size(); ++member) {
        for (const std::uint64_t at : members[member]) ++members_from_[at + 1];
    }
    for (std::size_t at = 1; at < members_from_.size(); ++at) members_from_[at] += members_from_[at - 1];
    members_at_.resize(members_from_.back());
    for (std::size_t member = members.size(); member-- > 0;) {
        for (const std::uint64_t at : members[member]) {
            members_at_[--members_from_[at + 1]] = static_cast<std::uint32_t>(member);
        }
    }
    // Filling from the back has moved every end to its begin: list i is now from [i + 1] to [i + 2].
    members_from_.erase(members_from_.begin());
    members_from_.push_back(static_cast<std::uint32_t>(members_at_.size()));

    missing_.resize(filters * members.size());
    for (std::size_t member = 0; member < members.size(); ++member) {
        const auto positions = static_cast<std::uint8_t>(members[member].size());
        for (std::size_t filter = 0; filter < filters; ++filter) missing_[filter * members.size() + member] = positions;
    }
    needed_.assign(filters * static_cast<std::size_t>(no_bits_), 0);
    uncovered_.assign(filters, members.size());
    place_of_.assign(false_positives.size(), nowhere);
    touched_.assign(members.size(), 0);
    dice_ = 0;
}

std::size_t no_filter_packing::new_bits(std::size_t false_positive, std::size_t filter) const noexcept {
    std::size_t bits = 0;
    for (const std::uint64_t at : (*false_positives_)[false_positive]) bits += needed_[bit(filter, at)] == 0 ? 1 : 0;
    return bits;
}

void no_filter_packing::put(std::size_t false_positive, std::size_t filter) noexcept {
    std::uint8_t* const missing = missing_.data() + filter * members_->size();
    for (const std::uint64_t at : (*false_positives_)[false_positive]) {
        if (needed_[bit(filter, at)]++ != 0) continue;
        for (std::uint32_t i = members_from_[at]; i < members_from_[at + 1]; ++i) {
            if (--missing[members_at_[i]] == 0) --uncovered_[filter];
        }
    }
    place_of_[false_positive] = static_cast<std::int32_t>(filter);
}

void no_filter_packing::take_out(std::size_t false_positive) noexcept {
    const auto filter = static_cast<std::size_t>(place_of_[false_positive]);
    std::uint8_t* const missing = missing_.data() + filter * members_->size();
    for (const std::uint64_t at : (*false_positives_)[false_positive]) {
        if (--needed_[bit(filter, at)] != 0) continue;
        for (std::uint32_t i = members_from_[at]; i < members_from_[at + 1]; ++i) {
            if (missing[members_at_[i]]++ == 0) ++uncovered_[filter];
        }
    }
    place_of_[false_positive] = nowhere;
}

bool no_filter_packing::try_put(std::size_t false_positive, std::size_t filter) noexcept {
    put(false_positive, filter);
    if (uncovered_[filter] == members_->size()) return true;
    take_out(false_positive);
    return false;
}

bool no_filter_packing::put_where_best(std::size_t false_positive) noexcept {
    // At most 64 no-filters: a bit for each that was tried.
    std::uint64_t tried = 0;
    for (std::size_t attempts = 0; attempts < filters(); ++attempts) {
        std::size_t best = filters();
        std::size_t fewest = max_hashes + 1;
        for (std::size_t filter = 0; filter < filters(); ++filter) {
            if (((tried >> filter) & 1) != 0) continue;
            const std::size_t bits = new_bits(false_positive, filter);
            if (bits < fewest) {
                fewest = bits;
                best = filter;
            }
        }
        if (try_put(false_positive, best)) return true;
        tried |= std::uint64_t{1} << best;
    }
    return false;
}

void no_filter_packing::pack(yes_no_assignment how) {
    for (std::size_t i = 0; i < false_positives_->size(); ++i) {
        if (how != yes_no_assignment::first_fit) {
            (void)put_where_best(i);
            continue;
        }
        for (std::size_t filter = 0; filter < filters() && !try_put(i, filter); ++filter) {
        }
    }
    if (how == yes_no_assignment::search) search();
}

void no_filter_packing::pack_regardless() {
    for (std::size_t i = 0; i < false_positives_->size(); ++i) {
        std::size_t best = 0;
        for (std::size_t filter = 1; filter < filters(); ++filter) {
            if (new_bits(i, filter) < new_bits(i, best)) best = filter;
        }
        if (filters() != 0) put(i, best);
    }
}

/// Covers a member all by itself: no order and no no-filter helps.
bool no_filter_packing::is_hopeless(std::size_t false_positive) {
    bool hopeless = false;
    const auto positions = (*false_positives_)[false_positive];
    const auto each_touched = [&](auto act) {
        for (const std::uint64_t at : positions) {
            for (std::uint32_t i = members_from_[at]; i < members_from_[at + 1]; ++i) act(members_at_[i]);
        }
    };
    each_touched([&](std::uint32_t member) { hopeless |= ++touched_[member] == (*members_)[member].size(); });
    each_touched([&](std::uint32_t member) { touched_[member] = 0; });
    return hopeless;
}

void no_filter_packing::search() {
    std::vector<std::size_t> homeless;
    for (std::size_t i = 0; i < place_of_.size(); ++i) {
        if (place_of_[i] == nowhere && !is_hopeless(i)) homeless.push_back(i);
    }
    if (filters() == 0) return;
    // Enough for packet headers to come close to the optimum. Where none of this many last attempts helped, the no-filters are full.
    constexpr std::size_t patience = 100;
    std::size_t fewest = homeless.size();
    for (std::size_t in_vain = 0; !homeless.empty() && in_vain < patience; ++in_vain) {
        if (homeless.size() < fewest) {
            fewest = homeless.size();
            in_vain = 0;
        }
        const std::size_t chosen = random_below(homeless.size());
        const std::size_t newcomer = homeless[chosen];
        if (place_of_[newcomer] != nowhere || put_where_best(newcomer)) {
            homeless.erase(homeless.begin() + static_cast<std::ptrdiff_t>(chosen));
            continue;
        }
        if (!exchange(newcomer, random_below(filters()))) continue;
        homeless.erase(homeless.begin() + static_cast<std::ptrdiff_t>(chosen));
        for (const move& one : moves_) {
            if (place_of_[one.false_positive] == nowhere) homeless.push_back(one.false_positive);
        }
    }
}

/// Puts a false positive where it cannot be, and what hinders it elsewhere. False, and nothing has happened, if more than one of those
/// is left without a place.
bool no_filter_packing::exchange(std::size_t newcomer, std::size_t filter) {
    moves_.clear();
    relocate(newcomer, static_cast<std::int32_t>(filter));
    std::vector<std::size_t> evicted;
    while (uncovered_[filter] != members_->size()) {
        const std::size_t one = hindrance(filter, newcomer);
        if (one == newcomer) break; // hopeless after all
        relocate(one, nowhere);
        evicted.push_back(one);
    }
    std::size_t homeless = uncovered_[filter] != members_->size() ? 2 : 0;
    for (const std::size_t one : evicted) {
        moves_.push_back({static_cast<std::uint32_t>(one), nowhere});
        if (!put_where_best(one)) {
            moves_.pop_back();
            ++homeless;
        }
    }
    if (homeless <= 1) return true;
    while (!moves_.empty()) {
        const move last = moves_.back();
        moves_.pop_back();
        if (place_of_[last.false_positive] != nowhere) take_out(last.false_positive);
        if (last.from != nowhere) put(last.false_positive, static_cast<std::size_t>(last.from));
    }
    return false;
}

void no_filter_packing::relocate(std::size_t false_positive, std::int32_t to) {
    moves_.push_back({static_cast<std::uint32_t>(false_positive), place_of_[false_positive]});
    if (place_of_[false_positive] != nowhere) take_out(false_positive);
    if (to != nowhere) put(false_positive, static_cast<std::size_t>(to));
}

/// One of the false positives in a no-filter that help to cover a member, at random; the newcomer itself if there is none.
std::size_t no_filter_packing::hindrance(std::size_t filter, std::size_t newcomer) {
    const std::uint8_t* const missing = missing_.data() + filter * members_->size();
    const auto covered = static_cast<std::size_t>(std::find(missing, missing + members_->size(), 0) - missing);
    const auto positions = (*members_)[covered];
    std::size_t found = newcomer;
    std::size_t candidates = 0;
    for (std::size_t i = 0; i < place_of_.size(); ++i) {
        if (i == newcomer || place_of_[i] != static_cast<std::int32_t>(filter)) continue;
        const auto helps = [&](std::uint64_t at) {
            return std::find(positions.begin(), positions.end(), at) != positions.end();
        };
        const auto own = (*false_positives_)[i];
        if (std::any_of(own.begin(), own.end(), helps) && random_below(++candidates) == 0) found = i;
    }
    return found;
}

std::size_t no_filter_packing::random_below(std::size_t limit) noexcept {
    return static_cast<std::size_t>(reduce(mix(dice_ += golden_ratio_bits), limit));
}

bool no_filter_packing::covers(std::span<const std::uint64_t> positions) const noexcept {
    for (std::size_t filter = 0; filter < filters(); ++filter) {
        const auto is_set = [&](std::uint64_t at) { return needed_[bit(filter, at)] != 0; };
        if (std::all_of(positions.begin(), positions.end(), is_set)) return true;
    }
    return false;
}

void no_filter_packing::write(std::span<std::uint64_t> words) const noexcept {
    if (filters() == 0) return;
    const cell_view<std::uint64_t> groups(words.data(), static_cast<unsigned>(filters()));
    for (std::uint64_t at = 0; at < no_bits_; ++at) {
        std::uint64_t group = 0;
        for (std::size_t filter = 0; filter < filters(); ++filter) {
            if (needed_[bit(filter, at)] != 0) group |= std::uint64_t{1} << filter;
        }
        groups.set(at, group);
    }
}

} // namespace everbloom
