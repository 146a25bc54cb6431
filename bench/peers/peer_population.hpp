// peer_population: a peer's filter, full of the run's members and checked, as population.hpp does for our own.
//
// Its members must all be found. Its rate is shown in the table of `space`, not judged: it is the peer's own promise.
#pragma once

#include "checks.hpp"
#include "peers/peer.hpp"

#include <memory>

namespace everbloom::bench {

class peer_population {
public:
    explicit peer_population(const peer_entry& entry) : entry_(entry) {}

    [[nodiscard]] const peer_entry& entry() const noexcept { return entry_; }
    [[nodiscard]] bool offers(operation deed, manner how) const noexcept;

    /// Builds and checks the filter at the first call; why it cannot be measured, if it cannot.
    [[nodiscard]] const complaint& wrong();

    [[nodiscard]] peer& full();
    [[nodiscard]] peer& emptied();
    void declare_full() noexcept { is_full_ = true; }
    void declare_changed() noexcept { is_full_ = false; }

private:
    void build();

    const peer_entry& entry_;
    std::unique_ptr<peer> filter_;
    bool is_built_ = false;
    bool is_full_ = false;
    complaint wrong_;
};

/// One per known peer, for this run.
[[nodiscard]] std::vector<peer_population>& peer_populations();

/// Calls `visit(population, manner)` for every peer and every way in which it offers the operation.
template <class Visitor>
void for_each_peer(operation deed, Visitor visit) {
    for (peer_population& one : peer_populations()) {
        for (const manner how : {manner::single, manner::batch}) {
            if (one.offers(deed, how)) visit(one, how);
        }
    }
}

/// The bits of the planned filter of that kind; of the first kind if it takes no part.
[[nodiscard]] std::uint64_t planned_bits(std::string_view kind, double fpr);

} // namespace everbloom::bench
