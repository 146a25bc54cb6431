// Claims of [Carrea16 §III, §VI, §VIII] about parameters, false negatives and the cost of a query.
#include "lab/papers/yesno/builds.hpp"
#include "lab/papers/yesno/yesno.hpp"
#include "output/wording.hpp"

#include <fmt/format.h>

#include <array>

namespace everbloom::lab::yesno {
namespace {

/// The values of §VIII.
setting header_of_packet() {
    setting made = papers_setting();
    made.spec.yes_bits = 192;
    made.spec.no_filters = 2;
    made.spec.no_hashes = 3;
    made.members = 28;
    return made;
}

} // namespace

result<outcome> parameters(laboratory& lab) {
    const std::array<setting, 2> papers{papers_setting(), header_of_packet()};
    double fewer = 0;
    for (const setting& one : papers) fewer += one.spec.no_hashes < one.spec.yes_hashes ? 1 : 0;
    // The effect of k' < k in the setting that violates it.
    setting three = papers_setting();
    three.spec.no_hashes = 3;
    const auto with_three = build_many(lab, three, first_fit(), experiments_of(lab));
    if (!with_three) return fail(with_three.error());
    const auto with_five = build_many(lab, papers_setting(), first_fit(), experiments_of(lab));
    if (!with_five) return fail(with_five.error());

    std::uint64_t lost = with_three->members_lost + with_five->members_lost;
    std::uint64_t asked = with_three->members_asked + with_five->members_asked;
    for (const std::uint64_t members : {10, 50, 90}) {
        setting one = header_of_packet();
        one.members = members;
        const auto built = build_many(lab, one, first_fit(), experiments_of(lab));
        if (!built) return fail(built.error());
        lost += built->members_lost;
        asked += built->members_asked;
    }

    // A Bloom filter compares one field. A yes-no filter compares the yes-filter, and each no-filter for a key that passes it.
    const setting& defaults = papers[0];
    const auto members = static_cast<double>(defaults.members);
    const auto negatives = static_cast<double>(defaults.negatives);
    const auto no_filters = static_cast<double>(defaults.spec.no_filters);
    const double passing = (members + with_five->before.mean) / (members + negatives);
    const double compared = 1 + no_filters * passing;
    const setting& packet = papers[1];
    const std::uint64_t fitting = (papers_bits - packet.spec.yes_bits) / packet.spec.no_bits;
    outcome found;
    found.findings = {
        {"fewer-no-hashes", fewer / static_cast<double>(papers.size()),
         fmt::format("§V has k' = 5 and k = 4, §VIII k' = 3 and k = 4; with k' = 3 the setting of §V leaves {:.3f} "
                     "false positives, with k' = 5 {:.3f}",
                     with_three->after.mean, with_five->after.mean)},
        {"no-filter-length", static_cast<double>(fitting),
         fmt::format("m = {} and p = {} leave {} bits: {} no-filters of {}", papers_bits, packet.spec.yes_bits,
                     papers_bits - packet.spec.yes_bits, packet.spec.no_filters, packet.spec.no_bits)},
        {"no-false-negatives", static_cast<double>(lost),
         fmt::format("of {} queried members, {} were lost", grouped(asked), lost)},
        {"query-cost", compared,
         fmt::format(
             "{:.0f} of 100 keys pass the yes-filter (members and false positives) and are also compared with {:.0f} "
             "no-filters: {:.2f} comparisons on average, {:.0f} for a member",
             100 * passing, no_filters, compared, 1 + no_filters)}};
    return found;
}

} // namespace everbloom::lab::yesno
