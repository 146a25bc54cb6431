// Debian's libbloom: a classic Bloom filter in C, k positions from two MurmurHash2 of 32 bits.
#if defined(EVERBLOOM_HAVE_LIBBLOOM)

#include "peer.hpp"

#include <bloom.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace everbloom::bench {
namespace {

class libbloom final : public peer {
public:
    static std::unique_ptr<peer> make(std::uint64_t items, std::uint64_t bits) {
        // It counts items and bits in an int, and takes a rate where we want to give bits: the rate of that many bits.
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
        if (items > most || bits > most) return nullptr;
        constexpr double ln2_squared = std::numbers::ln2 * std::numbers::ln2;
        const double rate = std::exp(-ln2_squared * static_cast<double>(bits) / static_cast<double>(items));
        auto made = std::make_unique<libbloom>();
        if (bloom_init(&made->filter_, static_cast<int>(items), rate) != 0) return nullptr;
        return made;
    }
    ~libbloom() override { bloom_free(&filter_); }

    [[nodiscard]] std::uint64_t payload_bytes() const noexcept override {
        return static_cast<std::uint64_t>(filter_.bytes);
    }
    void clear() noexcept override { bloom_reset(&filter_); }
    void insert(manner, std::span<const std::uint64_t> keys) noexcept override {
        for (const std::uint64_t& key : keys) bloom_add(&filter_, &key, sizeof key);
    }
    [[nodiscard]] std::uint64_t lookup(manner, std::span<const std::uint64_t> keys) const noexcept override {
        std::uint64_t found = 0;
        for (const std::uint64_t& key : keys) found += bloom_check(&filter_, &key, sizeof key) == 1 ? 1 : 0;
        return found;
    }

private:
    mutable bloom filter_{}; // a query changes nothing, but its declaration does not say const
};

const peer_registration registered({"libbloom",
                                    bloom_version(),
                                    "blocked",
                                    {{operation::lookup, manner::single}, {operation::insert, manner::single}},
                                    libbloom::make});

} // namespace
} // namespace everbloom::bench

#endif
