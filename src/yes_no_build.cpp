#include "no_filter_packing.hpp"

#include <everbloom/filter/make.hpp>
#include <everbloom/filter/yes_no/yes_no_build.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace everbloom {
namespace {

/// Keys part by part: those of part i are from begins[i] to begins[i + 1].
class sorted_keys {
public:
    sorted_keys(const yes_no_places& places, std::uint64_t parts, std::span<const digest> keys) {
        if (parts == 1) { // nothing to sort, and nothing to copy
            all_ = keys;
            begins_ = {0, keys.size()};
            return;
        }
        begins_.assign(static_cast<std::size_t>(parts) + 2, 0);
        for (const digest key : keys) ++begins_[places.part(key) + 2];
        for (std::size_t i = 2; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
        keys_.resize(keys.size());
        for (const digest key : keys) keys_[begins_[places.part(key) + 1]++] = key;
        all_ = keys_;
    }

    [[nodiscard]] std::span<const digest> operator[](std::uint64_t part) const noexcept {
        const auto i = static_cast<std::size_t>(part);
        return all_.subspan(begins_[i], begins_[i + 1] - begins_[i]);
    }

private:
    std::vector<digest> keys_;
    std::vector<std::size_t> begins_;
    std::span<const digest> all_;
};

/// One part with one seed, worked out but not yet in the filter.
struct attempt {
    std::uint64_t seed = 0;
    std::vector<std::uint64_t> yes;
    std::vector<std::uint64_t> no;
    protection found;
};

class part_builder {
public:
    part_builder(const yes_no_spec& spec, false_negatives lost) : spec_(spec), places_(spec), lost_(lost) {}

    /// The best of the seeds that may be tried.
    const attempt& build(std::span<const digest> members, std::span<const digest> negatives) {
        build_with(0, members, negatives, best_);
        for (std::uint64_t seed = 1; seed < spec_.seeds && loss(best_) > 0; ++seed) {
            build_with(seed, members, negatives, next_);
            if (loss(next_) < loss(best_)) std::swap(best_, next_);
        }
        return best_;
    }

private:
    [[nodiscard]] static std::uint64_t loss(const attempt& one) noexcept {
        return one.found.false_positives_after + one.found.members_lost;
    }

    void build_with(std::uint64_t seed, std::span<const digest> members, std::span<const digest> negatives,
                    attempt& made) {
        made.seed = seed;
        made.found = {negatives.size(), 0, 0, 0};
        made.yes.assign(static_cast<std::size_t>(spec_.yes_words()), 0);
        made.no.assign(static_cast<std::size_t>(spec_.no_words()), 0);
        const bit_view<std::uint64_t> yes(made.yes.data());
        for (const digest member : members) {
            for_each_position(yes_no_places::seeded(member, seed), places_.yes_probing(),
                              [yes](std::uint64_t at) { yes.set(at); });
        }
        false_positives_.clear();
        for (const digest negative : negatives) {
            const auto is_set = [&](std::uint64_t at) { return yes.test(at); };
            if (!all_positions(yes_no_places::seeded(negative, seed), places_.yes_probing(), is_set)) continue;
            add_row(false_positives_, negative, seed);
        }
        made.found.false_positives_before = made.found.false_positives_after = false_positives_.size();
        if (false_positives_.size() == 0 || spec_.no_filters == 0) return;

        member_rows_.clear();
        for (const digest member : members) add_row(member_rows_, member, seed);
        packing_.start(spec_, member_rows_, false_positives_);
        if (lost_ == false_negatives::allowed) {
            packing_.pack_regardless();
        } else {
            packing_.pack(spec_.assignment());
        }
        packing_.write(made.no);
        made.found.false_positives_after = false_positives_.size() - covered(false_positives_);
        made.found.members_lost = covered(member_rows_);
    }

    void add_row(position_rows& rows, digest key, std::uint64_t seed) {
        position_list positions = places_.no(key, seed);
        positions.keep_distinct();
        rows.add(positions.get());
    }

