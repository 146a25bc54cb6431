#include "experiments/yesno/one_try.hpp"

#include "simulation/trial_randomness.hpp"

#include <algorithm>

namespace everbloom::experiments::yesno {
namespace {

using positions = std::vector<std::uint64_t>;
using bits = std::vector<bool>;

class drawing {
public:
    explicit drawing(const cli::trial_randomness& random) : random_(random) {}

    positions different(std::uint64_t count, std::uint64_t range) {
        positions made;
        while (made.size() < count) {
            const std::uint64_t at = random_.choose(drawn_++, range);
            if (std::find(made.begin(), made.end(), at) == made.end()) made.push_back(at);
        }
        return made;
    }

private:
    cli::trial_randomness random_;
    std::uint64_t drawn_ = 0;
};

bool covers(const bits& filter, const positions& key) {
    return std::all_of(key.begin(), key.end(), [&](std::uint64_t at) { return filter[at]; });
}

void set(bits& filter, const positions& key) {
    for (const std::uint64_t at : key) filter[at] = true;
}

std::uint64_t left_in(const setting& wanted, const cli::trial_randomness& random) {
    const yes_no_spec& spec = wanted.spec;
    drawing draw(random);
    bits yes(spec.yes_bits);
    std::vector<positions> members;
    for (std::uint64_t i = 0; i < wanted.members; ++i) {
        set(yes, draw.different(spec.yes_hashes, spec.yes_bits));
        members.push_back(draw.different(spec.no_hashes, spec.no_bits));
    }
    std::vector<positions> false_positives;
    for (std::uint64_t i = 0; i < wanted.negatives; ++i) {
        const bool passes = covers(yes, draw.different(spec.yes_hashes, spec.yes_bits));
        positions in_no_filters = draw.different(spec.no_hashes, spec.no_bits);
        if (passes) false_positives.push_back(std::move(in_no_filters));
    }
    std::vector<bits> no_filters(spec.no_filters, bits(spec.no_bits));
    for (std::size_t i = 0; i < false_positives.size(); ++i) {
        bits& turn = no_filters[i % no_filters.size()];
        bits changed = turn;
        set(changed, false_positives[i]);
        const bool harms = std::any_of(members.begin(), members.end(),
                                       [&](const positions& member) { return covers(changed, member); });
        if (!harms) turn = std::move(changed);
    }
    return static_cast<std::uint64_t>(
        std::count_if(false_positives.begin(), false_positives.end(), [&](const positions& one) {
            return std::none_of(no_filters.begin(), no_filters.end(),
                                [&](const bits& filter) { return covers(filter, one); });
        }));
}

} // namespace

estimate left_after_one_try(const laboratory& lab, const setting& wanted, std::uint64_t trials) {
    std::vector<cli::tally> left(trials);
    lab.in_parallel(trials, [&](std::uint64_t trial) {
        left[trial] = {left_in(wanted, cli::trial_randomness(lab.seed(), trial)), wanted.negatives};
    });
    lab.tell(trials * (wanted.members + wanted.negatives));
    return times(cli::estimate_share(left), static_cast<double>(wanted.negatives));
}

} // namespace everbloom::experiments::yesno
