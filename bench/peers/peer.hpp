// Peers: filters of other libraries, measured in the same run.
//
// A peer is one file that derives from `peer` and ends with a `peer_registration`. It is given keys by the batch, so that the loop
// over them is its own code and the virtual call costs nothing; how it hashes a key is its own affair and inside the clock.
// Files outside this tree are compiled in with -DEVERBLOOM_BENCH_PEERS (docs/comparisons.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace everbloom::bench {

enum class operation { lookup, insert, erase };
/// One key after the other, or through an interface of the peer for many keys at once. Peers without one ignore it.
enum class manner { single, batch };

[[nodiscard]] constexpr std::string_view name_of(manner how) noexcept {
    return how == manner::single ? "single" : "batch";
}

struct ability {
    operation deed;
    manner how;

    friend constexpr bool operator==(const ability&, const ability&) = default;
};

class peer {
public:
    peer() = default;
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;
    virtual ~peer() = default;

    [[nodiscard]] virtual std::uint64_t payload_bytes() const noexcept = 0;
    virtual void clear() noexcept = 0;
    virtual void insert(manner how, std::span<const std::uint64_t> keys) noexcept = 0;
    /// How many of the keys may be members.
    [[nodiscard]] virtual std::uint64_t lookup(manner how, std::span<const std::uint64_t> keys) const noexcept = 0;
    /// Only called if the entry offers it.
    virtual void erase(manner, std::span<const std::uint64_t>) noexcept {}
};

struct peer_entry {
    std::string_view name;
    std::string version;
    /// The kind of ours whose bits per key it is given, so that the comparison is one of equals.
    std::string_view rival;
    std::vector<ability> abilities; // what is worth measuring
    /// A filter for this number of items in about this number of bits; empty if the peer refuses.
    std::unique_ptr<peer> (*make)(std::uint64_t items, std::uint64_t bits);
};

/// All peers compiled in, in the order of their files.
[[nodiscard]] const std::vector<peer_entry>& known_peers();

/// An object of this type at namespace scope adds a peer.
class peer_registration {
public:
    explicit peer_registration(peer_entry entry);
};

} // namespace everbloom::bench