    [[nodiscard]] std::uint64_t covered(const position_rows& rows) const noexcept {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) count += packing_.covers(rows[i]) ? 1 : 0;
        return count;
    }

    const yes_no_spec& spec_;
    yes_no_places places_;
    false_negatives lost_;
    attempt best_;
    attempt next_;
    position_rows member_rows_;
    position_rows false_positives_;
    no_filter_packing packing_;
};

/// Builds all parts into the filter, which has the right size; what was in it is replaced.
protection build_into(yes_no_filter& filter, std::span<const digest> members, std::span<const digest> negatives,
                      const protection_options& how) {
    const yes_no_spec spec = filter.spec();
    const yes_no_places places(spec);
    const sorted_keys sorted_members(places, spec.parts, members);
    const sorted_keys sorted_negatives(places, spec.parts, negatives);

    std::atomic<std::uint64_t> next{0};
    std::mutex totalling;
    protection total;
    bool out_of_memory = false;
    const auto work = [&] {
        try {
            part_builder builder(spec, how.lost);
            protection found;
            for (std::uint64_t i = next++; i < spec.parts; i = next++) {
                const attempt& best = builder.build(sorted_members[i], sorted_negatives[i]);
                filter.set_part(i, best.seed, best.yes, best.no);
                found += best.found;
            }
            const std::lock_guard lock(totalling);
            total += found;
        } catch (const std::bad_alloc&) {
            next = spec.parts; // the other threads stop, too
            const std::lock_guard lock(totalling);
            out_of_memory = true;
        }
    };
    const std::uint64_t useful = std::min<std::uint64_t>(std::max(how.threads, 1u), spec.parts);
    std::vector<std::thread> others;
    try {
        others.reserve(static_cast<std::size_t>(useful) - 1);
        while (others.size() + 1 < useful) others.emplace_back(work);
    } catch (const std::exception&) {
        // No more threads can be started: the running ones do the work, and are joined below.
    }
    work();
    for (std::thread& one : others) one.join();
    if (out_of_memory) throw std::bad_alloc();
    return total;
}

/// Every bit of the yes-filters comes from one of these members, and no bit of theirs is missing.
result<void> check_members(const yes_no_filter& filter, std::span<const digest> members) {
    auto same = make<yes_no_filter>(filter.spec());
    if (!same) return fail(std::move(same.error()));
    for (std::uint64_t i = 0; i < filter.spec().parts; ++i) {
        same->set_part(i, filter.seed(i), {}, {});
    }
    for (const digest member : members) (void)same->insert(member);
    const auto there = filter.sections()[0];
    const auto expected = same->sections()[0];
    if (!is_subset(expected, there)) {
        return fail(failure_reason::mismatch, "some of these members are not in the filter; add them first");
    }
    if (!is_subset(there, expected)) {
        return fail(
            failure_reason::mismatch,
            "the filter holds keys that are not among these members, and protection might lose them; give all members");
    }
    return {};
}

} // namespace

result<yes_no_built> build_yes_no(const yes_no_spec& spec, std::span<const digest> members,
                                  std::span<const digest> negatives, const protection_options& how) {
    auto filter = make<yes_no_filter>(spec);
    if (!filter) return fail(std::move(filter.error()));
    try {
        const protection report = build_into(*filter, members, negatives, how);
        return yes_no_built{std::move(*filter), report};
    } catch (const std::bad_alloc&) {
        return fail(failure_reason::out_of_memory,
                    "out of memory while building a yes_no filter of " + std::to_string(members.size()) + " members");
    }
}

result<protection> protect(yes_no_filter& filter, std::span<const digest> members, std::span<const digest> negatives,
                           const protection_options& how) {
    if (auto checked = check_members(filter, members); !checked) return fail(std::move(checked.error()));
    auto built = build_yes_no(filter.spec(), members, negatives, how);
    if (!built) return fail(std::move(built.error()));
    filter = std::move(built->filter);
    return built->report;
}

} // namespace everbloom
