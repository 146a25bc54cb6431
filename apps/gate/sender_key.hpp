// sender_key: an address with its digest. Senders choose their addresses, so tables and filters both use a keyed hash, computed once per
// packet.
#pragma once

#include "gate/ip_address.hpp"

#include <everbloom/hash/any_hasher.hpp>

#include <cstddef>

namespace everbloom::cli {

struct sender_key {
    ip_address address;
    digest hashed;

    [[nodiscard]] static sender_key of(const ip_address& address, const any_hasher& hash) noexcept {
        return {address, hash(key_bytes(address.key()))};
    }
};

/// Hash of hash tables of addresses: a sender_key has its hash, an address in the table is rehashed when the table grows.
struct address_hash {
    using is_transparent = void;
    any_hasher hash;

    std::size_t operator()(const sender_key& sender) const noexcept { return sender.hashed.low; }
    std::size_t operator()(const ip_address& address) const noexcept { return hash(key_bytes(address.key())).low; }
};

struct address_equal {
    using is_transparent = void;

    static const ip_address& address_of(const sender_key& sender) noexcept { return sender.address; }
    static const ip_address& address_of(const ip_address& address) noexcept { return address; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
        return address_of(a) == address_of(b);
    }
};

} // namespace everbloom::cli
