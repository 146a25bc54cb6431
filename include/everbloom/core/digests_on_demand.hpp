// digests_on_demand: a batch of digests that are made when they are asked for, each once.
//
// A batch that is hashed into an array, and read from it again by the filter, spends a third of its time on that. A filter whose loop takes
// any source of digests hashes each key where it needs its digest; the filter still knows nothing of keys and hash functions.
#pragma once

#include <everbloom/core/digest.hpp>

#include <cstddef>

namespace everbloom {

/// `make(index)` gives the digest of the item at that index.
template <class Make>
class digests_on_demand {
public:
    digests_on_demand(std::size_t count, Make make) noexcept : count_(count), make_(make) {}

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard, gnu::always_inline]] digest operator[](std::size_t index) const noexcept { return make_(index); }

private:
    std::size_t count_;
    Make make_;
};

} // namespace everbloom
