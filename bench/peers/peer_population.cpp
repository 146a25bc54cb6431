#include "peers/peer_population.hpp"

#include "planned.hpp"

#include <algorithm>

namespace everbloom::bench {

bool peer_population::offers(operation deed, manner how) const noexcept {
    return std::find(entry_.abilities.begin(), entry_.abilities.end(), ability{deed, how}) != entry_.abilities.end();
}

const complaint& peer_population::wrong() {
    if (!is_built_) build();
    is_built_ = true;
    return wrong_;
}

void peer_population::build() {
    const key_set& keys = run_keys();
    filter_ = entry_.make(keys.items(), planned_bits(entry_.rival, run_settings().fpr));
    if (!filter_) {
        wrong_ = fmt::format("{} refuses a filter of {} items", entry_.name, keys.items());
        return;
    }
    for (const manner how : {manner::single, manner::batch}) {
        if (!offers(operation::lookup, how)) continue;
        std::uint64_t found = 0;
        for_each_batch(keys.members(), [&](std::span<const std::uint64_t> part) { found += full().lookup(how, part); });
        if (found != keys.items()) wrong_ = fmt::format("finds only {} of {} members", found, keys.items());
    }
}

peer& peer_population::full() {
    if (!is_full_) {
        peer& filter = emptied();
        for_each_batch(run_keys().members(),
                       [&](std::span<const std::uint64_t> part) { filter.insert(manner::single, part); });
        declare_full();
    }
    return *filter_;
}

peer& peer_population::emptied() {
    is_full_ = false;
    filter_->clear();
    return *filter_;
}

std::vector<peer_population>& peer_populations() {
    static std::vector<peer_population> all(known_peers().begin(), known_peers().end());
    return all;
}

std::uint64_t planned_bits(std::string_view kind, double fpr) {
    std::uint64_t bits = 0;
    all_kinds::for_each([&]<class Kind>() {
        if (bits != 0 && Kind::name != kind) return;
        if (const auto spec = planned_spec<Kind>(fpr)) bits = 8 * planned_bytes<Kind>(*spec);
    });
    return bits;
}

} // namespace everbloom::bench
