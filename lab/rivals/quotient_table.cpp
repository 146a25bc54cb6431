#include "lab/rivals/quotient_table.hpp"

#include <algorithm>

namespace everbloom::lab::rivals {
namespace {

/// Slots behind the last quotient. A cluster at the end of the table is longer than that with negligible probability while the load
/// is at most 0.95; if it is, the insertion is refused.
constexpr std::uint64_t slots_behind = 1024;

} // namespace

quotient_table::quotient_table(unsigned quotient_bits, unsigned value_bits)
    : quotient_bits_(quotient_bits),
      slots_((std::uint64_t{1} << quotient_bits) + std::min(slots_behind, std::uint64_t{8} << (quotient_bits / 2)),
             value_bits + 3) {}

std::uint64_t quotient_table::cluster_start(std::uint64_t slot) const noexcept {
    while (has(slot, shifted)) --slot;
    return slot;
}

std::vector<quotient_table::entry> quotient_table::read_cluster(std::uint64_t start) const {
    std::vector<entry> made;
    std::uint64_t quotient = start; // of the run that is being read
    for (std::uint64_t slot = start; slot < slots_.size() && !is_empty(slot); ++slot) {
        const std::uint64_t content = slots_.get(slot);
        if (slot > start && (content & shifted) == 0) break; // another cluster begins
        if (slot > start && (content & continuation) == 0) {
            ++quotient;
            while (!has(quotient, occupied)) ++quotient;
        }
        made.push_back({quotient, content >> 3});
    }
    return made;
}

void quotient_table::wipe(std::uint64_t start, std::uint64_t slots) noexcept {
    for (std::uint64_t slot = start; slot < start + slots; ++slot) slots_.set(slot, 0);
}

bool quotient_table::write(const std::vector<entry>& sorted) {
    // Where each entry will lie, before any is written: in its own slot, or behind the one before.
    std::vector<std::uint64_t> places;
    places.reserve(sorted.size());
    for (const entry& one : sorted) {
        places.push_back(std::max(one.quotient, places.empty() ? 0 : places.back() + 1));
    }
    if (!places.empty() && places.back() >= slots_.size()) return false;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        std::uint64_t marks = places[i] != sorted[i].quotient ? shifted : 0;
        if (i > 0 && sorted[i].quotient == sorted[i - 1].quotient) marks |= continuation;
        slots_.set(places[i], (sorted[i].value << 3) | marks | (slots_.get(places[i]) & occupied));
        slots_.set(sorted[i].quotient, slots_.get(sorted[i].quotient) | occupied);
    }
    return true;
}

bool quotient_table::insert(const entry& added) {
    if (is_empty(added.quotient)) {
        ++entries_;
        return write({added});
    }
    const std::uint64_t start = cluster_start(added.quotient);
    std::vector<entry> cluster = read_cluster(start);
    const std::uint64_t old_size = cluster.size();
    cluster.insert(std::upper_bound(cluster.begin(), cluster.end(), added), added);
    // One more entry may push the cluster into the next ones, which then belong to it.
    for (std::uint64_t next = start + old_size; next < slots_.size() && !is_empty(next);) {
        const std::vector<entry> other = read_cluster(next);
        cluster.insert(cluster.end(), other.begin(), other.end());
        next += other.size();
    }
    if (start + cluster.size() > slots_.size()) return false;
    wipe(start, cluster.size() - 1);
    ++entries_;
    return write(cluster);
}

bool quotient_table::erase(const entry& gone) {
    if (!has(gone.quotient, occupied)) return false;
    const std::uint64_t start = cluster_start(gone.quotient);
    std::vector<entry> cluster = read_cluster(start);
    const auto found = std::lower_bound(cluster.begin(), cluster.end(), gone);
    if (found == cluster.end() || *found != gone) return false;
    wipe(start, cluster.size());
    cluster.erase(found);
    --entries_;
    return write(cluster);
}

std::vector<quotient_table::entry> quotient_table::all() const {
    std::vector<entry> made;
    made.reserve(entries_);
    for (std::uint64_t slot = 0; slot < slots_.size();) {
        if (is_empty(slot)) {
            ++slot;
            continue;
        }
        const std::vector<entry> cluster = read_cluster(slot);
        made.insert(made.end(), cluster.begin(), cluster.end());
        slot += cluster.size();
    }
    return made;
}

} // namespace everbloom::lab::rivals
